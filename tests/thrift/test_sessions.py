"""Two Beelines on one Thrift server, of which one dies, and a server that dies with a commit under way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness import clients
from harness.setups import hive_conf
from hudilite import timeline

pytestmark = pytest.mark.timeout(900)

SETTING = "spark.hudilite.write.copy"
CREATE = "CREATE TABLE shop.t (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2"
ROWS = 100
MERGED = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
# Each row of the source takes its time, so that the statement is met half way.
SLOW = (
    "MERGE INTO shop.t t USING (SELECT id, java_method('java.lang.Thread', 'sleep', 100L) v "
    f"FROM range({ROWS // 2}, {ROWS * 2})) s ON t.id = s.id {MERGED}"
)
SHOWN = "SELECT concat_ws(' ', count(*), count_if(v = 'a'), count_if(v = 'b')) FROM shop.t"


@pytest.fixture
def conf(tmp_path: Path) -> dict[str, str]:
    return hive_conf(tmp_path) | {
        "spark.master": "local[2]",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
    }


@contextmanager
def sessions(port: int, folder: Path, number: int) -> Iterator[list[clients.Client]]:
    made = [clients.beeline(port, folder) for _ in range(number)]
    yield made
    for client in made:
        client.close()


def done(client: clients.Client, statement: str) -> list[str]:
    """The rows of a statement that must not fail."""
    lines = client.run(statement)
    assert clients.first_line(lines) is None, lines
    return [line for line in (clients.PROMPT.sub("", line) for line in lines) if line.strip()]


def made(client: clients.Client, folder: Path) -> None:
    done(client, f"CREATE DATABASE shop LOCATION '{folder}/shop'")
    done(client, CREATE)
    done(client, f"INSERT INTO shop.t SELECT id, 'a' FROM range({ROWS})")


def await_true(what: Callable[[], bool]) -> None:
    for _ in range(600):
        if what():
            return
        time.sleep(0.1)
    raise AssertionError("it did not come")


def take_back(client: clients.Client, folder: Path) -> None:
    """Rolls back what a dead writer has left, of which nothing but the word is there."""
    (left,) = timeline.read(folder / "shop" / "t").pending
    found = done(client, "CALL verify(table => 'shop.t', level => 'rows')")
    assert [line.split("\t")[:2] for line in found] == [["INFO", "INSTANT_PENDING"]]
    done(client, f"CALL rollback(table => 'shop.t', instant => '{left.time}')")
    assert done(client, "CALL verify(table => 'shop.t', level => 'rows')") == []
    assert not timeline.read(folder / "shop" / "t").pending


def test_two_sessions(tmp_path: Path, conf: dict[str, str]) -> None:
    with clients.thrift_server(conf, tmp_path) as port, sessions(port, tmp_path, 2) as (one, two):
        made(one, tmp_path)
        assert done(two, SHOWN)[-1:] == ["100 100 0"]
        source = f"(SELECT id, 'b' v FROM range({ROWS - 10}, {ROWS + 10}))"
        merge = f"MERGE INTO shop.t t USING {source} s ON t.id = s.id {MERGED}"
        assert done(two, merge)[-1:] == ["20\t10\t0\t10"]
        assert done(one, SHOWN)[-1:] == ["110 90 20"], "the other's commit is seen at once"
        done(one, f"SET {SETTING} = false")
        done(one, f"UPDATE shop.t SET v = 'a' WHERE id = {ROWS - 1}")
        done(two, f"UPDATE shop.t SET v = 'a' WHERE id = {ROWS - 2}")
        assert done(two, SHOWN)[-1:] == ["110 92 18"]
        bad = "INSERT INTO shop.t VALUES (1, 'again')"
        line = clients.first_line(one.run(bad))
        assert line is not None
        assert line.startswith("[HUDILITE_DUPLICATE_KEY] ")
        assert done(one, SHOWN) == done(two, SHOWN)
    commits = timeline.read(tmp_path / "shop" / "t").commits[-2:]
    metrics = [commit.completion.metrics for commit in commits]
    assert [of.get("numFilesNotCopiedSetting", 0) > 0 for of in metrics] == [True, False]


def test_a_client_that_is_killed(tmp_path: Path, conf: dict[str, str]) -> None:
    with clients.thrift_server(conf, tmp_path) as port, sessions(port, tmp_path, 1) as (other,):
        made(other, tmp_path)
        victim = clients.beeline(port, tmp_path)
        assert done(victim, SHOWN)[-1:] == ["100 100 0"]
        before = len(timeline.read(tmp_path / "shop" / "t").commits)
        victim.start(SLOW)
        await_true(lambda: bool(timeline.read(tmp_path / "shop" / "t").pending))
        victim.kill()
        assert done(other, SHOWN)[-1:] == ["100 100 0"], "nothing of it is seen"
        done(other, "UPDATE shop.t SET v = 'b' WHERE id = 0")
        assert done(other, SHOWN)[-1:] == ["100 99 1"]
        take_back(other, tmp_path)
    assert len(timeline.read(tmp_path / "shop" / "t").commits) == before + 1


def test_a_server_that_is_killed_with_a_commit_under_way(
    tmp_path: Path, conf: dict[str, str]
) -> None:
    with clients.running_server(conf, tmp_path) as (port, server):
        client = clients.beeline(port, tmp_path)
        made(client, tmp_path)
        client.start(SLOW)
        await_true(lambda: bool(timeline.read(tmp_path / "shop" / "t").pending))
        server.kill()
        client.kill()
    assert timeline.read(tmp_path / "shop" / "t").pending
    with clients.thrift_server(conf, tmp_path) as port, sessions(port, tmp_path, 1) as (later,):
        assert done(later, SHOWN)[-1:] == ["100 100 0"]
        done(later, "UPDATE shop.t SET v = 'b' WHERE id = 0")
        assert done(later, SHOWN)[-1:] == ["100 99 1"]
        take_back(later, tmp_path)
