"""A JVM that halts at a storage call of a replacing statement leaves what was, or what shall be."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.children import run_child
from harness.faults import dead_at_once
from harness.invariants import check_table
from harness.java import dying

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CREATE = (
    "CREATE TABLE {name} (id INT, p STRING, v STRING, PRIMARY KEY (id)) "
    "USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 LOCATION '{place}'"
)
INSERT = "INSERT INTO {name} SELECT id, IF(id < 10, 'a', 'b'), 'old' FROM range(20)"
OVERWRITE = "INSERT OVERWRITE {name} PARTITION (p = 'a') SELECT id, '{word}' FROM range(5, 9)"
OLD = {(i, "a" if i < 10 else "b", "old") for i in range(20)}
KEPT = {row for row in OLD if row[1] == "b"}
# Operation, path, which call, whether the statement stands; in the order of the calls.
POINTS = [
    ("createNew", "[.]replacecommit[.]inflight$", 1, False),
    ("fsync", "[.]parquet$", 5, False),
    ("createNew", "commits/[0-9]{20}$", 2, False),
    ("createNew", "[0-9][.]replacecommit$", 1, True),
    ("deleteTree", "[.]temp", 2, True),
]


def overwritten(word: str) -> set[tuple[int, str, str]]:
    return KEPT | {(i, "a", word) for i in range(5, 9)}


def rows(spark: SparkSession, table: str) -> set[tuple[int, str, str]]:
    read = [tuple(row) for row in spark.sql(f"SELECT id, p, v FROM {table}").collect()]
    assert len(set(read)) == len(read)
    return set(read)


@pytest.mark.parametrize("point", POINTS, ids=lambda p: f"{p[0]} {p[1]}")
def test_a_halt_leaves_before_or_after(
    spark: SparkSession,
    fault_classes: str,
    tmp_path: Path,
    point: tuple[str, str, int, bool],
) -> None:
    operation, path, nth, stands = point
    place = tmp_path / "table"
    child = run_child(
        tmp_path / "child",
        [
            {"label": "create", "sql": CREATE.format(name="t", place=place)},
            {"label": "insert", "sql": INSERT.format(name="t")},
            {"label": "overwrite", "sql": OVERWRITE.format(name="t", word="new")},
        ],
        dying(f"{operation}:{path}:{nth}:halt", fault_classes),
    )
    assert child.jvm_exit == 137, f"the JVM did not halt: {child.steps}"
    assert child.steps[-1]["label"] == "overwrite"
    table = f"hudilite.`{place}`"
    assert rows(spark, table) == (overwritten("new") if stands else OLD)
    with dead_at_once(spark):
        spark.sql(OVERWRITE.format(name=table, word="again"))
    assert rows(spark, table) == overwritten("again")
    assert check_table(place) == []
    shutil.rmtree(place)
