"""A Java and a Spark that start nothing: they note how they were called. And the command beside them."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pyspark

from hudilite import launch

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
from hudilite import versions
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
        """Variables of a user who has nothing of Spark set but SPARK_HOME."""
        foreign = ("SPARK_", "PYSPARK_", "JAVA_", "HUDILITE_", "HIVE_")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
        own = {
            "SPARK_HOME": str(self.home),
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "FAKE_NOTES": str(self.folder / NOTES),
        }
        return kept | own | more

    def command(self, *arguments: object) -> list[str]:
        """The words that start ``hudilite`` with the jar of this folder."""
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
        return launch.submit_flags({}, self.jar)


def make(folder: Path) -> FakeSpark:
    """Write all of it."""
    spark = FakeSpark(folder)
    java = 'openjdk version "17.0.2" 2026-01-01'
    _program(folder / "bin" / "java", f"#!/bin/sh\necho '{java}' >&2\n")
    for name in ("spark-sql", "spark-submit", "beeline"):
        tail = SERVER if name == "spark-submit" else ""
        _program(spark.home / "bin" / name, f"#!{sys.executable}\n{NOTE}{tail}")
    core = spark.home / "jars" / f"spark-core_2.13-{pyspark.__version__}.jar"
    for file in (core, spark.jar):
        file.parent.mkdir()
        file.touch()
    return spark


def _program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
