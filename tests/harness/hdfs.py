"""An HDFS of one name node and two data nodes, in a JVM of its own and on 127.0.0.1 alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from harness.hadoop_server import HadoopServer, hadoop_server
from harness.java import TESTS

SOURCES = TESTS / "hdfs" / "java"


@dataclass
class Hdfs:
    """A cluster."""

    server: HadoopServer = field(repr=False)

    @property
    def uri(self) -> str:
        """With the port of the name node."""
        return self.server.address

    def ask(self, *words: str) -> str:
        """Has a command run, see MiniDfs.java; what it tells.

        Raises:
            AssertionError: if it fails.
        """
        return self.server.ask(*words)

    def fetched(self, path: str, folder: Path) -> Path:
        """A folder of the cluster, copied to the local disk."""
        self.ask("fetch", path, str(folder))
        return folder


@contextmanager
def mini_dfs(folder: Path) -> Iterator[Hdfs]:
    """Runs a cluster whose files lie in a folder."""
    main, place = "hudilite.tests.MiniDfs", str(folder / "dfs")
    with hadoop_server(folder, SOURCES, main, [place], "hdfs://") as server:
        yield Hdfs(server)
