"""Steps of the demo, in order."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import hudilite
from hudilite.demo import adoption, flights, place, plans, totals
from hudilite.demo.files import base_files
from hudilite.demo.report import Report

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_COUNTS = """\
SELECT count(*) AS flights, count_if(month = 2 AND day = 8) AS on_8_february,
       count_if(month = 2 AND day = 8 AND dep_time IS NULL) AS cancelled_that_day
FROM flights"""

_BUCKETS = """\
SELECT CAST(substr(_hoodie_file_name, 1, 8) AS INT) AS bucket,
       count(DISTINCT _hoodie_partition_path, _hoodie_file_name) AS files, count(*) AS rows
FROM flights GROUP BY 1 ORDER BY 1"""

TABLE = "warehouse/flights"
EXPECTED = "totals.json"


def run(directory: Path, source: Path, report: Report) -> list[str]:
    """Runs the whole tour.

    Args:
        directory: Prepared directory of the demo.
        source: Zipped CSV file of the flights.
        report: Receiver of the output.

    Returns:
        Source files that changed, and months and totals in which two readers differ; empty when all
        is well.
    """
    with report.step("Start a Spark session with hudilite"):
        report.line('   python> spark = hudilite.session("hudilite demo", warehouse)')
        spark = hudilite.session(
            "hudilite demo", directory / "warehouse", conf=place.settings(directory)
        )
        report.spark = spark
        report.line(f"   Spark {spark.version}")
    try:
        _fill(spark, directory, source, report)
        _merge(spark, directory, report)
        _look_up(spark, report)
        changed = adoption.run(spark, directory, report)
        return changed + _compare(spark, directory, report)
    finally:
        report.spark = None
        spark.stop()


def check(directory: Path, report: Report) -> list[str]:
    """Compares the table of an earlier run, as hudi-rs reads it now, with that run's totals."""
    expected = totals.load(directory / EXPECTED)
    with report.step("Read the table of the earlier run again, with hudi-rs"):
        found = totals.of_hudi_rs(directory / TABLE)
        report.line(f"   {sum(t.rows for t in found.values()):,} rows")
    return [f"hudi-rs, {text}" for text in totals.differences(expected, found)]


def _fill(spark: SparkSession, directory: Path, source: Path, report: Report) -> None:
    with report.step("Create a table with a primary key and buckets"):
        spark.sql(flights.csv_view(flights.unpack(source, directory / "source")))
        report.sql(flights.CREATE)
        spark.sql(flights.CREATE)
    with report.step(f"Insert the {flights.ROWS:,} flights that left New York in 2013"):
        report.sql(flights.INSERT)
        spark.sql(flights.INSERT)
    with report.step("Look at the files: a bucket of a month is one file"):
        report.line(
            f"   A hash of the key selects one of {flights.BUCKETS} buckets, so a row is found"
        )
        report.line("   without reading an index or opening another file.")
        _print_buckets(spark, directory, report)


def _print_buckets(spark: SparkSession, directory: Path, report: Report) -> None:
    files = base_files(directory / TABLE)
    sizes = {
        number: sum(f.bytes for f in files if f.bucket == number) // 1024
        for number in range(flights.BUCKETS)
    }
    rows = [(*row, sizes[row[0]]) for row in spark.sql(_BUCKETS).collect()]
    report.table(["bucket", "files", "rows", "KiB"], rows)


def _merge(spark: SparkSession, directory: Path, report: Report) -> None:
    with report.step("Correct one day: the storm of 8 February"):
        report.line("   The corrections: every flight of that day arrived 10 minutes later than")
        report.line(
            "   recorded, cancelled flights are deleted, and some extra flights are inserted."
        )
        spark.sql(flights.CORRECTIONS)
        before = spark.sql(_COUNTS).collect()[0]
        report.sql(flights.MERGE)
        counts = spark.sql(flights.MERGE)
        report.table(counts.columns, counts.collect())
    with report.step("Count before and after, in rows and in files"):
        after = spark.sql(_COUNTS)
        report.table(["", *after.columns], [("before", *before), ("after", *after.collect()[0])])
        _print_rewritten(directory, report)
    with report.step("Explain this MERGE: the table is not shuffled, sorted or joined"):
        report.line(
            "   From the bottom up: TagRows adds the bucket to each correction, Exchange and Sort"
        )
        report.line(
            "   bring the corrections of a bucket together, MergeFileGroups rewrites each file"
        )
        report.line("   that they change, and CommitWrite makes all changes visible at once.")
        _print_plan(spark, flights.MERGE, report)


def _print_rewritten(directory: Path, report: Report) -> None:
    files = base_files(directory / TABLE)
    last = max(f.instant for f in files)
    first = [f for f in files if f.instant != last]
    rewritten = [f for f in files if f.instant == last]
    places = ", ".join(f"{f.partition} bucket {f.bucket}" for f in rewritten)
    report.line(
        f"   The MERGE wrote {len(rewritten)} files. The INSERT had written {len(first)} files:"
    )
    report.line(f"   {places}.")


def _print_plan(spark: SparkSession, statement: str, report: Report) -> str:
    plan = str(spark.sql(f"EXPLAIN {statement}").collect()[0][0])
    for line in plans.outline(plan):
        report.line(f"   {line}")
    return plan


def _look_up(spark: SparkSession, report: Report) -> None:
    flight = spark.sql(
        "SELECT max(flight) FROM corrections WHERE carrier = 'UA' AND hour = 6 AND NOT cancelled"
    ).collect()[0]
    statement = flights.LOOK_UP.format(flight=flight[0])
    with report.step("Look up one flight by its key"):
        report.sql(statement)
        found = spark.sql(statement)
        report.table(found.columns, found.collect())
    with report.step("Explain this lookup: files that cannot contain the key are not opened"):
        plan = _print_plan(spark, statement, report)
        report.line(f"   To read: {plans.pruning(plan) or 'everything'}.")


def _compare(spark: SparkSession, directory: Path, report: Report) -> list[str]:
    with report.step(
        "Sum up every month: with plain Spark from the CSV file, and from both tables"
    ):
        spark.sql(flights.MODEL)
        model = totals.of_rows(spark.sql(totals.totals_query("flights_model")).collect())
        ours = totals.of_rows(spark.sql(totals.totals_query("flights")).collect())
        totals.save(ours, directory / EXPECTED)
        wrong = [f"hudilite, {text}" for text in totals.differences(model, ours)]
        adopted = totals.of_rows(spark.sql(totals.totals_query("flights_adopted")).collect())
        wrong += [f"flights_adopted, {text}" for text in totals.differences(model, adopted)]
        report.line(f"   {sum(t.rows for t in ours.values()):,} rows, {_verdict(wrong)}")
    with report.step("Sum up every month again with hudi-rs, an independent Hudi reader"):
        theirs = totals.of_hudi_rs(directory / TABLE)
        differing = [f"hudi-rs, {text}" for text in totals.differences(ours, theirs)]
        names = ["month", "rows", "sum", "key checksum", "row checksum", "hudilite"]
        report.table(
            names,
            [
                (month, t.rows, t.sum, t.key_checksum, t.row_checksum, _same(t, ours.get(month)))
                for month, t in sorted(theirs.items())
            ],
        )
    return wrong + differing


def _verdict(wrong: list[str]) -> str:
    return f"{len(wrong)} totals differ" if wrong else "all totals equal"


def _same(one: totals.Totals, other: totals.Totals | None) -> str:
    return "the same" if one == other else "DIFFERS"
