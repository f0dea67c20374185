"""A statement whose source is joined with the table rests on all the rows that the join reads."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.faults import Fault, run_statement

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STATEMENTS = {
    "merge": "MERGE INTO t USING (SELECT 'v1' v WHERE gate(1) > 0) s ON t.v = s.v "
    "WHEN MATCHED THEN UPDATE SET n = -1",
    "delete": "DELETE FROM t WHERE v IN (SELECT 'v1' WHERE gate(1) > 0)",
}


@pytest.mark.parametrize("kind", list(STATEMENTS))
def test_a_row_that_begins_to_match_meanwhile_is_a_conflict(
    spark: SparkSession, database: Path, tmp_path: Path, kind: str
) -> None:
    opened = tmp_path / "open"

    def gate(value: int) -> int:
        """Ends once the other statement has committed."""
        ends = time.monotonic() + 120
        while not opened.exists() and time.monotonic() < ends:
            time.sleep(0.1)
        return value

    spark.udf.register("gate", gate, "int")
    spark.sql(
        "CREATE TABLE t (id INT, p STRING, n INT, v STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 1"
    )
    spark.sql("INSERT INTO t VALUES (1, 'x', 1, 'v1'), (2, 'y', 2, 'v2')")
    faults: list[Fault | None] = []
    waiting = threading.Thread(target=lambda: faults.append(run_statement(spark, STATEMENTS[kind])))
    waiting.start()
    base = database / "t"
    while not [name for name in layout.instant_files(base) if name.endswith(".inflight")][1:]:
        assert waiting.is_alive(), faults
        time.sleep(0.1)
    assert run_statement(spark, "UPDATE t SET v = 'v1' WHERE id = 2") is None
    opened.touch()
    waiting.join()
    assert [fault and fault.condition for fault in faults] == ["HUDILITE_CONCURRENT_WRITE"]
    rows = spark.sql("SELECT id, n, v FROM t ORDER BY id").collect()
    assert [tuple(row) for row in rows] == [(1, 1, "v1"), (2, 2, "v1")]
