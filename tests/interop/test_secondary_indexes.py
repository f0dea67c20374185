"""Tables of stock Hudi with secondary indexes: rows that hudilite has written are found by each of them.

A write of hudilite removes the metadata table with all indexes; stock Hudi builds it again with its
next write. The definitions of the indexes stay, so that stock Hudi would use what was left behind.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from harness import layout
from harness.adopted import WORDS, assert_all_read, merge, overlaid, rows, stock_writes
from harness.canonical import assert_same_tables
from harness.rotation import product
from harness.stock import StockSpark, writer_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(rare=True, when=product("core/commit/DetachMetadata.scala"))
METADATA = "hoodie.table.metadata.partitions"
KEYS = {"hoodie.metadata.global.record.level.index.enable": "true"}
KEY = ("p", "id")
INDEXES = {"secondary_index_by_v": "v", "secondary_index_by_ts": "ts"}
LOCK = "hoodie.write.lock.provider"  # which CREATE INDEX asks for


def assert_found(stock: StockSpark, base: Path, expected: pa.Table) -> None:
    """Stock Hudi, which skips files by its indexes, finds the rows by each column: old and new values."""
    for word, number in (("one", 7), ("merged", 950), ("stock again", 1005), ("one", 950)):
        values = {
            "id": f"k{number}",
            "v": f"{word} {number}",
            "ts": WORDS.index(word),
            "d": number / 3,
        }
        for column, value in values.items():
            literal = f"'{value}'" if isinstance(value, str) else repr(value)
            found = stock.rows_of(op="where", path=str(base), condition=f"{column} = {literal}")
            wanted = expected.filter(pc.equal(expected[column], value))
            assert_same_tables(wanted, found, expected.column_names, f"{column} = {value}")


def test_rows_are_found_by_two_secondary_indexes(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base = database / "indexed"
    options = writer_options("indexed") | KEYS
    expected = rows(0, 1000, "one")
    stock_writes(stock, base, expected, options, defaults=True)
    stock.ask(op="sql", text="DROP TABLE IF EXISTS indexed")
    stock.ask(op="sql", text=f"CREATE TABLE indexed USING hudi LOCATION '{base}'")
    provider = "org.apache.hudi.client.transaction.lock.InProcessLockProvider"
    stock.ask(op="sql", text=f"SET {LOCK}={provider}")
    for index, column in INDEXES.items():
        name = index.removeprefix("secondary_index_")
        stock.ask(op="sql", text=f"CREATE INDEX {name} ON indexed ({column})")
    stock.ask(op="sql", text=f"RESET {LOCK}")
    assert INDEXES.keys() <= set(layout.properties(base)[METADATA].split(","))
    assert_found(stock, base, expected)
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{base}'")
    for ours, stocks in (
        (rows(900, 1100, "merged"), rows(1000, 1010, "stock again")),
        (rows(1, 1000, "merged", 50), rows(5, 1010, "stock again", 500)),
    ):
        merge(spark, "t", ours, KEY)
        expected = overlaid(expected, ours)
        assert layout.properties(base)[METADATA] == ""
        assert_found(stock, base, expected)
        stock_writes(stock, base, stocks, options, defaults=True)
        expected = overlaid(expected, stocks)
        assert layout.properties(base)[METADATA] != ""
        assert_found(stock, base, expected)
    assert_all_read(spark, stock, "t", base, expected)
    stock.ask(op="sql", text="DROP TABLE indexed")
