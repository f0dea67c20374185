"""CALL set_table_type: all answers about earlier states stay, and the table is written in each type."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from harness import layout
from harness.canonical import assert_same_tables
from harness.faults import run_statement
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    rare=True,
    by="test",
    when=product("core/service/", "core/commit/", "core/view/", "spark/repair/"),
)
CHANGE = "CALL set_table_type(table => 't', type => '{}')"
VERIFY = "CALL verify(table => 't', level => 'rows')"


@pytest.fixture(params=["6", "9"])
def table(spark: SparkSession, database: Path, request: pytest.FixtureRequest) -> Path:
    """A merge-on-read table with log files in all file groups, and a base file of a compaction."""
    spark.sql(
        "CREATE TABLE t (id INT, v STRING, p STRING, ts BIGINT, PRIMARY KEY (id)) USING hudilite "
        "PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (type = 'mor', preCombineField = 'ts', "
        f"hoodie.table.version = '{request.param}')"
    )
    rows = "SELECT CAST(id AS INT) id, 'one' v, IF(id % 2 = 0, 'a', 'b') p, 1L ts FROM range(400)"
    spark.sql(f"INSERT INTO t {rows}")
    spark.sql("UPDATE t SET v = 'two', ts = 2 WHERE id % 50 < 4")
    spark.sql("CALL compact(table => 't', where => 'p = \"a\"')").collect()
    spark.sql("DELETE FROM t WHERE id % 100 = 7")
    spark.sql("UPDATE t SET v = 'three', ts = 3 WHERE id IN (2, 3)")
    return database / "t"


def answers(spark: SparkSession, base: Path, instants: list[str]) -> dict[str, pa.Table]:
    """Rows of each state, and rows that each commit has written."""
    texts = {f"SELECT * FROM t VERSION AS OF '{instant}'" for instant in instants}
    texts |= {f"SELECT count(*) FROM t VERSION AS OF '{i}' WHERE ts > 1" for i in instants}
    texts |= {
        f"SELECT * FROM hudilite_changes('t', '{begin}', '{instants[-1]}')"
        for begin in instants[:-1]
    }
    found = {text: spark.sql(text).toArrow() for text in sorted(texts)}
    for begin, end in zip(["000", *instants], instants, strict=False):
        options = {
            "hoodie.datasource.query.type": "incremental",
            "hoodie.datasource.read.begin.instanttime": begin,
            "hoodie.datasource.read.end.instanttime": end,
        }
        frame = spark.read.format("hudilite").options(**options).load(str(base))
        found[f"from {begin} to {end}"] = frame.toArrow()
    return found


def assert_same(expected: dict[str, pa.Table], found: dict[str, pa.Table]) -> None:
    for text, rows in expected.items():
        assert_same_tables(rows, found[text], label=text)


def test_all_answers_stay_in_each_type(spark: SparkSession, table: Path) -> None:
    instants = sorted(layout.completed(table))
    before = answers(spark, table, instants)
    changed = spark.sql(CHANGE.format("cow")).first()
    assert changed is not None
    assert tuple(changed) == ("mor", "cow", 3, "changed")
    compacted = max(layout.completed(table))
    assert compacted not in instants
    assert_same(before, answers(spark, table, instants))
    assert spark.sql(f"SELECT * FROM hudilite_changes('t', '{compacted}')").count() == 0
    spark.sql("UPDATE t SET v = 'four', ts = 4 WHERE id = 2")
    assert spark.sql(f"SELECT * FROM hudilite_changes('t', '{compacted}')").count() == 2
    assert spark.sql(VERIFY).collect() == []
    later = answers(spark, table, [*instants, compacted])
    spark.sql(CHANGE.format("mor"))
    assert_same(later, answers(spark, table, [*instants, compacted]))
    spark.sql("DELETE FROM t WHERE id < 3")
    spark.sql("CALL clean(table => 't', retain_commits => 9, retain_hours => 0, "
              "allow_short_retention => true)")  # fmt: skip
    assert_same(later, answers(spark, table, [*instants, compacted]))
    assert spark.sql(VERIFY).collect() == []


def test_counts_of_the_latest_state_come_from_footers_again(
    spark: SparkSession, table: Path
) -> None:
    with_logs = max(layout.completed(table))
    spark.sql(CHANGE.format("cow"))
    plan = spark.sql("EXPLAIN SELECT count(*) FROM t").first()
    past = spark.sql(f"EXPLAIN SELECT count(*) FROM t VERSION AS OF '{with_logs}'").first()
    assert plan is not None
    assert past is not None
    assert "pushed aggregates" in plan[0]
    assert "pushed aggregates" not in past[0]


def test_services_work_in_each_type(spark: SparkSession, table: Path) -> None:
    rows = {row.id: row.v for row in spark.sql("SELECT * FROM t").collect()}
    with_logs = max(layout.completed(table))
    spark.sql(f"CALL savepoint(table => 't', instant => '{with_logs}')")
    spark.sql(CHANGE.format("cow"))
    spark.sql("UPDATE t SET v = 'gone', ts = 9 WHERE id < 50")
    clean = "retain_commits => 1, retain_hours => 0, allow_short_retention => true"
    spark.sql(f"CALL clean(table => 't', {clean})")
    saved = spark.sql(f"SELECT * FROM t VERSION AS OF '{with_logs}'").collect()
    assert {row.id: row.v for row in saved} == rows
    assert spark.sql("CALL remove_orphans(table => 't', older_than_hours => 1)").collect() == []
    assert spark.sql(VERIFY).collect() == []
    spark.sql(f"CALL delete_savepoint(table => 't', instant => '{with_logs}')")
    restore = f"CALL restore(table => 't', instant => '{with_logs}')"
    spark.sql(restore.replace(")", ", dry_run => true)"))
    assert layout.properties(table)["hoodie.table.type"] == "COPY_ON_WRITE"
    spark.sql(restore)
    assert layout.properties(table)["hoodie.table.type"] == "MERGE_ON_READ"
    assert {row.id: row.v for row in spark.sql("SELECT * FROM t").collect()} == rows
    undone = spark.sql(restore).first()
    assert undone is not None
    assert undone.commits_undone == 0
    assert spark.sql(VERIFY).collect() == []
    spark.sql(CHANGE.format("cow"))
    assert {row.id: row.v for row in spark.sql("SELECT * FROM t").collect()} == rows


def test_frames_that_were_made_before_read_the_table(spark: SparkSession, table: Path) -> None:
    frame = spark.table("t")
    expected = frame.toArrow()
    for kind in ("cow", "mor"):
        spark.sql(CHANGE.format(kind))
        assert_same_tables(expected, frame.toArrow(), label=kind)
    spark.sql("UPDATE t SET v = 'new', ts = 9 WHERE id = 1")
    assert frame.where("v = 'new'").count() == 1


def test_a_pending_write_of_another_writer_is_refused(spark: SparkSession, table: Path) -> None:
    lost = "29990101000000000"
    folder = table / ".hoodie" / "timeline"
    (folder if folder.is_dir() else folder.parent).joinpath(f"{lost}.deltacommit.requested").touch()
    fault = run_statement(spark, CHANGE.format("cow"))
    assert fault is not None
    assert fault.condition == "HUDILITE_UNSUPPORTED_TABLE"
    assert (fault.parameters["fact"], fault.parameters["value"]) == ("pending write", lost)
    spark.sql(f"CALL rollback(table => 't', instant => '{lost}')")
    changed = spark.sql(CHANGE.format("cow")).first()
    assert changed is not None
    assert changed.result == "changed"


def test_a_state_without_ordering_values_is_not_restored(
    spark: SparkSession, database: Path
) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, ts BIGINT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 "
        "TBLPROPERTIES (preCombineField = 'ts')"
    )
    spark.sql("INSERT INTO t VALUES (1, 1), (2, NULL)")
    first = max(layout.completed(database / "t"))
    spark.sql("UPDATE t SET ts = 0 WHERE ts IS NULL")
    spark.sql(CHANGE.format("mor"))
    restore = f"CALL restore(table => 't', instant => '{first}')"
    fault = run_statement(spark, restore)
    assert fault is not None
    assert fault.condition == "HUDILITE_NULL_ORDERING_STORED"
    assert first in fault.parameters["state"]
    spark.sql(CHANGE.format("cow"))
    spark.sql(restore)
    assert spark.table("t").where("ts IS NULL").count() == 1
