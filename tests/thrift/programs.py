"""Programs that are clients of a Thrift server, each a process that runs one statement at a time."""

from __future__ import annotations

import json
import shlex
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pyspark

from harness import clients
from harness.java import kept, short_lived

HERE = Path(__file__).parent
# The environment of `make clients`.
PYTHON = HERE.parents[1] / ".build" / "clients" / "bin" / "python"
NAMES = ("pyhive", "sqlalchemy", "jdbc", "beeline")
CANCELLED = ("cancelled", "Query was cancelled")


@dataclass(frozen=True)
class Answer:
    """The answer of a client to a statement.

    Attributes:
        rows: Its rows.
        types: The types of its columns, where the client tells them.
        error: The server's text of the error; empty where it did not fail.
        state: Its SQLSTATE, where the client tells it.
    """

    rows: list[list[Any]] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    error: str = ""
    state: str = ""

    @property
    def line(self) -> str:
        """The first line of the error without the words of Hive before it."""
        return clients.BEELINE.sub("", f"Error: {self.error}".splitlines()[0])

    @property
    def is_cancelled(self) -> bool:
        """Whether the client says that the statement was cancelled."""
        return self.error.startswith(CANCELLED)


class Program(Protocol):
    """A client."""

    def run(self, sql: str) -> Answer:
        """The answer of a statement."""

    def start(self, sql: str) -> None:
        """Sends a statement that can be cancelled."""

    def cancel(self) -> None:
        """Cancels the statement that was sent."""

    def finish(self) -> Answer:
        """The answer of the statement that was sent."""

    def lost(self, sql: str) -> str:
        """The client's error for a statement on a lost connection; then takes another connection."""

    def kill(self) -> None:
        """Ends the process as a crash does."""


class Speaker:
    """A process that takes requests as JSON, a line each."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self._log = (folder / "program.log").open("a")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            cwd=folder,
            env=clients.environment(),
        )

    def run(self, sql: str) -> Answer:
        """The answer of a statement."""
        return self._ask("run", sql)

    def start(self, sql: str) -> None:
        """Sends a statement."""
        self._do("start", sql)

    def send(self, sql: str) -> None:
        """Sends a statement by the call that waits for it, and does not read its answer."""
        self._write("run", sql)

    def columns(self, table: str) -> list[list[Any]]:
        """The columns of a table in JDBC's metadata."""
        return self._ask("columns", table).rows

    def keys(self, table: str) -> Answer:
        """The primary key of a table in JDBC's metadata."""
        return self._ask("keys", table)

    def cancel(self) -> None:
        """Cancels the statement that was sent."""
        self._do("cancel")

    def finish(self) -> Answer:
        """The answer of the statement that was sent."""
        return self._ask("finish")

    def lost(self, sql: str) -> str:
        """The client's error for a statement on a lost connection; then takes another connection."""
        error = self.run(sql).error
        self._do("reconnect")
        return error

    def kill(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.wait()
        self._log.close()

    def _do(self, what: str, sql: str = "") -> None:
        answer = self._ask(what, sql)
        assert not answer.error, answer.error

    def _ask(self, what: str, sql: str = "") -> Answer:
        self._write(what, sql)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, f"the program has ended: {Path(self._log.name).read_text()[-3000:]}"
        return Answer(**json.loads(line))

    def _write(self, what: str, sql: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": what, "sql": sql}) + "\n")
        self._process.stdin.flush()


class Beeline:
    """Beeline, which prints text: its values are those of JDBC's getString."""

    def __init__(self, port: int, folder: Path, http: bool) -> None:
        self._client = clients.beeline(port, folder, http=http)

    def run(self, sql: str) -> Answer:
        """The answer of a statement."""
        self.start(sql)
        return self.finish()

    def start(self, sql: str) -> None:
        """Sends a statement."""
        self._client.start(sql)

    def cancel(self) -> None:
        """Presses Ctrl-C."""
        self._client.interrupt()

    def finish(self) -> Answer:
        """The answer of the statement that was sent."""
        lines = [clients.PROMPT.sub("", line) for line in self._client.finish()]
        fault = next((n for n, line in enumerate(lines) if line.startswith("Error: ")), None)
        if fault is not None:
            return Answer(error="\n".join(lines[fault:]).removeprefix("Error: "))
        return Answer([line.split("\t") for line in lines if line.strip()])

    def lost(self, sql: str) -> str:
        """The error for a statement on a lost connection; then Beeline's command connects again."""
        self._client.start(sql)
        lines = self._client.command("!reconnect")
        return next((line for line in lines if "Error: " in line), "")

    def kill(self) -> None:
        """Ends the process."""
        self._client.kill()


def started(name: str, port: int, folder: Path, http: bool = False) -> Program:
    """A client, connected.

    Args:
        name: One of `NAMES`.
        port: The server's.
        folder: Where it runs and leaves its log.
        http: Whether the server's transport is HTTP; not for sqlalchemy.
    """
    if name == "beeline":
        return Beeline(port, folder, http)
    if name == "jdbc":
        return Speaker(java("hudilite.tests.JdbcProgram", clients.jdbc_url(port, http)), folder)
    words = [name, str(port), *["http"] * http]
    return Speaker([str(PYTHON), str(HERE / "python_client.py"), *words], folder)


def java(main: str, *words: str) -> list[str]:
    """The command of a Java program of this folder, on Spark's class path."""
    path = f"{kept(HERE / 'java')}:{class_path()}"
    return ["java", *shlex.split(short_lived()), "-cp", path, main, *words]


def class_path() -> str:
    """Spark's own jars, among them Hive's JDBC driver."""
    return f"{Path(pyspark.__file__).parent / 'jars'}/*"
