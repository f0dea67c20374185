"""A table of version 6 that hudilite made, and that stock Hudi with its defaults and hudilite write in turn.

Stock Hudi upgrades the table in its first write by itself. Its options name the table, its columns and
the index, because stock Hudi cannot know these; nothing else is set.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import damage, layout
from harness.adopted import assert_all_read, merge, overlaid, rows, stock_writes
from harness.rotation import product
from harness.stock import StockSpark, writer_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(rare=True, third=0, when=product("core/commit/", "core/timeline/"))
OPTIONS = writer_options("t", buckets=2)


def changed(table: pa.Table, order: int) -> pa.Table:
    """The rows with a value and an ordering value that no other turn has."""
    values = [f"{value} in turn {order}" for value in table["v"].to_pylist()]
    table = table.set_column(table.column_names.index("v"), "v", pa.array(values))
    orders = pa.array([order] * table.num_rows, pa.int64())
    return table.set_column(table.column_names.index("ts"), "ts", orders)


def filtered(base: Path) -> set[bool]:
    """Whether the latest base files have bloom filters."""
    files = [pq.ParquetFile(found.path) for found in layout.latest_slices(base)]
    return {damage.BLOOM.encode() in file.metadata.metadata for file in files}


@pytest.mark.timeout(3600)
def test_no_row_is_lost_in_many_turns(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    turns = 50 if os.environ.get("HUDILITE_TIER") == "soak" else 4
    base = database / "t"
    spark.sql(
        "CREATE TABLE t (id STRING, d DOUBLE, v STRING, p STRING, ts BIGINT, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES ('preCombineField' = 'ts')"
    )
    expected = rows(0, 1000, "one")
    merge(spark, "t", expected, ("id", "p"))
    assert filtered(base) == {False}
    versions = [layout.properties(base)["hoodie.table.version"]]
    for turn in range(turns):
        stocks = changed(rows(20 * turn, 20 * turn + 130, "stock"), 2 * turn + 1)
        stock_writes(stock, base, stocks, OPTIONS, defaults=True)
        expected = overlaid(expected, stocks)
        assert_all_read(spark, stock, "t", base, expected)
        ours = changed(rows(20 * turn + 7, 1000 + 10 * turn, "merged", 3), 2 * turn + 2)
        merge(spark, "t", ours, ("id", "p"))
        expected = overlaid(expected, ours)
        assert_all_read(spark, stock, "t", base, expected)
        assert filtered(base) == {True}, "stock Hudi has written every file, with a filter"
        versions.append(layout.properties(base)["hoodie.table.version"])
        print(f"turn {turn + 1}: version {versions[-1]}, {expected.num_rows} rows")
    assert versions == ["6", *["9"] * turns]
    assert spark.sql("CALL verify('t', 'rows')").collect() == []
