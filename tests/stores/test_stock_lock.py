"""Writes under the lock of stock Hudi, which may write the same table at the same time.

hudilite writes in this process, and stock Hudi in one of its own. HUDILITE_LOCK_STATEMENTS is the number of
statements of both in each test.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from harness import layout
from harness.children import ChildOutcome, run_child, run_here
from harness.fault_proxy import FaultProxy, Seen
from harness.rotation import ninth, product
from harness.session import add_jars
from harness.stock import NO_STOCK, StockFailed, StockSpark, stock_environment
from harness.stock_on_s3 import ALONE, LISTED, SHARED, TABLE, is_conflict, stock_on, upsert
from harness.stores import NUMBER, S3Store
from model.relations import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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


def statements() -> tuple[int, int]:
    """How many statements hudilite and stock Hudi run: one in five is one of stock Hudi."""
    every = int(os.environ.get("HUDILITE_LOCK_STATEMENTS", "40"))
    return every - every // 5, every // 5


@pytest.fixture(scope="module")
def session(spark: SparkSession, store: S3Store) -> Iterator[SparkSession]:
    """The session of this process, with the connector of the store."""
    add_jars(os.pathsep.join(store.jars()))
    jvm: Any = spark._jvm
    hadoop: Any = spark.sparkContext._jsc.hadoopConfiguration()
    for key, value in store.late_settings().items():
        hadoop.set(key, value)
    yield spark
    # A later session of this JVM reaches the bucket of the same name in another way.
    bucket = jvm.java.net.URI.create(store.url(""))
    jvm.org.apache.hadoop.fs.FileSystem.get(bucket, hadoop).close()


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

    One that conflicts with a commit of hudilite begins again, and so does one that could not give
    back the lock, unless it had committed before: in another session, because the heartbeat of a write
    that fails as it takes its instant goes on until its session ends. Another fault leaves its row out.

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
            if is_unreleased(failed) and [own, 1] in read_by_stock(stock, url):
                done.append(own)
            elif is_conflict(failed):
                continue
            elif is_unreleased(failed):
                print(failed)
                stock.restart()
                continue
            else:
                print(failed)
        own += 1
    return done


def is_unreleased(failed: StockFailed) -> bool:
    """Whether stock Hudi does not know that it gave back its lock. If the answer to a request is lost, its
    client sends the request again, which then meets a lock that is free already."""
    return "FAILED_TO_RELEASE" in str(failed)


def assert_listed(stock: StockSpark, told: Told) -> None:
    """Stock Hudi's metadata table lists each file of a commit, and stock Hudi reads all rows by it."""
    files = layout.base_files(told.folder)
    lengths = {file.path.name: file.path.stat().st_size for file in files}
    done = layout.completed(told.folder)
    committed = {file.path.name: lengths[file.path.name] for file in files if file.instant in done}
    listed: dict[str, int] = stock.ask(op="listing", path=told.url)["listing"][""]
    assert committed.items() <= listed.items() <= lengths.items()
    by_stock = read_by_stock(stock, told.url, **{"hoodie.metadata.enable": "true"})
    assert dict(by_stock) == told.rows


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
        faults: What is wrong with the table: it cannot be read, verify finds a fault, a key has two
            rows, or stock Hudi reads others.
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


def both_write(session: SparkSession, store: S3Store, stock: StockSpark, case: Case) -> Told:
    """Runs both sides at once on a new table."""
    ours, stocks = statements()
    name = f"{uuid4()}/t"
    url = store.url(name)
    table = f"hudilite.`{url}`"
    options = TABLE | (BUCKETS if case.buckets else BLOOM) | case.options
    first = (
        created(url, case.properties, case.buckets),
        f"INSERT INTO t VALUES ({OURS}, 0), ({STOCKS}, 0)",
        *case.first,
    )
    assert errors(run_here(session, labelled(*first))) == []
    # The first commit of stock Hudi makes all columns nullable, which is a change of columns.
    upsert(stock, url, [{"id": STOCKS, "n": 0}], options)
    assert errors(run_here(session, labelled(f"SELECT count(*) FROM {table}"))) == []
    # A write may have to wait until the heartbeat of a dead one is two minutes old.
    with (
        settings(session, {"spark.hudilite.write.lockSeconds": "300"}),
        ThreadPoolExecutor(1) as pool,
    ):
        run = pool.submit(run_here, session, case.steps(url, ours))
        done = write_by_stock(stock, url, stocks, options)
        told = run.result()
    rows, faults = found_in(session, stock, url)
    for fault in (*errors(told), *faults):
        print(fault)
    written = [int(s["label"]) for s in told.steps if s["label"].isdigit() and "error" not in s]
    return Told(written, done, dict(rows), store.folder / name, url, told.steps, tuple(faults))


def found_in(
    session: SparkSession, stock: StockSpark, url: str
) -> tuple[list[list[int]], list[Any]]:
    """The rows of a table, and what is wrong with it."""
    table = f"hudilite.`{url}`"
    last = run_here(
        session,
        labelled(f"SELECT id, n FROM {table}", f"CALL verify(table => '{table}', level => 'rows')"),
    )
    faults: list[Any] = errors(last)
    if faults:
        return [], faults
    rows = last.rows("0")
    faults += [row for row in last.rows("1") if "ERROR" in row]
    faults += [row for row in rows if [key for key, _ in rows].count(row[0]) > 1]
    try:
        by_stock = read_by_stock(stock, url)
        faults += [] if by_stock == sorted(rows) else [f"stock Hudi reads {by_stock}"]
    except StockFailed as failed:
        faults.append(str(failed))
    return rows, faults


def read_by_stock(stock: StockSpark, url: str, **options: str) -> list[list[int]]:
    """The rows of a table as stock Hudi reads them, in order."""
    found = stock.rows_of(op="read", path=url, options=options)
    return sorted(map(list, zip(found["id"].to_pylist(), found["n"].to_pylist(), strict=True)))


@ninth(0, when=LOCKS)
@pytest.mark.timeout(7200)
def test_stock_and_hudilite_lose_nothing_when_they_write_at_once(
    session: SparkSession, store: S3Store, stock: StockSpark, database: Path
) -> None:
    told = both_write(session, store, stock, Case(f"{NINE}, {SHARE}", SHARED))
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
    session: SparkSession, store: S3Store, stock: StockSpark, database: Path, case: Case
) -> None:
    told = both_write(session, store, stock, case)
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
    session: SparkSession, store: S3Store, stock: StockSpark, database: Path, tmp_path: Path
) -> None:
    name = f"{uuid4()}/t"
    url, hoodie = store.url(name), store.folder / name / ".hoodie"
    first = created(url, f"{NINE}, {SHARE}, {KEEP}"), f"INSERT INTO t VALUES ({OURS}, 0)"
    assert errors(run_here(session, labelled(*first))) == []
    options = TABLE | BUCKETS | LISTED
    upsert(stock, url, [{"id": STOCKS, "n": 1}], options)
    ours = run_here(session, labelled(counted(url, 1), counted(url, 2)))
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
    # A process of its own: this one has seen the completion of the write that is dead now.
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
    session: SparkSession, store: S3Store, stock: StockSpark, database: Path, keeps: bool
) -> None:
    properties = f"{NINE}, {SHARE}, {KEEP}" if keeps else f"{NINE}, {SHARE}"
    case = Case(properties, LISTED if keeps else SHARED, between=SERVICES)
    told = both_write(session, store, stock, case)
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
    session: SparkSession, store: S3Store, database: Path
) -> None:
    name = f"{uuid4()}/t"
    table = f"hudilite.`{store.url(name)}`"
    made = run_here(
        session,
        labelled(
            created(store.url(name), f"{NINE}, {SHARE}"),
            "INSERT INTO t VALUES (1, 1)",
            "INSERT INTO t VALUES (2, 2)",
        ),
    )
    assert errors(made) == []
    first, last = sorted(layout.completed(store.folder / name))
    pending = f"{int(last) + 1000000}"
    for file in (f".heartbeat/{pending}", f"timeline/{pending}.commit.requested"):
        store.put(f"{name}/.hoodie/{file}", b"")
    words = {"t": table, "first": first, "pending": pending}
    calls = labelled(*(text.format(**words) for text in ALONE_ONLY))
    told = run_here(session, calls)
    texts = [fault["text"] for fault in errors(told)]
    assert len(texts) == len(ALONE_ONLY)
    for text, expected in zip(texts, ALONE_ONLY.values(), strict=True):
        assert expected.format(**words) in text
    assert sorted(layout.completed(store.folder / name)) == [first, last]


@ninth(7, when=LOCKS)
def test_a_restore_and_changes_of_the_version_succeed_between_two_writes_of_stock(
    session: SparkSession, store: S3Store, stock: StockSpark, database: Path
) -> None:
    name = f"{uuid4()}/t"
    url, folder = store.url(name), store.folder / name
    table = f"hudilite.`{url}`"
    first = created(url, f"{NINE}, {SHARE}"), "INSERT INTO t VALUES (1, 1)"
    assert errors(run_here(session, labelled(*first))) == []
    options = TABLE | BUCKETS | SHARED
    upsert(stock, url, [{"id": 2, "n": 2}], options)
    kept = max(layout.completed(folder))
    upsert(stock, url, [{"id": 1, "n": 3}, {"id": 3, "n": 3}], options)

    def after(text: str) -> dict[int, int]:
        told = run_here(session, labelled(text, f"SELECT id, n FROM {table}"))
        assert errors(told) == []
        return dict(told.rows("1"))

    restored = after(f"CALL restore(table => '{table}', instant => '{kept}')")
    assert restored == {1: 1, 2: 2}
    upsert(stock, url, [{"id": 4, "n": 4}], options)
    expected = {1: 1, 2: 2, 4: 4}
    for version, writer in (("8", EIGHT), ("9", {})):
        procedure = "downgrade_table" if version == "8" else "upgrade_table"
        assert after(f"CALL {procedure}(table => '{table}', version => {version})") == expected
        assert layout.properties(folder)["hoodie.table.version"] == version
        own = 10 + int(version)
        upsert(stock, url, [{"id": own, "n": 1}], options | writer)
        expected[own] = 1
    last = after(counted(url, 5))
    assert last == expected | {OURS: 1, 5: 1}
    assert dict(read_by_stock(stock, url)) == last


@ninth(5, when=LOCKS)
@pytest.mark.timeout(7200)
def test_stock_and_hudilite_keep_the_list_of_files_when_they_write_at_once(
    session: SparkSession, store: S3Store, stock: StockSpark, database: Path
) -> None:
    told = both_write(session, store, stock, Case(f"{NINE}, {SHARE}, {KEEP}", LISTED))
    assert (len(told.ours), len(told.stocks)) == statements()
    assert told.is_whole
    assert layout.properties(told.folder)[METADATA] == "files"
    assert_listed(stock, told)


@ninth(8)
@pytest.mark.timeout(7200)
def test_stock_and_hudilite_lose_rows_when_they_write_at_once_without_the_lock(
    session: SparkSession, store: S3Store, stock: StockSpark, database: Path
) -> None:
    """The test above can fail: without the lock it does."""
    told = both_write(session, store, stock, Case(NINE, ALONE))
    assert told.ours
    assert told.stocks
    assert not told.is_whole


@ninth(6, when=LOCKS)
def test_a_write_waits_for_the_lock_of_another_and_names_it(
    session: SparkSession, store: S3Store, database: Path
) -> None:
    name = f"{uuid4()}/t"
    held = {"expired": False, "validUntil": int(1000 * time.time()) + 600_000, "owner": "somebody"}
    assert errors(run_here(session, labelled(created(store.url(name), f"{NINE}, {SHARE}")))) == []
    store.put(f"{name}{LOCK}", json.dumps(held).encode())
    insert = f"INSERT INTO hudilite.`{store.url(name)}` VALUES (1, 1)"
    session.conf.set("spark.hudilite.write.lockSeconds", "2")
    try:
        fault = errors(run_here(session, labelled(insert)))[0]
    finally:
        session.conf.unset("spark.hudilite.write.lockSeconds")
    assert fault["error"] == "HUDILITE_LOCK_TIMEOUT"
    assert "after 2 seconds, writer somebody holds its lock until 20" in fault["text"]
    assert lock_of(store.folder / name) == held
