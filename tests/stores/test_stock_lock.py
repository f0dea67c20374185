"""Writes under the lock of stock Hudi, which may write the same table at the same time."""

from __future__ import annotations

import json
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from harness import layout
from harness.children import ChildOutcome, run_child
from harness.fault_proxy import FaultProxy, Seen
from harness.rotation import ninth, product
from harness.stock import NO_STOCK, StockFailed, StockSpark, stock_environment
from harness.stock_on_s3 import ALONE, LISTED, SHARED, TABLE, is_conflict, stock_on, upsert
from harness.stores import NUMBER, S3Store
from harness.waiting import await_true

BUCKETS = {
    "hoodie.index.type": "BUCKET",
    "hoodie.bucket.index.num.buckets": "2",
    "hoodie.bucket.index.hash.field": "id",
}
BLOOM = {"hoodie.index.type": "BLOOM"}
LOCK = "/.hoodie/.locks/table_lock.json"
LOCKS = product("core/lock/", "core/commit/", "core/io/")
NINE = "'hoodie.write.table.version' = '9'"
SHARE = "'hudilite.stock.lock' = 'storage'"
KEEP = "'hudilite.metadata' = 'keep-files'"
METADATA = "hoodie.table.metadata.partitions"


def created(url: str, properties: str, buckets: str = "WITH BUCKETS 2") -> str:
    """The statement that creates the table."""
    return (
        f"CREATE TABLE t (id INT, n INT, PRIMARY KEY (id)) USING hudilite {buckets} "
        f"LOCATION '{url}' TBLPROPERTIES ({properties})"
    )


def labelled(*statements: str) -> list[dict[str, Any]]:
    return [{"label": str(number), "sql": text} for number, text in enumerate(statements)]


def errors(done: ChildOutcome) -> list[dict[str, Any]]:
    return [step for step in done.steps if "error" in step]


def lock_of(folder: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads((folder / ".hoodie/.locks/table_lock.json").read_bytes())
    return held


def writes_of(proxy: FaultProxy, name: str) -> list[str]:
    """Kinds of the files of a table that a process wrote for its commits, in order."""
    seen = [s for s in proxy.seen if s.method == "PUT" and name in s.path and s.status == 200]
    return [word for s in seen if (word := _word(s))]


def _word(seen: Seen) -> str:
    if seen.path.endswith(LOCK):
        return "lock"
    if seen.path.endswith(".commit.requested"):
        return "requested"
    if NUMBER.search(seen.path):
        return "number"
    return "completed" if seen.path.endswith(".commit") else ""


@ninth(7, when=LOCKS)
def test_a_write_begins_and_commits_under_the_lock(
    store: S3Store, proxy: FaultProxy, tmp_path: Path
) -> None:
    name = f"{uuid4()}/t"
    here = store.through(proxy.port)
    proxy.arm()
    done = run_child(
        tmp_path,
        labelled(
            created(here.url(name), f"{NINE}, {SHARE}"),
            "INSERT INTO t VALUES (1, 1), (2, 2)",
            "SELECT * FROM t ORDER BY id",
            "CALL verify(table => 't', level => 'rows')",
        ),
        here.conf(),
    )
    assert errors(done) == []
    assert done.rows("2") == [[1, 1], [2, 2]]
    assert done.rows("3") == []
    expected = ["lock", "requested", "lock", "lock", "number", "completed", "lock"]
    assert writes_of(proxy, name) == expected
    assert lock_of(store.folder / name)["expired"] is True
    assert not any((store.folder / name / ".hoodie/.heartbeat").glob("*"))


OURS, STOCKS = 0, -1  # rows that count the statements of each side
AWAIT = 'until [ -e "$0" ]; do sleep 0.05; done'


def statements() -> tuple[int, int]:
    """How many statements hudilite and stock Hudi run: one in five is one of stock Hudi."""
    every = int(os.environ.get("HUDILITE_LOCK_STATEMENTS", "40"))
    return every - every // 5, every // 5


@pytest.fixture(scope="module")
def stock(store: S3Store, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Stock Hudi-Spark that writes to the store."""
    environment = stock_environment()
    if environment is None:
        pytest.skip(NO_STOCK)
    with stock_on(store, environment, tmp_path_factory.mktemp("stock")) as found:
        yield found


def counted(url: str, number: int) -> str:
    """A statement of hudilite: it adds one to a row, and inserts a row of its own."""
    return (
        f"MERGE INTO hudilite.`{url}` t USING (SELECT {OURS} id, 1 n UNION ALL SELECT {number}, 1) s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = t.n + s.n WHEN NOT MATCHED THEN INSERT *"
    )


def write_by_stock(stock: StockSpark, url: str, count: int, options: dict[str, str]) -> list[int]:
    """As many upserts by stock Hudi, each with a row of its own and the row that counts them.

    One that conflicts with a commit of hudilite begins again; another fault leaves its row out.

    Returns:
        The rows of those that were successful.
    """
    done: list[int] = []
    own = 100_001
    while own <= 100_000 + count:
        try:
            upsert(stock, url, [{"id": own, "n": 1}, {"id": STOCKS, "n": len(done) + 1}], options)
            done.append(own)
        except StockFailed as failed:
            if is_conflict(failed):
                continue
            print(failed)
        own += 1
    return done


def assert_listed(stock: StockSpark, told: Told) -> None:
    """Stock Hudi's metadata table lists each file of a commit, and stock Hudi reads all rows by it."""
    files = layout.base_files(told.folder)
    lengths = {file.path.name: file.path.stat().st_size for file in files}
    done = layout.completed(told.folder)
    committed = {file.path.name: lengths[file.path.name] for file in files if file.instant in done}
    listed: dict[str, int] = stock.ask(op="listing", path=told.url)["listing"][""]
    assert committed.items() <= listed.items() <= lengths.items()
    found = stock.rows_of(op="read", path=told.url, options={"hoodie.metadata.enable": "true"})
    assert dict(zip(found["id"].to_pylist(), found["n"].to_pylist(), strict=True)) == told.rows


@dataclass(frozen=True)
class Case:
    """A table and its writers.

    Attributes:
        properties: Of the table.
        options: Of stock Hudi's writer, beside those of each table.
        buckets: The clause of the table.
        first: Statements of hudilite before both sides write.
        between: Statements of hudilite, one after each fourth of its writes; `{t}` is the table.
    """

    properties: str
    options: dict[str, str]
    buckets: str = "WITH BUCKETS 2"
    first: tuple[str, ...] = ()
    between: tuple[str, ...] = ()

    def steps(self, url: str, count: int) -> list[dict[str, Any]]:
        """The writes of hudilite, whose labels are their numbers, and the other statements."""
        table = f"hudilite.`{url}`"
        made: list[dict[str, Any]] = []
        for number in range(1, count + 1):
            made.append({"label": str(number), "sql": counted(url, number)})
            if self.between and number % 4 == 0:
                text = self.between[number // 4 % len(self.between)]
                made.append({"label": f"{number}: {text}", "sql": text.format(t=table)})
        return made


@dataclass(frozen=True)
class Told:
    """Successful statements of both sides, and the rows of the table.

    Attributes:
        faults: What is wrong with the table: it cannot be read, verify finds a fault, or a key
            has two rows.
    """

    ours: list[int]
    stocks: list[int]
    rows: dict[int, int]
    folder: Path
    url: str
    steps: list[dict[str, Any]]
    faults: tuple[Any, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether the table has the rows of all successful statements, and each counting row counts them."""
        expected = dict.fromkeys([*self.ours, *self.stocks], 1)
        expected |= {OURS: len(self.ours), STOCKS: len(self.stocks)}
        return not self.faults and self.rows == expected


def both_write(store: S3Store, stock: StockSpark, folder: Path, case: Case) -> Told:
    """Runs both sides at once on a new table."""
    ours, stocks = statements()
    name = f"{uuid4()}/t"
    url = store.url(name)
    options = TABLE | (BUCKETS if case.buckets else BLOOM) | case.options
    first = (
        created(url, case.properties, case.buckets),
        f"INSERT INTO t VALUES ({OURS}, 0), ({STOCKS}, 0)",
        *case.first,
    )
    made, taken, ready = (folder / name for name in ("made", "taken", "ready"))
    steps: list[dict[str, Any]] = [
        *({"label": f"first {number}", "sql": text} for number, text in enumerate(first)),
        {"label": "made", "run": ["touch", str(made)]},
        {"label": "taken", "run": ["sh", "-c", AWAIT, str(taken)]},
        {"label": "session", "sql": f"SELECT count(*) FROM hudilite.`{url}`"},
        {"label": "meet", "run": ["touch", str(ready)]},
        *case.steps(url, ours),
    ]
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(run_child, folder / "ours", steps, store.conf(), timeout=7200)
        try:
            await_true(lambda: made.exists() or run.done(), 600)
            # The first commit of stock Hudi makes all columns nullable, which is a change of columns.
            upsert(stock, url, [{"id": STOCKS, "n": 0}], options)
        finally:
            taken.touch()
        await_true(lambda: ready.exists() or run.done(), 600)
        done = write_by_stock(stock, url, stocks, options)
        told = run.result()
    assert [step for step in errors(told) if step["label"].startswith("first")] == []
    table = f"hudilite.`{url}`"
    read = labelled(
        f"SELECT id, n FROM {table}", f"CALL verify(table => '{table}', level => 'rows')"
    )
    last = run_child(folder / "last", read, store.conf())
    faults: list[Any] = errors(last)
    rows = [] if faults else last.rows("0")
    if not faults:
        faults += [row for row in last.rows("1") if "ERROR" in row]
        faults += [row for row in rows if [key for key, _ in rows].count(row[0]) > 1]
    for fault in (*errors(told), *faults):
        print(fault)
    written = [int(s["label"]) for s in told.steps if s["label"].isdigit() and "error" not in s]
    folder, steps = store.folder / name, told.steps
    return Told(written, done, dict(rows), folder, url, steps, tuple(faults))


@ninth(0, when=LOCKS)
@pytest.mark.timeout(7200)
def test_stock_and_hudilite_lose_nothing_when_they_write_at_once(
    store: S3Store, stock: StockSpark, tmp_path: Path
) -> None:
    told = both_write(store, stock, tmp_path, Case(f"{NINE}, {SHARE}", SHARED))
    assert (len(told.ours), len(told.stocks)) == statements()
    assert told.is_whole


# The writer of stock Hudi would give the table version 9.
EIGHT = {"hoodie.write.table.version": "8", "hoodie.write.auto.upgrade": "false"}
TO_EIGHT = "CALL downgrade_table(table => 't', version => 8)"
VERSION_8 = Case(f"{NINE}, {SHARE}", SHARED | EIGHT, first=(TO_EIGHT,))
NO_BUCKETS = Case(f"{NINE}, {SHARE}", SHARED, buckets="")


@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(VERSION_8, id="version 8", marks=ninth(1, when=LOCKS)),
        pytest.param(NO_BUCKETS, id="no buckets", marks=ninth(2, when=LOCKS)),
    ],
)
def test_other_tables_lose_nothing_when_both_write_at_once(
    store: S3Store, stock: StockSpark, tmp_path: Path, case: Case
) -> None:
    told = both_write(store, stock, tmp_path, case)
    assert (len(told.ours), len(told.stocks)) == statements()
    assert told.is_whole
    expected = "8" if case is VERSION_8 else "9"
    assert layout.properties(told.folder)["hoodie.table.version"] == expected


def lose(store: S3Store, file: Path) -> None:
    """Removes an object, as if a writer had died before it wrote that."""
    file.unlink()
    shutil.rmtree(store.facts / file.relative_to(store.folder), ignore_errors=True)


@ninth(6, when=LOCKS)
def test_stock_rolls_back_dead_writes_that_are_in_the_list_of_files(
    store: S3Store, stock: StockSpark, tmp_path: Path
) -> None:
    name = f"{uuid4()}/t"
    url, hoodie = store.url(name), store.folder / name / ".hoodie"
    first = created(url, f"{NINE}, {SHARE}, {KEEP}"), f"INSERT INTO t VALUES ({OURS}, 0)"
    assert errors(run_child(tmp_path / "made", labelled(*first), store.conf())) == []
    options = TABLE | BUCKETS | LISTED
    upsert(stock, url, [{"id": STOCKS, "n": 1}], options)
    ours = run_child(tmp_path / "ours", labelled(counted(url, 1), counted(url, 2)), store.conf())
    assert errors(ours) == []
    lost = max(layout.completed(store.folder / name))
    lose(store, layout.completed_file(store.folder / name, lost))
    # A write of stock Hudi that has died in the metadata table.
    dead = f"{int(lost) - 1}"
    for place in ("timeline", "metadata/.hoodie/timeline"):
        action = "commit" if place == "timeline" else "deltacommit"
        store.put(f"{name}/.hoodie/{place}/{dead}.{action}.requested", b"")
        ending = "inflight" if place == "timeline" else "deltacommit.inflight"
        store.put(f"{name}/.hoodie/{place}/{dead}.{ending}", b"")
    begun = {path.name for path in (hoodie / "metadata/.hoodie/timeline").glob(f"{lost}*")}
    assert len(begun) == 3
    upsert(stock, url, [{"id": STOCKS, "n": 2}], options)
    for time_ in (lost, dead):
        assert not list((hoodie / "metadata/.hoodie/timeline").glob(f"{time_}*"))
        assert not list((hoodie / "timeline").glob(f"{time_}*"))
    last = labelled(counted(url, 3), f"SELECT id, n FROM hudilite.`{url}`")
    told = run_child(tmp_path / "last", last, store.conf())
    assert errors(told) == []
    rows = dict(told.rows("1"))
    assert rows == {OURS: 2, STOCKS: 2, 1: 1, 3: 1}
    assert_listed(stock, Told([1, 3], [], rows, store.folder / name, url, []))


SERVICES = (
    "CALL clean(table => '{t}', retain_commits => 10, retain_hours => 0, allow_short_retention => true)",
    "CALL archive(table => '{t}', keep_min => 12, keep_max => 13)",
    "CALL savepoint(table => '{t}')",
)


@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    "keeps",
    [
        pytest.param(False, id="off", marks=ninth(3, when=LOCKS)),
        pytest.param(True, id="kept", marks=ninth(4, when=LOCKS)),
    ],
)
def test_services_of_hudilite_lose_nothing_while_stock_writes(
    store: S3Store, stock: StockSpark, tmp_path: Path, keeps: bool
) -> None:
    properties = f"{NINE}, {SHARE}, {KEEP}" if keeps else f"{NINE}, {SHARE}"
    case = Case(properties, LISTED if keeps else SHARED, between=SERVICES)
    told = both_write(store, stock, tmp_path, case)
    assert (len(told.ours), len(told.stocks)) == statements()
    assert told.is_whole
    done = [step for step in told.steps if "CALL" in step["label"]]
    assert len(done) >= len(SERVICES)
    assert [step for step in done if "error" in step] == []
    if keeps:
        assert_listed(stock, told)


# They need a table without a pending write, and are refused as long as there is one. Each with words of
# its error.
ALONE_ONLY = {
    "CALL downgrade_table(table => '{t}', version => 8)": "has pending write = '{pending}'",
    "CALL downgrade_table(table => '{t}', version => 6)": "has hudilite.stock.lock = 'storage'",
    "CALL set_table_type(table => '{t}', type => 'mor')": "has pending write = '{pending}'",
    "CALL restore(table => '{t}', instant => '{first}')": "has pending write = '{pending}'",
    "CALL rollback(table => '{t}', instant => '{pending}')": "Its writer is alive",
}


@ninth(6, when=LOCKS)
def test_a_change_of_the_version_and_a_restore_are_refused_while_stock_writes(
    store: S3Store, tmp_path: Path
) -> None:
    name = f"{uuid4()}/t"
    table = f"hudilite.`{store.url(name)}`"
    made = run_child(
        tmp_path / "made",
        labelled(
            created(store.url(name), f"{NINE}, {SHARE}"),
            "INSERT INTO t VALUES (1, 1)",
            "INSERT INTO t VALUES (2, 2)",
        ),
        store.conf(),
    )
    assert errors(made) == []
    first, last = sorted(layout.completed(store.folder / name))
    pending = f"{int(last) + 1000000}"
    for file in (f".heartbeat/{pending}", f"timeline/{pending}.commit.requested"):
        store.put(f"{name}/.hoodie/{file}", b"")
    words = {"t": table, "first": first, "pending": pending}
    calls = labelled(*(text.format(**words) for text in ALONE_ONLY))
    told = run_child(tmp_path / "told", calls, store.conf())
    texts = [fault["text"] for fault in errors(told)]
    assert len(texts) == len(ALONE_ONLY)
    for text, expected in zip(texts, ALONE_ONLY.values(), strict=True):
        assert expected.format(**words) in text
    assert sorted(layout.completed(store.folder / name)) == [first, last]


@ninth(7, when=LOCKS)
def test_a_restore_and_changes_of_the_version_succeed_between_two_writes_of_stock(
    store: S3Store, stock: StockSpark, tmp_path: Path
) -> None:
    name = f"{uuid4()}/t"
    url, folder = store.url(name), store.folder / name
    table = f"hudilite.`{url}`"
    first = created(url, f"{NINE}, {SHARE}"), "INSERT INTO t VALUES (1, 1)"
    assert errors(run_child(tmp_path / "made", labelled(*first), store.conf())) == []
    options = TABLE | BUCKETS | SHARED
    upsert(stock, url, [{"id": 2, "n": 2}], options)
    kept = max(layout.completed(folder))
    upsert(stock, url, [{"id": 1, "n": 3}, {"id": 3, "n": 3}], options)

    def call(step: str, text: str) -> dict[int, int]:
        told = run_child(
            tmp_path / step, labelled(text, f"SELECT id, n FROM {table}"), store.conf()
        )
        assert errors(told) == []
        return dict(told.rows("1"))

    restored = call("restored", f"CALL restore(table => '{table}', instant => '{kept}')")
    assert restored == {1: 1, 2: 2}
    upsert(stock, url, [{"id": 4, "n": 4}], options)
    expected = {1: 1, 2: 2, 4: 4}
    for version, writer in (("8", EIGHT), ("9", {})):
        procedure = "downgrade_table" if version == "8" else "upgrade_table"
        assert (
            call(version, f"CALL {procedure}(table => '{table}', version => {version})") == expected
        )
        assert layout.properties(folder)["hoodie.table.version"] == version
        own = 10 + int(version)
        upsert(stock, url, [{"id": own, "n": 1}], options | writer)
        expected[own] = 1
    last = labelled(counted(url, 5), f"SELECT id, n FROM {table}")
    told = run_child(tmp_path / "last", last, store.conf())
    assert errors(told) == []
    assert dict(told.rows("1")) == expected | {OURS: 1, 5: 1}
    found = stock.rows_of(op="read", path=url)
    assert dict(zip(found["id"].to_pylist(), found["n"].to_pylist(), strict=True)) == dict(
        told.rows("1")
    )


@ninth(5, when=LOCKS)
@pytest.mark.timeout(7200)
def test_stock_and_hudilite_keep_the_list_of_files_when_they_write_at_once(
    store: S3Store, stock: StockSpark, tmp_path: Path
) -> None:
    told = both_write(store, stock, tmp_path, Case(f"{NINE}, {SHARE}, {KEEP}", LISTED))
    assert (len(told.ours), len(told.stocks)) == statements()
    assert told.is_whole
    assert layout.properties(told.folder)[METADATA] == "files"
    assert_listed(stock, told)


@ninth(8)
@pytest.mark.timeout(7200)
def test_stock_and_hudilite_lose_rows_when_they_write_at_once_without_the_lock(
    store: S3Store, stock: StockSpark, tmp_path: Path
) -> None:
    """The test above can fail: without the lock it does."""
    told = both_write(store, stock, tmp_path, Case(NINE, ALONE))
    assert told.ours
    assert told.stocks
    assert not told.is_whole


@ninth(6, when=LOCKS)
def test_a_write_waits_for_the_lock_of_another_and_names_it(store: S3Store, tmp_path: Path) -> None:
    name = f"{uuid4()}/t"
    held = {"expired": False, "validUntil": int(1000 * time.time()) + 600_000, "owner": "somebody"}
    conf = store.conf() | {"spark.hudilite.write.lockSeconds": "2"}
    made = run_child(
        tmp_path / "made", labelled(created(store.url(name), f"{NINE}, {SHARE}")), store.conf()
    )
    assert errors(made) == []
    store.put(f"{name}{LOCK}", json.dumps(held).encode())
    insert = f"INSERT INTO hudilite.`{store.url(name)}` VALUES (1, 1)"
    fault = errors(run_child(tmp_path / "blocked", labelled(insert), conf))[0]
    assert fault["error"] == "HUDILITE_LOCK_TIMEOUT"
    assert "after 2 seconds, writer somebody holds its lock until 20" in fault["text"]
    assert lock_of(store.folder / name) == held
