"""What a statement says of itself, held against listings, footers, the kernel and Hadoop's statistics."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.faults import run_statement
from harness.metrics import committed, last_metrics
from harness.opens import opened_files
from harness.rotation import product
from hudilite import top, why

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(
    by="test",
    when=product(
        "spark/exec/WriteMetrics.scala",
        "spark/merge/TaskReadCounter.scala",
        "spark/write/PhaseMillis.scala",
    ),
)
OPERATOR = "CommitWrite"
ROWS = 200  # a partition; n of them hold the keys 0, 1, 2 .. in turn
COLUMNS = "(id BIGINT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)"
KINDS = {"buckets": "WITH BUCKETS 4", "bloom": ""}
CLAUSES = (
    "WHEN MATCHED AND s.v = 'gone' THEN DELETE WHEN MATCHED AND s.v <> 'same' THEN UPDATE SET * "
    "WHEN NOT MATCHED AND s.v <> 'same' THEN INSERT *"
)
TEXTS = {
    "numFileGroupsTouched": "file groups touched",
    "numFileGroups": "file groups of the touched partitions",
    "numFilesOpened": "base files opened",
    "numFilesWritten": "base files written",
    "bytesRead": "bytes read",
    "bytesWritten": "bytes written",
    "numRowsCopied": "rows copied",
    "numRowsUpdated": "rows updated",
    "numRowsInserted": "rows inserted",
    "numRowsDeleted": "rows deleted",
    "numRowsUpserted": "rows inserted or updated",
    "numKeysDeleted": "keys deleted",
    "numSourceRowsSkipped": "source rows skipped",
    "numRetries": "retries",
}
# What they count is held against files in test_copied_row_groups.py.
OF_ROW_GROUPS = {
    "numRowGroupsCopied": "row groups copied",
    "numRowGroupsPartlyCopied": "row groups of which columns were copied",
    "numRowGroupsByColumns": "row groups encoded by columns",
    "numRowGroupsByRows": "row groups encoded by rows",
} | {
    f"numFilesNotCopied{reason.capitalize()}": f"base files of which nothing was copied: {reason}"
    for reason in (
        "adopted",
        "encryption",
        "fragments",
        "logs",
        "schema",
        "setting",
        "unsorted",
        "writer",
    )
}
OF_PHASES = {
    "millisPlanning": "planning time",
    "millisTagging": "time of reading and tagging the source",
    "millisMerging": "time of merging and writing files",
    "millisCommitting": "time of committing, until the metadata are complete",
}


def partition(key: int) -> str:
    return f"p{key // ROWS}"


def merge(changes: dict[int, str], on: str = "t.id = s.id AND t.p = s.p", nulls: int = 0) -> str:
    """A MERGE of source rows with these values; those of a null key are of a value that does nothing."""
    rows = [f"({key}L, '{partition(key)}', '{value}')" for key, value in changes.items()]
    rows += ["(CAST(NULL AS BIGINT), 'p0', 'same')"] * nulls
    source = f"SELECT * FROM VALUES {', '.join(rows)} AS s(id, p, v)"
    return f"MERGE INTO t USING ({source}) s ON {on} {CLAUSES}"


FEW = {1: "new", 2: "gone", 3: "same", 10_000: "new"}
MANY = {
    **dict.fromkeys(range(10, 30), "new"),
    **dict.fromkeys(range(200, 207), "gone"),
    **dict.fromkeys([40, 41, 205 + ROWS, 20_000, 20_001], "same"),
    **dict.fromkeys([10_001, 10_002, 10_003], "new"),
}


@dataclass(frozen=True)
class Case:
    """A statement, and the source rows of it that change nothing."""

    sql: str
    skipped: int = 0


CASES = {
    "few": Case(merge(FEW), 1),
    "many": Case(merge(MANY, nulls=2), 7),
    "few of all partitions": Case(merge(FEW, "t.id = s.id"), 1),
    "many of all partitions": Case(merge(MANY, "t.id = s.id", nulls=1), 6),
    "update": Case("UPDATE t SET v = 'w' WHERE id BETWEEN 100 AND 250"),
    "delete": Case("DELETE FROM t WHERE id % 50 = 7 AND p <> 'p2'"),
    "update of one": Case("UPDATE t SET v = 'w' WHERE id = 3"),
    "moves": Case("UPDATE t SET p = 'p9' WHERE id IN (5, 6, 300)"),
    "insert": Case("INSERT INTO t SELECT id, 'p1', 'i' FROM range(5000, 5030)"),
}


def make(spark: SparkSession, kind: str = "buckets", partitions: int = 3) -> None:
    spark.sql(f"CREATE TABLE t {COLUMNS} {KINDS[kind]}")
    rows = f"SELECT id, concat('p', id div {ROWS}), 'old' FROM range({partitions * ROWS})"
    spark.sql(f"INSERT INTO t {rows}")


def rows(slices: Iterable[layout.Slice]) -> dict[str, str]:
    """Instant of the row of each key."""
    names = ["_hoodie_record_key", "_hoodie_commit_time"]
    tables = [pq.ParquetFile(s.path).read(columns=names) for s in slices]
    return {k: t for table in tables for k, t in zip(*table.to_pydict().values(), strict=True)}


def hadoop_bytes(spark: SparkSession) -> int:
    jvm: Any = spark._jvm
    every = jvm.org.apache.hadoop.fs.FileSystem.getGlobalStorageStatistics()
    found = every.get("file")
    return int(found.getLong("bytesRead")) if found else 0


def content_bytes(path: Path) -> int:
    """The least that one reads of a file to have all its rows: the column chunks and the footer."""
    metadata = pq.ParquetFile(path).metadata
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    chunks = [g.column(i).total_compressed_size for g in groups for i in range(g.num_columns)]
    return sum(chunks) + int(metadata.serialized_size) + 8


def run(spark: SparkSession, base: Path, sql: str) -> tuple[dict[str, int], int]:
    """Runs a statement: what is to be seen of it from outside, and bytes it has read at least."""
    before = layout.latest_slices(base)
    read = hadoop_bytes(spark)
    with opened_files([base / p for p in layout.partitions(base)]) as opens:
        spark.sql(sql)
    read = hadoop_bytes(spark) - read
    after = layout.latest_slices(base)
    old_paths = {s.path for s in before}
    opened = old_paths.intersection(opens)
    written = [s for s in after if s.path not in old_paths]
    found = {(s.partition, s.file_id) for s in before if s.path in opened}
    touched = found | {(s.partition, s.file_id) for s in written}
    instant = max(layout.completed(base))
    old, new = rows(before), rows(after)
    seen = {
        "numFileGroupsTouched": len(touched),
        "numFileGroups": len([s for s in after if s.partition in {p for p, _ in touched}]),
        "numFilesOpened": len(opened),
        "numFilesWritten": len(written),
        "bytesRead": read,
        "bytesWritten": sum(s.path.stat().st_size for s in written),
        "numRowsCopied": len([t for t in rows(written).values() if t != instant]),
        "numRowsUpdated": len([key for key in old if new.get(key) == instant]),
        "numRowsInserted": len(new.keys() - old.keys()),
        "numRowsDeleted": len(old.keys() - new.keys()),
        "numRowsUpserted": 0,
        "numKeysDeleted": 0,
        "numRetries": 0,
    }
    return seen, sum(content_bytes(path) for path in opened & {s.path for s in before})


@ROTATED
@pytest.mark.parametrize("name", CASES)
def test_metrics_of_a_commit_equal_observed_counts(
    spark: SparkSession, database: Path, name: str
) -> None:
    make(spark)
    seen, least = run(spark, database / "t", CASES[name].sql)
    counts = committed(database / "t")
    assert counts.keys() == TEXTS.keys() | OF_ROW_GROUPS.keys() | OF_PHASES.keys()
    assert {metric: counts[metric] for metric in TEXTS} == seen | {
        "numSourceRowsSkipped": CASES[name].skipped
    }
    # A file that is merged is read whole, what is copied of it too.
    if "update" in name or "all" in name:
        least //= 4  # what only looks for rows reads some columns
    assert seen["bytesRead"] >= least


@ROTATED
@pytest.mark.parametrize("name", ["few", "many", "update", "insert"])
def test_metrics_of_a_table_without_buckets_equal_observed_counts(
    spark: SparkSession, database: Path, name: str
) -> None:
    make(spark, "bloom")
    seen, _ = run(spark, database / "t", CASES[name].sql)
    counts = committed(database / "t")
    looked_up = last_metrics(spark, "LocateRows")
    assert counts["numSourceRowsSkipped"] == CASES[name].skipped
    assert counts["bytesRead"] <= seen["bytesRead"]
    for metric in ("numFilesOpened", "numFileGroupsTouched"):
        assert counts[metric] <= seen[metric] <= counts[metric] + looked_up["files opened"]
        del seen[metric]
    del seen["bytesRead"], seen["numFileGroups"]
    assert {metric: counts[metric] for metric in seen} == seen


@ROTATED
@pytest.mark.parametrize("name", ["few", "many"])
def test_the_spark_ui_shows_the_metrics_of_the_commit(
    spark: SparkSession, database: Path, name: str
) -> None:
    make(spark)
    spark.sql(CASES[name].sql)
    shown, counts = last_metrics(spark, OPERATOR), committed(database / "t")
    texts = TEXTS | OF_ROW_GROUPS
    assert set(shown) == set(texts.values()) | set(OF_PHASES.values())
    for metric, text in texts.items():
        assert shown[text] == pytest.approx(counts[metric], rel=0.05 if "bytes" in text else 0)


@ROTATED
@pytest.mark.parametrize("kind", KINDS)
def test_source_rows_that_change_nothing_are_counted_without_a_commit(
    spark: SparkSession, database: Path, kind: str
) -> None:
    make(spark, kind)
    for skipped in (3, 11):
        sql = merge(dict.fromkeys(range(5000, 5000 + skipped - 1), "same"), nulls=1)
        spark.sql(sql.split(" WHEN NOT MATCHED")[0])
        assert last_metrics(spark, OPERATOR)["source rows skipped"] == skipped
    assert len(layout.completed(database / "t")) == 1


@ROTATED
@pytest.mark.parametrize("name", ["few", "many"])
def test_nothing_grows_with_the_table(spark: SparkSession, database: Path, name: str) -> None:
    counts = []
    for partitions in (3, 24):
        make(spark, partitions=partitions)
        spark.sql(CASES[name].sql)
        counts.append(committed(database / "t"))
        spark.sql("DROP TABLE t")
    small, large = counts
    for metric in TEXTS | OF_ROW_GROUPS:
        assert large[metric] == pytest.approx(small[metric], rel=0.05 if "bytes" in metric else 0)


@ROTATED
@pytest.mark.parametrize("replaced", ["p1", "p0"])
def test_groups_that_are_replaced_are_touched_and_not_opened(
    spark: SparkSession, database: Path, replaced: str
) -> None:
    make(spark)
    base = database / "t"
    spark.sql("DELETE FROM t WHERE p = 'p0' AND id % 7 <> 0")
    hidden = [s for s in layout.latest_slices(base) if s.partition == f"p={replaced}"]
    gone = rows(hidden)
    spark.sql(f"DELETE FROM t WHERE p = '{replaced}'")
    counts = committed(base)
    assert counts["numFileGroupsTouched"] == counts["numFileGroups"] == len(hidden)
    assert counts["numRowsDeleted"] == len(gone)
    assert counts["numFilesOpened"] == counts["bytesRead"] == counts["numFilesWritten"] == 0


@ROTATED
@pytest.mark.parametrize("times", [1, 2])
def test_an_overtaken_attempt_counts_as_a_retry_and_as_nothing_else(
    spark: SparkSession, database: Path, tmp_path: Path, times: int
) -> None:
    """Each attempt waits until another statement has changed a row of the same bucket."""
    make(spark)
    base = database / "t"

    def gate(key: int) -> int:
        turn = len(list(tmp_path.glob("begun*")))
        (tmp_path / f"begun{turn}").touch()
        while not (tmp_path / f"go{turn}").exists():
            time.sleep(0.05)
        return key

    spark.udf.register("gate", gate, "bigint")
    source = "SELECT gate(8L) id, 'p0' p, 'new' v"
    waiting = f"MERGE INTO t USING ({source}) s ON t.id = s.id AND t.p = s.p {CLAUSES}"
    faults: list[object] = []
    thread = threading.Thread(target=lambda: faults.append(run_statement(spark, waiting)))
    thread.start()
    for turn in range(times + 1):
        while not (tmp_path / f"begun{turn}").exists():
            assert thread.is_alive(), faults
            time.sleep(0.05)
        if turn < times:
            assert run_statement(spark, f"UPDATE t SET v = 'u{turn}' WHERE id = 8") is None
        (tmp_path / f"go{turn}").touch()
    thread.join()
    assert faults == [None]
    counts = committed(base)
    assert counts["numRetries"] == times
    (written,) = [s for s in layout.latest_slices(base) if s.instant == max(layout.completed(base))]
    assert counts["numFilesOpened"] == counts["numFilesWritten"] == 1
    assert counts["bytesWritten"] == written.path.stat().st_size
    assert counts["numRowsUpdated"] == 1
    assert counts["numRowsCopied"] == pq.ParquetFile(written.path).metadata.num_rows - 1


@ROTATED
@pytest.mark.parametrize("kind", KINDS)
def test_a_running_statement_is_seen_and_its_commit_tells_where_the_time_went(
    spark: SparkSession, database: Path, tmp_path: Path, kind: str
) -> None:
    """The source waits for a second; the writer of a file waits for nothing."""
    make(spark, kind)
    base = database / "t"

    def slow(key: int) -> int:
        (tmp_path / "begun").touch()
        while not (tmp_path / "go").exists():
            time.sleep(0.05)
        return key

    spark.udf.register("slow", slow, "bigint")
    source = "SELECT slow(8L) id, 'p0' p, 'new' v"
    waiting = f"MERGE INTO t USING ({source}) s ON t.id = s.id AND t.p = s.p {CLAUSES}"
    faults: list[object] = []
    thread = threading.Thread(target=lambda: faults.append(run_statement(spark, waiting)))
    began = time.monotonic()
    thread.start()
    while not (tmp_path / "begun").exists():
        assert thread.is_alive(), faults
        time.sleep(0.05)
    (running,) = top.read(base).actions
    assert (running.action, running.operation, running.state) == ("commit", "UPSERT", "inflight")
    assert (running.status, running.writer) == ("alive", spark.sparkContext.applicationId)
    time.sleep(1)
    (tmp_path / "go").touch()
    thread.join()
    assert faults == [None]
    assert top.read(base).actions == ()
    found = why.read(base)
    assert (found.time, found.operation) == (running.time, "UPSERT")
    assert (found.totals.files_rewritten, found.totals.rows_updated) == (1, 1)
    assert sum(found.row_groups.values()) > 0
    assert found.unrecorded == ()
    assert found.phases["tagging"] > 1
    assert sum(found.phases.values()) < time.monotonic() - began
    assert found.seconds is not None
    assert found.seconds >= found.phases["tagging"] + found.phases["merging"] - 0.01


@ROTATED
@pytest.mark.parametrize(
    ("rewrite", "operation"),
    [
        ("CALL compact(table => 't')", "COMPACT"),
        ("CALL set_table_type(table => 't', type => 'cow')", "COMPACT"),
        ("ALTER TABLE t RENAME COLUMN v TO w", "ALTER_SCHEMA"),
    ],
)
def test_a_rewrite_of_existing_rows_tells_how_long_it_merged_and_committed(
    spark: SparkSession, database: Path, rewrite: str, operation: str
) -> None:
    make(spark, partitions=1)
    spark.sql("CALL set_table_type(table => 't', type => 'mor')")
    spark.sql("UPDATE t SET v = 'w' WHERE id < 9")
    began = time.monotonic()
    spark.sql(rewrite)
    found = why.read(database / "t")
    assert found.operation == operation
    assert list(found.phases) == ["merging", "committing"]
    assert 0 < found.phases["merging"] <= sum(found.phases.values()) < time.monotonic() - began
    assert found.unrecorded == ("bytes read", "row groups")
