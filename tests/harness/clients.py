"""Spark's clients as users start them, each in a process of its own, one statement at a time."""

from __future__ import annotations

import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.java import short_lived

PYSPARK_CLIENT = Path(__file__).with_name("pyspark_client.py")
SERVER_CLASS = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
SECONDS = 240
PROMPT = re.compile(r"^(?:(?:\d+: jdbc:\S+|spark-sql(?: \(\S+\))?|[. ]+)> )+")
LABEL = r"\[[A-Z][A-Z0-9_.]+\] "
# What Beeline and the Thrift server write before the text of an error.
BEELINE = re.compile(
    r"^Error: (?:org\.apache\.hive\.service\.cli\.HiveSQLException: )?(?:Error running query: )?"
    rf"(?:{LABEL}[\w.$]+: )?"
)


class Client:
    """A client whose standard input takes statements.

    Args:
        name: pyspark, spark-sql or beeline.
        command: That starts it.
        folder: Where it runs and leaves its log.
        variables: Over those of `environment`.
    """

    def __init__(self, name: str, command: list[str], folder: Path, **variables: str) -> None:
        self.name = name
        self.transcript: list[str] = []
        self._asked = 0
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=folder,
            env=environment() | variables,
            preexec_fn=as_of_a_terminal,
        )
        threading.Thread(target=self._pump, daemon=True).start()

    @property
    def lives(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def run(self, statement: str) -> list[str]:
        """Everything that the client prints for a statement.

        Raises:
            AssertionError: when it ends or is silent for too long.
        """
        self.start(statement)
        return self.finish()

    def start(self, statement: str) -> None:
        """Sends a statement, and one whose answer tells that it is done."""
        assert self._process.stdin is not None
        self._asked += 1
        self._process.stdin.write(f"{statement};\nSELECT concat('end of ', {self._asked}) AS m;\n")
        self._process.stdin.flush()

    def command(self, line: str) -> list[str]:
        """Everything that the client prints for a command of its own, which is no statement."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        return self.run("SELECT 1")

    def interrupt(self) -> None:
        """Presses Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    def finish(self) -> list[str]:
        """What it printed since the last statement was sent."""
        found: list[str] = []
        while True:
            try:
                line = self._lines.get(timeout=SECONDS)
            except queue.Empty:
                line = None
            assert line is not None, f"{self.name} is silent: {''.join(found[-20:])}"
            if line.rstrip().endswith(f"end of {self._asked}"):
                self.transcript += found
                return found
            found.append(line.rstrip("\n"))

    def close(self) -> None:
        """Ends the client as a user does: its input ends."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def kill(self) -> None:
        """Ends the client as a crash does."""
        self._process.kill()
        self._process.wait()

    def _pump(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)


def first_line(lines: list[str]) -> str | None:
    """The first line of an error without the words of the client before it; None for no error."""
    for line in (PROMPT.sub("", line) for line in lines):
        if line.startswith("Error: "):
            return BEELINE.sub("", line)
        if re.match(LABEL, line):
            return line
    return None


def pyspark(conf: dict[str, str], folder: Path, **variables: str) -> Client:
    """Python with the package's own session; prints the first line of str(error)."""
    settings = [f"{key}={value}" for key, value in conf.items()]
    command = [sys.executable, str(PYSPARK_CLIENT), *settings]
    return Client("pyspark", command, folder, **variables)


def spark_sql(conf: dict[str, str], folder: Path, **variables: str) -> Client:
    """spark-sql as the README starts it."""
    return Client("spark-sql", [script("spark-sql"), *flags(conf)], folder, **variables)


def jdbc_url(port: int, http: bool = False) -> str:
    """The URL of a server, as the page of the clients writes it."""
    ending = "/default;transportMode=http;httpPath=cliservice" if http else ""
    return f"jdbc:hive2://127.0.0.1:{port}{ending}"


def beeline(port: int, folder: Path, *, http: bool = False, **variables: str) -> Client:
    """Beeline on a server that listens."""
    quiet = ("--silent=true", "--showHeader=false", "--outputformat=tsv2")
    command = [script("beeline"), "-u", jdbc_url(port, http), *quiet]
    return Client("beeline", command, folder, **variables)


@contextmanager
def running_server(
    conf: dict[str, str], folder: Path, *, http: bool = False, **variables: str
) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """A Thrift server on a free port of 127.0.0.1; gives the port and the process.

    Args:
        http: Its transport is HTTP, not the binary one.
    """
    port = free_port()
    here = [f"hive.server2.thrift{'.http' if http else ''}.port={port}"]
    here += ["hive.server2.thrift.bind.host=127.0.0.1"]
    here += ["hive.server2.transport.mode=http"] * http
    hive = [word for setting in here for word in ("--hiveconf", setting)]
    command = [script("spark-submit"), *flags(conf), "--class", SERVER_CLASS, "spark-internal"]
    log = folder / "server.log"
    with log.open("a") as sink:
        server = subprocess.Popen(
            [*command, *hive],
            stdout=sink,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=environment() | variables,
        )
    try:
        _await(port, server, log)
        yield port, server
    finally:
        server.terminate()
        server.wait(timeout=60)


def free_port() -> int:
    """A port of 127.0.0.1 that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def as_of_a_terminal() -> None:
    """In a new process: a job in the background, or nohup, ignores these and hands that on."""
    for name in (signal.SIGINT, signal.SIGHUP):
        signal.signal(name, signal.SIG_DFL)


def flags(conf: dict[str, str]) -> list[str]:
    """The flags of the README: the jar on both class paths, extension, catalog; then settings.

    Settings with `spark.jars` name all jars.
    """
    from hudilite.launch import settings, versions

    jar = str(versions.jar_for("4.1"))
    own = {
        settings.EXTENSIONS: settings.EXTENSIONS_CLASS,
        settings.SPARK_CATALOG: settings.CATALOG_CLASS,
    } | conf
    confs = [word for k, v in own.items() for word in ("--conf", f"{k}={v}")]
    jars = [] if "spark.jars" in conf else ["--jars", jar, "--driver-class-path", jar]
    return [*jars, *confs]


def script(name: str) -> str:
    """A script that pip's pyspark brings."""
    return str(Path(sys.executable).parent / name)


def environment(bare: bool = False) -> dict[str, str]:
    """The variables of a user who has a terminal and nothing else set.

    Args:
        bare: Nothing else at all; without it JVMs take the options of those that live for seconds.
    """
    foreign = ("SPARK_", "PYSPARK_", "HUDILITE_")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
    own = {"TZ": "UTC", "PYSPARK_PYTHON": sys.executable, "TERM": "dumb"}
    names = () if bare else ("SPARK_SUBMIT_OPTS", "SPARK_BEELINE_OPTS")
    return kept | own | dict.fromkeys(names, short_lived())


def _await(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(10 * SECONDS):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert server.poll() is None, log.read_text(encoding="utf-8", errors="replace")[-3000:]
        time.sleep(0.1)
    raise AssertionError("the Thrift server does not listen")
