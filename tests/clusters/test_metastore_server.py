"""A Hive metastore of its own: what one process creates, registers and drops, another one sees."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.children import ChildOutcome, run_child
from harness.invariants import check_table
from harness.metastore import Seen, look
from harness.metastore_server import metastore_server
from harness.turns import await_told, is_told, tell

CREATE = (
    "CREATE TABLE d.t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 "
    "PARTITIONED BY (p) TBLPROPERTIES ('hoodie.datasource.hive_sync.enable' = 'true', "
    "'hoodie.datasource.hive_sync.sync_as_datasource' = 'false')"
)
MERGE = (
    "MERGE INTO d.t t USING (SELECT 7 id, 'b' p, 'new' v UNION ALL SELECT 30, 'c', 'new') s "
    "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)
ROWS = "SELECT p, v, count(*), sum(id) FROM d.t GROUP BY p, v ORDER BY p, v"
MERGED = [["a", "old", 10, 90], ["b", "new", 1, 7], ["b", "old", 9, 93], ["c", "new", 1, 30]]
LEFT = [["a", "old", 10, 90, None], ["b", "new", 1, 7, None], ["b", "old", 9, 93, None]]


@dataclass(frozen=True)
class Shared:
    """What two processes were answered, and what a process without hudilite saw between them."""

    folder: Path
    first: ChildOutcome
    second: ChildOutcome
    seen: Seen
    files: list[str]


def step(label: str, sql: str) -> dict[str, Any]:
    return {"label": label, "sql": sql}


def of_first(folder: Path) -> list[dict[str, Any]]:
    """Creates the table, changes it after the other's MERGE, and drops it."""
    return [
        step("database", f"CREATE DATABASE d LOCATION '{folder}/d'"),
        step("create", CREATE),
        step(
            "insert",
            "INSERT INTO d.t SELECT CAST(id AS INT), if(id % 2 = 0, 'a', 'b'), 'old' FROM range(20)",
        ),
        step("partitions before", "SHOW PARTITIONS d.t"),
        tell(folder / "created"),
        await_told(folder / "seen"),
        step("rows", ROWS),
        step("partitions", "SHOW PARTITIONS d.t"),
        step("column", "ALTER TABLE d.t ADD COLUMN more INT"),
        step("partition", "ALTER TABLE d.t DROP PARTITION (p = 'c')"),
        tell(folder / "altered"),
        await_told(folder / "read"),
        step("drop", "DROP TABLE d.t"),
        tell(folder / "dropped"),
    ]


def of_second(folder: Path) -> list[dict[str, Any]]:
    """Merges into the table that the other one made, and looks at what that one changes."""
    return [
        await_told(folder / "created"),
        step("tables", "SHOW TABLES IN d"),
        step("merge", MERGE),
        step("rows", ROWS),
        step("sync", "CALL hive_sync(table => 'd.t')"),
        tell(folder / "merged"),
        await_told(folder / "altered"),
        step("altered", ROWS.replace("sum(id)", "sum(id), max(more)")),
        step("sync again", "CALL hive_sync(table => 'd.t')"),
        tell(folder / "read"),
        await_told(folder / "dropped"),
        step("gone", "SELECT * FROM d.t"),
        step("tables left", "SHOW TABLES IN d"),
        step("drop entry", "DROP TABLE d.t_hive"),
        step("no tables", "SHOW TABLES IN d"),
    ]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """The two processes and the one that looks, on one server."""
    folder = tmp_path_factory.mktemp("server")
    with metastore_server(folder) as conf, ThreadPoolExecutor(2) as pool:
        first = pool.submit(run_child, folder / "first", of_first(folder), conf)
        second = pool.submit(run_child, folder / "second", of_second(folder), conf)
        try:
            assert is_told(folder / "merged")
            queries = ["SHOW PARTITIONS d.t_hive", "SHOW TABLES IN d"]
            seen = look(folder, ["d.t_hive"], queries, conf)
            files = check_table(folder / "d" / "t")
        finally:
            (folder / "seen").touch()
        yield Shared(folder, first.result(), second.result(), seen, files)


def test_each_process_sees_what_the_other_committed(shared: Shared) -> None:
    assert shared.second.rows("tables") == [["d", "t", False], ["d", "t_hive", False]]
    assert shared.second.rows("merge") == [[2, 1, 0, 1]]
    assert shared.second.rows("rows") == shared.first.rows("rows") == MERGED
    assert shared.first.rows("partitions before") == [["p=a"], ["p=b"]]
    assert shared.first.rows("partitions") == [["p=a"], ["p=b"], ["p=c"]]
    assert shared.second.rows("altered") == LEFT
    assert shared.files == []


def test_each_commit_registers_its_partitions(shared: Shared) -> None:
    """The second process has nothing left to register, after its own commit or the other's."""
    entry = shared.seen.entries["d.t_hive"]
    assert [one["values"] for one in entry["partitions"]] == [["a"], ["b"], ["c"]]
    assert entry["location"] == f"file:{shared.folder}/d/t"
    assert shared.seen.rows["SHOW PARTITIONS d.t_hive"] == [["p=a"], ["p=b"], ["p=c"]]
    for label in ("sync", "sync again"):
        assert shared.second.rows(label)[0][:6] == ["d.t_hive", False, 0, 0, 0, 0], label


def test_a_table_that_one_process_drops_is_gone_for_the_other(shared: Shared) -> None:
    """The entry for other engines stays until it is dropped."""
    assert [one for one in shared.first.steps if "error" in one] == []
    failed = {one["label"]: one["error"] for one in shared.second.steps if "error" in one}
    assert failed == {"gone": "TABLE_OR_VIEW_NOT_FOUND"}
    assert shared.second.rows("tables left") == [["d", "t_hive", False]]
    assert shared.second.rows("no tables") == []
    assert not (shared.folder / "d" / "t").exists()
