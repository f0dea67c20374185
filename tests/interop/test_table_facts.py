"""Tables of stock Hudi with the facts that users' tables have: each is read, some are only read.

hudilite reads the rows and columns that stock reads and that a plain oracle expects, by name, by path
and at earlier versions; so do hudi-rs and the Python package where they can. A write is done, and
stock reads it, or it is refused by the name of the fact and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

from harness import layout
from harness.adopted import merge, stock_writes
from harness.canonical import assert_same_tables
from harness.faults import WRITES, assert_refused, run_statement
from harness.rotation import ninth, product
from harness.rust import read_rust
from harness.stock import StockFailed, StockSpark
from hudilite import files, table_facts
from tables import stock_facts
from tables.stock_facts import FACTS, Fact

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WHEN = product("core/format/")


@dataclass
class Made:
    """A table by stock, the rows that it must have, and those that stock reads."""

    base: Path
    fact: Fact
    expected: pa.Table
    by_stock: pa.Table

    @property
    def same(self) -> list[str]:
        """Columns in which hudilite and stock agree."""
        return [name for name in self.by_stock.column_names if name not in self.fact.as_stored]


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=ninth(n, when=WHEN), id=name) for n, name in enumerate(FACTS)],
)
def made(
    request: pytest.FixtureRequest, stock: StockSpark, tmp_path_factory: pytest.TempPathFactory
) -> Made:
    fact = FACTS[request.param]
    base = tmp_path_factory.mktemp("facts") / "written"
    expected = stock_facts.make(stock, base, fact)
    by_stock = stock.read(base)
    for key, value in fact.properties.items():
        stock_facts.set_property(base, key, value)
    return Made(base, fact, expected, by_stock)


def read(spark: SparkSession, source: str, names: list[str]) -> pa.Table:
    return spark.sql(f"SELECT {', '.join(names)} FROM {source}").toArrow()


def test_every_reader_sees_the_rows(spark: SparkSession, made: Made, database: Path) -> None:
    del database  # which is made current
    before = layout.untouched_state(made.base)
    by_path = f"hudilite.`{made.base}`"
    own = read(spark, by_path, made.by_stock.column_names)
    assert_same_tables(made.by_stock, own, made.same, "stock")
    assert_same_tables(made.expected, own, made.expected.column_names, "the oracle")
    everything = spark.sql(f"SELECT * FROM {by_path}").toArrow()
    assert sorted(everything.column_names) == sorted(made.expected.column_names)
    if made.fact.is_read_by_rust:
        assert_same_tables(own, read_rust(made.base), own.column_names, "hudi-rs")
    assert sum(file.rows or 0 for file in files.read(made.base, footers=True)) == own.num_rows
    assert table_facts.read(made.base).partitioned_by
    assert layout.untouched_state(made.base) == before


def test_a_partition_column_filters_and_is_counted(spark: SparkSession, made: Made) -> None:
    by_path = f"hudilite.`{made.base}`"
    for name in ("p", "q", "n", "ts", "dt", "day", "s.a"):
        column = made.expected["s"].combine_chunks().field("a") if name == "s.a" else None
        values = (made.expected[name] if column is None else column).to_pylist()
        for value in {values[0], values[-1]}:
            matches = "IS NULL" if value is None else f"= {literal(value)}"
            found = spark.sql(f"SELECT id FROM {by_path} WHERE {name} {matches}").collect()
            ids = made.expected["id"].to_pylist()
            wanted = [i for i, v in zip(ids, values, strict=True) if v == value]
            assert sorted(row.id for row in found) == sorted(wanted), (name, value)
        grouped = spark.sql(f"SELECT {name} AS v, count(*) AS n FROM {by_path} GROUP BY {name}")
        assert {row.v: row.n for row in grouped.collect()} == {v: values.count(v) for v in values}
    least = spark.sql(
        f"SELECT count(*), min(q), max(n), min(day), max(dt) FROM {by_path}"
    ).collect()
    of = {name: made.expected[name].to_pylist() for name in ("q", "n", "day", "dt")}
    assert tuple(least[0]) == (
        made.expected.num_rows,
        min(of["q"]),
        max(of["n"]),
        min(of["day"]),
        max(of["dt"]),
    )


def literal(value: object) -> str:
    return str(value) if isinstance(value, int) else f"'{value}'"


def test_each_version_is_the_same_to_both(
    spark: SparkSession, stock: StockSpark, made: Made
) -> None:
    shown = 0
    for instant in layout_instants(made.base):
        columns = ", ".join(made.same)
        query = f"SELECT {columns} FROM hudilite.`{made.base}` VERSION AS OF '{instant}'"
        try:
            own = spark.sql(query).toArrow()
        except PySparkException as refused:
            assert refused.getCondition() == "HUDILITE_SNAPSHOT_EXPIRED", instant
            continue
        shown += 1
        if not made.fact.properties:
            try:
                by_stock = stock.read(made.base, **{"as.of.instant": instant})
            except StockFailed as refused:  # stock reads no state before a clean
                assert "Cleaner cleaned up" in str(refused)
                continue
            assert_same_tables(by_stock, own, made.same, instant)
    assert shown


def layout_instants(base: Path) -> list[str]:
    """Requested times of the completed commits."""
    folder = base / ".hoodie"
    folder = folder / "timeline" if list((folder / "timeline").glob("*.commit")) else folder
    return sorted({path.name.split("_")[0].split(".")[0] for path in folder.glob("2*.commit")})


def test_what_describes_the_table_works(spark: SparkSession, made: Made, database: Path) -> None:
    del database
    before = layout.untouched_state(made.base)
    by_path = f"hudilite.`{made.base}`"
    described = [row.col_name for row in spark.sql(f"DESCRIBE EXTENDED {by_path}").collect()]
    assert set(made.expected.column_names) <= set(described)
    meta = [name for name in layout.META_FIELDS if name in described]
    hidden = made.fact.options.get("hoodie.populate.meta.fields") == "false"
    assert (meta == []) == hidden
    if made.fact.refused is not None:
        spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{made.base}'")
        assert spark.table("t").count() == made.expected.num_rows
        instants = [row.instant for row in spark.sql("CALL show_timeline(table => 't')").collect()]
        assert set(layout_instants(made.base)) <= set(instants)
        assert spark.sql("SHOW CREATE TABLE t").collect()
        found = spark.sql("CALL verify(table => 't', level => 'rows')").collect()
        assert [row for row in found if row.code != "NOT_CHECKED"] == []
        assert not hidden or found
    assert layout.untouched_state(made.base) == before


def test_a_write_is_done_or_refused_by_name(
    spark: SparkSession, stock: StockSpark, made: Made, database: Path
) -> None:
    del database
    fact = made.fact
    is_index = fact.refused == "index"  # which CREATE TABLE would have to declare
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{made.base}'")
    later = stock_facts.without_slashes(stock_facts.rows(10, 18, "hudilite"), fact)
    if fact.refused is None:
        merge(spark, "t", later, fact.key)
        expected = stock_facts.merged(made.expected, later)
        own = spark.sql("SELECT * FROM t").toArrow()
        assert_same_tables(expected, own, expected.column_names, "hudilite")
        found = spark.sql("CALL verify(table => 't', level => 'rows')").collect()
        assert [row for row in found if row.code != "NOT_CHECKED"] == []
        if not fact.properties:
            names = [name for name in expected.column_names if name not in fact.as_stored]
            assert_same_tables(expected, stock.read(made.base), names, "stock")
        return
    before = layout.untouched_state(made.base)
    only_read = "HUDILITE_UNSUPPORTED_TABLE" if is_index else "HUDILITE_TABLE_READ_ONLY"
    assert_refused(spark, WRITES, only_read, fact.refused)
    if fact.options.get("hoodie.populate.meta.fields") == "false":
        fault = run_statement(spark, "SELECT * FROM hudilite_changes('t', 'earliest')")
        assert fault is not None
        assert fault.condition == "HUDILITE_UNSUPPORTED_TABLE"
    assert layout.untouched_state(made.base) == before


@ninth(0, when=WHEN)
def test_a_global_record_index_makes_keys_unique_over_all_partitions(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base = database / "written"
    indexed = (
        stock_facts.WRITER
        | stock_facts.SIX
        | {
            "hoodie.metadata.enable": "true",
            "hoodie.metadata.global.record.level.index.enable": "true",
            "hoodie.index.type": "GLOBAL_RECORD_LEVEL_INDEX",
        }
    )
    stock_writes(stock, base, stock_facts.rows(0, 6, "one"), indexed, defaults=True)
    detached = stock_facts.WRITER | stock_facts.SIX | {"hoodie.index.type": "GLOBAL_SIMPLE"}
    stock_writes(stock, base, stock_facts.rows(3, 9, "later"), detached, defaults=True)
    assert not layout.properties(base).get("hoodie.table.metadata.partitions")
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{base}'")
    assert layout.properties(base)["hudilite.index.global"] == "true"
    moved = "INSERT INTO t SELECT id, n, v, p, 'z', ts, dt, day, s, rank FROM t"
    fault = run_statement(spark, moved)
    assert fault is not None
    assert fault.condition == "HUDILITE_DUPLICATE_KEY"
