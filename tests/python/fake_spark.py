"""A Java and a Spark that start nothing: they note how they were called. And the command beside them."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pyspark
import pytest

from hudilite.cli import main
from hudilite.launch import settings, versions

SECONDS = 60

NOTES = "notes.json"
# Of spark-submit: what the server does. `serve` binds the port that it is told.
SERVER = """
import os, socket, sys, time
words = dict(word.split("=", 1) for word in sys.argv if word.startswith("hive.server2."))
how = os.environ.get("FAKE_SERVER", "")
if how:
    print("WARN a line of the log", flush=True)
if how == "die":
    print("Exception in thread \\"main\\" java.lang.Exception: outer")
    print("Caused by: ERROR XSDB6: Another instance of Derby may have booted metastore_db.")
    print("\\tat some.Place(It.java:1)")
    sys.exit(1)
if how:
    address = words["hive.server2.thrift.bind.host"], int(words["hive.server2.thrift.port"])
    server = socket.create_server(address)
    if how == "serve":
        time.sleep(600)
    server.accept()
    os.kill(os.getpid(), 9)
"""
NOTE = """
import json, os, sys
note = {"program": os.path.basename(sys.argv[0]), "words": sys.argv[1:], "pid": os.getpid(),
        "environment": dict(os.environ)}
with open(os.environ["FAKE_NOTES"], "w") as file:
    json.dump(note, file)
"""
COMMAND = """
import sys
from pathlib import Path
sys.modules["numpy"] = None  # pyspark does without it, and is there sooner
from hudilite.launch import versions
versions.JAR_FOLDER = Path(sys.argv.pop(1))
from hudilite.cli import main
sys.exit(main())
"""


@dataclass(frozen=True)
class FakeSpark:
    """A folder with a Spark, a Java and a jar in it.

    Attributes:
        folder: It.
    """

    folder: Path

    @property
    def jar(self) -> Path:
        """The jar that goes with the pyspark that is there."""
        minor = ".".join(pyspark.__version__.split(".")[:2])
        return self.folder / "jars" / f"hudilite-spark-{minor}.jar"

    @property
    def home(self) -> Path:
        """SPARK_HOME."""
        return self.folder / "spark"

    def environment(self, **more: str) -> dict[str, str]:
        """Variables of a user who has nothing of Spark set but SPARK_HOME; one that is empty goes."""
        foreign = ("SPARK_", "PYSPARK_", "JAVA_", "HUDILITE_", "HIVE_")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
        own = {
            "SPARK_HOME": str(self.home),
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "FAKE_NOTES": str(self.folder / NOTES),
        }
        return {key: value for key, value in (kept | own | more).items() if value}

    @contextmanager
    def around(self, **more: str) -> Iterator[None]:
        """Make this process one of that user's, in this folder and with its jar."""
        environment = self.environment(**more)
        with pytest.MonkeyPatch.context() as patch:
            for name in set(os.environ) - set(environment):
                patch.delenv(name)
            for name, value in environment.items():
                patch.setenv(name, value)
            patch.setattr(versions, "JAR_FOLDER", self.jar.parent)
            patch.setattr(tempfile, "tempdir", None)
            patch.setattr(os, "execve", _in_place)
            patch.chdir(self.folder)
            yield

    def run(self, *arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
        """Run ``hudilite`` in this process; a program that takes its place runs as a child."""
        words = [str(argument) for argument in arguments]
        out, err = io.StringIO(), io.StringIO()
        pipe = signal.getsignal(signal.SIGPIPE)
        try:
            with (
                self.around(**more),
                redirect_stdout(out),
                redirect_stderr(err),
            ):
                code = main(words)
        except SystemExit as left:
            code = int(left.code or 0)
        except _Replaced as replaced:
            code, done = replaced.done.returncode, replaced.done
            out.write(done.stdout)
            err.write(done.stderr)
        finally:
            signal.signal(signal.SIGPIPE, pipe)
        return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())

    def command(self, *arguments: object) -> list[str]:
        """The words that start ``hudilite`` in a process of its own, with the jar of this folder."""
        words = map(str, arguments)
        return [sys.executable, "-c", COMMAND, str(self.jar.parent), *words]

    def note(self) -> dict[str, object]:
        """How the program was called.

        Raises:
            FileNotFoundError: If none was.
        """
        found: dict[str, object] = json.loads((self.folder / NOTES).read_text())
        return found

    def flags(self) -> list[str]:
        """The flags of the README, with nothing of the user's beside them."""
        return settings.submit_flags({}, self.jar)


def make(folder: Path) -> FakeSpark:
    """Write all of it."""
    spark = FakeSpark(folder)
    java(folder / "bin")
    for name in ("spark-sql", "spark-submit", "beeline"):
        tail = SERVER if name == "spark-submit" else ""
        _program(spark.home / "bin" / name, f"#!{sys.executable}\n{NOTE}{tail}")
    core = spark.home / "jars" / f"spark-core_2.13-{pyspark.__version__}.jar"
    for file in (core, spark.jar):
        file.parent.mkdir()
        file.touch()
    return spark


def java(folder: Path) -> Path:
    """Write a Java that tells its version, and nothing else."""
    version = 'openjdk version "17.0.2" 2026-01-01'
    _program(folder / "java", f"#!/bin/sh\necho '{version}' >&2\n")
    return folder / "java"


class _Replaced(BaseException):
    """The end of a program that ran in the place of this process."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        super().__init__()
        self.done = done


def _in_place(path: str, words: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """As `os.execve`, but this process goes on behind it."""
    raise _Replaced(
        subprocess.run(
            words,
            executable=path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    )


def _program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
