"""Requests of a statement on a table with a long history: as many as on one with a short history."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterator
from uuid import uuid4

import pytest
from pyarrow.fs import FileSelector
from test_requests import MERGE, by_mark, mark

from harness.children import ChildOutcome, run_child
from harness.fault_proxy import FaultProxy, Seen
from harness.names import VERSION_6
from harness.rotation import ninth, product
from harness.stores import BUCKET, S3Store

ARCHIVED, ACTIVE = 10_000, 100
EARLY = 10  # commits of the table with a short history
pytestmark = ninth(5, when=product("core/commit/", "core/timeline/"))
MOST = 1.1
TABLES = ("few", "many")
EMPTY = (
    '{"partitionToWriteStats": {}, "compacted": false, "extraMetadata": {}, '
    '"operationType": "UPSERT"}'
)
# A file that the test puts into the store's folder has no tag.
UNTAGGED = {"spark.hadoop.fs.s3a.change.detection.version.required": "false"}
ONE = MERGE.format(source="SELECT 8 id, 'p0' p, '{v}' v")
# By label: the statement, which changes the same rows whatever came before.
COUNTED = {
    "select": "SELECT count(v), sum(id), max(v) FROM {t}",
    "merge": ONE.format(v="new"),
    "delete": "DELETE FROM {t} WHERE id = 12 AND p = 'p0'",
    "look": "SELECT * FROM {t} WHERE id = 8 AND p = 'p0'",
}


@pytest.fixture(scope="module")
def place() -> str:
    """A folder of the bucket."""
    return str(uuid4())


@pytest.fixture(scope="module")
def outcome(
    store: S3Store, proxy: FaultProxy, place: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ChildOutcome, dict[str, list[Seen]]]]:
    """The results of the statements on both tables, and their requests, by `statement table`."""
    folder = tmp_path_factory.mktemp("history")
    conf = store.through(proxy.port).conf() | UNTAGGED
    steps: list[dict[str, object]] = []
    for table in TABLES:
        insert = f"INSERT INTO {table} SELECT id, concat('p', id % 4) p, repeat(uuid(), 4) "
        steps += [
            {"label": f"create {table}", "sql": _create(store, place, table)},
            {"label": f"insert {table}", "sql": f"{insert} FROM range(4000)"},
        ]
        steps += [
            {"label": f"{n} {table}", "sql": _of(table, ONE.format(v=n))} for n in range(EARLY - 1)
        ]
    made = run_child(folder / "make", steps, conf)
    assert [step for step in made.steps if "error" in step] == []
    lengthen(store, f"{place}/many")
    proxy.arm()
    # The first write of a process checks the bucket.
    steps = [
        {"label": "create other", "sql": _create(store, place, "other")},
        {"label": "insert other", "sql": "INSERT INTO other VALUES (1, 'p', 'v')"},
    ]
    for table in TABLES:
        steps += [
            {"label": f"create {table}", "sql": _create(store, place, table)},
            {"label": f"warm {table}", "sql": _of(table, COUNTED["select"])},
        ]
    for label, sql in COUNTED.items():
        for table in TABLES:
            name = f"{label} {table}"
            steps.append({"label": "mark", "run": mark(proxy.port, name)})
            steps.append({"label": name, "sql": _of(table, sql)})
    steps.append({"label": "mark", "run": mark(proxy.port, "end")})
    told = run_child(folder / "use", steps, conf)
    assert [step for step in told.steps if "error" in step] == []
    yield told, by_mark(proxy.seen)


def _create(store: S3Store, place: str, table: str) -> str:
    return (
        f"CREATE TABLE {table} (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite "
        f"WITH BUCKETS 2 PARTITIONED BY (p) LOCATION '{store.url(f'{place}/{table}')}'"
    )


def _of(table: str, sql: str) -> str:
    return sql.replace("{t}", table).replace("INTO t ", f"INTO {table} t ")


def lengthen(store: S3Store, name: str) -> None:
    """Puts a long history before the commits of a table: archived ones, which have a number alone, and active ones.

    Args:
        name: Of the table's folder in the bucket.
    """
    base = store.folder / name
    commits, timeline = base / VERSION_6.commits, base / VERSION_6.timeline
    before = ARCHIVED + ACTIVE - EARLY
    for path in sorted(commits.iterdir(), reverse=True):
        path.rename(path.with_name(f"{int(path.name[:20]) + before:020d}{path.name[20:]}"))
    for n in range(1, before + 1):
        instant = f"2020010100{n:07d}"
        record = {"kind": "commit", "instant": instant, "action": "commit", "writer": "test"}
        (commits / f"{n:020d}").write_text(json.dumps(record | {"touched": [], "metadata": "{}"}))
        (commits / f"{n:020d}-{instant}").touch()
        if n > ARCHIVED:
            (timeline / f"{instant}.commit.requested").touch()
            (timeline / f"{instant}.inflight").write_text("{}")
            (timeline / f"{instant}.commit").write_text(EMPTY)
    checkpoint = commits / f"{ARCHIVED + ACTIVE:020d}.checkpoint"
    recent = base / VERSION_6.metadata / ".hudilite-recent"
    recent.mkdir()
    for path in commits.glob(f"{checkpoint.stem}?*"):
        (recent / path.name).touch()
    text = re.sub('("number" : )[0-9]+', rf"\g<1>{ARCHIVED + ACTIVE}", checkpoint.read_text())
    text = re.sub('("stamps" : )"[0-9a-f]+"', rf'\g<1>"{_digest(store, name)}"', text)
    blank = re.sub('("hudilite.checksum" : )"[0-9a-f]{8}"', r'\g<1>"00000000"', text)
    checksum = f"{zlib.crc32(blank.encode()):08x}"
    checkpoint.write_text(blank.replace('"00000000"', f'"{checksum}"', 1))


def _digest(store: S3Store, name: str) -> str:
    """The digest of the completed files in a checkpoint: their lengths and times, as the store lists them."""
    selector = FileSelector(f"{BUCKET}/{name}/{VERSION_6.timeline}")
    listed = store.files().get_file_info(selector)
    stamps = sorted(
        f"{info.base_name.removesuffix('.commit')} {info.size} {info.mtime_ns // 1_000_000}"
        for info in listed
        if info.base_name.endswith(".commit")
    )
    assert len(stamps) == ACTIVE
    return hashlib.sha256("\n".join(stamps).encode()).hexdigest()


@pytest.mark.parametrize("label", COUNTED)
def test_a_long_history_costs_few_more_requests(
    outcome: tuple[ChildOutcome, dict[str, list[Seen]]], label: str
) -> None:
    _, made = outcome
    short, long = made[f"{label} few"], made[f"{label} many"]
    listed = "\n".join(f"{seen.method} {seen.status} {seen.path}?{seen.query}" for seen in long)
    assert 0 < len(long) <= MOST * len(short), f"{len(short)}\n{listed}"
    print(f"{label}: {len(short)} requests, with a long history {len(long)}")


def test_a_long_history_changes_no_row(
    outcome: tuple[ChildOutcome, dict[str, list[Seen]]], store: S3Store, place: str
) -> None:
    told, _ = outcome
    for label in COUNTED:
        counts = [told.rows(f"{label} {table}") for table in TABLES]
        if label != "select":  # the values of the inserted rows are random
            assert counts[0] == counts[1]
    assert told.rows("look few")[0][2] == "new"
    numbers = store.folder / place / "many" / VERSION_6.commits
    highest = max(int(path.name) for path in numbers.iterdir() if len(path.name) == 20)
    assert highest == ARCHIVED + ACTIVE + 2
