"""Tables with bloom filters of columns as hudi-rs and stock Hudi-Spark read and write them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.adopted import BUCKETS, assert_all_read, merge, overlaid, rows, stock_writes
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=2)


def filtered(base: Path, column: str) -> list[bool]:
    """Whether the row groups of the latest files have a bloom filter of a column."""
    return [
        footer.row_group(group).column(footer.schema.names.index(column)).bloom_filter_offset
        is not None
        for file in layout.latest_slices(base)
        for footer in [pq.ParquetFile(file.path).metadata]
        for group in range(footer.num_row_groups)
    ]


def test_other_readers_and_a_write_by_stock(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    spark.sql(
        "CREATE TABLE t (id STRING, d DOUBLE, v STRING, p STRING, ts BIGINT, PRIMARY KEY (id)) "
        "USING hudilite WITH BUCKETS 4 PARTITIONED BY (p) "
        "TBLPROPERTIES (preCombineField = 'ts', 'hudilite.bloom.columns' = 'id, v')"
    )
    base = database / "t"
    expected = rows(0, 1000, "one")
    merge(spark, "t", expected, ("id", "p"))
    ours = rows(900, 1100, "stock")
    merge(spark, "t", ours, ("id", "p"))
    expected = overlaid(expected, ours)
    assert all(filtered(base, "id"))
    assert all(filtered(base, "v"))
    assert not any(filtered(base, "d"))
    assert_all_read(spark, stock, "t", base, expected)
    for wanted, count in (("one 7", 1), ("stock 1050", 1), ("one 950", 0)):
        condition = f"v = '{wanted}'"
        assert stock.rows_of(op="where", path=str(base), condition=condition).num_rows == count
        assert spark.sql(f"SELECT * FROM t WHERE {condition}").count() == count
    theirs = rows(1050, 1200, "merged")
    of_table = {
        "hoodie.table.name": "t",
        "hoodie.database.name": spark.catalog.currentDatabase(),
    }
    stock_writes(stock, base, theirs, BUCKETS | of_table)
    expected = overlaid(expected, theirs)
    assert_all_read(spark, stock, "t", base, expected)
    ours = rows(0, 50, "stock again")
    merge(spark, "t", ours, ("id", "p"))
    assert_all_read(spark, stock, "t", base, overlaid(expected, ours))
