"""A Thrift server on the suite's metastore, and Beelines on it."""

from __future__ import annotations

import subprocess
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from harness import clients


@dataclass(frozen=True)
class Lake:
    """What all processes of the suite share: one Hive metastore, which one at a time can hold.

    Attributes:
        folder: Metastore, warehouse and logs.
        conf: Spark's settings.
        variables: Of each process, over a user's.
    """

    folder: Path
    conf: dict[str, str]
    variables: dict[str, str]


@dataclass
class Served:
    """One server and the Beelines on it: each is started when it is asked for, and again when it
    has died since."""

    lake: Lake
    _running: ExitStack = field(default_factory=ExitStack)
    _server: tuple[int, subprocess.Popen[bytes]] | None = None
    _beelines: dict[str, clients.Client] = field(default_factory=dict)

    @property
    def port(self) -> int:
        """The port of the server."""
        return self._start()[0]

    def beeline(self, name: str = "first") -> clients.Client:
        """The Beeline of a name, with the settings of a new one."""
        client = self._beelines.get(name)
        if client is None or not client.lives:
            client = clients.beeline(self.port, self.lake.folder, **self.lake.variables)
            self._beelines[name] = client
        client.run("RESET")
        return client

    def kill(self) -> None:
        """Ends the server as a crash does, and then all who are on it."""
        assert self._server is not None
        self._server[1].kill()
        for client in self._beelines.values():
            client.kill()
        self.close()

    def close(self) -> None:
        """Ends all as a user does; the metastore is free."""
        for client in self._beelines.values():
            client.close()
        self._beelines.clear()
        self._running.close()
        self._server = None

    def _start(self) -> tuple[int, subprocess.Popen[bytes]]:
        if self._server is None:
            lake = self.lake
            starting = clients.running_server(lake.conf, lake.folder, **lake.variables)
            self._server = self._running.enter_context(starting)
        return self._server
