"""A MERGE, UPDATE or DELETE of 1 % uniform rows against Spark reading and writing the same files.

Usage: python tests/bench/merge_ratio.py [--rows N] [--rounds N] [--folder PATH]
                                         [--statements merge,update,delete]

Both kinds of run alternate in one session with the same codec; ratios are of medians. Seconds
depend on the machine and its load: quote ratios.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import layout
from harness.events import Execution, event_log_conf, executions
from harness.session import open_session
from tables import t1

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BUCKETS = 16
TINY = 20


def main() -> None:
    asked = _arguments()
    folder = Path(asked.folder or tempfile.mkdtemp(prefix="merge_ratio_"))
    conf = event_log_conf(folder / "events") | {
        "spark.driver.memory": "3g",
        "spark.sql.shuffle.partitions": str(BUCKETS),
        "spark.sql.parquet.compression.codec": "snappy",
    }
    spark = open_session("merge ratio", folder / "wh", conf)
    spark.sparkContext.setLogLevel("ERROR")
    base = folder / "wh" / "t1"
    _load(spark, asked.rows)
    written = sum(found.path.stat().st_size for found in layout.latest_slices(base))
    print(f"{asked.rows} rows, {written / asked.rows:.0f} bytes a row on disk, {BUCKETS} buckets")
    for name in asked.statements.split(","):
        taken, copies = _rounds(spark, base, folder, asked.rows, asked.rounds, name)
        print(f"{name}: {_shown(taken)}; read and write: {_shown(copies)}")
        print(f"ratio of medians: {statistics.median(taken) / statistics.median(copies):.2f}")
    tiny = _tiny(spark)
    spark.stop()
    if "merge" in asked.statements.split(","):
        _print_costs(executions(folder / "events"))
    print(f"one row into a tiny table, warm: {_shown(tiny)}")


def _load(spark: SparkSession, rows: int) -> None:
    spark.sql(t1.create_sql("t1", BUCKETS))
    spark.sql(f"INSERT INTO t1 {t1.rows_sql(0, rows)}")


def _rounds(
    spark: SparkSession, base: Path, folder: Path, rows: int, rounds: int, name: str
) -> tuple[list[float], list[float]]:
    taken, copies = [], []
    for number in range(rounds + 1):
        source = folder / f"{name}{number}"
        picked = f"xxhash64(id, 99, {number}) % 100 = 0"
        chosen = f"{t1.rows_sql(0, rows, number + 1)} WHERE {picked}"
        spark.sql(chosen).coalesce(2).write.parquet(str(source))
        spark.read.parquet(str(source)).createOrReplaceTempView("s")
        files = [str(found.path) for found in layout.latest_slices(base)]
        copies.append(_timed(spark, "copy", partial(_copy, spark, files, folder / "copy")))
        taken.append(_timed(spark, name, lambda: STATEMENTS[name](spark, "t1")))
        _timed(spark, "source", lambda: _shuffle_source(spark, folder / "limit"))
    return taken[1:], copies[1:]


def _merge(spark: SparkSession, table: str) -> None:
    spark.sql(
        f"MERGE INTO {table} t USING s ON t.k = s.k "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )


def _update(spark: SparkSession, table: str) -> None:
    spark.sql(f"UPDATE {table} SET l2 = l2 + 1, s1 = 'new' WHERE k IN (SELECT k FROM s)")


def _delete(spark: SparkSession, table: str) -> None:
    spark.sql(f"DELETE FROM {table} WHERE k IN (SELECT k FROM s)")


STATEMENTS: dict[str, Callable[[SparkSession, str], None]] = {
    "merge": _merge,
    "update": _update,
    "delete": _delete,
}


def _copy(spark: SparkSession, files: list[str], target: Path) -> None:
    spark.read.parquet(*files).write.mode("overwrite").parquet(str(target))


def _shuffle_source(spark: SparkSession, target: Path) -> None:
    by_key = spark.table("s").repartition(BUCKETS, "k")
    by_key.write.mode("overwrite").parquet(str(target))


def _tiny(spark: SparkSession) -> list[float]:
    spark.sql(t1.create_sql("tiny", BUCKETS))
    spark.sql(f"INSERT INTO tiny {t1.rows_sql(0, 100)}")
    spark.sql(t1.rows_sql(7, 8, salt=1)).createOrReplaceTempView("s")
    seconds = [_timed(spark, "tiny", lambda: _merge(spark, "tiny")) for _ in range(TINY)]
    return seconds[TINY // 2 :]


def _timed(spark: SparkSession, label: str, run: Callable[[], None]) -> float:
    spark.sparkContext.setJobDescription(label)
    began = time.perf_counter()
    run()
    seconds = time.perf_counter() - began
    spark.sparkContext.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]
    return seconds


def _print_costs(found: list[Execution]) -> None:
    by_label: dict[str, list[Execution]] = {}
    for execution in found:
        by_label.setdefault(execution.description, []).append(execution)
    merges = by_label["merge"][1:]
    sources = by_label["source"][1 : len(merges) + 1]
    ratios = [m.shuffle_bytes / s.shuffle_bytes for m, s in zip(merges, sources, strict=True)]
    print(f"bytes shuffled / source: {max(ratios):.2f} at most")
    print(f"jobs a merge: {max(len(m.jobs) for m in merges)} at most")
    print(f"jobs a tiny merge: {max(len(m.jobs) for m in by_label['tiny'])} at most")


def _shown(seconds: list[float]) -> str:
    return f"median {statistics.median(seconds):.2f} s (least {min(seconds):.2f})"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder")
    parser.add_argument("--statements", default="merge,update,delete")
    return parser.parse_args()


if __name__ == "__main__":
    main()
