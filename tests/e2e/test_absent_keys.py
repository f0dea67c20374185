"""A MERGE over all partitions rests on what it did not find, in partitions to come as well."""

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

MERGE = (
    "MERGE INTO t USING (SELECT 7 id, 'x' p, 'merged' v WHERE gate(1) > 0) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"
)


@pytest.mark.fault("F20")
@pytest.mark.parametrize("partition", ["x", "new"])
def test_a_key_that_comes_meanwhile_is_matched(
    spark: SparkSession, database: Path, tmp_path: Path, partition: str
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
        "CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 1"
    )
    spark.sql("INSERT INTO t VALUES (1, 'y', 'first')")
    faults: list[Fault | None] = []
    waiting = threading.Thread(target=lambda: faults.append(run_statement(spark, MERGE)))
    waiting.start()
    base = database / "t"
    while not [name for name in layout.instant_files(base) if name.endswith(".inflight")][1:]:
        assert waiting.is_alive(), faults
        time.sleep(0.1)
    assert run_statement(spark, f"INSERT INTO t VALUES (7, '{partition}', 'meanwhile')") is None
    opened.touch()
    waiting.join()
    assert faults == [None]
    found = {tuple(row) for row in spark.sql("SELECT id, p, v FROM t").collect()}
    assert found == {(1, "y", "first"), (7, partition, "merged")}
