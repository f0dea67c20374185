"""Files and time of a selective query on a table that is clustered by its column, beside Iceberg.

Usage: python tests/bench/skipping.py [--rows N] [--files N] [--rounds N] [--plot FILE]

A table of hudilite without buckets and one of Iceberg get the same rows. `CALL cluster` and Iceberg's
`rewrite_data_files` sort both by one column into about as many files. Queries ask for one day, and for
more and more of them, which `--plot` draws; files clustered by the key are the comparison. Then 1 % of
the rows are merged into hudilite's table, before the clustering and after. Seconds depend on the
machine: quote the ratios.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from matplotlib.figure import Figure

from harness.session import CLASS_PATH, open_session
from harness.setups import EXTENSIONS, JARS
from tables import t1

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OURS, THEIRS = "t", "ice.db.t"
DAYS = 1500
SPANS = (1, 5, 20, 80, 320, 1500)  # days that a query asks for


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--plot", type=Path, help="PNG to write")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="skipping_"))
    spark = _session(folder)
    _fill(spark, asked.rows)
    size = _bytes(folder / OURS) // asked.files
    before = median(_merge(spark, asked.rows, number) for number in range(5))
    _cluster(spark, "k", size)
    spread = [_opened(spark, days) for days in SPANS]
    print(f"before: {spread[0][0]} of {spread[0][1]} files opened for one day", flush=True)
    _cluster(spark, "day", size)
    spark.sql(
        "CALL ice.system.rewrite_data_files(table => 'db.t', strategy => 'sort', sort_order => 'day', "
        f"options => map('rewrite-all', 'true', 'target-file-size-bytes', '{size}', "
        "'max-file-group-size-bytes', '1099511627776'))"
    )
    spark.sql(f"ANALYZE TABLE {OURS} COMPUTE STATISTICS")
    sorted_ = [_opened(spark, days) for days in SPANS]
    for days, (opened, every, holding) in zip(SPANS, sorted_, strict=True):
        print(f"after, {days} days: {opened} of {every} files opened, {holding} have rows")
    theirs = spark.sql(f"SELECT count(*) FROM {THEIRS}.files").first()
    assert theirs is not None
    print(f"Iceberg has {theirs[0]} files", flush=True)
    times = {days: _times(spark, days, asked.rounds) for days in SPANS}
    for days, (ours, others) in times.items():
        print(
            f"{days} days: {ours:.3f} s, Iceberg {others:.3f} s, {others / ours:.2f} times as fast"
        )
    if asked.plot:
        _draw(asked.plot, spread, sorted_, [others / ours for ours, others in times.values()])
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


def _cluster(spark: SparkSession, column: str, size: int) -> None:
    spark.sql(
        f"CALL cluster(table => '{OURS}', order_by => '{column}', target_file_size => {size})"
    )


def _opened(spark: SparkSession, days: int) -> tuple[int, int, int]:
    """Files that a query of some days opens, all files, and those with rows of these days."""
    query = f"FROM {OURS} WHERE {_condition(7, days)}"
    spark.sql(f"SELECT count(v) FROM (SELECT s1 v {query})").collect()  # the footers are read
    plan = spark.sql(f"EXPLAIN SELECT s1 {query}").collect()[0][0]
    found = re.search(r"files (\d+) of (\d+)", plan)
    assert found is not None, plan
    holding = spark.sql(f"SELECT DISTINCT input_file_name() {query}").count()
    return int(found[1]), int(found[2]), holding


def _condition(number: int, days: int) -> str:
    first = number % (DAYS - days + 1)
    begin = f"date_add(DATE'2020-01-01', {first})"
    if days == 1:
        return f"day = {begin}"
    return f"day BETWEEN {begin} AND date_add(DATE'2020-01-01', {first + days - 1})"


def _times(spark: SparkSession, days: int, rounds: int) -> tuple[float, float]:
    """Median seconds of queries of some days, of ours and of Iceberg's table in turns."""
    times: dict[str, list[float]] = {OURS: [], THEIRS: []}
    for number in range(rounds + 5):
        for name in times:
            where = _condition(number * 61, days)
            times[name].append(_seconds(lambda name=name, where=where: _query(spark, name, where)))  # type: ignore[misc]
    return median(times[OURS][5:]), median(times[THEIRS][5:])


def _query(spark: SparkSession, name: str, where: str) -> None:
    rows = spark.sql(f"SELECT count(*), sum(l3), max(s1) FROM {name} WHERE {where}").collect()
    assert rows[0][0] > 0


def _draw(
    path: Path,
    spread: list[tuple[int, int, int]],
    sorted_: list[tuple[int, int, int]],
    ratios: list[float],
) -> None:
    """Draws the files that queries open, and Iceberg's time as a multiple of hudilite's."""
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    files, speed = figure.subplots(1, 2)
    files.plot(
        SPANS, [one[0] for one in spread], marker="o", color="#b8c2cc", label="clustered by the key"
    )
    files.plot(
        SPANS,
        [one[0] for one in sorted_],
        marker="o",
        color="#2a78c2",
        label="clustered by the day",
    )
    files.plot(SPANS, [one[2] for one in sorted_], ls=":", color="black", label="have rows")
    files.set_title("files opened", fontsize=10, loc="left")
    files.legend(fontsize=8)
    speed.plot(SPANS, ratios, marker="o", color="#2a78c2")
    speed.axhline(1, color="black", lw=0.8, ls=":")
    speed.set_title("Iceberg's seconds / hudilite's, after sorting", fontsize=10, loc="left")
    speed.set_ylim(bottom=0)
    for place in (files, speed):
        place.set_xscale("log")
        place.set_xlabel(f"days of {DAYS} in the condition", fontsize=9)
    figure.savefig(path, dpi=120, metadata={"Software": None})


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
