"""Two processes write to tables of a storage at once: one order of their statements explains all.

A process is killed in a write; on S3, requests break and commit numbers arrive late. The checkers are
tested in tests/selftest/test_histories.py. HUDILITE_STORE_STATEMENTS says how many statements are
acknowledged before the processes stop: on S3Proxy a half of it, on storages without broken requests a
quarter.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from harness import layout
from harness.fault_proxy import FaultProxy, Seen, fault_proxy
from harness.faults import dead_at_once
from harness.hdfs import Hdfs
from harness.invariants import check_table
from harness.remote import Place, on_cloud, on_hdfs, on_s3
from harness.seeds import asked_seed
from harness.session import add_jars, open_session
from harness.stores import NUMBER, SHORT_PAUSES, S3Store, Store
from harness.writers.history import History
from harness.writers.processes import Life
from harness.writers.workloads import BUCKETS

SEED = asked_seed()
STATEMENTS = int(os.environ.get("HUDILITE_STORE_STATEMENTS", "200"))
SECONDS = max(1200, 6 * STATEMENTS)  # on a busy machine
BROKEN = 0.05  # of the requests
DELAYED = 0.2  # of the numbers
FAULTS = ("drop_before", "drop_after", "s500_before", "s500_after", "s503", "half", "late")
# Conditions with which a statement may fail here, and not on a local disk.
EXPECTED = frozenset({"HUDILITE_COMMIT_STATE_UNKNOWN"})
UNSAFE = {
    "spark.hadoop.fs.s3a.create.conditional.enabled": "false",
    "spark.hudilite.write.singleWriter": "s3a",
}
RUN = Life()
pytestmark = pytest.mark.timeout(2 * SECONDS)


@pytest.fixture(scope="module", params=["store", "second_store"])
def server(request: pytest.FixtureRequest) -> S3Store:
    """versitygw, and S3Proxy."""
    found: S3Store = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module", params=["gcs", "adls", "hdfs"])
def other(request: pytest.FixtureRequest) -> Store | Hdfs:
    """The storages that do not speak S3."""
    found: Store | Hdfs = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module")
def breaking(server: S3Store) -> Iterator[FaultProxy]:
    """A proxy in front of a server of S3."""
    with fault_proxy(server.port, server.folder.parent) as found:
        yield found


@contextmanager
def history_on(
    storage: Store | Hdfs, folder: Path, tables: tuple[str, ...] = tuple(BUCKETS)
) -> Iterator[History]:
    """New tables in a storage, and a session that makes and reads them, of which no request breaks."""
    places = {table: _place(storage) for table in tables}
    if isinstance(storage, Store):
        add_jars(os.pathsep.join(storage.jars()))
    session = open_session("hudilite histories", folder / "warehouse", conf_of(storage))
    session.sparkContext.setLogLevel("ERROR")
    try:
        history = History(session, folder, f"h{uuid4().hex}", places, EXPECTED)
        history.create(BUCKETS)
        yield history
    finally:
        # The next session is in this JVM, and its server has a bucket of the same name.
        jvm: Any = session._jvm
        jvm.org.apache.hadoop.fs.FileSystem.closeAll()
        session.stop()


def conf_of(storage: Store | Hdfs) -> dict[str, str]:
    """Settings of a session that reaches a storage."""
    if isinstance(storage, Hdfs):
        return {}
    late = {f"spark.hadoop.{key}": value for key, value in storage.late_settings().items()}
    return storage.conf() | late | SHORT_PAUSES


def _place(storage: Store | Hdfs) -> Place:
    if isinstance(storage, Hdfs):
        return on_hdfs(storage)
    return on_s3(storage) if isinstance(storage, S3Store) else on_cloud(storage)


def check_history(
    history: History, folder: Path, statements: int, late: frozenset[str] = frozenset()
) -> None:
    """One order explains the history, in which a process was killed; the tables are whole.

    Args:
        late: Names of files that a store may have got after their writer had deleted them. CALL remove_orphans
            finds them, when they are an hour old.
    """
    wrong = history.faults()
    print(json.dumps(history.figures))
    assert wrong == []
    with dead_at_once(history.spark):  # the last write of a process may have left files
        for place in history.places.values():
            history.spark.sql(f"INSERT INTO hudilite.`{place.location}` VALUES (-1, NULL)")
    for table, place in history.places.items():
        copy = place.fetched(folder / f"whole-{table}")
        done = layout.completed(copy)
        came_late = [
            file
            for file in layout.base_files(copy)
            if file.path.name in late and file.instant not in done
        ]
        print(f"{table}: {len(came_late)} files came after their writer had deleted them")
        for file in came_late:
            file.path.unlink()
        assert check_table(copy) == []
    assert history.figures["kills"] == 1
    assert history.figures["conflicts"] >= statements // 40


def test_one_order_explains_a_history_on_a_store(
    server: S3Store, store: S3Store, breaking: FaultProxy, tmp_path: Path
) -> None:
    print(f"HUDILITE_SEED={SEED}")
    chance = random.Random(SEED)
    statements = STATEMENTS if server is store else STATEMENTS // 2

    def fault(seen: Seen) -> str:
        if is_number(seen):
            return "slow" if chance.random() < DELAYED else ""
        return chance.choice(FAULTS) if chance.random() < BROKEN else ""

    with history_on(server, tmp_path) as history:
        breaking.arm()
        breaking.chance = fault
        try:
            conf = server.through(breaking.port).conf() | SHORT_PAUSES
            history.run(conf, dying(statements), statements, SECONDS, rollback_after="20s")
        finally:
            breaking.chance = lambda seen: ""
        history.figures |= figures(breaking.seen)
        check_history(history, tmp_path, statements, late_files(breaking.seen))
    assert set(breaking.struck()) == {*FAULTS, "slow"}
    assert history.figures["delayed"] >= statements // 40
    assert history.figures["overlapping"] >= statements // 40


def test_no_order_explains_writers_that_were_each_declared_alone(
    server: S3Store, breaking: FaultProxy, tmp_path: Path
) -> None:
    """The test above can fail: without conditional requests it does."""
    with history_on(server, tmp_path, ("counter",)) as history:
        breaking.arm()
        breaking.chance = lambda seen: "slow" if is_number(seen) else ""
        try:
            conf = server.through(breaking.port).conf() | SHORT_PAUSES | UNSAFE
            history.run(conf, [[RUN], [RUN]], 20, SECONDS, rollback_after="1d")
        finally:
            breaking.chance = lambda seen: ""
        assert history.faults() != []


def test_one_order_explains_a_history_on_another_storage(
    other: Store | Hdfs, tmp_path: Path
) -> None:
    statements = STATEMENTS // 4
    with history_on(other, tmp_path) as history:
        history.run(conf_of(other), dying(statements), statements, SECONDS, rollback_after="20s")
        check_history(history, tmp_path, statements)


def dying(statements: int) -> list[list[Life]]:
    """Two processes, one of which is killed in a write and starts again."""
    return [[Life(kill_after=statements // 10), RUN], [RUN]]


def figures(seen: list[Seen]) -> dict[str, Any]:
    """Counts of what the proxy has seen: requests, broken ones, numbers, and those that overlap."""
    numbers = sorted(filter(is_number, seen), key=lambda s: (s.path.rsplit("/", 1)[0], s.began))
    tables = [list(of) for _, of in groupby(numbers, key=lambda s: s.path.rsplit("/", 1)[0])]
    return {
        "requests": len(seen),
        "broken": sum(s.fault in FAULTS for s in seen),
        "delayed": sum(s.fault == "slow" for s in seen),
        "numbers": len(numbers),
        "refused": sum(s.status == 412 for s in numbers),
        "overlapping": sum(later.began < one.ended for of in tables for one, later in pairwise(of)),
    }


def late_files(seen: list[Seen]) -> frozenset[str]:
    """Names of the base files that the store got after their writer had given that up."""
    late = (s.path for s in seen if s.method == "PUT" and s.fault == "late")
    return frozenset(path.rsplit("/", 1)[1] for path in late if path.endswith(".parquet"))


def is_number(seen: Seen) -> bool:
    """Whether a request creates a commit number."""
    return seen.method == "PUT" and NUMBER.search(seen.path) is not None
