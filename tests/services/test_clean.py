"""Cleaning while others read; orphans; what a clean costs."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness import layout
from harness.faults import fault_of, run_statement
from harness.opens import opened_files
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WHEN = product("procedures/Clean.scala", "core/service/")
PAUSE = "hudilite.tests.pause"  # a property of the JVM: milliseconds
SHORT = "retain_hours => 0, allow_short_retention => true"


@pytest.fixture
def table(spark: SparkSession, database: Path) -> Iterator[Path]:
    spark.sql(
        "CREATE TABLE t (id BIGINT, v BIGINT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 8"
    )
    spark.sql("INSERT INTO t SELECT id, 0 FROM range(80)")
    yield database / "t"


def files(base: Path) -> set[Path]:
    return set(base.glob("*.parquet"))


class SlowReader:
    """A query in a thread of its own, in one task, that takes a while over each row, until it is hurried."""

    def __init__(self, spark: SparkSession, table: Path) -> None:
        self.table = table
        self.wanted = {found.path for found in layout.latest_slices(table)}
        jvm: Any = spark._jvm
        self.system = jvm.java.lang.System
        self.system.setProperty(PAUSE, "300")
        pause = f"bigint(reflect('java.lang.System', 'getProperty', '{PAUSE}'))"
        sleep = f"reflect('java.lang.Thread', 'sleep', {pause})"
        self.query = spark.sql(f"SELECT id, v, {sleep} AS z FROM t").coalesce(1)
        self.told: list[tuple[int, int]] = []
        self.fault = ""
        self.thread = threading.Thread(target=self._read)

    def start(self) -> None:
        """Returns when it has opened its first file."""
        self.thread.start()
        began: set[Path] = set()
        while not began:
            with opened_files([self.table]) as opened:
                time.sleep(0.1)
            began = self.wanted & set(opened)

    def hurry(self) -> None:
        """Returns when it has ended, which it does without further pauses."""
        self.system.setProperty(PAUSE, "0")
        self.thread.join()

    def _read(self) -> None:
        try:
            self.told.extend((row[0], row[1]) for row in self.query.collect())
        except Exception as error:  # noqa: BLE001 - the test looks at its name
            self.fault = fault_of(error).condition


@pytest.mark.rotated(third=1, when=WHEN)
@pytest.mark.fault("F29")
def test_a_slow_reader_survives_ten_commits_and_a_clean(spark: SparkSession, table: Path) -> None:
    spark.sql("UPDATE t SET v = 1")
    spark.sql("UPDATE t SET v = 2")
    then = time.time() - 31 * 24 * 3600
    for file in (table / ".hoodie").iterdir():
        if file.is_file():
            os.utime(file, (then, then))
    reader = SlowReader(spark, table)
    reader.start()
    for n in range(10):
        spark.sql(f"UPDATE t SET v = {10 + n}")
    done = spark.sql("CALL clean(table => 't', retain_commits => 1)").collect()[0]
    with opened_files([table]) as opened:
        reader.hurry()
    assert reader.wanted & set(opened), "the reader had opened all its files before the clean"
    assert done.files_deleted == 16
    assert sorted(reader.told) == [(id, 2) for id in range(80)], reader.fault
    gone = spark.sql(f"CALL clean(table => 't', retain_commits => 1, {SHORT})").collect()[0]
    assert gone.files_deleted == 80
    assert files(table) == {s.path for s in layout.latest_slices(table)}


@pytest.mark.fault("F29")
def test_a_reader_whose_files_a_clean_deleted_is_an_error(spark: SparkSession, table: Path) -> None:
    reader = SlowReader(spark, table)
    reader.start()
    spark.sql("UPDATE t SET v = 1")
    done = spark.sql(f"CALL clean(table => 't', retain_commits => 1, {SHORT})").collect()[0]
    assert done.files_deleted == 8
    reader.hurry()
    assert (reader.told, reader.fault) == ([], "HUDILITE_SNAPSHOT_EXPIRED")


def test_bytes_and_files_are_those_that_went(spark: SparkSession, table: Path) -> None:
    for n in range(3):
        spark.sql(f"UPDATE t SET v = {n} WHERE id < 10")
    before = {path: path.stat().st_size for path in files(table)}
    told = spark.sql(f"CALL clean(table => 't', retain_commits => 2, {SHORT})").collect()[0]
    gone = before.keys() - files(table)
    assert told.files_deleted == len(gone) > 0
    assert told.bytes_deleted == sum(before[path] for path in gone)


@pytest.mark.fault("F50")
def test_only_orphans_go(spark: SparkSession, table: Path) -> None:
    kept = files(table)
    name = min(kept).name
    group, token, instant = name.removesuffix(".parquet").split("_")
    lost = table / f"{group}_{token}_20300101000000000.parquet"
    unlisted = table / f"{group}_9-9-9_{instant}.parquet"
    young = table / f"{group}_8-8-8_{instant}.parquet"
    strange = table / "notes.parquet"
    old = time.time() - 100 * 3600
    for path in (lost, unlisted, young, strange):
        path.write_bytes(b"x" * 7)
        if path != young:
            os.utime(path, (old, old))
    assert run_statement(spark, "CALL remove_orphans('t')") is None
    assert files(table) == kept | {lost, unlisted, young, strange}
    told = spark.sql("CALL remove_orphans(table => 't', dry_run => false)").collect()
    assert {(row.path, row.bytes, row.deleted) for row in told} == {
        (lost.name, 7, True),
        (unlisted.name, 7, True),
    }
    assert files(table) == kept | {young, strange}
    assert spark.sql("CALL remove_orphans(table => 't', dry_run => false)").collect() == []
    assert spark.table("t").count() == 80


def test_files_of_a_pending_write_are_no_orphans(spark: SparkSession, table: Path) -> None:
    name = min(files(table)).name
    group = name.split("_")[0]
    instant = "20300101000000000"
    pending = table / f"{group}_1-1-1_{instant}.parquet"
    pending.write_bytes(b"x")
    (table / ".hoodie" / f"{instant}.commit.requested").touch()
    (table / ".hoodie" / f"{instant}.inflight").touch()
    old = time.time() - 100 * 3600
    os.utime(pending, (old, old))
    assert spark.sql("CALL remove_orphans(table => 't', dry_run => false)").collect() == []
    assert pending.exists()
