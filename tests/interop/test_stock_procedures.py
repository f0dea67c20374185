"""Procedures and table functions under stock Hudi's names: both give the same rows in the columns that both have."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness import names
from harness.adopted import BUCKETS, rows, stock_writes
from harness.faults import run_statement
from harness.stock import StockSpark, writer_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(rare=True, by="test")

MERGE_ON_READ = {
    "hoodie.datasource.write.table.type": "MERGE_ON_READ",
    "hoodie.compact.inline": "false",
}
CLEANING = {
    "hoodie.clean.automatic": "true",
    "hoodie.clean.async": "false",
    "hoodie.clean.policy": "KEEP_LATEST_COMMITS",
    "hoodie.clean.commits.retained": "1",
}
LATEST = {"hoodie.write.table.version": "9"}
OPTIONS = {
    "cow": BUCKETS,
    "mor": BUCKETS | MERGE_ON_READ,
    "cow-9": writer_options("written", buckets=4) | LATEST,
}


class Both:
    """One table as `t` in hudilite and in stock Hudi."""

    def __init__(self, spark: SparkSession, stock: StockSpark, base: Path) -> None:
        self.spark, self.stock, self.base = spark, stock, base

    def rows(self, statement: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Rows of hudilite and of stock, with the columns that both have, each in an order of its own."""
        own = self.spark.sql(statement).toArrow()
        theirs = self.stock.rows_of(op="sql", text=statement)
        shared = [name for name in theirs.column_names if name in own.column_names]
        assert shared, statement
        found = [
            sorted(
                ({name: row[name] for name in shared} for row in table.to_pylist()),
                key=lambda row: str(list(row.values())),
            )
            for table in (own, theirs)
        ]
        return found[0], found[1]

    def assert_same(self, statement: str, least: int = 1) -> list[dict[str, Any]]:
        """Both give these rows, at least so many; those of hudilite."""
        own, theirs = self.rows(statement)
        assert own == theirs, statement
        assert len(own) >= least, statement
        return own


@pytest.fixture(scope="module")
def written(stock: StockSpark, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Tables of three commits by stock with a clean, each made once, which no test changes."""

    @functools.cache
    def make(kind: str) -> Path:
        base, options = tmp_path_factory.mktemp("procedures") / "written", OPTIONS[kind]
        stock_writes(stock, base, rows(0, 40, "one"), options)
        stock_writes(stock, base, rows(20, 60, "stock"), options)
        stock_writes(stock, base, rows(0, 10, "stock again"), options | CLEANING)
        return base

    return make


@pytest.fixture(params=OPTIONS)
def both(
    request: pytest.FixtureRequest,
    spark: SparkSession,
    stock: StockSpark,
    written: Callable[[str], Path],
    tmp_path: Path,
) -> Iterator[Both]:
    """A table of three commits by stock and one by hudilite, with a clean by stock."""
    base = Path(shutil.copytree(written(request.param), tmp_path / "written"))
    session = spark.newSession()
    session.sql(f"CREATE DATABASE {tmp_path.name} LOCATION '{tmp_path / 'db'}'")
    session.sql(f"USE {tmp_path.name}")
    session.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 ON (id) LOCATION '{base}'")
    session.sql("DELETE FROM t WHERE id = 'k1'")
    stock.ask(op="sql", text=f"CREATE TABLE t USING hudi LOCATION '{base}'")
    yield Both(session, stock, base)
    stock.ask(op="sql", text="DROP TABLE t")
    session.sql(f"DROP DATABASE {tmp_path.name} CASCADE")


def test_both_show_the_same(both: Both) -> None:
    commits = both.assert_same("CALL show_commits(table => 't')", least=4)
    both.assert_same("CALL show_commits_metadata(table => 't', limit => 100)", least=8)
    # A commit that only deletes has no average: NULL here, and the greatest number in stock Hudi.
    deleted = max(row["commit_time"] for row in commits)
    for instant in [row["commit_time"] for row in commits]:
        for name in ("files", "partitions") + ("write_stats",) * (instant != deleted):
            both.assert_same(
                f"CALL show_commit_{name}(table => 't', limit => 100, instant_time => '{instant}')"
            )
        both.assert_same(
            f"CALL show_commit_extra_metadata(table => 't', instant_time => '{instant}', "
            "metadata_key => 'schema')"
        )
    both.assert_same("CALL show_cleans(table => 't')", least=int(commits[0]["action"] == "commit"))
    own, theirs = both.rows("CALL show_table_properties(table => 't', limit => 1000)")
    checksum = [row for row in theirs if row["key"] == "hudilite.table.checksum"]
    assert own == [row for row in theirs if row not in checksum]
    assert len(own) >= 20
    assert both.rows("CALL show_savepoints(table => 't')") == ([], [])
    instant = commits[1]["commit_time"]
    both.spark.sql(f"CALL create_savepoint(table => 't', commit_time => '{instant}', user => 'me')")
    assert both.assert_same("CALL show_savepoints(table => 't')") == [{"savepoint_time": instant}]
    both.stock.ask(
        op="sql", text=f"CALL delete_savepoint(table => 't', instant_time => '{instant}')"
    )
    assert both.rows("CALL show_savepoints(table => 't')") == ([], [])


def test_a_pending_write_goes_and_both_show_it(both: Both) -> None:
    action = both.assert_same("CALL show_commits(table => 't')")[0]["action"]
    committed = instants(both)
    fault = run_statement(both.spark, f"CALL rollback_to_instant('t', '{committed[-1]}')")
    assert fault is not None
    assert fault.condition == "HUDILITE_ARGUMENT_INVALID"
    pending, timeline = "29990101000000000", names.at(both.base)
    lost = both.base / "p=a" / f"00000001-1111-2222-3333-444444444444-0_7-0-0_{pending}.parquet"
    lost.write_bytes(b"lost")
    for state, content in (("requested", b""), ("inflight", b"{}")):
        timeline.new_file(both.base, names.State(pending, action, state)).write_bytes(content)
    both.spark.sql(f"CALL rollback_to_instant(table => 't', instant_time => '{pending}')")
    shown = both.assert_same("CALL show_rollbacks(table => 't')")
    assert [(row["rollback_instant"], row["total_files_deleted"]) for row in shown] == [
        (pending, 1)
    ]
    assert not lost.exists()
    assert instants(both) == committed


def instants(both: Both) -> list[str]:
    """Instants of the commits, oldest first."""
    return sorted(row["commit_time"] for row in both.assert_same("CALL show_commits(table => 't')"))


def test_table_functions_give_the_same(both: Both) -> None:
    commits = sorted(
        both.assert_same("CALL show_commits(table => 't')"), key=lambda row: row["commit_time"]
    )
    # From table version 8 on, stock compares times of completion.
    time = "commit_time" if names.at(both.base) == names.VERSION_6 else "state_transition_time"
    changes = "SELECT * FROM hudi_table_changes('t', 'latest_state', '{}')"
    assert len(both.assert_same(changes.format("earliest"))) == 59
    assert len(both.assert_same(changes.format(commits[-3][time]))) == 9
    assert both.rows(changes.format(commits[-1][time])) == ([], [])
    both.assert_same(
        "SELECT Timestamp, Action, State, Completion_Time, File_Name, Total_Bytes_Written, "
        "Total_Files_Updated, Total_Partitions_Written, Total_Records_Written, "
        "Total_Updated_Records_Written, Total_Write_Errors FROM hudi_query_timeline('t') "
        "WHERE Action IN ('commit', 'deltacommit')",
        least=4,
    )


@pytest.mark.parametrize("both", ["mor"], indirect=True)
def test_both_show_a_compaction_of_stock(both: Both) -> None:
    assert both.rows("CALL show_compaction(table => 't')") == ([], [])
    option = "hoodie.compact.inline.max.delta.commits=1"
    both.stock.ask(
        op="sql", text=f"CALL run_compaction(op => 'run', table => 't', options => '{option}')"
    )
    shown = both.assert_same("CALL show_compaction(table => 't')")
    assert shown[0]["state"] == "COMPLETED"
    timeline = "SELECT Action, State FROM hudi_query_timeline('t') WHERE Timestamp = '{}'"
    own, theirs = both.rows(timeline.format(shown[0]["timestamp"]))
    assert own == theirs == [{"Action": "commit", "State": "COMPLETED"}]
    assert both.spark.sql("CALL run_compaction(op => 'run', table => 't')").collect() == []
