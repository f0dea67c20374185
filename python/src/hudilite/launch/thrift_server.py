"""Thrift server in a child process: waits until it answers, reports why it ended, stops it."""

from __future__ import annotations

import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hudilite.conditions import session_error
from hudilite.errors import SessionError
from hudilite.launch.ports import check_answers
from hudilite.launch.programs import Program

_CAUSE = re.compile(r"(?:Caused by: |Exception in thread \S+ |Error: )(.+)")
_TAIL_BYTES = 1 << 18
_POLL_SECONDS = 0.2
_STOP_SECONDS = 60
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}


class Server:
    """Thrift server in a child process.

    Args:
        program: Program that starts the server.
        log: File for everything that the server prints.
    """

    def __init__(self, program: Program, log: Path) -> None:
        """Starts the server."""
        self._log = log
        with log.open("wb") as sink:
            self._process = subprocess.Popen(
                program.words,
                env=dict(program.environment),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
            )

    def await_port(self, host: str, port: int) -> None:
        """Waits until the server answers; there is no time limit while its process runs.

        Raises:
            SessionError: ``HUDILITE_SERVER_ENDED`` when the process ends first.
        """
        pause = threading.Event()
        while not _answers(local(host), port):
            if self._process.poll() is not None:
                raise self._ended()
            pause.wait(_POLL_SECONDS)

    def await_end(self) -> SessionError:
        """Waits until the server ends by itself, and returns the error that says why."""
        self._process.wait()
        return self._ended()

    def stop(self) -> None:
        """Terminates the server and waits until it has ended.

        After 60 seconds, or on Ctrl-C, it is killed.
        """
        if self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            self._process.kill()
            self._process.wait()

    def _ended(self) -> SessionError:
        code = self._process.returncode
        reason = f"signal {-code}" if code < 0 else _reason(self._log)
        return session_error(
            "HUDILITE_SERVER_ENDED", code=str(code), reason=reason, path=str(self._log)
        )


def local(host: str) -> str:
    """Returns the address at which this machine reaches a server that is bound to `host`.

    Examples:
        >>> local("0.0.0.0"), local("127.0.0.1")
        ('127.0.0.1', '127.0.0.1')
    """
    return _ANY.get(host, host)


@contextmanager
def signals_as_interrupts() -> Iterator[None]:
    """Handles SIGTERM and SIGHUP like Ctrl-C, so that child processes are stopped."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    names = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) != signal.SIG_IGN]
    before = {name: signal.signal(name, interrupt) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def _answers(host: str, port: int) -> bool:
    try:
        check_answers(host, port)
    except SessionError:
        return False
    return True


def _reason(log: Path) -> str:
    """Returns the innermost cause in a log, or else its last line."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        lines = file.read().decode("utf-8", "replace").splitlines()
    causes = [found[1] for found in map(_CAUSE.match, lines) if found]
    found = causes or [line.strip() for line in lines if line.strip()] or ["it printed nothing"]
    return found[-1].rstrip(".")
