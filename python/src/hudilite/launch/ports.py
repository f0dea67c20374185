"""Ports of a Thrift server: checks that one is free, or that a server answers on it."""

from __future__ import annotations

import socket

from hudilite.conditions import session_error
from hudilite.errors import SessionError

HOST = "127.0.0.1"
PORT = 10000
LAST_PORT = 65535

_SECONDS = 2


def url(host: str, port: int) -> str:
    """Returns the JDBC URL of a server.

    Examples:
        >>> url("127.0.0.1", 10000), url("::1", 10000)
        ('jdbc:hive2://127.0.0.1:10000', 'jdbc:hive2://[::1]:10000')
    """
    return f"jdbc:hive2://[{host}]:{port}" if ":" in host else f"jdbc:hive2://{host}:{port}"


def check_answers(host: str, port: int) -> None:
    """Checks that a server accepts connections on a port.

    Raises:
        SessionError: ``HUDILITE_PORT_SILENT`` when nothing answers within 2 seconds, or `port` is
            not 1 to 65535.
    """
    # The system takes a larger number modulo 65536, so another server could answer.
    if not 1 <= port <= LAST_PORT:
        raise _no_answer(host, port, f"a port is a number from 1 to {LAST_PORT}")
    try:
        with socket.create_connection((host, port), timeout=_SECONDS) as found:
            # Without a listener the system can use this port as the source, too: it reaches itself.
            is_own = found.getsockname() == found.getpeername()
    except OSError as error:
        raise _no_answer(host, port, _reason(error)) from error
    if is_own:
        raise _no_answer(host, port, "connection refused")


def check_free(host: str, port: int) -> None:
    """Checks that a server can bind a port of this machine.

    Raises:
        SessionError: ``HUDILITE_PORT_UNAVAILABLE`` when the port is in use, this process may not
            use it, or `host` is not an address of this machine.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as probe:
            # Java sets it, too: old connections of a stopped server do not block the port.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise session_error(
            "HUDILITE_PORT_UNAVAILABLE", host=host, port=str(port), reason=_reason(error)
        ) from error


def _no_answer(host: str, port: int, reason: str) -> SessionError:
    return session_error("HUDILITE_PORT_SILENT", host=host, port=str(port), reason=reason)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
