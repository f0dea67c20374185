"""Keys and partitions of every type, by stock Hudi, hudilite and the oracle.

The numbers in the names are those of the compatibility assertions in docs/format.md.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from harness.adopted import BUCKETS, WORDS, assert_all_read, merge, overlaid, rows, stock_writes
from harness.canonical import assert_same_tables
from harness.faults import run_statement
from harness.rust import read_rust
from harness.stock import StockSpark
from oracle.record_key import key_text, record_key

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=1)
UTC = datetime.timezone.utc
KEYS: dict[str, tuple[str, pa.DataType, Any]] = {
    "bo": ("BOOLEAN", pa.bool_(), lambda i: i % 3 == 0),
    "si": ("SMALLINT", pa.int16(), lambda i: i * 37 % 65536 - 32768),
    "i": ("INT", pa.int32(), lambda i: (i * 4_000_037) % 2**32 - 2**31),
    "l": ("BIGINT", pa.int64(), lambda i: (i * 2**53 * 11) % 2**64 - 2**63),
    "de": (
        "DECIMAL(30,12)",
        pa.decimal128(30, 12),
        lambda i: Decimal(i).scaleb(-12) + (i % 3 and i - 500),
    ),
    "da": ("DATE", pa.date32(), lambda i: datetime.date(1600, 1, 1) + datetime.timedelta(i * 97)),
    "ts": (
        "TIMESTAMP",
        pa.timestamp("us", tz="UTC"),
        lambda i: (
            datetime.datetime(1961, 3, 10, tzinfo=UTC)
            + datetime.timedelta(hours=i * 401, microseconds=i)
        ),
    ),
    "by": ("BINARY", pa.binary(), lambda i: bytes([i % 256, 255, i // 256])),
    "st": (
        "STRING",
        pa.string(),
        lambda i: ["a:b,c=d", "é", "\U0001d4b3 y", "..", "'\""][i % 5] + str(i),
    ),
}
EXACT = Decimal(1).scaleb(-12)


def typed_rows(first: int, last: int, word: str) -> pa.Table:
    """Rows whose key columns have one type each."""
    numbers = range(first, last)

    def column(name: str) -> list[Any]:
        values = [KEYS[name][2](i) for i in numbers]
        return [v.quantize(EXACT) for v in values] if name == "de" else values

    columns = {name: pa.array(column(name), KEYS[name][1]) for name in KEYS}
    columns["v"] = pa.array([f"{word} {i}" for i in numbers])
    columns["o"] = pa.array([WORDS.index(word) for _ in numbers])
    columns["p"] = pa.array(["a" if i % 2 else "b" for i in numbers])
    return pa.table(columns)


@pytest.mark.fault("F80")
def test_20_keys_of_every_type_have_the_text_that_stock_writes(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    path, names = database / "typed", list(KEYS)
    options = BUCKETS | {
        "hoodie.datasource.write.recordkey.field": ",".join(names),
        "hoodie.datasource.write.precombine.field": "o",
    }
    stock_writes(stock, path, typed_rows(0, 1000, "one"), options)
    stock_writes(stock, path, typed_rows(900, 1100, "stock"), options)
    key = (*names, "p")
    expected = overlaid(typed_rows(0, 1000, "one"), typed_rows(900, 1100, "stock"), key)
    texts = [
        record_key(names, ["p"], [key_text(row[name]) for name in names])
        for row in expected.to_pylist()
    ]
    stored = stock.read(path).column("_hoodie_record_key").to_pylist()
    assert sorted(stored) == sorted(texts)
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{path}'")
    ours = typed_rows(1000, 1300, "merged")
    assert merge(spark, "t", ours, key) == (300, 100, 0, 200)
    expected = overlaid(expected, ours, key)
    assert_all_read(spark, stock, "t", path, expected)
    theirs = typed_rows(1200, 1400, "stock again")
    stock_writes(stock, path, theirs, options)
    assert_all_read(spark, stock, "t", path, overlaid(expected, theirs, key))


@pytest.mark.parametrize("name", ["de", "ts", "by"])
def test_20_one_key_column_of_a_type(
    spark: SparkSession, stock: StockSpark, database: Path, name: str
) -> None:
    last = 1000
    source = typed_rows(0, last, "one").select([name, "v", "o", "p"])
    spark.sql(
        f"CREATE TABLE t ({name} {KEYS[name][0]}, v STRING, o BIGINT, p STRING, PRIMARY KEY ({name})) "
        "USING hudilite WITH BUCKETS 16 PARTITIONED BY (p)"
    )
    merge(spark, "t", source, (name, "p"))
    path = database / "t"
    options = BUCKETS | {
        "hoodie.table.name": "t",
        "hoodie.database.name": spark.catalog.currentDatabase(),
        "hoodie.datasource.write.recordkey.field": name,
        "hoodie.datasource.write.precombine.field": "o",
        "hoodie.bucket.index.num.buckets": "16",
    }
    theirs = typed_rows(0, last, "stock").select([name, "v", "o", "p"]).slice(0, (last + 1) // 2)
    stock_writes(stock, path, theirs, options)
    expected = overlaid(source, theirs, (name, "p"))
    assert expected.num_rows == last
    assert_all_read(spark, stock, "t", path, expected)
    texts = {key_text(value) for value in source.column(name).to_pylist()}
    assert set(stock.read(path).column("_hoodie_record_key").to_pylist()) == texts


def test_a_key_text_that_depends_on_stocks_session_is_refused(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    path = database / "bulk"
    options = BUCKETS | {
        "hoodie.datasource.write.recordkey.field": "ts",
        "hoodie.datasource.write.precombine.field": "o",
        "hoodie.datasource.write.operation": "bulk_insert",
    }
    stock_writes(stock, path, typed_rows(0, 1000, "one").select(["ts", "v", "o", "p"]), options)
    fault = run_statement(spark, f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{path}'")
    assert fault is not None
    assert fault.condition == "HUDILITE_UNSUPPORTED_TABLE"
    assert fault.parameters["fact"] == "record key"


def parted_rows(first: int, last: int, word: str, blanks: bool) -> pa.Table:
    """Rows in partitions by date, int and string, with null and empty values or without."""
    numbers = range(first, last)
    days = [None, datetime.date(1969, 12, 31), datetime.date(2024, 2, 29)][not blanks :]
    counts = [None, -7, 12][not blanks :]
    words = [None, "", "x/y =%"] if blanks else ["b", "x/y =%"]
    return (
        rows(first, last, word)
        .drop_columns(["p"])
        .append_column("k", pa.array([f"x{i % 5}" for i in numbers]))
        .append_column("day", pa.array([days[i % len(days)] for i in numbers], pa.date32()))
        .append_column("n", pa.array([counts[i // 3 % len(counts)] for i in numbers], pa.int32()))
        .append_column("w", pa.array([words[i // 9 % len(words)] for i in numbers]))
    )


def adopted_levels(
    spark: SparkSession, stock: StockSpark, path: Path, levels: list[str], blanks: bool
) -> pa.Table:
    """A table of stock Hudi that is adopted as t and merged into; the rows it must hold."""
    options = BUCKETS | {
        "hoodie.datasource.write.recordkey.field": "id,k",
        "hoodie.datasource.write.partitionpath.field": ",".join(levels),
        "hoodie.datasource.write.partitionpath.urlencode": "true",
    }
    first, ours = (parted_rows(*part, blanks) for part in [(0, 1000, "one"), (900, 1100, "merged")])
    stock_writes(stock, path, first, options)
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{path}'")
    spark.createDataFrame(ours).createOrReplaceTempView("ours")
    same = " AND ".join(f"t.{name} <=> s.{name}" for name in ["id", "k", *levels])
    counts = spark.sql(
        f"MERGE INTO t USING ours s ON {same} WHEN MATCHED THEN UPDATE SET * "
        "WHEN NOT MATCHED THEN INSERT *"
    ).collect()
    assert tuple(counts[0]) == (200, 100, 0, 100)
    return overlaid(first, ours, ("id", "k", *levels))


@pytest.mark.parametrize("levels", [["day", "n"], ["day", "n", "w"]])
def test_04_null_and_empty_values_in_levels_of_partitions(
    spark: SparkSession, stock: StockSpark, database: Path, levels: list[str]
) -> None:
    path = database / "levels"
    expected = adopted_levels(spark, stock, path, levels, blanks=True)
    names = expected.column_names
    own = spark.sql(f"SELECT {', '.join(names)} FROM t").toArrow()
    assert_same_tables(expected, own, names, "hudilite")
    assert_same_tables(expected, read_rust(path), names, "hudi-rs")
    if "w" in levels:  # Stock takes a partition column from the folder, where '' is null.
        empty = pc.equal(expected.column("w"), "")
        words = pc.if_else(pc.fill_null(empty, False), None, expected.column("w"))
        expected = expected.set_column(names.index("w"), "w", words)
    assert_same_tables(expected, stock.read(path), names, "stock")


def test_21_predicates_on_partitions_of_several_types(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    path = database / "levels"
    expected = adopted_levels(spark, stock, path, ["day", "n", "w"], blanks=False)
    names = expected.column_names
    day, n, w = (expected.column(name) for name in ("day", "n", "w"))
    for condition, mask in {
        "day = DATE'1969-12-31'": pc.equal(day, datetime.date(1969, 12, 31)),
        "n < 0": pc.less(n, 0),
        "w = 'x/y =%' AND n = 12": pc.and_(pc.equal(w, "x/y =%"), pc.equal(n, 12)),
    }.items():
        wanted = expected.filter(mask)
        assert 0 < wanted.num_rows < expected.num_rows
        own = spark.sql(f"SELECT {', '.join(names)} FROM t WHERE {condition}").toArrow()
        assert_same_tables(wanted, own, names, f"hudilite where {condition}")
        told = stock.rows_of(op="where", path=str(path), condition=condition)
        assert_same_tables(wanted, told, names, f"stock where {condition}")
