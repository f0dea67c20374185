"""The engine's tables as pyarrow, hudi-rs and stock Hudi-Spark read them: every row, every column.

The numbers in the names are those of the compatibility assertions in docs/format.md.
"""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.canonical import assert_same_rows, assert_same_tables, canonical_rows
from harness.children import run_child
from harness.geometry import VERSIONS, assert_small
from harness.invariants import check_table
from harness.layout import META_FIELDS
from harness.rust import read_files, read_rust
from harness.session import small_geometry
from harness.stock import StockSpark
from tables import flights, matrix

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# With the small geometry the whole file runs at one rotation: its tables cost more than its tests.
pytestmark = [pytest.mark.rotated(third=0)] if small_geometry() else []
REWRITE = "WHEN MATCHED THEN UPDATE SET id = s.id"


@pytest.fixture(scope="module")
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of this module: parted, flat, hollow (no commit) and types."""
    folder = tmp_path_factory.mktemp("interop") / "db"
    spark.sql(f"CREATE DATABASE interop LOCATION '{folder}'")
    spark.sql("USE interop")
    flights.write_flights(spark, "parted")
    flights.write_flights(spark, "flat", parted=False)
    spark.sql(flights.CREATE.format(name="hollow", parted="PARTITIONED BY (part)"))
    for name, columns in {"types": matrix.EVERYWHERE, "local_times": matrix.LOCAL_TIMES}.items():
        spark.sql(matrix.create_sql(name, columns))
        spark.sql(matrix.insert_sql(name, columns))
        for _ in range(VERSIONS - 1):
            key = f"SELECT id FROM {name}"
            spark.sql(f"MERGE INTO {name} t USING ({key}) s ON t.id = s.id {REWRITE}")
    spark.sql("USE default")
    if small_geometry():
        assert_small([folder])
    return folder


@pytest.fixture(scope="module")
def expected(spark: SparkSession) -> pa.Table:
    rows = flights.expected_rows(spark)
    assert rows.num_rows > 1000
    return rows


@pytest.fixture(scope="module")
def by_stock(stock: StockSpark, tables: Path) -> Callable[[str], pa.Table]:
    """Rows of a table of the module, which stock reads once."""
    return functools.cache(lambda name: stock.read(tables / name))


def files(base: Path) -> pa.Table:
    return read_files([found.path for found in layout.latest_slices(base)])


@pytest.mark.parametrize("name", ["parted", "flat"])
def test_02_03_all_readers_agree_with_plain_spark(
    spark: SparkSession,
    by_stock: Callable[[str], pa.Table],
    tables: Path,
    expected: pa.Table,
    name: str,
) -> None:
    base = tables / name
    stocks, by_rust, by_arrow = by_stock(name), read_rust(base), files(base)
    columns = expected.column_names
    assert len(layout.completed(base)) == 2
    for label, read in {"stock": stocks, "hudi-rs": by_rust, "pyarrow": by_arrow}.items():
        assert_same_tables(expected, read, columns, label)
    whole = [*META_FIELDS, *columns]
    named = ", ".join(whole)
    own = spark.sql(f"SELECT {named} FROM interop.{name}").toArrow()
    assert_same_tables(own, stocks, label="stock with meta columns")
    assert_same_tables(stocks, own, whole, label="stock with meta columns, the other way")
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
    base, expected = tables / "types", matrix.expected(matrix.EVERYWHERE)
    columns = expected.column_names
    own = spark.sql(f"SELECT {', '.join(columns)} FROM interop.types").toArrow()
    assert_same_tables(expected, own, columns, "the engine")
    assert_same_tables(expected, files(base), columns, "pyarrow")
    assert_same_tables(expected, read_rust(base), columns, "hudi-rs")
    assert_same_tables(expected, stock.read(base), columns, "stock")


def test_02_local_times_are_equal_but_in_hudi_rs(
    spark: SparkSession, stock: StockSpark, tables: Path
) -> None:
    base, expected = tables / "local_times", matrix.expected(matrix.LOCAL_TIMES)
    columns = expected.column_names
    own = spark.sql(f"SELECT {', '.join(columns)} FROM interop.local_times").toArrow()
    assert_same_tables(expected, own, columns, "the engine")
    assert_same_tables(expected, files(base), columns, "pyarrow")
    assert_same_tables(expected, stock.read(base), columns, "stock")
    with pytest.raises(BaseException, match="not yet implemented"):
        read_rust(base)  # hudi-rs 0.5.0 has no local-timestamp-micros


def test_05_07_28_files_hold_the_invariants(tables: Path) -> None:
    for name in ("parted", "flat", "hollow", "types", "local_times"):
        assert check_table(tables / name) == [], name
    assert len(layout.latest_slices(tables / "parted")) == 8
    assert len(layout.latest_slices(tables / "flat")) == 4


def test_06_rows_that_were_not_changed_keep_their_instant(
    stock: StockSpark, by_stock: Callable[[str], pa.Table], tables: Path
) -> None:
    base = tables / "parted"
    first, second = sorted(layout.completed(base))
    read = by_stock("parted")
    by_id = zip(*(read.column(c).to_pylist() for c in ("n", "_hoodie_commit_time")), strict=True)
    for n, instant in by_id:
        assert instant == (first if n // 1000003 < flights.CHANGED.start else second)
    assert stock.read(base, **{"as.of.instant": first}).num_rows == flights.ROWS


@pytest.mark.parametrize("name", ["parted", "flat"])
def test_our_folder_is_ignored_by_the_others(
    stock: StockSpark,
    by_stock: Callable[[str], pa.Table],
    tables: Path,
    tmp_path: Path,
    name: str,
) -> None:
    base = tables / name
    ours = base / ".hoodie" / ".hudilite"
    numbers = [path.name for path in (ours / "commits").iterdir() if path.name.isdigit()]
    assert len(numbers) == 2
    without = tmp_path / name
    shutil.copytree(base, without)
    shutil.rmtree(without / ".hoodie" / ".hudilite")
    assert_same_tables(by_stock(name), stock.read(without), label="stock")
    assert_same_tables(read_rust(base), read_rust(without), label="hudi-rs")


def test_stock_prunes_to_the_same_rows(
    stock: StockSpark, by_stock: Callable[[str], pa.Table], tables: Path, expected: pa.Table
) -> None:
    read = by_stock("parted")
    for part in ("p/1 x=:%é", "plain"):
        mask = pc.equal(expected.column("part"), part)
        told = pc.equal(read.column("part"), part)
        assert_same_tables(expected.filter(mask), read.filter(told), expected.column_names, part)
        rows = stock.rows_of(op="where", path=str(tables / "parted"), condition=f"part = '{part}'")
        assert_same_tables(expected.filter(mask), rows, expected.column_names, part)


def test_stock_and_the_engine_take_turns(
    spark: SparkSession, stock: StockSpark, tables: Path, tmp_path: Path
) -> None:
    base, columns = tables / "shared", ["id", "n", "day", "at", "price", "note"]
    spark.sql(
        "CREATE TABLE interop.shared (id STRING, n BIGINT, day DATE, at TIMESTAMP, "
        "price DECIMAL(12,2), note STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4"
    )
    rows = flights.source_sql(0, 200, "one")
    spark.sql(f"INSERT INTO interop.shared SELECT {', '.join(columns)} FROM ({rows})")
    changed = stock.read(base).select(columns).slice(0, 50)
    changed = changed.set_column(5, "note", pa.array(["by stock"] * 50))
    pq.write_table(changed, tmp_path / "source.parquet")
    stock.ask(
        op="write",
        source=str(tmp_path / "source.parquet"),
        path=str(base),
        mode="append",
        options=upsert_options(base),
    )
    own = spark.sql(f"SELECT {', '.join(columns)} FROM interop.shared").toArrow()
    assert_same_tables(own, stock.read(base), columns, "after stock's upsert")
    assert_same_rows(
        canonical_rows(changed), set(canonical_rows(changed)) & set(canonical_rows(own))
    )
    by_stock = "SELECT id, 'by us' note FROM interop.shared WHERE note = 'by stock'"
    merged = spark.sql(
        f"MERGE INTO interop.shared t USING ({by_stock}) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET note = s.note"
    ).collect()
    assert [tuple(row) for row in merged] == [(50, 50, 0, 0)]
    read = stock.read(base)
    assert read.column("note").to_pylist().count("by us") == 50
    assert read.num_rows == 200
    assert_same_tables(read, read_rust(base), label="hudi-rs after both")
    assert check_table(base) == []


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


@pytest.mark.rotated(third=0)  # a JVM of its own
def test_30_the_time_zone_changes_nothing(
    spark: SparkSession, stock: StockSpark, database: Path, tmp_path: Path
) -> None:
    """The session writes in UTC, a process of its own in another zone."""
    texts = {
        "create": matrix.create_sql("types", matrix.COLUMNS),
        "insert": matrix.insert_sql("types", matrix.COLUMNS),
    }
    for text in texts.values():
        spark.sql(text)
    steps = [{"label": label, "sql": text} for label, text in texts.items()]
    zone = "America/New_York"
    conf = {
        "spark.sql.session.timeZone": zone,
        "spark.driver.extraJavaOptions": f"-Duser.timezone={zone}",
    }
    outcome = run_child(tmp_path / "there", steps, conf, zone=zone)
    assert all("error" not in step for step in outcome.steps), outcome.steps
    expected = matrix.expected(matrix.COLUMNS)
    columns, read = expected.column_names, []
    for base in (database / "types", tmp_path / "there" / "wh" / "types"):
        read.append(stock.read(base))
        assert_same_tables(expected, files(base), columns, str(base))
    assert_same_tables(*read, columns, "zones")
    first, second = (table.column("_hoodie_commit_time")[0].as_py() for table in read)
    assert first < second
    assert int(second[:10]) - int(first[:10]) <= 1, "the instants are hours apart"
