"""Two Beelines on one Thrift server, of which one dies, and a server that dies with a commit under way."""

from __future__ import annotations

from pathlib import Path

import pytest
from served import Served

from harness import clients
from harness.waiting import await_true
from hudilite import timeline

pytestmark = pytest.mark.timeout(900)

SETTING = "spark.hudilite.write.copy"
CREATE = (
    "CREATE TABLE sessions.t (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2"
)
ROWS = 100
MERGED = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
# Each row of the source takes its time, so that the statement is met half way.
SLOW = (
    "MERGE INTO sessions.t t USING (SELECT id, java_method('java.lang.Thread', 'sleep', 100L) v "
    f"FROM range({ROWS // 2}, {ROWS * 2})) s ON t.id = s.id {MERGED}"
)
SHOWN = "SELECT concat_ws(' ', count(*), count_if(v = 'a'), count_if(v = 'b')) FROM sessions.t"


def done(client: clients.Client, statement: str) -> list[str]:
    """The rows of a statement that must not fail."""
    lines = client.run(statement)
    assert clients.first_line(lines) is None, lines
    return [line for line in (clients.PROMPT.sub("", line) for line in lines) if line.strip()]


def made(client: clients.Client, folder: Path) -> None:
    """A table of the test's own."""
    done(client, "DROP DATABASE IF EXISTS sessions CASCADE")
    done(client, f"CREATE DATABASE sessions LOCATION '{folder}/shop'")
    done(client, CREATE)
    done(client, f"INSERT INTO sessions.t SELECT id, 'a' FROM range({ROWS})")


def take_back(client: clients.Client, folder: Path) -> None:
    """Rolls back what a dead writer has left, of which nothing but the word is there."""
    (left,) = timeline.read(folder / "shop" / "t").pending
    found = done(client, "CALL verify(table => 'sessions.t', level => 'rows')")
    assert [line.split("\t")[:2] for line in found] == [["INFO", "INSTANT_PENDING"]]
    done(client, f"CALL rollback(table => 'sessions.t', instant => '{left.time}')")
    assert done(client, "CALL verify(table => 'sessions.t', level => 'rows')") == []
    assert not timeline.read(folder / "shop" / "t").pending


@pytest.mark.rotated(by="test", third=0)
def test_two_sessions(tmp_path: Path, served: Served) -> None:
    one, two = served.beeline("first"), served.beeline("second")
    made(one, tmp_path)
    assert done(two, SHOWN)[-1:] == ["100 100 0"]
    source = f"(SELECT id, 'b' v FROM range({ROWS - 10}, {ROWS + 10}))"
    merge = f"MERGE INTO sessions.t t USING {source} s ON t.id = s.id {MERGED}"
    assert done(two, merge)[-1:] == ["20\t10\t0\t10"]
    assert done(one, SHOWN)[-1:] == ["110 90 20"], "the other's commit is seen at once"
    done(one, f"SET {SETTING} = false")
    done(one, f"UPDATE sessions.t SET v = 'a' WHERE id = {ROWS - 1}")
    done(two, f"UPDATE sessions.t SET v = 'a' WHERE id = {ROWS - 2}")
    assert done(two, SHOWN)[-1:] == ["110 92 18"]
    bad = "INSERT INTO sessions.t VALUES (1, 'again')"
    line = clients.first_line(one.run(bad))
    assert line is not None
    assert line.startswith("[HUDILITE_DUPLICATE_KEY] ")
    assert done(one, SHOWN) == done(two, SHOWN)
    commits = timeline.read(tmp_path / "shop" / "t").commits[-2:]
    metrics = [commit.completion.metrics for commit in commits]
    assert [of.get("numFilesNotCopiedSetting", 0) > 0 for of in metrics] == [True, False]


@pytest.mark.rotated(by="test", third=0)
def test_a_client_that_is_killed(tmp_path: Path, served: Served) -> None:
    other, victim = served.beeline("first"), served.beeline("second")
    made(other, tmp_path)
    assert done(victim, SHOWN)[-1:] == ["100 100 0"]
    before = len(timeline.read(tmp_path / "shop" / "t").commits)
    victim.start(SLOW)
    await_true(lambda: bool(timeline.read(tmp_path / "shop" / "t").pending), 60)
    victim.kill()
    assert done(other, SHOWN)[-1:] == ["100 100 0"], "nothing of it is seen"
    await_true(lambda: not timeline.read(tmp_path / "shop" / "t").pending, 60)
    assert done(other, "CALL verify(table => 'sessions.t', level => 'rows')") == []
    done(other, "UPDATE sessions.t SET v = 'b' WHERE id = 0")
    assert done(other, SHOWN)[-1:] == ["100 99 1"]
    assert len(timeline.read(tmp_path / "shop" / "t").commits) == before + 1


@pytest.mark.rotated(by="test", third=0)
def test_a_server_that_is_killed_with_a_commit_under_way(tmp_path: Path, served: Served) -> None:
    client = served.beeline()
    made(client, tmp_path)
    client.start(SLOW)
    await_true(lambda: bool(timeline.read(tmp_path / "shop" / "t").pending), 60)
    served.kill()
    assert timeline.read(tmp_path / "shop" / "t").pending
    later = served.beeline()
    assert done(later, SHOWN)[-1:] == ["100 100 0"]
    done(later, "UPDATE sessions.t SET v = 'b' WHERE id = 0")
    assert done(later, SHOWN)[-1:] == ["100 99 1"]
    take_back(later, tmp_path)
