"""A key that is unique over all partitions: of two writers that insert it, one finds the other's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.faults import run_statement
from harness.gate import held
from harness.invariants import check_table
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(by="test", when=product("spark/exec/ConflictScope.scala"))
CREATE = (
    "CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite "
    "PARTITIONED BY (p) {buckets} TBLPROPERTIES ('hudilite.index.global' = 'true')"
)
INSERT = "INSERT INTO t SELECT 7, 'x', 'held' WHERE gate(1) > 0"
MERGE = (
    "MERGE INTO t USING (SELECT 7 id, 'x' p, 'held' v WHERE gate(1) > 0) s "
    "ON t.id = s.id AND t.p = s.p WHEN NOT MATCHED THEN INSERT *"
)
DUPLICATES = "spark.hudilite.insert.duplicates"


@ROTATED
@pytest.mark.fault("F20")
@pytest.mark.parametrize("buckets", ["", "WITH BUCKETS 1"], ids=["bloom", "bucket"])
@pytest.mark.parametrize("statement", [INSERT, MERGE], ids=["insert", "merge"])
def test_a_key_that_comes_into_another_partition_meanwhile_is_a_duplicate(
    spark: SparkSession, database: Path, tmp_path: Path, buckets: str, statement: str
) -> None:
    spark.sql(CREATE.format(buckets=buckets))
    with held(spark, database / "t", statement, tmp_path / "open") as faults:
        assert run_statement(spark, "INSERT INTO t VALUES (7, 'y', 'meanwhile')") is None
    (fault,) = faults
    assert fault is not None
    assert fault.condition == "HUDILITE_DUPLICATE_KEY", fault
    assert fault.parameters["keys"] == "7 in p=y"
    assert [tuple(row) for row in spark.sql("SELECT * FROM t").collect()] == [(7, "y", "meanwhile")]
    assert check_table(database / "t") == []


@ROTATED
@pytest.mark.fault("F20")
def test_a_key_that_comes_meanwhile_moves_if_the_session_allows_updates(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format(buckets=""))
    other = spark.newSession()
    other.sql(f"USE {spark.catalog.currentDatabase()}")
    spark.conf.set(DUPLICATES, "update")
    with held(spark, database / "t", INSERT, tmp_path / "open") as faults:
        assert run_statement(other, "INSERT INTO t VALUES (7, 'y', 'meanwhile')") is None
    spark.conf.unset(DUPLICATES)
    assert faults == [None]
    assert [tuple(row) for row in spark.sql("SELECT * FROM t").collect()] == [(7, "x", "held")]
    assert check_table(database / "t") == []
