"""What CALL diff costs: of two tables that differ in a thousandth, and of two versions of one.

Usage: python tests/bench/diff_cost.py [--rows N] [--buckets N] [--rounds N]

Each time is divided by that of a scan of all columns of both tables. Seconds depend on the machine:
quote the ratios.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.session import open_session
from tables import t1

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SHARE = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--buckets", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="diff_cost_"))
    spark = open_session("diff cost", folder, {"spark.driver.memory": "4g"})
    spark.sparkContext.setLogLevel("ERROR")
    for name, buckets in (("a", asked.buckets), ("b", asked.buckets), ("c", asked.buckets + 1)):
        spark.sql(t1.create_sql(name, buckets))
        spark.sql(f"INSERT INTO {name} {t1.rows_sql(0, asked.rows)}")
    spark.sql(f"UPDATE a SET s3 = 'changed' WHERE l1 % {SHARE} = 0")
    changed = (asked.rows + SHARE - 1) // SHARE
    work: dict[str, Callable[[], None]] = {
        "scan of both": partial(_scan, spark, ("a", "b")),
        "two tables": partial(_check, spark, "other => 'b'", changed),
        "two tables, rows": partial(_check, spark, "other => 'b', rows => true", changed),
        "two versions": partial(_check, spark, "version => '1'", changed),
        "by a join": partial(_check, spark, "other => 'c'", changed),
    }
    times = {name: _seconds(run, asked.rounds) for name, run in work.items()}
    for name, seconds in times.items():
        print(f"{name}: {seconds:.2f} s, {seconds / times['scan of both']:.2f} scans", flush=True)
    spark.stop()
    shutil.rmtree(folder)


def _scan(spark: SparkSession, names: tuple[str, ...]) -> None:
    for name in names:
        spark.table(name).write.format("noop").mode("overwrite").save()


def _check(spark: SparkSession, arguments: str, changed: int) -> None:
    rows = spark.sql(f"CALL diff(table => 'a', {arguments}, limit => {changed})").collect()
    found = len(rows) // 2 if "rows" in arguments else sum(row.rows_updated for row in rows)
    assert found == changed, (found, changed)


def _seconds(run: Callable[[], None], rounds: int) -> float:
    """The median of some rounds, after one that warms up."""
    taken = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        run()
        taken.append(time.perf_counter() - began)
    return median(taken[1:])


if __name__ == "__main__":
    main()
