"""Commands of the suites, each a session of processes that ends as a whole, whatever ends the run.

A guard, a process of its own, holds the reading end of a pipe: when the run ends, by a signal that
nothing can catch as well, the pipe closes and the guard ends every session that is left. If there is
one, the run was killed, and the guard removes the folder in memory that the run has.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

GUARD = "--guard"


class Sessions:
    """The sessions of processes of one run."""

    def __init__(self, memory: Path | None = None) -> None:
        """Starts the guard.

        Args:
            memory: A folder that a killed run must not leave.
        """
        self.names: dict[int, str] = {}
        folders = [] if memory is None else [str(memory)]
        self._guard = subprocess.Popen(
            [sys.executable, __file__, GUARD, *folders],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )

    def name_of(self, session: int) -> str:
        """The name under which a session was started."""
        return self.names.get(session, "other")

    def run(
        self,
        name: str,
        command: Sequence[str],
        log: Path,
        environment: Mapping[str, str],
        seconds: float,
    ) -> int | None:
        """Runs a command to its end; then nothing that it started is left.

        Args:
            name: Of the session, for `name_of`.
            command: Words.
            log: Takes what it prints.
            environment: All its variables.
            seconds: After which it counts as hung.

        Returns:
            Its exit code, None where it hung.
        """
        with log.open("w", encoding="utf-8") as sink:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
        self.names[process.pid] = name
        self._send(f"+{process.pid}")
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            end_session(process.pid)
            process.wait()
            self._send(f"-{process.pid}")

    def _send(self, line: str) -> None:
        assert self._guard.stdin is not None
        self._guard.stdin.write(f"{line}\n".encode())
        self._guard.stdin.flush()


def end_session(session: int) -> None:
    """Kills every process of a session, those too that made a process group of their own."""
    for _ in range(3):  # one that was just being made is met the second time
        found = members(session)
        for process in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        if not found:
            return
        time.sleep(0.05)


def members(session: int) -> list[int]:
    """Living processes of a session."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,sess=,stat="], capture_output=True, text=True, check=True
    )
    rows = (line.split() for line in listed.stdout.splitlines())
    return [int(pid) for pid, of, state in rows if int(of) == session and state[0] != "Z"]


def lock(file: Path) -> TextIO:
    """Takes the one place for a run in this tree; it is free again when the process ends.

    Raises:
        SystemExit: where another run has it, whose process it names.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    held = file.open("a+", encoding="utf-8")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        held.seek(0)
        raise SystemExit(
            f"another run of the tests is under way in this tree (process {held.read().strip()}): "
            "wait for it, or end it"
        ) from None
    held.truncate(0)
    held.write(f"{os.getpid()}\n")
    held.flush()
    return held


def guard(folders: Sequence[str]) -> None:
    """Waits for the end of the run, then ends what is left of it, and removes the folders of a killed run."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    told = {int(line[1:]): line[0] for line in sys.stdin}
    left = [session for session, state in told.items() if state == "+"]
    for session in left:
        end_session(session)
    for folder in folders if left else ():
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__" and sys.argv[1:2] == [GUARD]:
    guard(sys.argv[2:])
