"""What is replaced as a whole is not opened: the kernel's own account of files says so."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.children import run_beside
from harness.events import executions
from harness.faults import run_statement
from harness.gate import held
from harness.invariants import check_table
from harness.opens import opened_files
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(by="test", when=product("spark/plan/Replacement.scala"))
ROWS = 400


@pytest.fixture
def parted(spark: SparkSession, database: Path) -> Path:
    """Two partitions of 200 rows in four buckets, each file group in its second version."""
    spark.sql(
        "CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 4"
    )
    spark.sql(f"INSERT INTO t SELECT id, 'old', array('a', 'b')[id % 2] FROM range({ROWS})")
    spark.sql(
        "MERGE INTO t USING (SELECT * FROM t) s ON t.id = s.id AND t.p = s.p "
        "WHEN MATCHED THEN UPDATE SET v = 'merged'"
    )
    return database / "t"


STATEMENTS = {
    "static": "INSERT OVERWRITE t PARTITION (p = 'a') SELECT id, 'new' FROM range(0, 100, 2)",
    "dynamic": "INSERT OVERWRITE t SELECT id, 'new', 'a' FROM range(0, 100, 2)",
    "replace where": "INSERT INTO t REPLACE WHERE p < 'b' SELECT id, 'new', 'a' FROM range(50)",
    "truncate": "TRUNCATE TABLE t PARTITION (p = 'a')",
    "drop": "ALTER TABLE t DROP PARTITION (p = 'a')",
    "delete": "DELETE FROM t WHERE p = 'a'",
}


@ROTATED
@pytest.mark.parametrize("kind", list(STATEMENTS))
def test_replaced_files_are_not_opened(spark: SparkSession, parted: Path, kind: str) -> None:
    before = layout.latest_slices(parted)
    replaced = {s.path for s in before if s.partition == "p=a"}
    stay = {s.path: s.path.stat().st_mtime_ns for s in before if s.partition == "p=b"}
    mode = "dynamic" if kind == "dynamic" else "static"
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", mode)
    with opened_files([parted / "p=a", parted / "p=b"]) as opened:
        spark.sql(STATEMENTS[kind])
    spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    assert len(replaced) == 4
    assert not (replaced | stay.keys()) & set(opened)
    assert all(path.exists() for path in replaced), "time travel needs the replaced files"
    assert {path: path.stat().st_mtime_ns for path in stay} == stay
    after = layout.latest_slices(parted)
    assert {s.path for s in after if s.partition == "p=b"} == stay.keys()
    assert not replaced & {s.path for s in after}
    assert check_table(parted) == []
    hidden = replaced_ids(parted)
    assert hidden == {"p=a": sorted(s.file_id for s in before if s.partition == "p=a")}


def test_the_account_of_opened_files_sees_a_read(spark: SparkSession, parted: Path) -> None:
    live = {s.path for s in layout.latest_slices(parted) if s.partition == "p=a"}
    with opened_files([parted / "p=a"]) as opened:
        spark.sql("SELECT sum(id) FROM t WHERE p = 'a'").collect()
    assert live <= set(opened)


def test_a_replacecommit_has_the_three_files_of_hudi(spark: SparkSession, parted: Path) -> None:
    spark.sql("INSERT OVERWRITE t SELECT id, 'new', 'a' FROM range(10)")
    instant = max(layout.completed(parted))
    names = [name for name in layout.instant_files(parted) if name.startswith(instant)]
    assert names == [
        f"{instant}.replacecommit",
        f"{instant}.replacecommit.inflight",
        f"{instant}.replacecommit.requested",
    ]
    metadata = layout.commit_metadata(parted, instant)
    assert metadata["operationType"] == "INSERT_OVERWRITE_TABLE"
    assert sorted(metadata["partitionToReplaceFileIds"]) == ["p=a", "p=b"]
    stats = metadata["partitionToWriteStats"]["p=a"]
    assert {stat["prevCommit"] for stat in stats} == {"null"}
    requested = (parted / ".hoodie" / names[2]).read_bytes()
    assert requested.startswith(b"Obj\x01")
    assert b"HoodieRequestedReplaceMetadata" in requested


def test_rows_of_archived_commits_are_counted_by_footers(spark: SparkSession, parted: Path) -> None:
    spark.sql("INSERT OVERWRITE t PARTITION (p = 'c') VALUES (1, 'c')")
    for name in layout.instant_files(parted)[:6]:
        (parted / ".hoodie" / name).unlink()
    assert len(layout.completed(parted)) == 1
    assert spark.sql("DELETE FROM t WHERE p = 'b'").collect()[0].num_affected_rows == ROWS // 2
    assert spark.sql("DELETE FROM t").collect()[0].num_affected_rows == ROWS // 2 + 1


NOTHING_TO_DO = [
    "INSERT OVERWRITE t PARTITION (p = 'nowhere') SELECT id, v FROM t WHERE false",
    "DELETE FROM t WHERE p = 'nowhere'",
    "ALTER TABLE t DROP IF EXISTS PARTITION (p = 'nowhere')",
    "INSERT INTO t REPLACE WHERE p > 'x' SELECT * FROM t WHERE false",
]


def test_what_changes_nothing_leaves_no_commit(spark: SparkSession, parted: Path) -> None:
    before = layout.untouched_state(parted)
    for statement in NOTHING_TO_DO:
        spark.sql(statement)
        assert layout.untouched_state(parted) == before, statement


@pytest.mark.fault("F13")
def test_a_failed_overwrite_leaves_the_table_as_it_was(spark: SparkSession, parted: Path) -> None:
    before = layout.untouched_state(parted)
    fault = run_statement(spark, "INSERT OVERWRITE t SELECT id % 30, 'x', 'a' FROM range(60)")
    assert fault is not None
    assert fault.condition == "HUDILITE_DUPLICATE_KEY"
    fault = run_statement(spark, "INSERT INTO t REPLACE WHERE p = 'b' VALUES (1, 'x', 'a')")
    assert fault is not None
    assert fault.condition == "HUDILITE_REPLACE_MISMATCH"
    assert fault.parameters["row"] == "A row of partition p=a"
    assert layout.untouched_state(parted) == before


def test_a_partition_is_deleted_without_a_task(spark: SparkSession, tmp_path: Path) -> None:
    steps = [
        {
            "label": "create",
            "sql": "CREATE TABLE t (id INT, p INT, PRIMARY KEY (id)) USING hudilite "
            "PARTITIONED BY (p) WITH BUCKETS 4",
        },
        {"label": "insert", "sql": "INSERT INTO t SELECT id, id % 3 FROM range(3000)"},
        {"label": "delete", "sql": "DELETE FROM t WHERE p = 1"},
        {"label": "count", "sql": "SELECT count(*), sum(p) FROM t"},
    ]
    outcome = run_beside(spark, tmp_path, steps, {})
    assert outcome.rows("delete") == [[1000]]
    assert outcome.rows("count") == [[2000, 2000]]
    tasks = {e.description: len(e.tasks) for e in executions(tmp_path / "events")}
    assert tasks["delete"] == 0
    assert tasks["insert"] > 0


def replaced_ids(base: Path) -> dict[str, list[str]]:
    metadata = layout.commit_metadata(base, max(layout.completed(base)))
    hidden: dict[str, list[str]] = metadata["partitionToReplaceFileIds"]
    return {partition: sorted(ids) for partition, ids in hidden.items()}


@pytest.mark.fault("F18")
def test_an_insert_into_a_replaced_partition_conflicts(
    spark: SparkSession, parted: Path, tmp_path: Path
) -> None:
    """It goes to a bucket of its own, while the new rows are computed."""
    spark.sql("DELETE FROM t WHERE p = 'a'")
    spark.sql("INSERT INTO t VALUES (1, 'one', 'a')")
    overwrite = "INSERT OVERWRITE t PARTITION (p = 'a') SELECT 1, 'new' WHERE gate(1) > 0"
    with held(spark, parted, overwrite, tmp_path / "open") as faults:
        spark.sql("INSERT INTO t VALUES (2, 'two', 'a'), (3, 'three', 'a')")
    (fault,) = faults
    assert fault is not None
    assert fault.condition == "HUDILITE_CONCURRENT_WRITE"
    rows = spark.sql("SELECT id, v FROM t WHERE p = 'a' ORDER BY id").collect()
    assert [tuple(row) for row in rows] == [(1, "one"), (2, "two"), (3, "three")]
    assert check_table(parted) == []
