"""PyHive, SQLAlchemy, a JDBC program and Beeline on a Thrift server: statements, errors, cancels,
lost connections, and clients that die with a MERGE under way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from droppable import droppable
from programs import NAMES, Answer, Program, Speaker, started
from served import Served

from faults import BEGUN
from harness.waiting import await_true
from hudilite import timeline

pytestmark = pytest.mark.timeout(600)

ROWS = 100  # so a slow statement takes ten seconds
WORDS = ("docs/how-to/bi-tools.md", "python/requirements-clients.txt")
SHORT = pytest.mark.rotated(by="test", third=0, when=WORDS)  # the server is there in this third
LONG = pytest.mark.rotated(by="test", third=-1, when=WORDS)
SLEEP = "java_method('java.lang.Thread', 'sleep', 100L)"
# Each row takes its time, and leaves a file that tells that a task has come to it.
SLOW = f"if(concat({BEGUN}, {SLEEP}) > '', 'b', '')"
# In tasks that read the source, and in those that write the files.
PHASES = {
    "source": ("SET *", SLOW),
    "files": (f"SET v = {SLOW}", "'b'"),
}
ALL_TYPES = {
    "true": "BOOLEAN",
    "CAST(1 AS TINYINT)": "TINYINT",
    "CAST(2 AS SMALLINT)": "SMALLINT",
    "CAST(3 AS INT)": "INT",
    "CAST(4 AS BIGINT)": "BIGINT",
    "CAST(1.5 AS FLOAT)": "FLOAT",
    "CAST('NaN' AS DOUBLE)": "DOUBLE",
    "CAST(-3.250 AS DECIMAL(12, 3))": "DECIMAL(12, 3)",
    "'it''s é'": "STRING",
    "X'00ff'": "BINARY",
    "DATE '1969-07-20'": "DATE",
    "TIMESTAMP '2026-01-02 03:04:05.678901'": "TIMESTAMP",
    "array(1, 2)": "ARRAY<INT>",
    "map('k', 1)": "MAP<STRING, INT>",
    "named_struct('x', 1, 'y', 'z')": "STRUCT<x: INT, y: STRING>",
}
VALUES = [
    *(True, 1, 2, 3, 4, "1.5", "nan", "-3.250", "it's é", "00ff", "1969-07-20"),
    *("2026-01-02 03:04:05.678901", "[1,2]", '{"k":1}', '{"x":1,"y":"z"}'),
]
PLAIN_TYPES = [found.split("(")[0].split("<")[0] for found in ALL_TYPES.values()]


@dataclass(frozen=True)
class At:
    """A client, and a table of its own.

    Attributes:
        name: Of the client.
        program: The client.
        table: The table's name.
        place: The table's folder.
        begun: The folder of the files that slow tasks leave.
    """

    name: str
    program: Program
    table: str
    place: Path
    begun: Path

    def rows(self, sql: str) -> list[list[object]]:
        """The rows of a statement that must not fail."""
        answer = self.program.run(sql)
        assert not answer.error, answer.error
        return answer.rows

    def numbers(self, sql: str) -> list[int]:
        """The one row of a statement, all numbers."""
        (row,) = self.rows(sql)
        return [int(str(cell)) for cell in row]

    def counts(self) -> list[int]:
        """How many rows there are, and how many of them are merged."""
        return self.numbers(f"SELECT count(*), count_if(v = 'b') FROM {self.table}")

    def merge(self, rows: int, phase: str = "source") -> str:
        """A MERGE that needs a tenth of a second for a row."""
        clause, value = PHASES[phase]
        source = f"(SELECT id, {value} AS v FROM range({rows}))"
        return (
            f"MERGE INTO {self.table} t USING {source} s ON t.id = s.id "
            f"WHEN MATCHED THEN UPDATE {clause}"
        )

    def await_tasks(self) -> None:
        """Returns when a write is pending and a task has begun."""
        for path in self.begun.glob("begun*"):
            path.unlink()
        await_true(lambda: bool(timeline.read(self.place).pending))
        await_true(lambda: any(self.begun.glob("begun*")))

    def check_nothing_left(self) -> None:
        """No write is pending, no task runs, no file is there that no commit names."""
        await_true(lambda: not timeline.read(self.place).pending)
        await_true(self._is_quiet, 120)
        commits = {commit.time for commit in timeline.read(self.place).commits}
        files = [path.name for path in self.place.glob("*.parquet")]
        assert [name for name in files if name[-25:-8] not in commits] == []

    def _is_quiet(self) -> bool:
        """Whether no task begins a row for half a second."""
        before = len(list(self.begun.glob("begun*")))
        time.sleep(0.5)
        return len(list(self.begun.glob("begun*"))) == before


@pytest.fixture(scope="session")
def running() -> Iterator[dict[tuple[str, int], Program]]:
    """The clients that run, by name and by the port of their server."""
    found: dict[tuple[str, int], Program] = {}
    yield found
    for program in found.values():
        program.kill()


@pytest.fixture
def at(
    request: pytest.FixtureRequest,
    served: Served,
    running: dict[tuple[str, int], Program],
    tmp_path: Path,
) -> At:
    """A client, PyHive if the test names none, and a table of a hundred rows."""
    name = getattr(request, "param", "pyhive")
    key = (name, served.port)
    program = running[key] = running.get(key) or started(*key, served.lake.folder)
    found = At(name, program, "programs.t", tmp_path / "db" / "t", served.lake.folder / "tmp")
    make(found, tmp_path)
    return found


def make(at: At, folder: Path) -> None:
    """A table of a hundred rows."""
    at.rows("DROP DATABASE IF EXISTS programs CASCADE")
    at.rows(f"CREATE DATABASE programs LOCATION '{folder}/db'")
    key = "(id BIGINT, v STRING, PRIMARY KEY (id))"
    at.rows(f"CREATE TABLE {at.table} {key} USING hudilite WITH BUCKETS 2")
    at.rows(f"INSERT INTO {at.table} SELECT id, 'a' FROM range({ROWS})")


def check_sound(at: At, merged: int) -> None:
    """The table has so many merged rows, nothing is wrong with it, and the next MERGE works."""
    assert at.counts() == [ROWS, merged]
    assert at.rows(f"CALL verify(table => '{at.table}', level => 'rows')") == []
    fast = at.merge(ROWS).replace(SLOW, "'b'")
    assert at.numbers(fast) == [ROWS, ROWS, 0, 0]
    assert at.counts() == [ROWS, ROWS]


def clients_of(argument: str, *short: str, indirect: bool = False) -> pytest.MarkDecorator:
    """One test for each client, of which `make test` runs some."""
    marks = {name: SHORT if name in short else LONG for name in NAMES}
    found = [pytest.param(name, marks=mark, id=name) for name, mark in marks.items()]
    return pytest.mark.parametrize(argument, found, indirect=indirect)


@clients_of("at", *NAMES, indirect=True)
def test_statements_and_errors(at: At) -> None:
    answer = at.program.run(
        f"MERGE INTO {at.table} t USING (SELECT 1 AS id, 'b' AS v UNION ALL SELECT 1000, 'c') s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    assert [str(cell) for cell in answer.rows[0]] == ["2", "1", "0", "1"]
    fault = at.program.run(f"INSERT INTO {at.table} VALUES (1, 'again')")
    assert fault.line.startswith("[HUDILITE_DUPLICATE_KEY] Table spark_catalog.programs.t ")
    assert "Use MERGE INTO to change existing rows" in fault.line
    if at.name != "beeline":
        assert fault.state == "23505"
    assert at.numbers(f"UPDATE {at.table} SET v = 'a' WHERE id = 2") == [1]
    assert at.rows(f"INSERT INTO {at.table} VALUES (2000, 'a')") == []
    assert at.numbers(f"DELETE FROM {at.table} WHERE id = 2000") == [1]
    assert at.program.run(f"SELECT nothing FROM {at.table}").line.startswith(
        "[UNRESOLVED_COLUMN.WITH_SUGGESTION] "
    )
    at.rows("SET spark.hudilite.explain.preview = true")
    assert "num_deleted_rows: 1" in str(at.rows(f"EXPLAIN DELETE FROM {at.table} WHERE id = 2"))
    assert at.counts() == [ROWS + 1, 1], "the connection works on, and nothing was written"


@clients_of("at", "jdbc", indirect=True)
def test_every_type(at: At) -> None:
    columns = ", ".join(f"c{n} {found}" for n, found in enumerate(ALL_TYPES.values()))
    at.rows(
        f"CREATE TABLE programs.types (id INT, {columns}, PRIMARY KEY (id)) USING hudilite "
        "WITH BUCKETS 2"
    )
    nulls = ", ".join(["NULL"] * len(ALL_TYPES))
    at.rows(f"INSERT INTO programs.types VALUES (1, {', '.join(ALL_TYPES)}), (2, {nulls})")
    answer = at.program.run("SELECT * FROM programs.types ORDER BY id")
    assert not answer.error, answer.error
    assert at.rows("""SELECT to_json(parse_json('{"a":1}'))""") == [['{"a":1}']], "as the page says"
    if at.name == "beeline":
        expected: list[object] = [str(cell) for cell in VALUES]
        expected[0], expected[6], expected[9] = "true", "NaN", answer.rows[0][10]
        assert answer.rows == [["1", *expected], ["2", *["NULL"] * len(VALUES)]]
        return
    (first, second) = answer.rows
    assert [str(cell).lower() for cell in first] == [str(cell).lower() for cell in (1, *VALUES)]
    assert second == [2, *[None] * len(VALUES)]
    assert [found.upper() for found in answer.types] == ["INT", *PLAIN_TYPES]


@SHORT
@pytest.mark.parametrize("at", ["jdbc"], indirect=True)
def test_columns_by_jdbc(at: At) -> None:
    assert isinstance(at.program, Speaker)
    found = at.program.columns("t")
    assert [row[2:4] + row[5:6] for row in found] == [["t", "id", "BIGINT"], ["t", "v", "STRING"]]
    assert at.program.keys("t").rows == []


@clients_of("at", "pyhive", "jdbc", indirect=True)
def test_a_cancelled_merge(at: At) -> None:
    check_cancel(at, "source")


@clients_of("at", "pyhive", indirect=True)
def test_a_merge_that_is_cancelled_while_it_writes_files(at: At) -> None:
    check_cancel(at, "files")


def check_cancel(at: At, phase: str) -> None:
    """A cancelled MERGE ends on the server, and leaves nothing."""
    at.program.start(at.merge(ROWS, phase))
    at.await_tasks()
    at.program.cancel()
    cancelled = time.monotonic()
    answer: Answer = at.program.finish()
    assert answer.is_cancelled, answer
    at.check_nothing_left()
    assert time.monotonic() - cancelled < ROWS / 10 / 2, "it did not wait for the statement"
    check_sound(at, 0)


@clients_of("name", "sqlalchemy")
def test_a_connection_that_is_lost(served: Served, at: At, name: str, tmp_path: Path) -> None:
    with droppable(served.port) as between:
        program = started(name, between.port, tmp_path)
        assert program.run("SET spark.hudilite.write.copy = false").rows
        between.drop()
        error = program.lost(f"SELECT count(*) FROM {at.table}")
        assert error
        assert "HUDILITE" not in error
        answer = program.run(f"SELECT count(*) FROM {at.table}")
        assert [str(cell) for cell in answer.rows[0]] == [str(ROWS)], answer
        program.kill()


@clients_of("name")
def test_a_client_that_is_killed(served: Served, at: At, name: str, tmp_path: Path) -> None:
    check_kill(at, started(name, served.port, tmp_path), "source")


@clients_of("name", "pyhive")
def test_a_client_that_is_killed_while_its_merge_writes_files(
    served: Served, at: At, name: str, tmp_path: Path
) -> None:
    check_kill(at, started(name, served.port, tmp_path), "files")


def check_kill(at: At, victim: Program, phase: str) -> None:
    """The MERGE of a client that dies ends on the server, and leaves nothing."""
    victim.start(at.merge(ROWS, phase))
    at.await_tasks()
    victim.kill()
    killed = time.monotonic()
    at.check_nothing_left()
    assert time.monotonic() - killed < ROWS / 10 / 2, "it did not wait for the statement"
    check_sound(at, 0)


@SHORT
def test_a_client_that_is_killed_while_its_call_waits(
    served: Served, at: At, tmp_path: Path
) -> None:
    victim = started("pyhive", served.port, tmp_path)
    assert isinstance(victim, Speaker)
    victim.send(at.merge(10))
    at.await_tasks()
    victim.kill()
    at.check_nothing_left()
    check_sound(at, 10)
