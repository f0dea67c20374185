"""A bucket that two stock writers gave two file groups is made one, and all read it again."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.adopted import (
    BUCKETS,
    StockTables,
    assert_all_read,
    merge,
    overlaid,
    rows,
    stock_writes,
)
from harness.faults import run_statement
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=2)
FIRST, SECOND = (0, 1000, "one"), (500, 1400, "stock")


def forked(stock_tables: StockTables, base: Path, other: Path) -> None:
    """What two writers leave that both found an empty table: each made its own file ids."""
    stock_tables.copy(base, FIRST)
    stock_tables.copy(other, SECOND)
    for found in other.rglob("*"):
        place = base / found.relative_to(other)
        if found.is_file() and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(found, place)


def test_two_file_groups_of_a_bucket_become_one(
    spark: SparkSession, stock: StockSpark, stock_tables: StockTables, database: Path
) -> None:
    base = database / "t"
    forked(stock_tables, base, database / "other")
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    fault = run_statement(spark, "SELECT count(v) FROM t")
    assert fault is not None
    assert fault.condition == "HUDILITE_DUPLICATE_BUCKET_FILE"
    found = [row for row in spark.sql("CALL verify('t')").collect() if row.severity == "ERROR"]
    assert {row.code for row in found} == {"DUPLICATE_BUCKET"}
    doubled = {(f.partition, f.bucket) for f in layout.latest_slices(base)}
    assert len(layout.latest_slices(base)) == 2 * len(doubled) == 16
    repaired = [
        spark.sql(f"CALL repair_bucket('t', '{partition}', {bucket})").collect()[0]
        for partition, bucket in sorted(doubled)
    ]
    assert {row.file_groups_replaced for row in repaired} == {2}
    expected = overlaid(rows(*FIRST), rows(*SECOND))
    assert sum(row.rows for row in repaired) == expected.num_rows
    assert_all_read(spark, stock, "t", base, expected)
    assert spark.sql("CALL verify('t', 'rows')").collect() == []
    ours = rows(900, 1500, "merged")
    merge(spark, "t", ours, ("id", "p"))
    theirs = rows(1450, 1600, "stock again")
    stock_writes(stock, base, theirs, BUCKETS)
    assert_all_read(spark, stock, "t", base, overlaid(overlaid(expected, ours), theirs))
