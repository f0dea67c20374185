"""Columns whose types stock Hudi has changed: older files keep numbers where the table has texts.

Rows of such files are those that stock reads, to the last character. Filters find them, and a MERGE
writes the new types.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.adopted import assert_both_read, merge, overlaid, stock_writes
from harness.canonical import assert_same_tables
from harness.stock import StockSpark, writer_options
from hudilite import files
from tables.stock_facts import NINE, SIX

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(rare=True, third=2)
WRITER = writer_options("changed")
OLD = {
    "i": pa.int32(),
    "l": pa.int64(),
    "f": pa.float32(),
    "d": pa.float64(),
    "mm": pa.decimal128(5, 2),
    "il": pa.int32(),
    "if": pa.int32(),
    "ib": pa.int32(),
    "lf": pa.int64(),
    "ld": pa.int64(),
    "fd": pa.float32(),
    "s": pa.struct([("a", pa.int32()), ("b", pa.string())]),
    "list": pa.list_(pa.float32()),
}
NEW = dict.fromkeys(("i", "l", "f", "d"), pa.string()) | {
    "mm": pa.decimal128(12, 2),
    "il": pa.int64(),
    "if": pa.float32(),
    "ib": pa.float64(),
    "lf": pa.float32(),
    "ld": pa.float64(),
    "fd": pa.float64(),
    "s": pa.struct([("a", pa.string()), ("b", pa.string())]),
    "list": pa.list_(pa.float64()),
}
NUMBERS = (0, 1, -7, 16_777_217, 2_147_483_647, 123_456)
TENTHS = (0.0, 1.1, -7.25, 1e-10, 3.4e30, 123456.78)


def rows(first: int, last: int, part: str, kinds: dict[str, pa.DataType], word: str) -> pa.Table:
    """Rows of a partition; each sixth number repeats its values, and each seventh row is null."""
    numbers = range(first, last)

    def values(of: tuple[object, ...]) -> list[object]:
        return [None if i % 7 == 6 else of[i % 6] for i in numbers]

    cents = tuple(Decimal(n % 99_999).scaleb(-2) for n in NUMBERS)
    of = {"d": TENTHS, "f": TENTHS, "fd": TENTHS, "mm": cents}
    plain = {name: values(of.get(name, NUMBERS)) for name in kinds if name not in ("s", "list")}
    structs = [None if x is None else {"a": x, "b": word} for x in plain["i"]]
    lists = [None if x is None else [x, 2 * x] for x in plain["f"]]
    made = pa.table(
        {
            "id": [f"k{i}" for i in numbers],
            "p": [part] * len(numbers),
            "ts": pa.array([0 if word == "one" else 1] * len(numbers), pa.int64()),
            "v": [f"{word} {i}" for i in numbers],
        }
    )
    for name, kind in OLD.items():
        found = {"s": structs, "list": lists}.get(name, plain.get(name))
        made = made.append_column(name, pa.array(found, kind))
    return made if kinds is OLD else as_new(made)


def as_new(table: pa.Table) -> pa.Table:
    """The rows with the new types: their texts are only those of a new writer."""
    made = table
    for at, name in enumerate(table.column_names):
        if name == "s":
            found = [x and {"a": str(x["a"]), "b": x["b"]} for x in table["s"].to_pylist()]
            made = made.set_column(at, name, pa.array(found, NEW[name]))
        elif name in NEW and pa.types.is_string(NEW[name]):
            texts = [None if x is None else f"new {x}" for x in table[name].to_pylist()]
            made = made.set_column(at, name, pa.array(texts))
        elif name in NEW:
            made = made.set_column(at, name, table[name].cast(NEW[name], safe=False))
    return made


@pytest.fixture(scope="module")
def by_rows(stock: StockSpark) -> Iterator[StockSpark]:
    """Stock Hudi that reads row by row: in vectors, it refuses a struct with a changed field."""
    stock.ask(op="sql", text="SET spark.sql.parquet.enableVectorizedReader=false")
    yield stock
    stock.ask(op="sql", text="SET spark.sql.parquet.enableVectorizedReader=true")


@pytest.fixture(scope="module", params=[6, 9])
def changed(
    request: pytest.FixtureRequest, by_rows: StockSpark, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, pa.Table]:
    """A table with a file of the old types in one partition, and the rows that stock reads."""
    base = tmp_path_factory.mktemp("changed") / "changed"
    options = WRITER | (SIX if request.param == 6 else NINE)
    stock_writes(by_rows, base, rows(0, 60, "a", OLD, "one"), options, defaults=True)
    stock_writes(by_rows, base, rows(60, 90, "b", NEW, "one"), options, defaults=True)
    return base, by_rows.read(base)


def plain_names(table: pa.Table) -> list[str]:
    return [name for name in table.column_names if not name.startswith("_hoodie")]


def test_stock_reads_the_texts_of_numbers(changed: tuple[Path, pa.Table]) -> None:
    """The rule that hudilite follows: a text is what CAST makes of a number, and 1.1 stays 1.1."""
    found = {row["id"]: row for row in changed[1].to_pylist()}
    assert [found[f"k{n}"]["i"] for n in range(7)] == [*map(str, NUMBERS), None]
    assert [found[f"k{n}"]["l"] for n in range(7)] == [*map(str, NUMBERS), None]
    assert [found[f"k{n}"]["f"] for n in (1, 3, 4)] == ["1.1", "1.0E-10", "3.4E30"]
    assert [found[f"k{n}"]["d"] for n in (1, 3, 4)] == ["1.1", "1.0E-10", "3.4E30"]
    assert found["k1"]["fd"] == 1.1
    assert found["k1"]["s"] == {"a": "1", "b": "one"}
    assert found["k1"]["list"] == [1.1, 2.2]


@pytest.mark.parametrize("vectors", ["true", "false"])
def test_hudilite_reads_what_stock_reads(
    spark: SparkSession, changed: tuple[Path, pa.Table], database: Path, vectors: str
) -> None:
    del database  # which is made current
    base, expected = changed
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectors)
    try:
        names = ", ".join(f"`{name}`" for name in expected.column_names)
        own = spark.sql(f"SELECT {names} FROM hudilite.`{base}`").toArrow()
    finally:
        spark.conf.unset("spark.sql.parquet.enableVectorizedReader")
    assert_same_tables(expected, own, label="hudilite")


def test_filters_find_the_rows(
    spark: SparkSession, changed: tuple[Path, pa.Table], database: Path
) -> None:
    """Statistics of a file are those of its own type: they skip nothing that the table's type has."""
    del database
    base, table = changed
    rows_of = table.to_pylist()
    for name in (name for name in NEW if name not in ("s", "list")):
        for value in sorted({row[name] for row in rows_of} - {None}, key=str)[:3]:
            literal = repr(value) if isinstance(value, str) else str(value)
            typed = f"CAST({literal} AS {type_of(table, name)})"
            for sign in ("=", "<", ">="):
                test = {"=": value.__eq__, "<": value.__gt__, ">=": value.__le__}[sign]
                wanted = sum(row[name] is not None and test(row[name]) for row in rows_of)
                text = f"SELECT * FROM hudilite.`{base}` WHERE `{name}` {sign} {typed}"
                assert spark.sql(text).count() == wanted, text
    text = f"SELECT count(*) FROM hudilite.`{base}` WHERE mm < CAST(42949672.97 AS DECIMAL(12, 2))"
    assert spark.sql(text).collect()[0][0] == sum(row["mm"] is not None for row in rows_of)


def type_of(table: pa.Table, name: str) -> str:
    kinds = {"string": "STRING", "int64": "BIGINT", "float": "FLOAT", "double": "DOUBLE"}
    kind = table.schema.field(name).type
    return (
        str(kind).replace("decimal128", "DECIMAL")
        if pa.types.is_decimal(kind)
        else kinds[str(kind)]
    )


def test_least_and_greatest_values_are_those_of_the_new_types(
    spark: SparkSession, changed: tuple[Path, pa.Table], database: Path
) -> None:
    del database
    base, table = changed
    for name in (name for name in NEW if name not in ("s", "list")):
        values = [x for x in table[name].to_pylist() if x is not None]
        asked = f"min(`{name}`), max(`{name}`), count(`{name}`)"
        found = spark.sql(f"SELECT {asked} FROM hudilite.`{base}`").collect()[0]
        assert tuple(found) == (min(values), max(values), len(values)), name


def test_writes_store_the_new_types(
    spark: SparkSession, by_rows: StockSpark, changed: tuple[Path, pa.Table], database: Path
) -> None:
    base = database / "changed"
    shutil.copytree(changed[0], base)
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{base}'")
    expected = changed[1].select(plain_names(changed[1]))
    source = rows(50, 70, "a", NEW, "merged").select(expected.column_names)
    source = pa.Table.from_batches(source.to_batches()).cast(expected.schema)
    merge(spark, "t", source, ("id", "p"))
    expected = overlaid(expected, source)
    assert_both_read(spark, by_rows, "t", base, expected)
    spark.sql("UPDATE t SET v = 'x' WHERE id = 'k1'")
    spark.sql("DELETE FROM t WHERE i = '-7' AND id < 'k2'")
    left = [row for row in expected.to_pylist() if not (row["i"] == "-7" and row["id"] < "k2")]
    found = [row | {"v": "x"} if row["id"] == "k1" else row for row in left]
    expected = pa.Table.from_pylist(found, schema=expected.schema)
    assert_both_read(spark, by_rows, "t", base, expected)
    newest = {file.path for file in files.read(base)}
    kinds = {pq.read_schema(base / path).field("i").type for path in newest}
    assert kinds == {pa.string()}


@pytest.mark.parametrize("group", [7, 1000])
def test_files_of_a_bootstrap_are_read_in_the_new_types(
    spark: SparkSession, by_rows: StockSpark, database: Path, group: int
) -> None:
    """Their rows are those of a table of stock Hudi that has the same values in files of its own."""
    base, own, source = (database / name for name in ("changed", "own", "source"))
    names = {own: "changed", base: "t"}
    old, new = rows(0, 60, "a", OLD, "one"), rows(60, 90, "b", NEW, "two")
    for place in (own, base):
        if place == base:
            (source / "p=a").mkdir(parents=True)
            pq.write_table(old.drop_columns(["p"]), source / "p=a" / "1.parquet", group)
            spark.sql(
                f"CALL bootstrap(table => 't', source => '{source}', location => '{base}', "
                "key => 'id', ordering_field => 'ts')"
            )
        else:
            stock_writes(by_rows, place, old, WRITER | SIX)
        stock_writes(by_rows, place, new, WRITER | SIX | {"hoodie.table.name": names[place]})
    expected = by_rows.read(own)
    expected = expected.select(plain_names(expected))
    assert layout.sources(base), "the source file is read"
    read = spark.sql(f"SELECT {', '.join(expected.column_names)} FROM t").toArrow()
    assert_same_tables(expected, read, label="bootstrapped")
    for name in ("i", "mm", "fd", "lf"):
        values = sorted({x for x in expected[name].to_pylist() if x is not None}, key=str)
        typed = [f"CAST('{value}' AS {type_of(expected, name)})" for value in values[:2]]
        wanted = sum(x in values[:2] for x in expected[name].to_pylist())
        text = f"SELECT count(*) FROM t WHERE {name} IN ({', '.join(typed)})"
        assert spark.sql(text).collect()[0][0] == wanted, name
        (bounds,) = spark.sql(f"SELECT min({name}), max({name}), count({name}) FROM t").collect()
        found = [x for x in expected[name].to_pylist() if x is not None]
        assert tuple(bounds) == (min(found), max(found), len(found)), name
    merge(spark, "t", expected.slice(0, 3), ("id", "p"))
    again = spark.sql(f"SELECT {', '.join(expected.column_names)} FROM t").toArrow()
    assert_same_tables(expected, again, label="merged")
