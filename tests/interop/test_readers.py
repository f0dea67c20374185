"""The engine's tables as pyarrow, hudi-rs and stock Hudi-Spark read them: every row, every column.

The numbers in the names are those of the compatibility assertions in docs/format.md.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.canonical import assert_same_tables
from harness.children import run_child
from harness.invariants import check_table
from harness.layout import META_FIELDS
from harness.rust import read_files, read_rust
from harness.stock import StockSpark
from tables import flights, matrix

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of this module: parted, flat, hollow (no commit) and types."""
    folder = tmp_path_factory.mktemp("interop") / "db"
    spark.sql(f"CREATE DATABASE interop LOCATION '{folder}'")
    spark.sql("USE interop")
    flights.write_flights(spark, "parted")
    flights.write_flights(spark, "flat", parted=False)
    spark.sql(flights.CREATE.format(name="hollow", parted="PARTITIONED BY (part)"))
    spark.sql(matrix.create_sql("types"))
    spark.sql(matrix.insert_sql("types"))
    spark.sql("USE default")
    return folder


@pytest.fixture(scope="module")
def expected(spark: SparkSession) -> pa.Table:
    rows = flights.expected_rows(spark)
    assert rows.num_rows > 1000
    return rows


def files(base: Path) -> pa.Table:
    return read_files([found.path for found in layout.latest_slices(base)])


@pytest.mark.parametrize("name", ["parted", "flat"])
def test_02_03_all_readers_agree_with_plain_spark(
    spark: SparkSession, stock: StockSpark, tables: Path, expected: pa.Table, name: str
) -> None:
    base = tables / name
    by_stock, by_rust, by_arrow = stock.read(base), read_rust(base), files(base)
    columns = expected.column_names
    assert len(layout.completed(base)) == 2
    for label, read in {"stock": by_stock, "hudi-rs": by_rust, "pyarrow": by_arrow}.items():
        assert_same_tables(expected, read, columns, label)
    whole = [*META_FIELDS, *columns]
    named = ", ".join(whole)
    own = spark.sql(f"SELECT {named} FROM interop.{name}").toArrow()
    assert_same_tables(own, by_stock, label="stock with meta columns")
    assert_same_tables(by_stock, own, whole, label="stock with meta columns, the other way")
    assert_same_tables(own, by_rust, label="hudi-rs with meta columns")
    assert_same_tables(own, by_arrow, label="pyarrow with meta columns")


def test_03_a_flat_table_has_depth_zero(tables: Path) -> None:
    metafile = tables / "flat" / layout.PARTITION_METAFILE
    assert "partitionDepth=0" in metafile.read_text(encoding="utf-8")


def test_01_an_empty_table_has_its_columns(stock: StockSpark, tables: Path) -> None:
    base = tables / "hollow"
    assert layout.instant_files(base) == []
    expected = ["id", "n", "price", "ratio", "day", "at", "note", "tags", "part"]
    read = stock.read(base)
    assert read.num_rows == 0
    assert [name for name in read.column_names if name not in META_FIELDS] == expected
    by_rust = read_rust(base)
    assert by_rust.num_rows == 0
    assert [name for name in by_rust.column_names if name not in META_FIELDS] == expected


def test_02_types_are_equal_in_all_readers(
    spark: SparkSession, stock: StockSpark, tables: Path
) -> None:
    base, expected = tables / "types", matrix.expected()
    columns = expected.column_names
    own = spark.sql(f"SELECT {', '.join(columns)} FROM interop.types").toArrow()
    assert_same_tables(expected, own, columns, "the engine")
    assert_same_tables(expected, files(base), columns, "pyarrow")
    assert_same_tables(expected, read_rust(base), columns, "hudi-rs")
    assert_same_tables(expected, stock.read(base), columns, "stock")


def test_05_07_28_files_hold_the_invariants(tables: Path) -> None:
    for name in ("parted", "flat", "hollow", "types"):
        assert check_table(tables / name) == [], name
    assert len(layout.latest_slices(tables / "parted")) == 8
    assert len(layout.latest_slices(tables / "flat")) == 4


def test_06_rows_that_were_not_changed_keep_their_instant(stock: StockSpark, tables: Path) -> None:
    base = tables / "parted"
    first, second = sorted(layout.completed(base))
    read = stock.read(base)
    by_id = zip(*(read.column(c).to_pylist() for c in ("n", "_hoodie_commit_time")), strict=True)
    for n, instant in by_id:
        assert instant == (first if n // 1000003 < flights.CHANGED.start else second)
    assert stock.read(base, **{"as.of.instant": first}).num_rows == flights.ROWS


@pytest.mark.parametrize("name", ["parted", "flat"])
def test_our_folder_is_ignored_by_the_others(
    stock: StockSpark, tables: Path, tmp_path: Path, name: str
) -> None:
    base = tables / name
    ours = base / ".hoodie" / ".hudilite"
    assert len(list((ours / "commits").iterdir())) == 2
    without = tmp_path / name
    shutil.copytree(base, without)
    shutil.rmtree(without / ".hoodie" / ".hudilite")
    assert_same_tables(stock.read(base), stock.read(without), label="stock")
    assert_same_tables(read_rust(base), read_rust(without), label="hudi-rs")


def test_stock_prunes_to_the_same_rows(stock: StockSpark, tables: Path, expected: pa.Table) -> None:
    read = stock.read(tables / "parted")
    for part in ("p/1 x=:%é", "plain"):
        mask = pc.equal(expected.column("part"), part)
        told = pc.equal(read.column("part"), part)
        assert_same_tables(expected.filter(mask), read.filter(told), expected.column_names, part)
        rows = stock.rows_of(op="where", path=str(tables / "parted"), condition=f"part = '{part}'")
        assert_same_tables(expected.filter(mask), rows, expected.column_names, part)


def test_stock_upserts_and_the_engine_reads_it(
    spark: SparkSession, stock: StockSpark, tables: Path, tmp_path: Path
) -> None:
    base = tables / "flat"
    changed = stock.read(base).slice(0, 50).drop_columns(list(META_FIELDS))
    position = changed.column_names.index("note")
    changed = changed.set_column(position, "note", pa.array(["by stock"] * 50))
    pq.write_table(changed, tmp_path / "source.parquet")
    stock.ask(
        op="write",
        source=str(tmp_path / "source.parquet"),
        path=str(base),
        mode="append",
        options=upsert_options(base),
    )
    columns = changed.column_names
    own = spark.sql(f"SELECT {', '.join(columns)} FROM interop.flat").toArrow()
    assert_same_tables(stock.read(base), own, columns, "after stock's upsert")
    assert own.column("note").to_pylist().count("by stock") == 50
    by_stock = "SELECT id, 'by us' note FROM interop.flat WHERE note = 'by stock'"
    merged = spark.sql(
        f"MERGE INTO interop.flat t USING ({by_stock}) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET note = s.note"
    ).collect()
    assert [tuple(row) for row in merged] == [(50, 50, 0, 0)]
    read = stock.read(base)
    assert read.column("note").to_pylist().count("by us") == 50
    assert_same_tables(read, read_rust(base), label="hudi-rs after both")


def upsert_options(base: Path) -> dict[str, str]:
    facts = layout.properties(base)
    return {
        "hoodie.table.name": facts["hoodie.table.name"],
        "hoodie.database.name": facts["hoodie.database.name"],
        "hoodie.datasource.write.recordkey.field": facts["hoodie.table.recordkey.fields"],
        "hoodie.datasource.write.partitionpath.field": facts["hoodie.table.partition.fields"],
        "hoodie.datasource.write.operation": "upsert",
        "hoodie.index.type": "BUCKET",
        "hoodie.bucket.index.num.buckets": facts["hudilite.bucket.count"],
    }


def test_30_the_time_zone_changes_nothing(stock: StockSpark, tmp_path: Path) -> None:
    read = {}
    for zone in ("UTC", "America/New_York"):
        folder = tmp_path / zone.replace("/", "_")
        steps = [
            {"label": "create", "sql": matrix.create_sql("types")},
            {"label": "insert", "sql": matrix.insert_sql("types")},
        ]
        conf = {
            "spark.sql.session.timeZone": zone,
            "spark.driver.extraJavaOptions": f"-Duser.timezone={zone}",
        }
        outcome = run_child(folder, steps, conf, zone=zone)
        assert all("error" not in step for step in outcome.steps), outcome.steps
        base = folder / "wh" / "types"
        read[zone] = stock.read(base)
        (instant,) = layout.completed(base)
        assert json.dumps(layout.commit_metadata(base, instant))
        assert_same_tables(matrix.expected(), files(base), matrix.expected().column_names, zone)
    columns = matrix.expected().column_names
    assert_same_tables(read["UTC"], read["America/New_York"], columns, "zones")
    first, second = (table.column("_hoodie_commit_time")[0].as_py() for table in read.values())
    assert first < second
    assert int(second[:10]) - int(first[:10]) <= 1, "the instants are hours apart"
