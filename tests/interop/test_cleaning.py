"""Cleans, savepoints and restores of each, as the other sees them: assertion 19 of docs/format.md."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from harness import layout
from harness.adopted import (
    BUCKETS,
    StockTables,
    assert_all_read,
    merge,
    overlaid,
    rows,
    stock_writes,
)
from harness.canonical import assert_same_tables
from harness.faults import run_statement
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=2)
SHORT = "retain_commits => 1, retain_hours => 0, allow_short_retention => true"
CLEANING = {
    "hoodie.clean.automatic": "true",
    "hoodie.clean.async": "false",
    "hoodie.clean.policy": "KEEP_LATEST_COMMITS",
    "hoodie.clean.commits.retained": "1",
}
NEXT = rows(100, 300, "stock again")


class Written:
    """A table of three commits by stock and us, 1,600 rows in two partitions."""

    def __init__(
        self, spark: SparkSession, stock: StockSpark, base: Path, states: list[pa.Table]
    ) -> None:
        self.spark, self.stock, self.base = spark, stock, base
        self.states = states  # what it held after each commit
        self.instants = sorted(layout.completed(base))

    def clean(self) -> tuple[int, int]:
        """Files that ours deletes, and files that it keeps for savepoints."""
        row = self.spark.sql(f"CALL clean(table => 't', {SHORT})").collect()[0]
        return row.files_deleted, row.files_kept_by_savepoints

    def stock_cleans(self) -> pa.Table:
        """One more write by stock, which cleans behind it."""
        stock_writes(self.stock, self.base, NEXT, BUCKETS | CLEANING)
        return overlaid(self.states[-1], NEXT)

    def assert_kept(self, state: pa.Table, instant: str) -> None:
        """hudilite reads it. Stock refuses what lies before the last clean, saved or not."""
        own = self.spark.sql(f"SELECT * FROM t VERSION AS OF '{instant}'").toArrow()
        assert_same_tables(state, own, state.column_names)

    def cleans(self, end: str = "clean") -> list[Path]:
        return sorted((self.base / ".hoodie").glob(f"*.{end}"))


@pytest.fixture(scope="module")
def original(
    spark: SparkSession,
    stock: StockSpark,
    stock_tables: StockTables,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, list[pa.Table]]:
    """A table that nobody changes, and what it held after each commit."""
    base = tmp_path_factory.mktemp("cleaning") / "t"
    first, second, third = (0, 1200, "one"), (600, 1500, "stock"), (900, 1600, "merged")
    stock_tables.copy(base, first)
    spark.sql(f"CREATE TABLE cleaning USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    stock_writes(stock, base, rows(*second), BUCKETS)
    merge(spark, "cleaning", rows(*third), ("id", "p"))
    states = [rows(*first), overlaid(rows(*first), rows(*second))]
    return base, [*states, overlaid(states[-1], rows(*third))]


@pytest.fixture
def written(
    spark: SparkSession, stock: StockSpark, original: tuple[Path, list[pa.Table]], database: Path
) -> Written:
    base, states = original
    shutil.copytree(base, database / "t")
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{database / 't'}'")
    return Written(spark, stock, database / "t", states)


def test_19_stock_reads_writes_and_cleans_behind_our_clean(written: Written) -> None:
    saved = written.instants[1]
    written.spark.sql(f"CALL savepoint(table => 't', instant => '{saved}')")
    deleted, kept = written.clean()
    assert deleted > 0
    assert kept > 0
    assert_all_read(written.spark, written.stock, "t", written.base, written.states[-1])
    written.assert_kept(written.states[1], saved)
    expected = written.stock_cleans()
    assert_all_read(written.spark, written.stock, "t", written.base, expected)
    written.assert_kept(written.states[1], saved)
    written.spark.sql(f"CALL delete_savepoint(table => 't', instant => '{saved}')")
    assert written.clean()[0] > 0
    assert_all_read(written.spark, written.stock, "t", written.base, expected)


def test_19_stocks_savepoint_and_clean_as_ours(written: Written) -> None:
    first, second = written.instants[:2]
    call = f"CALL create_savepoint(path => '{written.base}', commit_time => '{first}')"
    written.stock.ask(op="sql", text=call)
    expected = written.stock_cleans()
    assert written.cleans()
    written.clean()
    written.assert_kept(written.states[0], first)
    fault = run_statement(written.spark, f"SELECT * FROM t VERSION AS OF '{second}'")
    assert fault is not None
    assert fault.condition == "HUDILITE_SNAPSHOT_EXPIRED"
    assert written.cleans()[-1].name[:17] in fault.parameters["retention"]
    assert_all_read(written.spark, written.stock, "t", written.base, expected)


def test_19_each_finishes_what_the_other_planned(written: Written) -> None:
    before = {path: path.read_bytes() for path in written.base.rglob("*.parquet")}
    written.clean()
    (done,) = written.cleans()
    gone = [path for path in before if not path.exists()]

    def undo() -> None:
        for path in gone:
            path.write_bytes(before[path])
        done.unlink()
        done.with_name(f"{done.name}.inflight").unlink()

    undo()
    expected = written.stock_cleans()
    assert done.exists()
    assert not [path for path in gone if path.exists()]
    assert_all_read(written.spark, written.stock, "t", written.base, expected)
    undo()
    written.clean()
    assert done.exists()
    assert not [path for path in gone if path.exists()]
    assert_all_read(written.spark, written.stock, "t", written.base, expected)


def test_19_stock_reads_and_writes_after_our_restore(written: Written) -> None:
    merge(written.spark, "t", rows(0, 50, "hudilite again"), ("id", "p"))
    aim = written.instants[1]
    told = written.spark.sql(f"CALL restore(table => 't', instant => '{aim}')").collect()[0]
    assert told.commits_undone == 2
    state = written.states[1]
    assert_all_read(written.spark, written.stock, "t", written.base, state)
    written.assert_kept(state, aim)
    stock_writes(written.stock, written.base, NEXT, BUCKETS)
    assert_all_read(written.spark, written.stock, "t", written.base, overlaid(state, NEXT))


def test_19_we_read_and_write_after_stocks_restore(written: Written) -> None:
    saved = written.instants[1]
    at = f"path => '{written.base}'"
    # Where nothing is said, a rollback by SQL brings the table to version 9.
    for setting in (
        "hoodie.write.auto.upgrade=false",
        "hoodie.write.table.version=6",
        "hoodie.metadata.enable=false",
    ):
        written.stock.ask(op="sql", text=f"SET {setting}")
    written.stock.ask(op="sql", text=f"CALL create_savepoint({at}, commit_time => '{saved}')")
    written.stock.ask(op="sql", text=f"CALL rollback_to_savepoint({at}, instant_time => '{saved}')")
    state = written.states[1]
    assert_all_read(written.spark, written.stock, "t", written.base, state)
    merge(written.spark, "t", NEXT, ("id", "p"))
    assert_all_read(written.spark, written.stock, "t", written.base, overlaid(state, NEXT))
