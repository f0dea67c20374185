"""Fields of structs, the order of columns and columns that may be null: stock Hudi reads them, and writes on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from harness.adopted import assert_both_read, overlaid, stock_writes
from harness.canonical import assert_same_tables
from harness.rotation import product
from harness.stock import StockSpark, writer_options
from tables.stock_facts import NINE, SIX

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(rare=True, by="test", when=product("core/view/", "spark/read/"))
BEFORE = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("s", pa.struct([("a", pa.int32())])),
        pa.field("l", pa.list_(pa.struct([("x", pa.float64())]))),
        pa.field("word", pa.string()),
        pa.field("p", pa.string()),
        pa.field("ts", pa.int64()),
    ]
)
AFTER = pa.schema(
    [
        pa.field("n", pa.int32()),
        pa.field("id", pa.string()),
        pa.field("s", pa.struct([("c", pa.string()), ("a", pa.int32()), ("b", pa.int64())])),
        pa.field("l", pa.list_(pa.struct([("x", pa.float64()), ("y", pa.float64())]))),
        pa.field("word", pa.string()),
        pa.field("p", pa.string()),
        pa.field("ts", pa.int64()),
    ]
)


def rows(first: int, last: int, ts: int, schema: pa.Schema) -> pa.Table:
    """Rows of the numbers [first, last); each fifth struct and each seventh list is null.

    No element of a list is null: stock Hudi cannot write these to a base file.
    """

    def row(i: int) -> dict[str, object]:
        return {
            "n": i,
            "id": f"k{i}",
            "s": None if i % 5 == 0 else {"c": f"c{i}", "a": i, "b": i * 10},
            "l": None if i % 7 == 0 else [{"x": i / 2, "y": i / 4}],
            "word": None if ts and i % 3 == 0 else f"word {ts} {i}",
            "p": "a" if i % 2 else "b",
            "ts": ts,
        }

    return pa.Table.from_pylist([row(i) for i in range(first, last)], schema=schema)


def grown(table: pa.Table) -> pa.Table:
    """The rows with the later columns and fields, which are null."""
    return pa.Table.from_pylist(table.to_pylist(), schema=AFTER)


@pytest.mark.parametrize(("kind", "version"), [("cow", "6"), ("mor", "6"), ("mor", "9")])
def test_columns_that_hudilite_changes_without_new_files(
    spark: SparkSession, stock: StockSpark, database: Path, kind: str, version: str
) -> None:
    spark.sql(
        "CREATE TABLE t (id STRING, s STRUCT<a: INT>, l ARRAY<STRUCT<x: DOUBLE>>, "
        "word STRING NOT NULL, p STRING, ts BIGINT, PRIMARY KEY (id)) "
        "USING hudilite WITH BUCKETS 2 PARTITIONED BY (p) TBLPROPERTIES "
        f"(preCombineField = 'ts', type = '{kind}', 'hoodie.table.version' = '{version}')"
    )
    base = database / "t"
    first = rows(0, 200, 0, BEFORE)
    upsert(spark, first)
    later = rows(150, 220, 0, BEFORE)
    upsert(spark, later)
    spark.sql("ALTER TABLE t ADD COLUMNS (s.b BIGINT, s.c STRING FIRST, l.element.y DOUBLE)")
    spark.sql("ALTER TABLE t ADD COLUMN n INT FIRST")
    spark.sql("ALTER TABLE t ALTER COLUMN word DROP NOT NULL")
    assert spark.table("t").columns == AFTER.names
    expected = overlaid(grown(first), grown(later))
    assert_both_read(spark, stock, "t", base, expected)
    ours = rows(190, 240, 1, AFTER)
    upsert(spark, ours)
    expected = overlaid(expected, ours)
    assert_both_read(spark, stock, "t", base, expected)
    theirs = rows(230, 260, 2, AFTER)
    kinds = {"cow": "COPY_ON_WRITE", "mor": "MERGE_ON_READ"}
    facts = writer_options("t", buckets=2) | (NINE if version == "9" else SIX)
    options = facts | {
        "hoodie.datasource.write.table.type": kinds[kind],
        "hoodie.database.name": spark.catalog.currentDatabase(),
    }
    stock_writes(stock, base, theirs, options)
    expected = overlaid(expected, theirs)
    for read in (stock.read(base), spark.table("t").toArrow()):
        assert_same_tables(expected, read, AFTER.names)


def upsert(spark: SparkSession, source: pa.Table) -> None:
    spark.createDataFrame(source).createOrReplaceTempView("source")
    spark.sql(
        "MERGE INTO t USING source s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * "
        "WHEN NOT MATCHED THEN INSERT *"
    )
