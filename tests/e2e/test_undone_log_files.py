"""A query goes on when a log file that it has listed belongs to a write that is undone before it is opened."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.faults import fault_in
from harness.log_files import log_files
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.rotated(when=product("spark/read/SliceLogs.scala"))


def planned(spark: SparkSession) -> DataFrame:
    """A query that has listed its files, and has opened none."""
    frame = spark.sql("SELECT id, v FROM t")
    frame._jdf.queryExecution().toRdd().getNumPartitions()
    return frame


@pytest.fixture
def log(spark: SparkSession, database: Path) -> Path:
    """The log file of a table of version 6, where its name does not tell the commit that wrote it."""
    spark.sql(
        "CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 "
        "TBLPROPERTIES (type = 'mor', hoodie.table.version = '6')"
    )
    spark.sql("INSERT INTO t SELECT id, 0 FROM range(10)")
    spark.sql("UPDATE t SET v = 1 WHERE id = 3")
    return log_files(database / "t")[-1].path


def test_a_log_file_of_a_write_that_is_undone_is_passed_over(
    spark: SparkSession, log: Path
) -> None:
    """As a write leaves it that conflicts with another one, and deletes it."""
    pending = log.with_name(log.name.replace(".log.1_", ".log.2_"))
    assert pending != log
    shutil.copy(log, pending)
    frame = planned(spark)
    pending.unlink()
    assert {tuple(row) for row in frame.collect()} == {(n, int(n == 3)) for n in range(10)}


def test_a_log_file_that_a_commit_lists_is_missed(spark: SparkSession, log: Path) -> None:
    frame = planned(spark)
    log.unlink()
    fault = fault_in(frame.collect)
    assert fault is not None
    assert fault.condition == "HUDILITE_MISSING_FILE"
