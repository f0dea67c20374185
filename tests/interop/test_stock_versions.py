"""Tables that stock Hudi writes with its defaults: version 9 with a metadata table, and version 8.

hudilite reads the rows that stock itself reads with and without the metadata table, and that a plain
oracle expects. A read leaves no trace in the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.errors import PySparkException

from harness import layout
from harness.adopted import BUCKETS, overlaid, rows, stock_writes
from harness.canonical import assert_same_tables
from harness.rotation import ninth, product
from harness.rust import read_rust
from harness.stock import StockFailed, StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WHEN = product("core/timeline/")
TABLE = {
    "hoodie.table.name": "written",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "p",
    "hoodie.datasource.write.precombine.field": "ts",
}
EIGHT = {"hoodie.write.table.version": "8", "hoodie.write.auto.upgrade": "false"}
BUCKET = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "4"}
KINDS = {
    "9, all defaults": ({}, 0),
    "9, buckets": (BUCKET, 1),
    "8, buckets": (EIGHT | BUCKET, 2),
    "8, bloom": (EIGHT | {"hoodie.index.type": "BLOOM"}, 3),
    "9, no metadata table": ({"hoodie.metadata.enable": "false"}, 4),
}
CLEANING = {"hoodie.clean.commits.retained": "1"}
KEY = ("p", "id")


@dataclass
class Written:
    """A table by stock, and the rows that it must have after each commit."""

    stock: StockSpark
    base: Path
    options: dict[str, str]
    states: dict[str, pa.Table] = field(default_factory=dict)

    @property
    def latest(self) -> pa.Table:
        return self.states[max(self.states)]

    def instants(self, end: str = "commit") -> list[str]:
        """Requested times of the completed commits and replacecommits, or of another action."""
        found = (self.base / ".hoodie" / "timeline").glob(f"2*_*.*{end}")
        return sorted(path.name.split("_")[0] for path in found)

    def write(self, source: pa.Table, expected: pa.Table, **options: str) -> None:
        operation = {"hoodie.datasource.write.operation": "upsert"}
        asked = TABLE | self.options | operation | options
        stock_writes(self.stock, self.base, source, asked, defaults=True)
        self.note(expected)

    def note(self, expected: pa.Table) -> None:
        """The rows at the instant that was completed last."""
        self.states[self.instants()[-1]] = expected

    def call(self, procedure: str) -> None:
        asked = {k: v for k, v in self.options.items() if "index" not in k}
        for key, value in asked.items():
            self.stock.ask(op="sql", text=f"SET {key}={value}")
        self.stock.ask(op="sql", text=f"CALL {procedure}")
        for key in asked:
            self.stock.ask(op="sql", text=f"RESET {key}")


def without(table: pa.Table, ids: pa.Table) -> pa.Table:
    """The rows with other keys; a key is in one partition."""
    return table.filter(pc.invert(pc.is_in(table["id"], ids["id"].combine_chunks())))


def make(stock: StockSpark, base: Path, options: dict[str, str]) -> Written:
    """Updates, deletes, an overwrite, a savepoint, a clustering without buckets, and cleans."""
    made = Written(stock, base, options)
    first, second = rows(0, 1200, "one"), rows(900, 1500, "stock")
    made.write(first, first)
    made.write(second, overlaid(first, second))
    saved = max(made.states)
    made.call(f"create_savepoint(path => '{base}', commit_time => '{saved}')")
    gone = rows(300, 500, "merged")
    made.write(gone, without(made.latest, gone), **{"hoodie.datasource.write.operation": "delete"})
    new = rows(2001, 2301, "merged", 2)  # all in partition a
    kept = made.latest.filter(pc.equal(made.latest["p"], "b"))
    overwrite = {"hoodie.datasource.write.operation": "insert_overwrite"}
    made.write(new, pa.concat_tables([kept, new]), **overwrite)
    if "hoodie.index.type" not in options:
        made.call(f"run_clustering(path => '{base}')")
        made.note(made.latest)
    last = rows(1000, 1300, "stock again")
    made.write(last, overlaid(made.latest, last), **CLEANING)
    return made


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(kind, marks=ninth(turn, when=WHEN), id=kind)
        for kind, (_, turn) in KINDS.items()
    ],
)
def written(
    request: pytest.FixtureRequest, stock: StockSpark, tmp_path_factory: pytest.TempPathFactory
) -> Written:
    base = tmp_path_factory.mktemp("versions") / "written"
    return make(stock, base, KINDS[request.param][0])


@pytest.fixture
def table(spark: SparkSession, written: Written, database: Path) -> Written:
    """The table under the name t, adopted."""
    del database  # which is made current
    buckets = "WITH BUCKETS 4" if written.options.get("hoodie.index.type") == "BUCKET" else ""
    spark.sql(f"CREATE TABLE t USING hudilite {buckets} LOCATION '{written.base}'")
    return written


def test_every_reader_sees_the_rows(spark: SparkSession, table: Written) -> None:
    before = layout.untouched_state(table.base)
    facts = layout.properties(table.base)
    version = "8" if "hoodie.write.table.version" in table.options else "9"
    has_metadata = "hoodie.metadata.enable" not in table.options
    assert (facts["hoodie.table.version"], facts["hoodie.timeline.layout.version"]) == (
        version,
        "2",
    )
    assert bool(facts.get("hoodie.table.metadata.partitions")) == has_metadata
    assert (table.base / ".hoodie" / "metadata").exists() == has_metadata
    assert len(table.states) >= 5
    assert table.instants("clean")
    assert table.instants("savepoint")
    by_stock = table.stock.read(table.base)
    listed = table.stock.read(table.base, **{"hoodie.metadata.enable": "false"})
    columns = ", ".join(by_stock.column_names)
    own = spark.sql(f"SELECT {columns} FROM t").toArrow()
    by_path = spark.sql(f"SELECT {columns} FROM hudilite.`{table.base}`").toArrow()
    expected = table.latest
    for read, label in ((by_stock, "stock"), (own, "hudilite"), (read_rust(table.base), "hudi-rs")):
        assert_same_tables(expected, read, expected.column_names, label)
    for read, label in ((listed, "listed"), (own, "by name"), (by_path, "by path")):
        assert_same_tables(by_stock, read, label=f"{label}, with meta columns")
    chosen = pc.and_(
        pc.and_(pc.equal(expected["ts"], 3), pc.equal(expected["p"], "a")),
        pc.greater(expected["d"], 350),
    )
    filtered = spark.sql("SELECT * FROM t WHERE ts = 3 AND p = 'a' AND d > 350").toArrow()
    assert filtered.num_rows > 0
    assert_same_tables(expected.filter(chosen), filtered, expected.column_names, "filtered")
    counted = spark.sql("SELECT count(*), max(id), min(ts) FROM t").collect()[0]
    assert tuple(counted) == (
        expected.num_rows,
        pc.max(expected["id"]).as_py(),
        pc.min(expected["ts"]).as_py(),
    )
    assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []
    shown = {row.key: row.value for row in spark.sql("SHOW TBLPROPERTIES t").collect()}
    assert shown["hoodie.table.version"] == version
    assert ("hoodie.table.metadata.partitions" in shown) == has_metadata
    assert layout.untouched_state(table.base) == before


def test_each_version_is_the_same_to_both(spark: SparkSession, table: Written) -> None:
    read = compared = 0
    for instant, expected in table.states.items():
        try:
            alone = spark.sql(f"SELECT * FROM t VERSION AS OF '{instant}'").toArrow()
        except PySparkException as expired:
            assert expired.getCondition() == "HUDILITE_SNAPSHOT_EXPIRED", instant
            continue
        read += 1
        assert_same_tables(expected, alone, expected.column_names, instant)
        try:
            by_stock = table.stock.read(table.base, **{"as.of.instant": instant})
        except StockFailed as refused:  # stock reads no state before a clean, even a saved one
            assert "Cleaner cleaned up" in str(refused)
            continue
        columns = ", ".join(by_stock.column_names)
        own = spark.sql(f"SELECT {columns} FROM t VERSION AS OF '{instant}'").toArrow()
        assert_same_tables(by_stock, own, label=f"{instant} by stock")
        compared += 1
    assert read >= 2
    assert compared


def test_the_timeline_is_shown_with_all_actions(spark: SparkSession, table: Written) -> None:
    shown = spark.sql("CALL show_timeline(table => 't', limit => 100)").collect()
    names = [path.name for path in (table.base / ".hoodie" / "timeline").glob("2*_*.*")]
    expected = {(name.split("_")[0], name.rpartition(".")[2]) for name in names}
    assert {(row.instant, row.action) for row in shown} == expected
    assert {row.state for row in shown} == {"COMPLETED"}
    first = min(table.states)
    row = next(row for row in shown if row.instant == first)
    assert (row.operation, row.rows_written, row.rows_inserted) == ("UPSERT", 1200, 1200)
    assert row.requested_time < row.completed_time


@ninth(7, when=WHEN)
def test_a_table_of_version_6_is_read_beside_its_metadata_table(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base = database / "six"
    first, second = rows(0, 1000, "one"), rows(500, 1200, "stock")
    for source in (first, second):
        stock_writes(stock, base, source, BUCKETS | {"hoodie.metadata.enable": "true"})
    assert layout.properties(base)["hoodie.table.metadata.partitions"]
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    before = layout.untouched_state(base)
    by_stock = stock.read(base)
    own = spark.sql(f"SELECT {', '.join(by_stock.column_names)} FROM t").toArrow()
    assert_same_tables(by_stock, own, label="with meta columns")
    assert_same_tables(overlaid(first, second), own, first.column_names, "hudilite")
    assert layout.untouched_state(base) == before
