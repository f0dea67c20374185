"""Assertion 16 of docs/format.md: replaced partitions in the engine, stock Hudi-Spark and hudi-rs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.canonical import assert_same_tables
from harness.invariants import check_table
from harness.layout import META_FIELDS
from harness.rust import read_rust
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=0)
ROWS = 1200
COLUMNS = ["id", "n", "price", "day", "part"]
SOURCE = (
    "SELECT concat('k', id) id, id * 7 n, CAST(id / 4.0 AS DECIMAL(12,2)) price, "
    "date_add(DATE'1969-12-01', CAST(id AS INT)) day, "
    "array('a b', 'c/d')[id % 2] part FROM range({first}, {last})"
)


@pytest.fixture
def replaced(spark: SparkSession, database: Path) -> Path:
    """A table of two partitions: inserted, one partition replaced, merged; 5 file groups hidden."""
    spark.sql(
        "CREATE TABLE t (id STRING, n BIGINT, price DECIMAL(12,2), day DATE, part STRING, "
        "PRIMARY KEY (id)) USING hudilite PARTITIONED BY (part) WITH BUCKETS 5"
    )
    spark.sql(f"INSERT INTO t {SOURCE.format(first=0, last=ROWS)}")
    some = SOURCE.format(first=100, last=1100)
    spark.sql(
        "INSERT OVERWRITE t PARTITION (part = 'a b') "
        f"SELECT id, -n, price, day FROM ({some}) WHERE part = 'a b'"
    )
    spark.sql(
        f"MERGE INTO t USING ({SOURCE.format(first=1090, last=1300)}) s "
        "ON t.id = s.id AND t.part = s.part "
        "WHEN MATCHED THEN UPDATE SET n = 1 WHEN NOT MATCHED THEN INSERT *"
    )
    return database / "t"


def own(spark: SparkSession) -> pa.Table:
    return spark.sql(f"SELECT {', '.join([*META_FIELDS, *COLUMNS])} FROM t").toArrow()


def assert_all_agree(spark: SparkSession, stock: StockSpark, base: Path, label: str) -> pa.Table:
    expected = own(spark)
    assert expected.num_rows > 1000
    by_stock, by_rust = stock.read(base), read_rust(base)
    assert_same_tables(expected, by_stock, label=f"stock {label}")
    assert_same_tables(by_stock, expected, by_stock.column_names, f"stock {label}, the other way")
    assert_same_tables(expected, by_rust, label=f"hudi-rs {label}")
    assert_same_tables(by_rust, expected, by_rust.column_names, f"hudi-rs {label}, the other way")
    return expected


def test_16_replaced_groups_are_hidden_and_time_travel_sees_them(
    spark: SparkSession, stock: StockSpark, replaced: Path
) -> None:
    whole = assert_all_agree(spark, stock, replaced, "after INSERT OVERWRITE and MERGE")
    first, second, _ = sorted(layout.completed(replaced))
    before = stock.read(replaced, **{"as.of.instant": first})
    assert_same_tables(
        spark.sql(SOURCE.format(first=0, last=ROWS)).toArrow(), before, COLUMNS, "before it"
    )
    assert stock.read(replaced, **{"as.of.instant": second}).num_rows == 500 + ROWS // 2
    spark.sql("ALTER TABLE t DROP PARTITION (part = 'c/d')")
    dropped = own(spark)
    assert set(dropped.column("part").to_pylist()) == {"a b"}
    assert_same_tables(dropped, stock.read(replaced), label="stock after DROP PARTITION")
    assert_same_tables(dropped, read_rust(replaced), label="hudi-rs after DROP PARTITION")
    third = sorted(layout.completed(replaced))[2]
    assert_same_tables(whole, stock.read(replaced, **{"as.of.instant": third}), label="as of 3")
    spark.sql("TRUNCATE TABLE t")
    assert stock.read(replaced).num_rows == 0
    assert read_rust(replaced).num_rows == 0
    assert check_table(replaced) == []


def test_16_stock_cleans_and_overwrites_in_turn(
    spark: SparkSession, stock: StockSpark, replaced: Path, tmp_path: Path
) -> None:
    hidden = hidden_files(replaced)
    assert len(hidden) == 5
    changed = own(spark).select(COLUMNS).slice(0, 40)
    write(stock, replaced, changed, tmp_path, "upsert", **CLEANING)
    assert any(name.endswith(".clean") for name in layout.instant_files(replaced))
    assert not any(path.exists() for path in hidden), "the cleaner left replaced files"
    assert_all_agree(spark, stock, replaced, "after stock's upsert and clean")
    fresh = spark.sql(
        f"SELECT * FROM ({SOURCE.format(first=0, last=1500)}) WHERE part = 'c/d'"
    ).toArrow()
    write(stock, replaced, fresh, tmp_path, "insert_overwrite")
    both = assert_all_agree(spark, stock, replaced, "after stock's insert_overwrite")
    assert both.column("part").to_pylist().count("c/d") == fresh.num_rows
    spark.sql(
        "MERGE INTO t USING (SELECT * FROM t WHERE part = 'c/d' AND n % 3 = 0) s "
        "ON t.id = s.id AND t.part = s.part WHEN MATCHED THEN UPDATE SET n = 0"
    )
    spark.sql("INSERT OVERWRITE t PARTITION (part = 'new') SELECT 'k', 1, 2, DATE'2024-01-01'")
    assert_all_agree(spark, stock, replaced, "after a MERGE into stock's groups")
    told = spark.sql("DELETE FROM t WHERE part = 'new'").collect()
    assert [tuple(row) for row in told] == [(1,)]
    assert_all_agree(spark, stock, replaced, "after a whole-partition DELETE")


def test_16_stock_drops_a_partition(
    spark: SparkSession, stock: StockSpark, replaced: Path, tmp_path: Path
) -> None:
    left = own(spark).filter(pa.compute.equal(own(spark).column("part"), "a b"))
    options = {"hoodie.datasource.write.partitions.to.delete": "part=c%2Fd"}
    one = own(spark).select(COLUMNS).slice(0, 1)
    write(stock, replaced, one, tmp_path, "delete_partition", **options)
    assert_same_tables(left, own(spark), label="the engine after stock's delete_partition")
    assert_same_tables(left, stock.read(replaced), label="stock after its delete_partition")
    spark.sql("INSERT INTO t VALUES ('k1', 1, 1, DATE'2024-01-01', 'c/d')")
    assert_same_tables(own(spark), stock.read(replaced), label="after an INSERT there")


CLEANING = {
    "hoodie.clean.automatic": "true",
    "hoodie.cleaner.commits.retained": "1",
    "hoodie.clean.commits.retained": "1",
}


def hidden_files(base: Path) -> list[Path]:
    live = {s.path for s in layout.latest_slices(base)}
    ids = {
        (partition, group)
        for instant, action in layout.completed(base).items()
        if action == "replacecommit"
        for partition, groups in layout.commit_metadata(base, instant)[
            "partitionToReplaceFileIds"
        ].items()
        for group in groups
    }
    files = layout.base_files(base)
    return [s.path for s in files if (s.partition, s.file_id) in ids and s.path not in live]


def write(
    stock: StockSpark, base: Path, rows: pa.Table, folder: Path, operation: str, **options: str
) -> None:
    source = folder / f"{operation}.parquet"
    pq.write_table(rows, source)
    facts = layout.properties(base)
    stock.ask(
        op="write",
        source=str(source),
        path=str(base),
        mode="append",
        options={
            "hoodie.table.name": facts["hoodie.table.name"],
            "hoodie.database.name": facts["hoodie.database.name"],
            "hoodie.datasource.write.recordkey.field": "id",
            "hoodie.datasource.write.partitionpath.field": "part",
            "hoodie.datasource.write.partitionpath.urlencode": "true",
            "hoodie.datasource.write.operation": operation,
            "hoodie.index.type": "BUCKET",
            "hoodie.bucket.index.num.buckets": facts["hudilite.bucket.count"],
            **options,
        },
    )
