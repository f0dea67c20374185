"""A write that somebody rolls back while it runs: it says so, and nothing of it is ever read."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.faults import Fault, run_statement
from harness.invariants import check_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CREATE = "CREATE TABLE t (id INT, n INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1"


@pytest.mark.fault("F24")
def test_a_write_that_is_rolled_back_while_its_tasks_run_is_an_error(
    spark: SparkSession, database: Path
) -> None:
    """Its file is gone before it is closed: the first row opens it, and every row takes its time."""
    spark.sql(CREATE)
    slow = "aggregate(sequence(1, 2000000), CAST(s.id AS LONG), (sum, x) -> sum + x)"
    merge = (
        "MERGE INTO t USING (SELECT id * 4 id FROM range(10)) s ON t.id = s.id WHEN NOT MATCHED THEN "
        f"INSERT (id, n, v) VALUES (s.id, 1, CAST({slow} AS STRING))"
    )
    base, told = database / "t", list[Fault | None]()
    writer = threading.Thread(target=lambda: told.append(run_statement(spark, merge)))
    writer.start()
    while not list(base.glob("*.parquet")):
        assert writer.is_alive(), told
        time.sleep(0.02)
    (lost,) = layout.pending(base)
    spark.sql(f"CALL rollback('t', '{lost}')")
    writer.join()
    assert [fault and fault.condition for fault in told] == ["HUDILITE_WRITE_ROLLED_BACK"]
    assert spark.sql("SELECT * FROM t").collect() == []
    assert check_table(base) == []


@pytest.mark.fault("F24")
def test_a_file_that_comes_after_its_rollback_is_never_read(
    spark: SparkSession, database: Path
) -> None:
    """The table's first commit comes after it: what lies before that one may be archived commits."""
    spark.sql("CREATE TABLE t (id INT, n INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2")
    spark.sql("CREATE TABLE other (id INT, n INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2")
    spark.sql("INSERT INTO other VALUES (1, 1), (2, 2)")
    base = database / "t"
    lost = "20240102030405678"
    (base / ".hoodie" / f"{lost}.commit.requested").touch()
    (base / ".hoodie" / f"{lost}.inflight").write_text("{}", encoding="utf-8")
    spark.sql(f"CALL rollback('t', '{lost}')")
    spark.sql("INSERT INTO t VALUES (1, 1)")
    (written,) = layout.latest_slices(base)
    ids = {found.bucket: found for found in layout.latest_slices(database / "other")}
    late = ids[1 - written.bucket]
    (base / late.path.name.replace(late.instant, lost)).write_bytes(late.path.read_bytes())
    assert spark.sql("SELECT id FROM t").collect() == [(1,)]
    spark.sql("INSERT INTO t VALUES (2, 3)")
    assert spark.sql("SELECT n FROM t WHERE id = 2").collect() == [(3,)]
