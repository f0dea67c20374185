"""A port in front of a server, whose connections can be dropped."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Droppable:
    """Hands on what comes in at its own port."""

    def __init__(self, server: int) -> None:
        self._server = server
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        """Its own port."""
        return int(self._listening.getsockname()[1])

    def drop(self) -> None:
        """Ends every connection, as a router does that forgets them."""
        for side in self._open:
            with contextlib.suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)
        self._open.clear()

    def close(self) -> None:
        """Takes no more connections."""
        self.drop()
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self._server))
                self._open += [client, server]
                for source, target in ((client, server), (server, client)):
                    threading.Thread(target=hand_on, args=(source, target), daemon=True).start()


def hand_on(source: socket.socket, target: socket.socket) -> None:
    """Hands on what a side says, until it ends."""
    with contextlib.suppress(OSError):
        while said := source.recv(65536):
            target.sendall(said)
        target.shutdown(socket.SHUT_RDWR)


@contextmanager
def droppable(server: int) -> Iterator[Droppable]:
    """A port in front of a server."""
    found = Droppable(server)
    yield found
    found.close()
