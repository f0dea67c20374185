"""Ports of a Thrift server: whether one is free, whether somebody answers."""

from __future__ import annotations

import socket

from hudilite.conditions import session_error
from hudilite.errors import SessionError

HOST = "127.0.0.1"
PORT = 10000
LAST_PORT = 65535

_SECONDS = 2


def url(host: str, port: int) -> str:
    """How a JDBC client names a server.

    Examples:
        >>> url("127.0.0.1", 10000), url("::1", 10000)
        ('jdbc:hive2://127.0.0.1:10000', 'jdbc:hive2://[::1]:10000')
    """
    return f"jdbc:hive2://[{host}]:{port}" if ":" in host else f"jdbc:hive2://{host}:{port}"


def check_answers(host: str, port: int) -> None:
    """See that somebody answers on a port.

    Raises:
        SessionError: ``HUDILITE_PORT_SILENT``.
    """
    # The system would take a larger number modulo 65536, and another server might answer.
    if not 1 <= port <= LAST_PORT:
        raise _silent(host, port, f"ports are 1 to {LAST_PORT}")
    try:
        with socket.create_connection((host, port), timeout=_SECONDS) as found:
            # Where nobody listens, a connection may by chance leave from that port and meet itself.
            is_own = found.getsockname() == found.getpeername()
    except OSError as error:
        raise _silent(host, port, _reason(error)) from error
    if is_own:
        raise _silent(host, port, "connection refused")


def check_free(host: str, port: int) -> None:
    """See that a server can be bound to a port of this machine.

    Raises:
        SessionError: ``HUDILITE_PORT_UNAVAILABLE`` for one that is taken, that this process may
            not have, or whose host is no address of this machine.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as probe:
            # As Java does it: connections of a server that is gone do not count.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise session_error(
            "HUDILITE_PORT_UNAVAILABLE", host=host, port=str(port), reason=_reason(error)
        ) from error


def _silent(host: str, port: int, reason: str) -> SessionError:
    return session_error("HUDILITE_PORT_SILENT", host=host, port=str(port), reason=reason)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
