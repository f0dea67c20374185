"""Assertion 27: a column that comes later, added by hudilite or by stock Hudi."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from harness.adopted import (
    BUCKETS,
    StockTables,
    assert_all_read,
    merge,
    overlaid,
    rows,
    stock_writes,
)
from harness.rust import read_rust
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=1)
STOCK = BUCKETS | {"hoodie.table.name": "t"}


def widened(table: pa.Table, of: str | None = None) -> pa.Table:
    """The rows with a further column: null, or made of another one."""
    empty = pa.nulls(table.num_rows, pa.string())
    return table.append_column("extra", empty if of is None else table.column(of))


def options(spark: SparkSession) -> dict[str, str]:
    return STOCK | {"hoodie.database.name": spark.catalog.currentDatabase()}


@pytest.mark.fault("F53")
def test_27_a_column_that_hudilite_adds(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    spark.sql(
        "CREATE TABLE t (id STRING, d DOUBLE, v STRING, p STRING, ts BIGINT, PRIMARY KEY (id)) "
        "USING hudilite WITH BUCKETS 4 PARTITIONED BY (p) TBLPROPERTIES (preCombineField = 'ts')"
    )
    base = database / "t"
    merge(spark, "t", rows(0, 1000, "one"), ("id", "p"))
    merge(spark, "t", rows(900, 1100, "stock"), ("id", "p"))
    spark.sql("ALTER TABLE t ADD COLUMN extra STRING COMMENT 'later'")
    expected = widened(overlaid(rows(0, 1000, "one"), rows(900, 1100, "stock")))
    assert_all_read(spark, stock, "t", base, expected)
    ours = widened(rows(1000, 1200, "merged"), "v")
    assert merge(spark, "t", ours, ("id", "p")) == (200, 100, 0, 100)
    expected = overlaid(expected, ours)
    assert_all_read(spark, stock, "t", base, expected)
    theirs = widened(rows(1150, 1300, "stock again"), "id")
    stock_writes(stock, base, theirs, options(spark))
    expected = overlaid(expected, theirs)
    assert_all_read(spark, stock, "t", base, expected)


def test_27_a_column_before_the_first_row(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    spark.sql("CREATE TABLE t (id STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4")
    spark.sql("ALTER TABLE t ADD COLUMNS (n BIGINT, small TINYINT)")
    base = database / "t"
    own = [name for name in stock.read(base).column_names if not name.startswith("_hoodie")]
    assert own == ["id", "n", "small"]
    assert read_rust(base).column_names[-3:] == ["id", "n", "small"]
    spark.sql("INSERT INTO t SELECT concat('k', id), id, 7 FROM range(1000)")
    for read in (stock.read(base), read_rust(base)):
        assert sorted(read.column("n").to_pylist()) == list(range(1000))
        assert set(read.column("small").to_pylist()) == {7}


@pytest.mark.fault("F53")
def test_27_a_column_that_stock_adds(
    spark: SparkSession, stock: StockSpark, stock_tables: StockTables, database: Path
) -> None:
    base = stock_tables.copy(database / "written", (0, 1000, "one"))
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    theirs = widened(rows(900, 1100, "stock"), "v")
    stock_writes(stock, base, theirs, BUCKETS)
    expected = overlaid(widened(rows(0, 1000, "one")), theirs)
    assert_all_read(spark, stock, "t", base, expected)
    ours = widened(rows(1000, 1200, "merged"), "id")
    assert merge(spark, "t", ours, ("id", "p")) == (200, 100, 0, 100)
    assert_all_read(spark, stock, "t", base, overlaid(expected, ours))


@pytest.mark.fault("F53")
def test_27_columns_that_hudilite_renames_drops_and_widens(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    spark.sql(
        "CREATE TABLE t (id STRING, d FLOAT, v STRING, p STRING, ts BIGINT, n INT, "
        "PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 PARTITIONED BY (p) "
        "TBLPROPERTIES (preCombineField = 'ts')"
    )
    base = database / "t"

    def numbered(table: pa.Table, kind: pa.DataType) -> pa.Table:
        return table.append_column("n", pa.array(range(table.num_rows), kind))

    first = numbered(rows(0, 1000, "one"), pa.int32())
    floats = pa.array([x if x is None else int(x) for x in first.column("d").to_pylist()])
    first = first.set_column(1, "d", floats.cast(pa.float64()))
    merge(spark, "t", first.set_column(1, "d", floats.cast(pa.float32())), ("id", "p"))
    merge(spark, "t", first.slice(0, 400), ("id", "p"))
    spark.sql("ALTER TABLE t RENAME COLUMN v TO word")
    spark.sql("ALTER TABLE t ALTER COLUMN n TYPE BIGINT, d TYPE DOUBLE")
    expected = first.rename_columns(["id", "d", "word", "p", "ts", "n"])
    expected = expected.set_column(5, "n", expected.column("n").cast(pa.int64()))
    assert_all_read(spark, stock, "t", base, expected)
    spark.sql("ALTER TABLE t DROP COLUMN n")
    spark.sql("ALTER TABLE t ADD COLUMNS (n STRING, v STRING)")
    empty = pa.nulls(1000, pa.string())
    expected = expected.drop_columns(["n"]).append_column("n", empty).append_column("v", empty)
    assert_all_read(spark, stock, "t", base, expected)
    theirs = rows(900, 1300, "stock").rename_columns(["id", "d", "word", "p", "ts"])
    theirs = theirs.append_column("n", theirs.column("word")).append_column(
        "v", theirs.column("id")
    )
    stock_writes(stock, base, theirs, options(spark))
    expected = overlaid(expected, theirs)
    assert_all_read(spark, stock, "t", base, expected)
    ours = rows(1200, 1400, "stock again").rename_columns(["id", "d", "word", "p", "ts"])
    spark.createDataFrame(widened(ours, "id")).createOrReplaceTempView("s")
    spark.sql(
        "MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.id = s.id AND t.p = s.p "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    kept = {row["id"]: row for row in theirs.to_pylist()}
    made = [
        row | {"n": kept.get(row["id"], {}).get("n"), "v": kept.get(row["id"], {}).get("v")}
        for row in widened(ours, "id").to_pylist()
    ]
    expected = overlaid(
        widened(expected), pa.Table.from_pylist(made, schema=widened(expected).schema)
    )
    assert_all_read(spark, stock, "t", base, expected)
