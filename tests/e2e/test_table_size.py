"""What statements cost while the table grows by partitions, files and commits, in storage calls.

HUDILITE_TABLE_FILES is the number of base files of the largest table, more than 10,000: its partitions
and its commits are a hundredth of that. The process that is measured has a heap of half a
gigabyte, whatever the size of the table: Spark itself needs nearly the half of it.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness import padding
from harness.children import run_child
from harness.java import LAYER
from harness.padding import Size
from harness.rotation import ninth, product

WHEN = product("core/view/", "core/commit/", "spark/read/", "spark/exec/", "spark/locate/")
pytestmark = ninth(1, when=WHEN)
FILES = int(os.environ.get("HUDILITE_TABLE_FILES", "10000"))
SIZES = {
    "small": Size(100, 10, 18),
    "large": Size(1000, 10, 18) if FILES <= 10_000 else Size(FILES // 100, 100, FILES // 100 + 8),
    "long": Size(100, 10, 98),
}
BUCKETS = max(size.groups for size in SIZES.values())
CHECKPOINT = 10  # commits
MADE = 12  # most commits of the statements here
MOST_COMMITS = 1000  # that a load reads for the names of files
MOST_OF_A_CHECKPOINT = 100_000  # base files; a larger table has none
TOUCHED = 3  # partitions: without a checkpoint, a statement looks whether each has its metafile
HEAP = {
    "spark.driver.memory": "512m",
    "spark.driver.extraJavaOptions": f"-Duser.timezone=UTC {LAYER}",
    "spark.hadoop.fs.file.impl": "hudilite.tests.FaultFileSystem",
}
ROWS = "SELECT id, concat('r', id % 3) r, concat('p', id % 3) p, 'v' v FROM range({})"
CREATE = (
    "CREATE TABLE {} (id BIGINT, r STRING, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite "
    f"PARTITIONED BY (r, p) WITH BUCKETS {BUCKETS}"
)
MERGE = (
    f"MERGE INTO {{}} t USING ({ROWS.format(300)}) s ON t.id = s.id AND t.r = s.r AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET v = 'w' WHEN NOT MATCHED THEN INSERT *"
)
ONE = "r = 'r1' AND p = 'p1'"
COUNT = f"SELECT count(v), sum(id) FROM {{}} WHERE {ONE}"
CLEAN = (
    "CALL clean(table => '{}', retain_commits => 1, retain_hours => 0, "
    "allow_short_retention => true, dry_run => true)"
)
# Statements with a predicate on the partition columns, and those about the table's latest commits.
STEADY = {
    "select": COUNT,
    "select by path": COUNT.replace("{}", "hudilite.`{path}`"),
    "merge": MERGE,
    "update": f"UPDATE {{}} SET v = 'u' WHERE {ONE} AND id < 10",
    "overwrite": "INSERT OVERWRITE {} PARTITION (r = 'r2', p = 'p2') SELECT 2, 'o'",
    "delete": "DELETE FROM {} WHERE r = 'r2' AND p = 'p2'",
    "show_timeline": "CALL show_timeline(table => '{}')",
    "partitions": "SHOW PARTITIONS {} PARTITION (r = 'r1')",
}
# Statements whose calls grow with the partitions or the commits; see the tests.
GROWING = {"clean": CLEAN, "verify": "CALL verify(table => '{}', level => 'meta')"}
# CALL verify keeps what the commits tell of each file: a million of them do not fit into the heap.
VERIFIED = [table for table, size in SIZES.items() if size.files <= MOST_OF_A_CHECKPOINT]
FIRST, AGAIN = "first", "again"


@dataclass(frozen=True)
class Calls:
    """The storage calls of a statement."""

    lines: list[list[str]]

    @property
    def by_operation(self) -> Counter[tuple[str, bool]]:
        """How often the driver, and tasks, have called what."""
        return Counter((line[2], line[1].startswith("Executor task")) for line in self.lines)

    def of(self, operation: str, where: str) -> int:
        """Number of calls of an operation at the paths that hold a text."""
        return sum(line[2] == operation and where in line[3] for line in self.lines)


def _pad(table: str, base: Path, size: Size) -> list[dict[str, Any]]:
    """Statements that make a table whose last commit is due for a checkpoint."""
    command = [sys.executable, padding.__file__, str(base)]
    for name in ("partitions", "groups", "commits"):
        command += [f"--{name}", str(getattr(size, name))]
    return [
        {"label": "create", "sql": CREATE.format(table)},
        {"label": "insert", "sql": f"INSERT INTO {table} {ROWS.format(300)}"},
        {"label": "pad", "run": command},
        {"label": f"made {table}", "sql": MERGE.format(table)},
    ]


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory, fault_classes: str) -> dict[str, Calls]:
    """The calls of each statement by "<table> <statement> <first or again>"."""
    folder = tmp_path_factory.mktemp("size")
    places = {table: folder / "child" / "wh" / table for table in SIZES}
    made = [step for t, size in SIZES.items() for step in _pad(t, places[t], size)]
    run_child(folder / "child", made, HEAP, timeout=3600)
    steps: list[dict[str, Any]] = []
    for table, place in places.items():
        assert (SIZES[table].commits + 2) % CHECKPOINT == 0
        created = f"CREATE TABLE {table} USING hudilite LOCATION '{place}'"
        steps.append({"label": f"create {table}", "sql": created})
        asked = STEADY | GROWING
        if table not in VERIFIED:
            del asked["verify"]
        for label, sql in asked.items():
            for turn in (FIRST, AGAIN):
                name = f"{table} {label} {turn}"
                text = sql.format(table, path=place)
                steps += [
                    {"label": f"arm {name}", "arm": [f"/{table}/", ""]},
                    {"label": name, "sql": text},
                    {"label": f"calls of {name}", "disarm": True},
                ]
    outcome = run_child(folder / "measured", steps, HEAP, timeout=3600)
    for step in outcome.steps:
        assert "error" not in step, step
    names = [step["label"] for step in steps if "sql" in step and "create" not in step["label"]]
    return {name: Calls(outcome.rows(f"calls of {name}")) for name in names}


@pytest.mark.parametrize("turn", [FIRST, AGAIN])
@pytest.mark.parametrize("statement", STEADY)
def test_a_statement_about_few_partitions_calls_the_storage_as_often_in_a_large_table(
    calls: dict[str, Calls], statement: str, turn: str
) -> None:
    small, large, long = (calls[f"{table} {statement} {turn}"].by_operation for table in SIZES)
    assert small, "nothing was counted"
    assert long == small
    if FILES <= MOST_OF_A_CHECKPOINT:
        assert large == small
    else:
        more = large - small
        assert more.pop(("read", False), 0) <= (MOST_COMMITS if turn == FIRST else 0)
        assert all(count <= TOUCHED for count in more.values()), more


def test_a_clean_lists_each_partition_once_and_reads_at_most_a_thousand_commits(
    calls: dict[str, Calls],
) -> None:
    for table, size in SIZES.items():
        cleaned = calls[f"{table} clean {AGAIN}"]
        assert cleaned.of("list", "/p=pad") == size.partitions
        assert cleaned.of("read", ".commit") <= min(MOST_COMMITS, size.commits + MADE)


def test_verify_lists_each_partition_once_and_reads_each_commit_and_number_once(
    calls: dict[str, Calls],
) -> None:
    for table in VERIFIED:
        size = SIZES[table]
        verified = calls[f"{table} verify {AGAIN}"]
        assert verified.of("list", "/p=pad") == size.partitions
        assert size.commits < verified.of("read", ".commit") <= size.commits + MADE
        assert size.commits < verified.of("read", "/commits/") <= size.commits + MADE
