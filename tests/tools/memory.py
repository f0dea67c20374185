"""Where the tables of the tests lie: in memory where there is room, since each commit is forced to the disk many times."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path

from files import ROOT

SHARED = Path("/dev/shm")
FACTS = Path("/proc/meminfo")
ROOM = 2 << 30  # for the tables of two suites at once: many times what they take
AVAILABLE = 8 << 30  # for the tables and the JVMs
GIVEN = "PYTEST_DEBUG_TEMPROOT"  # the folder below which pytest makes those of the tests


@contextlib.contextmanager
def folder(tier: str) -> Iterator[Path | None]:
    """A folder in memory for the tests of this tree, without what an earlier run has left there.

    It is None where there is no room, in `make soak`, whose tables are large, and where the user names a
    folder. Afterwards it is removed if it is empty.
    """
    if tier == "soak" or GIVEN in os.environ or not has_room(SHARED, FACTS):
        yield None
        return
    # No name that tests replace in statements by that of another project.
    place = SHARED / f"tables-{zlib.crc32(f'{os.getuid()} {ROOT}'.encode()):08x}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(mode=0o700)
    try:
        yield place
    finally:
        with contextlib.suppress(OSError):
            place.rmdir()


def has_room(shared: Path, facts: Path) -> bool:
    """Whether the memory of this machine can hold the tables of the tests, and programs among them.

    Args:
        shared: A file system in memory.
        facts: Lines about the memory, as those of Linux.
    """
    try:
        system, text = os.statvfs(shared), facts.read_text(encoding="utf-8")
    except OSError:
        return False
    found = re.search(r"^MemAvailable:\s*(\d+) kB$", text, re.MULTILINE)
    available = int(found[1]) << 10 if found else 0
    free = system.f_bavail * system.f_frsize
    return free >= ROOM and available >= AVAILABLE and not system.f_flag & os.ST_NOEXEC
