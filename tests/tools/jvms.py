"""Counts the JVMs that start on this machine, seen from outside.

Every JVM of HotSpot, a launcher that lives for a tenth of a second as well, makes a file named by
its process id in /tmp/hsperfdata_<user> as it starts; Linux reports each (inotify). What starts with
`-XX:-UsePerfData` is not seen: nothing in the build or the tests but the demo of a user asks for it.
"""

from __future__ import annotations

import ctypes
import getpass
import os
import struct
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

IN_CREATE = 0x100
HEAD = struct.Struct("iIII")  # watch, mask, cookie, length of the name


class JvmCounter:
    """Counts from its start on, by the suite that a JVM belongs to."""

    def __init__(self, suite_of: Callable[[int], str]) -> None:
        """Begins to count.

        Args:
            suite_of: The suite of a session of processes, by the id of its leader.
        """
        self.counts: Counter[str] = Counter()
        self._suite_of = suite_of
        self._events = _watch(Path(f"/tmp/hsperfdata_{getpass.getuser()}"))
        if self._events is not None:
            threading.Thread(target=self._count, args=(self._events,), daemon=True).start()

    @property
    def total(self) -> int | None:
        """JVMs that started; None where that is not seen, as on other systems than Linux."""
        return None if self._events is None else self.counts.total()

    def _count(self, events: int) -> None:
        while True:
            told = os.read(events, 1 << 16)
            while told:
                length = HEAD.unpack_from(told)[3]
                name = told[HEAD.size : HEAD.size + length].rstrip(b"\0").decode()
                told = told[HEAD.size + length :]
                if name.isdigit():
                    self.counts[self._suite_of(session_of(int(name)))] += 1


def session_of(process: int) -> int:
    """The session of a process, 0 where it has ended."""
    try:
        return os.getsid(process)
    except ProcessLookupError:
        return 0


def _watch(folder: Path) -> int | None:
    """A descriptor that tells what is created in a folder."""
    try:
        library = ctypes.CDLL("libc.so.6", use_errno=True)
        folder.mkdir(mode=0o755, exist_ok=True)
        events = int(library.inotify_init1(os.O_CLOEXEC))
    except (AttributeError, OSError):
        return None
    watched = library.inotify_add_watch(events, os.fsencode(folder), IN_CREATE)
    return events if events >= 0 and watched >= 0 else None
