"""A MERGE over all partitions rests on what it did not find, in partitions to come as well."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.faults import run_statement
from harness.gate import held
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(by="test", when=product("spark/exec/ConflictScope.scala"))
MERGE = (
    "MERGE INTO t USING (SELECT 7 id, 'x' p, 'merged' v WHERE gate(1) > 0) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"
)


@ROTATED
@pytest.mark.fault("F20")
@pytest.mark.parametrize("partition", ["x", "new"])
def test_a_key_that_comes_meanwhile_is_matched(
    spark: SparkSession, database: Path, tmp_path: Path, partition: str
) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 1"
    )
    spark.sql("INSERT INTO t VALUES (1, 'y', 'first')")
    with held(spark, database / "t", MERGE, tmp_path / "open") as faults:
        insert = f"INSERT INTO t VALUES (7, '{partition}', 'meanwhile')"
        assert run_statement(spark, insert) is None
    assert faults == [None]
    found = {tuple(row) for row in spark.sql("SELECT id, p, v FROM t").collect()}
    assert found == {(1, "y", "first"), (7, partition, "merged")}
