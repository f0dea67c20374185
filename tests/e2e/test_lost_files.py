"""A base file that is lost for good: its rows can be given up, and the table is whole again."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.faults import run_statement
from harness.invariants import check_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(by="test")


# Statement, whether the whole folder is lost, and what the partition holds then.
GIVEN_UP = [
    ("ALTER TABLE t DROP PARTITION (p = 'a')", False, set()),
    ("TRUNCATE TABLE t PARTITION (p = 'a')", True, set()),
    ("DELETE FROM t WHERE p = 'a'", True, set()),
    ("INSERT OVERWRITE t PARTITION (p = 'a') VALUES (7, 'new')", False, {(7, "a", "new")}),
]


def broken(base: Path) -> list[str]:
    """What is broken besides the commits that name what was lost."""
    return [text for text in check_table(base) if "which is not there" not in text]


@ROTATED
@pytest.mark.fault("F44")
@pytest.mark.parametrize(("statement", "whole", "left"), GIVEN_UP)
def test_statements_that_remove_lost_rows(
    spark: SparkSession,
    database: Path,
    statement: str,
    whole: bool,
    left: set[tuple[int, str, str]],
) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 2"
    )
    spark.sql("INSERT INTO t SELECT id, if(id < 9, 'a', 'b'), 'v' FROM range(18)")
    spark.sql("UPDATE t SET v = 'w' WHERE id IN (0, 10)")
    base = database / "t"
    if whole:
        shutil.rmtree(base / "p=a")
    else:
        lost = next(s for s in layout.latest_slices(base) if s.partition == "p=a").path
        lost.unlink()
        lost.with_name(f".{lost.name}.crc").unlink()
    shown = [row[0] for row in spark.sql("SHOW PARTITIONS t").collect()]
    assert shown == ["p=a", "p=b"]
    fault = run_statement(spark, "SELECT * FROM t")
    assert fault is not None
    assert fault.condition == "HUDILITE_MISSING_DATA_FILE"
    rest = {tuple(row) for row in spark.sql("SELECT * FROM t WHERE p = 'b'").collect()}
    assert run_statement(spark, statement) is None
    assert {tuple(row) for row in spark.sql("SELECT id, p, v FROM t").collect()} == (
        {(row[0], row[1], row[2]) for row in rest} | left
    )
    assert broken(base) == []
    spark.sql(
        "MERGE INTO t USING (SELECT 1 id, 'a' p, 'x' v) s ON t.id = s.id AND t.p = s.p "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    assert broken(base) == []
