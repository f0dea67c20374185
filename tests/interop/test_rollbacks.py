"""Assertion 17 of docs/format.md: what a dead writer left, seen and taken back by the other side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
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
from harness.children import run_child
from harness.java import dying
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=0)
FIRST, SECOND = (0, 1000, "one"), (900, 1100, "stock")
BEFORE = overlaid(rows(*FIRST), rows(*SECOND))
ADOPT = "CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'"


@pytest.fixture
def base(database: Path, stock_tables: StockTables) -> Path:
    """A bucket table of stock Hudi: 1,100 rows, two partitions, two commits."""
    return stock_tables.copy(database / "written", FIRST, SECOND)


def states(base: Path, instant: str) -> list[str]:
    return [name for name in layout.instant_files(base) if name.startswith(instant)]


def files(base: Path, instant: str) -> list[Path]:
    return [found.path for found in layout.base_files(base) if found.instant == instant]


@pytest.mark.fault("F04")
def test_17_stock_takes_back_what_a_dead_hudilite_left(
    spark: SparkSession, stock: StockSpark, base: Path, fault_classes: str, tmp_path: Path
) -> None:
    source = tmp_path / "source.parquet"
    pq.write_table(rows(1000, 1300, "merged"), source)
    lost = (
        f"MERGE INTO t USING (SELECT * FROM parquet.`{source}`) s ON t.id = s.id AND t.p = s.p "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    child = run_child(
        tmp_path / "child",
        [
            {"label": "adopt", "sql": ADOPT.format(base=base)},
            {"label": "merge", "sql": lost},
        ],
        dying("createNew:commits/[0-9]{20}$:3:halt"),
    )
    assert child.jvm_exit == 137, f"the JVM did not halt: {child.steps}"
    (dead,) = {name[:17] for name in layout.instant_files(base)} - set(layout.completed(base))
    assert files(base, dead)
    spark.sql(ADOPT.format(base=base))
    assert_all_read(spark, stock, "t", base, BEFORE)
    theirs = rows(1200, 1400, "stock again")
    stock_writes(stock, base, theirs, BUCKETS)
    assert not states(base, dead)
    assert not files(base, dead)
    expected = overlaid(BEFORE, theirs)
    assert_all_read(spark, stock, "t", base, expected)
    ours = rows(1300, 1500, "hudilite again")
    assert merge(spark, "t", ours, ("id", "p")) == (200, 100, 0, 100)
    assert_all_read(spark, stock, "t", base, overlaid(expected, ours))


@pytest.mark.fault("F04")
def test_17_hudilite_takes_back_what_a_dead_stock_left(
    spark: SparkSession, stock: StockSpark, base: Path
) -> None:
    stock_writes(stock, base, rows(1000, 1300, "merged"), BUCKETS)
    dead = max(layout.completed(base))
    (base / ".hoodie" / f"{dead}.commit").unlink()
    left = len(files(base, dead))
    assert left > 0
    spark.sql(ADOPT.format(base=base))
    assert_all_read(spark, stock, "t", base, BEFORE)
    (row,) = spark.sql(f"CALL rollback('t', '{dead}')").collect()
    assert row.files_deleted == left
    ours = rows(1200, 1400, "stock again")
    assert merge(spark, "t", ours, ("id", "p")) == (200, 0, 0, 200)
    assert not states(base, dead)
    assert not files(base, dead)
    expected = overlaid(BEFORE, ours)
    assert_all_read(spark, stock, "t", base, expected)
    stock.ask(op="sql", text=f"CREATE TABLE rolled_{dead} USING hudi LOCATION '{base}'")
    told = stock.rows_of(op="sql", text=f"CALL show_rollbacks('rolled_{dead}')").to_pylist()
    assert [(row["rollback_instant"], row["total_files_deleted"]) for row in told] == [(dead, left)]
    theirs = rows(1300, 1500, "hudilite again")
    stock_writes(stock, base, theirs, BUCKETS)
    assert_all_read(spark, stock, "t", base, overlaid(expected, theirs))
