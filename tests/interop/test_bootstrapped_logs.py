"""Merge-on-read tables over Parquet files that stay where they are, of hudilite and of stock Hudi."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from test_bootstrap_by_us import FILES, source_of

from harness import layout
from harness.adopted import contents, merge, overlaid, rows, stock_writes
from harness.canonical import assert_same_tables
from harness.merge_on_read import MERGE_ON_READ
from harness.rotation import product
from harness.rust import read_rust
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

pytestmark = pytest.mark.rotated(
    rare=True, by="test", when=product("spark/bootstrap/", "spark/read/AdoptedFiles.scala")
)
BOOTSTRAP = "00000000000001"
ROWS = 1800
SINCE = {
    "hoodie.datasource.query.type": "incremental",
    "hoodie.datasource.read.begin.instanttime": BOOTSTRAP,
}
BASES = {"hoodie.datasource.query.type": "read_optimized"}


def options(name: str, version: int, operation: str) -> dict[str, str]:
    return MERGE_ON_READ | {
        "hoodie.table.name": name,
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.partitionpath.field": "p",
        "hoodie.datasource.write.operation": operation,
        "hoodie.index.type": "BLOOM",
        "hoodie.bootstrap.parallelism": "2",
        "hoodie.write.table.version": str(version),
        "hoodie.write.auto.upgrade": "false",
        "hoodie.parquet.small.file.limit": "0",
    }


@pytest.fixture(autouse=True)
def usual_settings(spark: SparkSession) -> Iterator[None]:
    """Unsets what the tests set: the session is that of all interop tests."""
    yield
    for name in ("hoodie.parquet.small.file.limit", "hoodie.write.table.version"):
        spark.conf.unset(name)


def assert_both_read(
    spark: SparkSession, stock: StockSpark, base: Path, expected: pa.Table, label: str
) -> None:
    """hudilite and stock read these rows, and the meta columns alike; verify finds no fault."""
    by_stock = stock.read(base)
    names = by_stock.column_names
    own = spark.sql(f"SELECT {', '.join(names)} FROM t").toArrow()
    assert_same_tables(expected, own, expected.column_names, f"{label}: hudilite")
    assert_same_tables(by_stock, own, names, f"{label}: stock")
    assert_same_tables(expected, spark.table("t").toArrow(), expected.column_names, label)
    assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []


def assert_same_bases(spark: SparkSession, stock: StockSpark, base: Path) -> pa.Table:
    """hudilite and stock read the same rows of the base files alone."""
    by_stock = stock.read(base, **BASES)
    names = by_stock.column_names
    own = spark.read.format("hudilite").options(**BASES).load(str(base)).select(*names).toArrow()
    assert_same_tables(by_stock, own, names, "read optimized")
    return own


def without(table: pa.Table, gone: set[str]) -> pa.Table:
    kept = [row for row in table.to_pylist() if row["id"] not in gone]
    return pa.Table.from_pylist(kept, schema=table.schema)


def written(table: pa.Table, above: pa.Table, ordering: str | None) -> pa.Table:
    """The rows of a table after an upsert, by which a lower ordering value loses."""
    old = {row["id"]: row for row in table.to_pylist()}
    winners = [
        row
        for row in above.to_pylist()
        if ordering is None or row["id"] not in old or row[ordering] >= old[row["id"]][ordering]
    ]
    return overlaid(table, pa.Table.from_pylist(winners, schema=above.schema))


def adopted(spark: SparkSession, source: Path, version: int, more: str = "") -> Row:
    """Makes the table t over files, and returns the answer; `more` are further arguments."""
    spark.conf.set("hoodie.parquet.small.file.limit", "0")
    spark.conf.set("hoodie.write.table.version", str(version))
    made = spark.sql(
        f"CALL bootstrap(table => 't', source => '{source}', key => 'id', type => 'mor'{more})"
    ).first()
    assert made is not None
    return made


def logs(base: Path) -> int:
    return len(list(base.rglob(".*.log.*")))


@pytest.mark.parametrize("version", [6, 9])
def test_stock_reads_and_upserts_log_files_over_adopted_ones(
    spark: SparkSession, stock: StockSpark, database: Path, version: int
) -> None:
    first = rows(0, ROWS, "one")
    source, base = database / "source", database / "t"
    before = source_of(source, first, row_group_size=100)
    made = adopted(spark, source, version)
    assert made.files_adopted == 2 * FILES
    assert layout.properties(base)["hoodie.table.version"] == str(version)
    assert_both_read(spark, stock, base, first, "bootstrap")
    ours = rows(0, 400, "merged", step=2)
    assert merge(spark, "t", ours, ("id", "p")) == (200, 200, 0, 0)
    spark.sql("UPDATE t SET d = 0.25 WHERE id LIKE 'k5%'")
    spark.sql("DELETE FROM t WHERE id LIKE '%7'")
    changed = [
        row | ({"d": 0.25} if row["id"].startswith("k5") else {})
        for row in overlaid(first, ours).to_pylist()
        if not row["id"].endswith("7")
    ]
    expected = pa.Table.from_pylist(changed, schema=first.schema)
    assert logs(base) >= 2 * FILES
    assert len(list(base.rglob("*.parquet"))) == 2 * FILES, "no source file was copied"
    assert_both_read(spark, stock, base, expected, "log files")
    assert_same_tables(first, assert_same_bases(spark, stock, base), first.column_names)
    for condition in ("id = 'k77'", "d = 0.25", "p = 'a' AND v LIKE 'merged%'"):
        by_stock = stock.rows_of(op="where", path=str(base), condition=condition)
        own = spark.sql(f"SELECT * FROM t WHERE {condition}").toArrow()
        assert_same_tables(own, by_stock.select(own.column_names), label=condition)
    old = stock.read(base, **{"as.of.instant": BOOTSTRAP})
    assert_same_tables(first, old, first.column_names, "time travel")
    known = {row["id"]: row for row in first.to_pylist()}
    changed = [row for row in expected.to_pylist() if row != known[row["id"]]]
    own = spark.read.format("hudilite").options(**SINCE).load(str(base)).toArrow()
    names = first.column_names
    assert_same_tables(pa.Table.from_pylist(changed, schema=first.schema), own, names, "since")
    theirs = rows(1500, 1900, "stock")
    stock_writes(stock, base, theirs, options("t", version, "upsert"))
    expected = overlaid(expected, theirs)
    assert_both_read(spark, stock, base, expected, "upsert of stock")
    spark.sql("UPDATE t SET v = concat(v, '!') WHERE id LIKE '%3'")
    changed = [
        row | ({"v": row["v"] + "!"} if row["id"].endswith("3") else {})
        for row in expected.to_pylist()
    ]
    expected = pa.Table.from_pylist(changed, schema=first.schema)
    assert_both_read(spark, stock, base, expected, "after stock")
    assert contents(source) == before
    spark.sql("CALL compact(table => 't')").collect()
    assert_both_read(spark, stock, base, expected, "compacted")
    spark.sql("CALL materialize(table => 't')").collect()
    source.rename(database / "elsewhere")
    assert_both_read(spark, stock, base, expected, "materialized")
    assert_same_tables(expected, read_rust(base), expected.column_names, "hudi-rs")


@pytest.mark.parametrize("version", [6, 9])
def test_stock_merges_by_the_ordering_field_of_a_bootstrap(
    spark: SparkSession, stock: StockSpark, database: Path, version: int
) -> None:
    first = rows(0, ROWS, "stock")
    source, base = database / "source", database / "t"
    before = source_of(source, first, row_group_size=100)
    adopted(spark, source, version, ", ordering_field => 'ts'")
    assert_both_read(spark, stock, base, first, "bootstrap")
    expected = first
    for ours in (rows(0, 1400, "merged", step=3), rows(200, 1600, "one", step=4)):
        merge(spark, "t", ours, ("id", "p"))
        expected = written(expected, ours, "ts")
        assert_both_read(spark, stock, base, expected, "log files")
    assert logs(base) >= 2 * FILES
    fields = {"hoodie.datasource.write.precombine.field": "ts"}
    for theirs in (rows(600, 1000, "one", step=2), rows(900, 1300, "stock again", step=4)):
        stock_writes(stock, base, theirs, options("t", version, "upsert") | fields)
        expected = written(expected, theirs, "ts")
        assert_both_read(spark, stock, base, expected, "upsert of stock")
    assert contents(source) == before
    spark.sql("CALL compact(table => 't')").collect()
    assert_both_read(spark, stock, base, expected, "compacted")


@pytest.mark.parametrize(("version", "ordering"), [(6, None), (9, None), (6, "ts"), (9, "ts")])
def test_log_files_of_stock_over_a_bootstrap_of_stock_are_read(
    spark: SparkSession, stock: StockSpark, database: Path, version: int, ordering: str | None
) -> None:
    first = rows(0, ROWS, "one")
    source, base = database / "source", database / "written"
    before = source_of(source, first, row_group_size=100)
    fields = {"hoodie.datasource.write.precombine.field": ordering} if ordering else {}
    bootstrap = options("written", version, "bootstrap") | fields
    bootstrap |= {"hoodie.bootstrap.base.path": str(source)}
    stock_writes(stock, base, first.slice(0, 1), bootstrap, mode="overwrite")
    assert layout.properties(base)["hoodie.table.version"] == str(version)
    assert layout.completed(base)[BOOTSTRAP] == "deltacommit"
    expected = first
    for theirs in (rows(0, 900, "merged", step=3), rows(600, 1200, "stock", step=2)):
        stock_writes(stock, base, theirs, options("written", version, "upsert") | fields)
        expected = written(expected, theirs, ordering)
    late = rows(0, ROWS, "one", step=5)
    late = late.set_column(2, "v", pa.array([f"late {i}" for i in range(late.num_rows)]))
    stock_writes(stock, base, late, options("written", version, "upsert") | fields)
    expected = written(expected, late, ordering)
    assert logs(base) >= 2 * FILES
    spark.sql(
        f"CREATE TABLE t USING hudilite LOCATION '{base}' TBLPROPERTIES "
        "('hoodie.index.type' = 'BLOOM')"
    )
    assert_both_read(spark, stock, base, expected, "stock")
    assert_same_bases(spark, stock, base)
    for instant in sorted(layout.completed(base)):
        by_stock = stock.read(base, **{"as.of.instant": instant})
        own = spark.sql(f"SELECT * FROM t VERSION AS OF '{instant}'").toArrow()
        assert_same_tables(by_stock.select(own.column_names), own, None, instant)
    found = spark.sql("SELECT count(*), count(d), max(v) FROM t").first()
    known = expected.to_pylist()
    assert tuple(found) == (
        len(known),
        sum(row["d"] is not None for row in known),
        max(row["v"] for row in known),
    )
    spark.conf.set("hoodie.parquet.small.file.limit", "0")
    ours = rows(300, 700, "stock again", step=4)
    assert merge(spark, "t", ours, ("id", "p")) == (100, 100, 0, 0)
    expected = overlaid(expected, ours)
    spark.sql("DELETE FROM t WHERE id LIKE '%9'")
    expected = without(
        expected, {row["id"] for row in expected.to_pylist() if row["id"][-1] == "9"}
    )
    assert_both_read(spark, stock, base, expected, "hudilite")
    assert contents(source) == before
    spark.sql("CALL compact(table => 't')").collect()
    assert_both_read(spark, stock, base, expected, "compacted")
