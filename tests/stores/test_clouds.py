"""Tables in Google Cloud Storage and Azure Data Lake Storage, and races for a file there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from races import FEWER, check_one_winner, race, rounds

from harness import layout
from harness.adls import AdlsStore
from harness.invariants import check_table
from harness.rotation import ninth, product
from harness.session import add_jars
from harness.store_calls import Caller, callers
from harness.stores import Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WITH_ADLS = ninth(4, when=product("core/io/"))  # as the fixture cloud
PENDING = "29990101000000000"
LOST = f"00000001-1111-2222-3333-444444444444-0_7-0-0_{PENDING}.parquet"
CREATE = (
    "CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite "
    "WITH BUCKETS 2 PARTITIONED BY (p) LOCATION '{}'"
)
INSERT = "INSERT INTO t SELECT id, if(id % 2 = 0, 'a', 'b'), 'old' FROM range(20)"
MERGE = (
    "MERGE INTO t USING (SELECT 7 id, 'b' p, 'new' v UNION ALL SELECT 30, 'c', 'new') s "
    "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)
ROWS = "SELECT p, v, count(*), sum(id) FROM {} GROUP BY p, v ORDER BY p, v"


@pytest.fixture(scope="module")
def racers(cloud: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Caller]]:
    """Five processes: four that race, and one that looks on."""
    with callers(5, cloud, tmp_path_factory.mktemp("racers")) as found:
        yield found


def seen_first(racers: list[Caller], name: str, call: str) -> tuple[list[str], str]:
    """The answers of a race, and what the first reader saw of the file."""
    watcher = racers[4]
    watcher.ask("first", watcher.url(name))
    answers = race(racers[:4], name, call)
    return answers, watcher.answer()


@pytest.mark.fault("F58")
@pytest.mark.timeout(1800)
def test_of_four_processes_one_creates_a_file_that_is_never_seen_empty(
    racers: list[Caller],
) -> None:
    folder = f"race-{uuid4()}"
    race(racers, f"{folder}/warm")
    for number in range(rounds(FEWER, 12)):
        name = f"{folder}/{number}"
        answers, seen = seen_first(racers, name, "createNew")
        check_one_winner(racers[:4], name, answers)
        assert seen == str(answers.index("true"))


@pytest.mark.timeout(1800)
def test_of_four_processes_that_write_a_file_at_once_none_fails(racers: list[Caller]) -> None:
    folder = f"shared-{uuid4()}"
    race(racers, f"{folder}/warm")
    for number in range(rounds(FEWER, 12)):
        name = f"{folder}/{number}"
        assert race(racers[:4], name, "touch") == ["true"] * 4
        assert race(racers[:4], name, "replace") == ["true"] * 4
        assert racers[0].call("read", racers[0].url(name)) in ("0", "1", "2", "3")


@WITH_ADLS
def test_hadoops_own_create_is_seen_empty_on_abfs(adls: AdlsStore, tmp_path: Path) -> None:
    """The reader above sees what there is."""
    with callers(5, adls, tmp_path) as found:
        folder = f"plain-{uuid4()}"
        race(found, f"{folder}/warm")
        assert "" in [seen_first(found, f"{folder}/{n}", "plain")[1] for n in range(20)]


@WITH_ADLS
def test_wrong_keys_are_refused_and_not_told(adls: AdlsStore, tmp_path: Path) -> None:
    wrong = AdlsStore(adls.port)
    with callers(1, wrong, tmp_path) as (caller,):
        told = caller.call("createNew", caller.url(f"wrong-{uuid4()}/f"), "mine")
    assert told.startswith("AccessDeniedException: ")
    assert not any(key in told for key in adls.keys + wrong.keys)


@pytest.fixture
def session(spark: SparkSession, cloud: Store, database: Path) -> SparkSession:
    """The session, with the connector of a cloud."""
    context: Any = spark.sparkContext
    add_jars(os.pathsep.join(cloud.jars()))
    for key, value in cloud.late_settings().items():
        context._jsc.hadoopConfiguration().set(key, value)
    return spark


def rows(session: SparkSession, table: str = "t") -> list[list[object]]:
    return [list(row) for row in session.sql(ROWS.format(table)).collect()]


def test_rows_are_those_of_any_other_storage(
    session: SparkSession, cloud: Store, tmp_path: Path
) -> None:
    name = f"{uuid4()}/t"
    for statement in (CREATE.format(cloud.url(name)), INSERT):
        session.sql(statement)
    first = rows(session)
    assert first == [["a", "old", 10, 90], ["b", "old", 10, 100]]
    (instant,) = layout.completed(cloud.fetched(name, tmp_path / "first"))
    assert [list(row) for row in session.sql(MERGE).collect()] == [[2, 1, 0, 1]]
    session.sql("DELETE FROM t WHERE id < 3")
    session.sql("INSERT OVERWRITE t PARTITION (p = 'c') VALUES (40, 'over')")
    expected = [["a", "old", 8, 88], ["b", "new", 1, 7], ["b", "old", 8, 92], ["c", "over", 1, 40]]
    assert rows(session) == rows(session, f"hudilite.`{cloud.url(name)}`") == expected
    assert rows(session, f"t VERSION AS OF '{instant}'") == first
    verified = session.sql("CALL verify(table => 't', level => 'rows')").collect()
    assert verified == []
    assert check_table(cloud.fetched(name, tmp_path / "last")) == []


def test_a_pending_write_is_rolled_back(
    session: SparkSession, cloud: Store, tmp_path: Path
) -> None:
    name = f"{uuid4()}/t"
    for statement in (CREATE.format(cloud.url(name)), INSERT):
        session.sql(statement)
    for path, content in {
        f".hoodie/{PENDING}.commit.requested": b"",
        f".hoodie/{PENDING}.inflight": b"{}",
        f".hoodie/.temp/{PENDING}/p=a/{LOST}.marker.CREATE": b"",
        f"p=a/{LOST}": b"lost",
    }.items():
        cloud.put(f"{name}/{path}", content)
    before = rows(session)
    session.sql(f"CALL rollback(table => 't', instant => '{PENDING}')")
    assert rows(session) == before
    place = cloud.fetched(name, tmp_path / "t")
    left = [path.name for path in place.rglob(f"*{PENDING}*")]
    assert [name[20:] for name in left] == [f"-{PENDING}"]  # the abort record's hint
    assert any(path.name.endswith(".rollback") for path in (place / ".hoodie").iterdir())
    texts = [path.read_text("latin-1") for path in place.rglob("*") if path.is_file()]
    assert not any(key in text for key in cloud.keys for text in texts)
