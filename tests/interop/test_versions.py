"""A table that stock Hudi took to another version and back, as our refusal advises."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness import layout
from harness.adopted import BUCKETS, assert_all_read, merge, overlaid, rows, stock_writes
from harness.faults import run_statement
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FIRST = rows(0, 1000, "one")
SECOND = rows(500, 1400, "stock")


def test_26_a_table_comes_back_from_version_9(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base = database / "t"
    stock_writes(stock, base, FIRST, BUCKETS)
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    merge(spark, "t", SECOND, ("id", "p"))
    stock.ask(op="sql", text=f"CREATE TABLE taken_up USING hudi LOCATION '{base}'")
    stock.ask(op="sql", text="CALL upgrade_table(table => 'taken_up', to_version => 'NINE')")
    fault = run_statement(spark, "SELECT count(v) FROM t")
    assert fault is not None
    assert (fault.condition, fault.parameters["value"]) == ("HUDILITE_UNSUPPORTED_TABLE", "9")
    stock.ask(op="sql", text="CALL downgrade_table(table => 'taken_up', to_version => 'SIX')")
    if (base / ".hoodie" / "metadata").exists():
        stock.ask(op="sql", text="CALL delete_metadata_table(table => 'taken_up')")
    assert layout.properties(base)["hoodie.table.version"] == "6"
    expected = overlaid(FIRST, SECOND)
    assert_all_read(spark, stock, "t", base, expected)
    third = rows(1300, 1500, "merged")
    merge(spark, "t", third, ("id", "p"))
    assert_all_read(spark, stock, "t", base, overlaid(expected, third))
    assert spark.sql("CALL verify('t', 'rows')").collect() == []
