"""A table that stock Hudi took to another version and back, and that hudilite wrote in each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from harness import layout
from harness.adopted import StockTables, assert_all_read, assert_both_read, merge, overlaid, rows
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=2)
FIRST = (0, 1000, "one")
SECOND = rows(500, 1400, "stock")


def test_26_a_table_comes_back_from_version_9(
    spark: SparkSession, stock: StockSpark, stock_tables: StockTables, database: Path
) -> None:
    base = stock_tables.copy(database / "t", FIRST)
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    merge(spark, "t", SECOND, ("id", "p"))
    stock.ask(op="sql", text=f"CREATE TABLE taken_up USING hudi LOCATION '{base}'")
    stock.ask(op="sql", text="CALL upgrade_table(table => 'taken_up', to_version => 'NINE')")
    expected = overlaid(rows(*FIRST), SECOND)
    assert_both_read(spark, stock, "t", base, expected)
    nine = rows(100, 600, "merged")
    merge(spark, "t", nine, ("id", "p"))
    spark.sql("INSERT OVERWRITE t PARTITION (p = 'b') SELECT id, d, v, ts FROM t WHERE p = 'a'")
    kept = overlaid(expected, nine)
    kept = kept.filter(pc.equal(kept["p"], "a"))
    at = kept.column_names.index("p")
    expected = pa.concat_tables([kept, kept.set_column(at, "p", pa.array(["b"] * kept.num_rows))])
    assert layout.properties(base)["hoodie.table.version"] == "9"
    assert_all_read(spark, stock, "t", base, expected)
    stock.ask(op="sql", text="CALL downgrade_table(table => 'taken_up', to_version => 'SIX')")
    if (base / ".hoodie" / "metadata").exists():
        stock.ask(op="sql", text="CALL delete_metadata_table(table => 'taken_up')")
    assert layout.properties(base)["hoodie.table.version"] == "6"
    assert_all_read(spark, stock, "t", base, expected)
    third = rows(1300, 1500, "merged")
    merge(spark, "t", third, ("id", "p"))
    assert_all_read(spark, stock, "t", base, overlaid(expected, third))
    assert spark.sql("CALL verify('t', 'rows')").collect() == []
