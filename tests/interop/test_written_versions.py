"""Tables of versions 8 and 9 that stock Hudi, with its defaults, and hudilite write in turn.

Stock Hudi keeps a metadata table beside them and reads it instead of the folders. Each commit of
hudilite must be seen by stock Hudi and hudi-rs at once, by filters on every column, and must survive
the next write of stock Hudi.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from harness import layout
from harness.adopted import assert_all_read, merge, overlaid, rows, stock_writes
from harness.canonical import assert_same_tables
from harness.rotation import ninth, product
from harness.rust import read_rust
from harness.stock import StockSpark, writer_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DETACHES = product("core/commit/", "core/timeline/", "core/format/")
pytestmark = pytest.mark.rotated(rare=True, by="test", when=DETACHES)
METADATA = "hoodie.table.metadata.partitions"
TABLE = writer_options("written")
EIGHT = {"hoodie.write.table.version": "8", "hoodie.write.auto.upgrade": "false"}
BUCKET = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "4"}
KEYS = {"hoodie.metadata.global.record.level.index.enable": "true"}
KINDS = {
    "9, all defaults": ({}, ""),
    "9, buckets": (BUCKET, "WITH BUCKETS 4"),
    "8, buckets": (EIGHT | BUCKET, "WITH BUCKETS 4"),
    "9, index of keys": (KEYS, ""),
}
KEY = ("p", "id")


def assert_filters(stock: StockSpark, base: Path, expected: pa.Table) -> None:
    """Stock Hudi finds the rows by each column; with its defaults it skips files by its indexes."""
    for column, value in (("id", "k950"), ("v", "merged 950"), ("ts", 2), ("d", 1160 / 3)):
        literal = f"'{value}'" if isinstance(value, str) else repr(value)
        found = stock.rows_of(op="where", path=str(base), condition=f"{column} = {literal}")
        wanted = expected.filter(pc.equal(expected[column], value))
        assert_same_tables(wanted, found, expected.column_names, f"{column} = {value}")


def assert_seen(spark: SparkSession, stock: StockSpark, base: Path, expected: pa.Table) -> None:
    assert_all_read(spark, stock, "t", base, expected)
    listed = stock.read(base, **{"hoodie.metadata.enable": "false"})
    assert_same_tables(expected, listed, expected.column_names, "listed by stock")
    assert_filters(stock, base, expected)


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=ninth(n, when=DETACHES))
        for n, kind in zip((0, 3, 5, 8), KINDS, strict=True)
    ],
)
def test_nothing_is_lost_when_stock_and_hudilite_write_in_turn(
    spark: SparkSession, stock: StockSpark, database: Path, kind: str
) -> None:
    options, buckets = KINDS[kind]
    base = database / "written"
    expected = rows(0, 1200, "one")

    def write_by_stock(source: pa.Table) -> None:
        stock_writes(stock, base, source, TABLE | options, defaults=True)
        assert "files" in layout.properties(base)[METADATA]
        assert (base / ".hoodie" / "metadata").exists()

    write_by_stock(expected)
    version = layout.properties(base)["hoodie.table.version"]
    spark.sql(f"CREATE TABLE t USING hudilite {buckets} LOCATION '{base}'")
    steps = [
        (rows(900, 1400, "merged"), rows(1000, 1100, "stock again")),
        (rows(50, 960, "hudilite again", 3), rows(1350, 1500, "hudilite again")),
    ]
    for ours, stocks in steps:
        merge(spark, "t", ours, KEY)
        expected = overlaid(expected, ours)
        assert layout.properties(base)[METADATA] == ""
        assert not (base / ".hoodie" / "metadata").exists()
        assert_seen(spark, stock, base, expected)
        write_by_stock(stocks)
        expected = overlaid(expected, stocks)
        assert_seen(spark, stock, base, expected)
    merge(spark, "t", rows(0, 30, "hudilite again"), KEY)
    expected = overlaid(expected, rows(0, 30, "hudilite again"))
    assert_seen(spark, stock, base, expected)
    assert layout.properties(base)["hoodie.table.version"] == version


@pytest.mark.parametrize("buckets", ["WITH BUCKETS 2", ""])
def test_a_table_that_hudilite_creates_with_version_9_is_written_by_both(
    spark: SparkSession, stock: StockSpark, database: Path, buckets: str
) -> None:
    spark.sql(
        f"CREATE TABLE t (id STRING, d DOUBLE, v STRING, p STRING, ts BIGINT, PRIMARY KEY (id)) "
        f"USING hudilite PARTITIONED BY (p) {buckets} "
        "TBLPROPERTIES ('preCombineField' = 'ts', 'hoodie.write.table.version' = '9')"
    )
    base = database / "t"
    expected = rows(0, 1000, "one")
    merge(spark, "t", expected, KEY)
    merge(spark, "t", rows(100, 200, "merged"), KEY)
    expected = overlaid(expected, rows(100, 200, "merged"))
    assert_all_read(spark, stock, "t", base, expected)
    index = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "2"}
    options = TABLE | {"hoodie.table.name": "t"} | (index if buckets else {})
    stock_writes(stock, base, rows(150, 1100, "stock again"), options, defaults=True)
    expected = overlaid(expected, rows(150, 1100, "stock again"))
    assert_all_read(spark, stock, "t", base, expected)
    spark.sql("INSERT OVERWRITE t PARTITION (p = 'b') SELECT 'new', 1.5D, 'x', 9")
    new = pa.table(
        {"id": ["new"], "d": [1.5], "v": ["x"], "p": ["b"], "ts": [9]}, schema=expected.schema
    )
    expected = pa.concat_tables([expected.filter(pc.equal(expected["p"], "a")), new])
    assert_all_read(spark, stock, "t", base, expected)
    saved = max(layout.completed(base))
    spark.sql("CALL savepoint(table => 't')")
    merge(spark, "t", rows(1, 100, "hudilite again", 2), KEY)
    short = "retain_commits => 1, retain_hours => 0, allow_short_retention => true"
    assert spark.sql(f"CALL clean(table => 't', {short})").collect()[0].files_deleted > 0
    assert_all_read(spark, stock, "t", base, overlaid(expected, rows(1, 100, "hudilite again", 2)))
    spark.sql(f"CALL delete_savepoint(table => 't', instant => '{saved}')")
    spark.sql(f"CALL restore(table => 't', instant => '{saved}')")
    assert_all_read(spark, stock, "t", base, expected)
    stock_writes(stock, base, rows(1, 300, "hudilite again", 2), options, defaults=True)
    expected = overlaid(expected, rows(1, 300, "hudilite again", 2))
    assert_all_read(spark, stock, "t", base, expected)


def test_stock_upgrades_a_table_of_version_6_and_both_write_on(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base = database / "written"
    six = TABLE | BUCKET | {"hoodie.write.table.version": "6", "hoodie.write.auto.upgrade": "false"}
    expected = rows(0, 600, "one")
    stock_writes(stock, base, expected, six, defaults=True)
    assert layout.properties(base)[METADATA]
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    merge(spark, "t", rows(100, 200, "merged"), KEY)
    expected = overlaid(expected, rows(100, 200, "merged"))
    assert (layout.properties(base)["hoodie.table.version"], layout.properties(base)[METADATA]) == (
        "6",
        "",
    )
    assert_all_read(spark, stock, "t", base, expected)
    stock_writes(stock, base, rows(150, 700, "stock again"), TABLE | BUCKET, defaults=True)
    expected = overlaid(expected, rows(150, 700, "stock again"))
    assert layout.properties(base)["hoodie.table.version"] == "9"
    assert_all_read(spark, stock, "t", base, expected)
    merge(spark, "t", rows(160, 800, "hudilite again"), KEY)
    expected = overlaid(expected, rows(160, 800, "hudilite again"))
    assert_all_read(spark, stock, "t", base, expected)


def test_the_merge_mode_decides_whether_an_earlier_value_wins(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    payload = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"
    options = TABLE | BUCKET | {"hoodie.datasource.write.payload.class": payload}
    base = database / "written"
    expected = rows(0, 200, "merged")
    stock_writes(stock, base, expected, options, defaults=True)
    facts = layout.properties(base)
    assert facts["hoodie.record.merge.mode"] == "COMMIT_TIME_ORDERING"
    assert facts["hoodie.table.ordering.fields"] == "ts"
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    merge(spark, "t", rows(50, 100, "stock"), KEY)
    expected = overlaid(expected, rows(50, 100, "stock"))
    stock_writes(stock, base, rows(80, 120, "one"), options, defaults=True)
    expected = overlaid(expected, rows(80, 120, "one"))
    assert_all_read(spark, stock, "t", base, expected)


def test_incremental_readers_pass_each_commit_once(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base = database / "written"
    stock_writes(stock, base, rows(0, 200, "one"), TABLE | BUCKET, defaults=True)
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    merge(spark, "t", rows(50, 60, "merged"), KEY)
    merge(spark, "t", rows(70, 80, "merged"), KEY)
    done = sorted(
        path.name.split(".")[0].split("_")[1]
        for path in (base / ".hoodie" / "timeline").glob("2*_*.commit")
    )
    assert len(set(done)) == 3
    for begin, end, numbers in (
        (done[0], done[1], range(50, 60)),
        (done[1], done[2], range(70, 80)),
    ):
        options = {
            "hoodie.datasource.query.type": "incremental",
            "hoodie.datasource.read.begin.instanttime": begin,
            "hoodie.datasource.read.end.instanttime": end,
        }
        found = stock.read(base, **options)
        assert sorted(found["id"].to_pylist()) == sorted(f"k{i}" for i in numbers)


def test_a_commit_is_seen_in_time_travel_by_its_requested_time(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base = database / "written"
    stock_writes(stock, base, rows(0, 100, "one"), TABLE | BUCKET, defaults=True)
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    merge(spark, "t", rows(50, 60, "merged"), KEY)
    merge(spark, "t", rows(60, 70, "merged"), KEY)
    times = sorted(
        path.name.split("_")[0] for path in (base / ".hoodie" / "timeline").glob("2*_*.commit")
    )
    middle = overlaid(rows(0, 100, "one"), rows(50, 60, "merged"))
    by_stock = stock.read(base, **{"as.of.instant": times[1]})
    own = spark.sql(f"SELECT * FROM t VERSION AS OF '{times[1]}'").toArrow()
    for read, label in ((by_stock, "stock"), (own, "hudilite")):
        assert_same_tables(middle, read, middle.column_names, label)
    assert read_rust(base).num_rows == 100
