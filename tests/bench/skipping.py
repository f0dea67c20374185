"""Files and time of a selective query on a table that is clustered by its column, beside Iceberg.

Usage: python tests/bench/skipping.py [--rows N] [--files N] [--rounds N]

A table of hudilite without buckets and one of Iceberg get the same rows. `CALL cluster` and Iceberg's
`rewrite_data_files` sort both by one column into about as many files. A query asks for one value of the
column. Then 1 % of the rows are merged into hudilite's table, before the clustering and after. Seconds depend on
the machine: quote the ratios.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.session import CLASS_PATH, open_session
from harness.setups import EXTENSIONS, JARS
from tables import t1

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OURS, THEIRS = "t", "ice.db.t"
DAYS = 1500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=20)
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="skipping_"))
    spark = _session(folder)
    _fill(spark, asked.rows)
    size = _bytes(folder / OURS) // asked.files
    before = median(_merge(spark, asked.rows, number) for number in range(5))
    opened = _opened(spark, 7)
    print(f"before: {opened[0]} of {opened[1]} files have rows of one day", flush=True)
    spark.sql(f"CALL cluster(table => '{OURS}', order_by => 'day', target_file_size => {size})")
    spark.sql(
        "CALL ice.system.rewrite_data_files(table => 'db.t', strategy => 'sort', sort_order => 'day', "
        f"options => map('rewrite-all', 'true', 'target-file-size-bytes', '{size}', "
        "'max-file-group-size-bytes', '1099511627776'))"
    )
    spark.sql(f"ANALYZE TABLE {OURS} COMPUTE STATISTICS")
    opened = _opened(spark, 7)
    print(f"after: {opened[0]} of {opened[1]} files have rows of one day", flush=True)
    theirs = spark.sql(f"SELECT count(*) FROM {THEIRS}.files").first()
    assert theirs is not None
    print(f"Iceberg has {theirs[0]} files", flush=True)
    times: dict[str, list[float]] = {OURS: [], THEIRS: []}
    for number in range(asked.rounds + 5):
        for name in times:
            times[name].append(_seconds(lambda name=name, n=number: _query(spark, name, n * 61)))  # type: ignore[misc]
    ours, others = (median(times[name][5:]) for name in (OURS, THEIRS))
    print(f"query: {ours:.3f} s, Iceberg {others:.3f} s, {others / ours:.2f} times as fast")
    after = median(_merge(spark, asked.rows, number) for number in range(10, 15))
    print(f"MERGE of 1 %: {before:.2f} s before, {after:.2f} s after, {after / before:.2f} times")
    spark.stop()
    shutil.rmtree(folder)


def _session(folder: Path) -> SparkSession:
    jars = os.pathsep.join(JARS.read_text(encoding="utf-8").split())
    spark = open_session(
        "skipping",
        folder,
        {
            "spark.driver.memory": "3g",
            CLASS_PATH: jars,
            "spark.sql.extensions": f"{EXTENSIONS[1]},hudilite.spark.HudiliteExtensions",
            "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.ice.type": "hadoop",
            "spark.sql.catalog.ice.warehouse": f"{folder}/ice",
        },
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _fill(spark: SparkSession, rows: int) -> None:
    spark.sql(f"CREATE TABLE {OURS} ({t1.SCHEMA}, PRIMARY KEY (k)) USING hudilite")
    spark.sql(f"CREATE TABLE {THEIRS} ({t1.SCHEMA}) USING iceberg")
    for name in (OURS, THEIRS):
        spark.sql(f"INSERT INTO {name} {t1.rows_sql(0, rows)}")


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*.parquet"))


def _opened(spark: SparkSession, number: int) -> tuple[int, int]:
    """Files that have rows of a day, and all files."""
    files = spark.sql(f"SELECT input_file_name() FROM {OURS} WHERE day = {_day(number)}")
    everything = spark.sql(f"SELECT input_file_name() FROM {OURS}")
    return files.distinct().count(), everything.distinct().count()


def _day(number: int) -> str:
    return f"date_add(DATE'2020-01-01', {number % DAYS})"


def _query(spark: SparkSession, name: str, number: int) -> None:
    rows = spark.sql(
        f"SELECT count(*), sum(l3), max(s1) FROM {name} WHERE day = {_day(number)}"
    ).collect()
    assert rows[0][0] > 0


def _merge(spark: SparkSession, rows: int, number: int) -> float:
    """Seconds of a MERGE of 1 % of the rows."""
    changed = f"{t1.rows_sql(0, rows, number + 1)} WHERE xxhash64(id, 99, {number}) % 100 = 0"
    spark.sql(changed).write.mode("overwrite").parquet(f"{_base(spark)}/source")
    spark.read.parquet(f"{_base(spark)}/source").createOrReplaceTempView("s")
    text = f"MERGE INTO {OURS} t USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    return _seconds(lambda: spark.sql(text).collect())


def _base(spark: SparkSession) -> str:
    return str(spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:")


def _seconds(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
