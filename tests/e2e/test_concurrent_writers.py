"""Writers that overtake each other: each starts anew until it has committed, and nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.faults import dead_at_once, fault_of, run_statement
from harness.gate import at_once
from harness.invariants import check_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(by="test")
CREATE = "CREATE TABLE t (id INT, n INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4"


def retries(base: Path) -> list[int]:
    """How often each commit was overtaken before."""
    found = (layout.commit_metadata(base, instant) for instant in layout.completed(base))
    return [int(json_["extraMetadata"].get("hudilite.metrics.numRetries", 0)) for json_ in found]


@pytest.mark.fault("F18")
def test_of_two_inserts_of_one_key_one_is_a_duplicate(spark: SparkSession, database: Path) -> None:
    spark.sql(CREATE)
    texts = [[f"INSERT INTO t VALUES ({k}, {w}, 'x')" for k in range(6)] for w in range(3)]
    faults = at_once(spark, texts)
    conditions = [fault.condition for fault in faults if fault is not None]
    assert conditions == ["HUDILITE_DUPLICATE_KEY"] * 12
    assert [row[0] for row in spark.sql("SELECT id FROM t ORDER BY id").collect()] == list(range(6))
    assert check_table(database / "t") == []


@pytest.mark.fault("F18", "F20")
def test_a_statement_that_reads_its_table_is_retried_as_a_whole(
    spark: SparkSession, database: Path
) -> None:
    """Each doubles the sum of the table into one row: the result tells the order, none is lost."""
    spark.sql(CREATE)
    spark.sql("INSERT INTO t SELECT id, 1, '' FROM range(4)")
    double = (
        "MERGE INTO t USING (SELECT 0 id, sum(n) total FROM t) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET n = s.total"
    )
    assert at_once(spark, [[double] * 3] * 3) == [None] * 9
    expected = 1
    for _ in range(9):
        expected += 3
    assert spark.sql("SELECT n FROM t WHERE id = 0").collect()[0][0] == expected
    assert sum(retries(database / "t")) > 0, "no writer was overtaken: nothing was tested"


@ROTATED
@pytest.mark.fault("F33")
def test_eight_writers_of_one_bucket_get_on(spark: SparkSession, database: Path) -> None:
    spark.sql("CREATE TABLE t (id INT, n INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1")
    spark.sql("INSERT INTO t VALUES (1, 0)")
    increment = "UPDATE t SET n = n + 1 WHERE id = 1"
    assert at_once(spark, [[increment] * 2] * 8) == [None] * 16
    assert spark.sql("SELECT n FROM t").collect()[0][0] == 16
    assert sum(retries(database / "t")) > 0, "no writer was overtaken: nothing was tested"


def test_an_invalid_setting_is_an_error(spark: SparkSession, database: Path) -> None:
    spark.sql(CREATE)
    bad = {"spark.hudilite.write.maxRetries": "-1", "spark.hudilite.write.rollbackAfter": "soon"}
    for key, value in bad.items():
        spark.conf.set(key, value)
        fault = run_statement(spark, "UPDATE t SET n = 6")
        spark.conf.unset(key)
        assert fault is not None
        assert (fault.condition, fault.parameters["key"]) == ("HUDILITE_SETTING_INVALID", key)


def pending_instant(base: Path) -> str:
    """Leaves what a dead writer leaves: requested and inflight files, a marker, a data file."""
    time = "20240102030405678"
    slices = layout.latest_slices(base)
    name = f"{slices[0].file_id}_9-9-9_{time}.parquet"
    (base / name).write_bytes(b"half a file")
    (base / ".hoodie" / f"{time}.commit.requested").touch()
    (base / ".hoodie" / f"{time}.inflight").write_text(json.dumps({}), encoding="utf-8")
    markers = base / ".hoodie" / ".temp" / time
    markers.mkdir(parents=True)
    (markers / f"{name}.marker.MERGE").touch()
    return time


@pytest.mark.fault("F08", "F30")
def test_call_rollback_takes_back_a_pending_write_once(spark: SparkSession, database: Path) -> None:
    spark.sql(CREATE)
    spark.sql("INSERT INTO t VALUES (1, 0, '')")
    base = database / "t"
    lost = pending_instant(base)
    (row,) = spark.sql(f"CALL rollback(table => 't', instant => '{lost}')").collect()
    assert (row.instant, row.files_deleted) == (lost, 1)
    (again,) = spark.sql(f"CALL rollback('t', '{lost}')").collect()
    assert (again.rollback_instant, again.files_deleted) == (row.rollback_instant, 0)
    (committed,) = layout.completed(base)
    for refused in (committed, row.rollback_instant, "20200101000000000", "x'; --", "'" * 9, ""):
        quoted = refused.replace("'", "\\'")
        with pytest.raises(Exception) as caught:
            spark.sql(f"CALL rollback('t', '{quoted}')")
        fault = fault_of(caught.value)
        assert fault.condition == "HUDILITE_ARGUMENT_INVALID"
        assert fault.parameters["argument"] == "instant"
    assert check_table(base) == []


@pytest.mark.fault("F04", "F25")
def test_a_write_takes_back_what_a_dead_one_left(spark: SparkSession, database: Path) -> None:
    spark.sql(CREATE)
    spark.sql("INSERT INTO t VALUES (1, 0, '')")
    base = database / "t"
    lost = pending_instant(base)
    spark.sql("UPDATE t SET n = 1")
    assert [name for name in layout.instant_files(base) if name.startswith(lost)], "it is young"
    with dead_at_once(spark):
        spark.sql("UPDATE t SET n = 2")
    assert not [name for name in layout.instant_files(base) if name.startswith(lost)]
    assert spark.sql("SELECT n FROM t").collect()[0][0] == 2
    assert check_table(base) == []
