"""The cost of a step of CALL rescale: the division of one bucket into two, and the merge of two into one.

Usage: python tests/bench/rescale_cost.py [--rows N] [--buckets N]

Each time is divided by that of Spark's own rewrite of the same rows: it reads the bucket's file and writes
one Parquet file. Seconds depend on the machine: quote the ratios.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import layout
from harness.session import open_session
from tables import t1

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WARM_UPS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--buckets", type=int, default=16)
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="rescale_cost_"))
    spark = open_session("rescale cost", folder, {"spark.driver.memory": "2g"})
    spark.sparkContext.setLogLevel("ERROR")
    spark.sql(t1.create_sql("t", asked.buckets))
    spark.sql(f"INSERT INTO t {t1.rows_sql(0, asked.rows)}")
    for label, to in (("divided", 2 * asked.buckets), ("merged", asked.buckets)):
        rewrites, steps = _measured(spark, folder, to, asked.buckets)
        ratio = median(steps) / median(rewrites)
        print(
            f"{label}: step {median(steps):.2f} s (slowest {max(steps):.2f} s), "
            f"rewrite by Spark {median(rewrites):.2f} s, {ratio:.2f} rewrites",
            flush=True,
        )
    spark.stop()
    shutil.rmtree(folder)


def _measured(
    spark: SparkSession, folder: Path, to: int, steps: int
) -> tuple[list[float], list[float]]:
    """Times of Spark's rewrites and of the steps, in turns, after some that warm up."""
    rewrites, taken = [], []
    fewer = min(to, steps)
    files: dict[int, list[str]] = {}
    for written in layout.latest_slices(folder / "t"):
        files.setdefault(int(written.file_id[:8]) % fewer, []).append(str(written.path))
    for step in range(fewer):
        rewrites.append(_seconds(lambda step=step: _rewrite(spark, files[step], folder / "copy")))  # type: ignore[misc]
        taken.append(_seconds(lambda: _step(spark, to)))
    assert spark.sql(f"CALL rescale(table => 't', buckets => {to}, dry_run => true)").count() == 0
    return rewrites[WARM_UPS:], taken[WARM_UPS:]


def _rewrite(spark: SparkSession, files: list[str], out: Path) -> None:
    spark.read.parquet(*files).coalesce(1).write.mode("overwrite").parquet(str(out))


def _step(spark: SparkSession, to: int) -> None:
    done = spark.sql(f"CALL rescale(table => 't', buckets => {to}, max_bytes => 1)").count()
    assert done == 1, done


def _seconds(run: Callable[[], None]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
