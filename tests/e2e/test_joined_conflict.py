"""A statement whose source is joined with the table rests on all the rows that the join reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.faults import Fault, run_statement
from harness.gate import held
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(by="test", when=product("spark/exec/ConflictScope.scala"))
STATEMENTS = {
    "merge": "MERGE INTO t USING (SELECT 'v1' v WHERE gate(1) > 0) s ON t.v = s.v "
    "WHEN MATCHED THEN UPDATE SET n = -1",
    "delete": "DELETE FROM t WHERE v IN (SELECT 'v1' WHERE gate(1) > 0)",
}


RETRIES = "spark.hudilite.write.maxRetries"
# What the table holds where the statement gives up, and where it starts anew.
FIRST = [(1, 1, "v1"), (2, 2, "v1")]
AFTER = {"merge": [(1, -1, "v1"), (2, -1, "v1")], "delete": []}


@pytest.fixture(params=["0", "20"])
def tries(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[int]:
    """How often a statement may start anew."""
    spark.conf.set(RETRIES, request.param)
    yield int(request.param)
    spark.conf.unset(RETRIES)


def check(spark: SparkSession, fault: Fault | None, tries: int, kind: str) -> None:
    """The statement did not commit over the other one: it gave up, or ran after it."""
    assert (fault and fault.condition) == (None if tries else "HUDILITE_CONCURRENT_WRITE")
    rows = spark.sql("SELECT id, n, v FROM t ORDER BY id").collect()
    assert [tuple(row) for row in rows] == (AFTER[kind] if tries else FIRST)


@ROTATED
@pytest.mark.fault("F20")
@pytest.mark.parametrize("kind", list(STATEMENTS))
def test_a_row_that_begins_to_match_meanwhile_is_a_conflict(
    spark: SparkSession, database: Path, tmp_path: Path, tries: int, kind: str
) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, p STRING, n INT, v STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 1"
    )
    spark.sql("INSERT INTO t VALUES (1, 'x', 1, 'v1'), (2, 'y', 2, 'v2')")
    with held(spark, database / "t", STATEMENTS[kind], tmp_path / "open") as faults:
        assert run_statement(spark, "UPDATE t SET v = 'v1' WHERE id = 2") is None
    check(spark, faults[0], tries, kind)


@pytest.mark.fault("F28")
@pytest.mark.parametrize("kind", list(STATEMENTS))
def test_a_commit_between_analysis_and_begin_is_seen(
    spark: SparkSession, database: Path, kind: str
) -> None:
    spark.udf.register("gate", lambda value: value, "int")
    spark.sql(
        "CREATE TABLE t (id INT, n INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1"
    )
    spark.sql("INSERT INTO t VALUES (1, 1, 'v1'), (2, 2, 'v2')")
    state = spark._jsparkSession.sessionState()
    modes = spark._jvm.org.apache.spark.sql.execution.CommandExecutionMode
    text = state.sqlParser().parsePlan(STATEMENTS[kind])
    execution = state.executePlan(text, modes.ALL())
    execution.analyzed()
    assert len(layout.completed(database / "t")) == 1
    spark.sql("UPDATE t SET v = 'v1' WHERE id = 2")
    execution.commandExecuted()
    check(spark, None, 20, kind)
