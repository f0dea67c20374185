"""An HDFS of one name node and two data nodes, in a JVM of its own and on 127.0.0.1 alone."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from harness.java import BUILD, TESTS, compile_against

SOURCES = TESTS / "hdfs" / "java"
OWN = ("hadoop-client-api", "hadoop-client-runtime", "slf4j-api", "jcl-over-slf4j")


@dataclass
class Hdfs:
    """A cluster.

    Attributes:
        uri: With the port of the name node.
    """

    uri: str
    process: subprocess.Popen[str] = field(repr=False)
    _asking: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def ask(self, *words: str) -> str:
        """Has a command run, see MiniDfs.java; what it tells.

        Raises:
            AssertionError: if it fails.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with self._asking:
            self.process.stdin.write(" ".join(words) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline().strip()
        assert line.startswith("ok"), f"{words}: {line or 'the cluster has ended'}"
        return line.removeprefix("ok").strip()

    def fetched(self, path: str, folder: Path) -> Path:
        """A folder of the cluster, copied to the local disk."""
        self.ask("fetch", path, str(folder))
        return folder


@contextmanager
def mini_dfs(folder: Path) -> Iterator[Hdfs]:
    """Runs a cluster whose files lie in a folder."""
    import pyspark

    jars = [
        path
        for name in OWN
        for path in (Path(pyspark.__file__).parent / "jars").glob(f"{name}-*.jar")
    ]
    cluster = (BUILD / "minicluster.path").read_text(encoding="utf-8").split()
    classes = folder / "classes"
    path = os.pathsep.join([*cluster, *map(str, jars)])
    compile_against(path, SOURCES, classes)
    words = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx500m"]
    words += ["-cp", f"{classes}{os.pathsep}{path}", "hudilite.tests.MiniDfs", str(folder / "dfs")]
    with (folder / "hdfs.log").open("w") as log:
        process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        uri = process.stdout.readline().strip()
        assert uri.startswith("hdfs://"), (folder / "hdfs.log").read_text()[-2000:]
        yield Hdfs(uri, process)
    finally:
        process.stdin.close()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
