"""A JVM that halts at a storage call of a MERGE leaves the table as it was before, or as after.

Each point is the n-th call of a storage operation whose path matches; the process halts there.
This process, which has never opened the table, then reads it and merges again; that takes back
whatever the halt has left.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.children import ChildOutcome, run_child
from harness.faults import dead_at_once
from harness.invariants import check_table
from harness.java import dying

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Point = tuple[str, str, int, str]
BEFORE, AFTER = "before", "after"
# Operation, path, which call, and what must be read afterwards; in the order of the calls. `make
# faults` breaks all the others too, and a push a sample of them.
POINTS: list[Point] = [
    ("createNew", "[.]commit[.]requested$", 1, BEFORE),
    ("createNew", "[.]marker[.]", 2, BEFORE),
    ("fsync", "[.]parquet$", 1, BEFORE),
    ("fsync", "[.]parquet$", 3, BEFORE),
    ("createNew", "[.]hoodie_partition_metadata$", 1, BEFORE),
    ("createNew", "commits/[0-9]{20}$", 1, BEFORE),
    ("status", "[0-9][.]commit$", 1, AFTER),
    ("createNew", "[0-9][.]commit$", 1, AFTER),
    ("createNew", "commits/[0-9]{20}-[0-9]{17}$", 1, AFTER),
    ("deleteTree", "[.]temp", 1, AFTER),
]
CREATE = (
    "CREATE TABLE {name} (id INT, p STRING, v STRING, PRIMARY KEY (id)) "
    "USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 {place}"
)
INSERT = "INSERT INTO {name} SELECT id, IF(id < 10, 'a', 'b'), 'old' FROM range(20)"
MERGE = (
    "MERGE INTO {name} t USING (SELECT id, IF(id < 10, 'a', 'c') p, '{word}' v FROM range(5, 15) "
    "UNION ALL SELECT id, 'c', '{word}' FROM range(30, 34)) s ON t.id = s.id AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED AND s.id >= 30 THEN INSERT * "
    "WHEN NOT MATCHED BY SOURCE AND t.id = 19 THEN DELETE"
)
OLD = {(i, "a" if i < 10 else "b", "old") for i in range(20)}


def merged(rows: set[tuple[int, str, str]], word: str) -> set[tuple[int, str, str]]:
    kept = {row for row in rows if row[0] < 5 or 9 < row[0] < 19}
    changed = {(i, "a", word) for i in range(5, 10)} | {(i, "c", word) for i in range(30, 34)}
    return kept | changed


@pytest.fixture(scope="module")
def original(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table as it is before every MERGE."""
    place = tmp_path_factory.mktemp("crash") / "original"
    spark.sql(CREATE.format(name="original", place=f"LOCATION '{place}'"))
    spark.sql(INSERT.format(name="original"))
    return place


@pytest.fixture(scope="module")
def crashed(
    original: Path, fault_classes: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[Point, tuple[Path, Future[ChildOutcome]]]]:
    """A crash at every point, two at a time: the folder and what the child said."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        folders = {point: tmp_path_factory.mktemp("crashed") for point in POINTS}
        runs = {
            p: (f, pool.submit(crash, original, f, p, fault_classes)) for p, f in folders.items()
        }
        yield runs
        pool.shutdown(cancel_futures=True)


def crash(original: Path, folder: Path, point: Point, classes: str) -> ChildOutcome:
    """A MERGE in a process of its own that halts at a point."""
    operation, path, nth, _ = point
    place = folder / "table"
    return run_child(
        folder / "child",
        [
            {"label": "create", "sql": CREATE.format(name="t", place=f"LOCATION '{place}'")},
            {"label": "swap", "swap": [str(original), str(place)]},
            {"label": "merge", "sql": MERGE.format(name="t", word="new")},
        ],
        dying(f"{operation}:{path}:{nth}:halt", classes),
    )


@pytest.mark.parametrize("point", POINTS, ids=lambda p: f"{p[0]} {p[1]} {p[2]}")
def test_a_halt_leaves_before_or_after(
    spark: SparkSession,
    crashed: dict[Point, tuple[Path, Future[ChildOutcome]]],
    point: Point,
) -> None:
    folder, run = crashed[point]
    child, place = run.result(), folder / "table"
    assert child.jvm_exit == 137, f"the JVM did not halt: {child.steps}"
    assert child.steps[-1]["label"] == "merge"
    table = register(spark, place, folder)
    found = rows(spark, table)
    assert found == (OLD if point[-1] == BEFORE else merged(OLD, "new"))
    with dead_at_once(spark):
        spark.sql(MERGE.format(name=table, word="again"))
    assert rows(spark, table) == merged(found, "again")
    assert check_table(place) == []


def register(spark: SparkSession, place: Path, folder: Path) -> str:
    """Names a table that lies at a place: a new one's files give way to it."""
    name = "crashed_" + "".join(c if c.isalnum() else "_" for c in folder.name)
    kept = folder / "kept"
    shutil.move(place, kept)
    spark.sql(CREATE.format(name=name, place=f"LOCATION '{place}'"))
    shutil.rmtree(place)
    shutil.move(kept, place)
    return name


def rows(spark: SparkSession, table: str) -> set[tuple[int, str, str]]:
    read = [tuple(row) for row in spark.sql(f"SELECT id, p, v FROM {table}").collect()]
    assert len(set(read)) == len(read)
    return set(read)
