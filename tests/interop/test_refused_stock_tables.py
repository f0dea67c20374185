"""Assertion 26: tables that stock Hudi itself made and hudilite does not write are refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.adopted import BUCKETS, overlaid, rows, stock_writes
from harness.canonical import assert_same_tables
from harness.faults import run_statement
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=1)


def test_26_a_merge_on_read_table_is_not_written_while_a_compaction_is_pending(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base = database / "foreign"
    asked = BUCKETS | {
        "hoodie.datasource.write.table.type": "MERGE_ON_READ",
        "hoodie.compact.inline": "false",
        "hoodie.compact.schedule.inline": "true",
        "hoodie.compact.inline.max.delta.commits": "1",
    }
    first, second = rows(0, 400, "one"), rows(200, 500, "stock")
    for source in (first, second):
        stock_writes(stock, base, source, asked)
    assert list(base.rglob(".*.log.*")), "log files"
    assert list(base.rglob("*.compaction.requested")), "a planned compaction"
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    before = layout.untouched_state(base)
    expected = overlaid(first, second)
    own = spark.sql("SELECT * FROM t").toArrow()
    assert_same_tables(expected, own, expected.column_names, "hudilite")
    fault = run_statement(spark, "DELETE FROM t WHERE p = 'a'")
    assert fault is not None
    assert fault.condition == "HUDILITE_UNSUPPORTED_TABLE"
    assert fault.parameters["fact"] == "pending compaction"
    assert layout.untouched_state(base) == before


def test_a_table_with_change_data_capture_is_read_and_not_written(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base = database / "foreign"
    asked = BUCKETS | {"hoodie.table.cdc.enabled": "true"}
    first, second = rows(0, 400, "one"), rows(200, 500, "stock")
    for source in (first, second):
        stock_writes(stock, base, source, asked)
    assert list(base.rglob("*.cdc")), "files of changes"
    before = layout.untouched_state(base)
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{base}'")
    expected = overlaid(first, second)
    own = spark.sql("SELECT * FROM t").toArrow()
    assert_same_tables(expected, own, expected.column_names, "hudilite")
    fault = run_statement(spark, "DELETE FROM t WHERE p = 'a'")
    assert fault is not None
    assert fault.condition == "HUDILITE_TABLE_READ_ONLY"
    assert fault.parameters["fact"] == "hoodie.table.cdc.enabled"
    assert layout.untouched_state(base) == before
