"""Demo steps that turn the year, as Parquet files, into a table without moving the files."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from hudilite.demo import flights
from hudilite.demo.report import Report

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LAKE = "warehouse/flights_lake"
ADOPTED = "warehouse/flights_adopted"


def run(spark: SparkSession, directory: Path, report: Report) -> list[str]:
    """Makes a table from Parquet files and corrects it.

    Args:
        spark: Session with the flights and their corrections.
        directory: Directory of the demo.
        report: Receiver of the output.

    Returns:
        Source files that changed; empty when all is well.
    """
    with report.step("Write the year as plain Parquet files, one folder per month"):
        report.sql(flights.LAKE)
        spark.sql(flights.LAKE)
        before = hashes(directory / LAKE)
        report.line(f"   {len(before)} files, {_kib(directory / LAKE):,} KiB")
    with report.step("Create a table over these files, without copying them"):
        report.sql(flights.BOOTSTRAP)
        counts = spark.sql(flights.BOOTSTRAP).drop("seconds", "instant")
        report.table(counts.columns, counts.collect())
        report.line(
            "   Only the keys were read. Each file got a skeleton: key, row number, bloom filter."
        )
    with report.step("Apply the corrections to this table, too"):
        report.sql(flights.MERGE_ADOPTED)
        counts = spark.sql(flights.MERGE_ADOPTED)
        report.table(counts.columns, counts.collect())
    with report.step("Check the source files: the MERGE did not change them"):
        after = hashes(directory / LAKE)
        changed = [
            name for name in sorted({*before, *after}) if before.get(name) != after.get(name)
        ]
        report.line(
            f"   {len(after)} files, {len(changed)} of them with another SHA-256 than before."
        )
        report.line(f"   The table itself has {_kib(directory / ADOPTED):,} KiB.")
    return [f"source, {name}" for name in changed]


def hashes(folder: Path) -> dict[str, str]:
    """Returns the SHA-256 of every Parquet file below a folder, by relative path."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.parquet"))
    }


def _kib(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.parquet")) // 1024
