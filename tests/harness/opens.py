"""Which files any process opens and which folders it lists, as the kernel tells: no counter of the engine
has a say in it."""

from __future__ import annotations

import ctypes
import os
import select
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

OPENED, READ, OF_FOLDER = 0x20, 0x1, 0x40000000
HEAD = struct.Struct("iIII")


@contextmanager
def opened_files(folders: Iterable[Path]) -> Iterator[list[Path]]:
    """The files right below some folders that are opened or read while the block runs.

    Yields:
        A list that is filled when the block ends.
    """
    with _seen(folders) as seen:
        found: list[Path] = []
        yield found
        found.extend(
            folder / name for folder, mask, name in seen() if name and not mask & OF_FOLDER
        )


@contextmanager
def opened_or_listed(folders: Iterable[Path]) -> Iterator[list[Path]]:
    """The files right below some folders that are opened or read while the block runs, and those of
    the folders themselves that are listed.

    Yields:
        A list that is filled when the block ends.
    """
    with _seen(folders) as seen:
        found: list[Path] = []
        yield found
        found.extend(
            folder / name for folder, mask, name in seen() if bool(name) != bool(mask & OF_FOLDER)
        )


@contextmanager
def _seen(folders: Iterable[Path]) -> Iterator[Callable[[], Iterator[tuple[Path, int, str]]]]:
    libc = ctypes.CDLL(None, use_errno=True)
    channel = libc.inotify_init1(os.O_NONBLOCK)
    assert channel >= 0, os.strerror(ctypes.get_errno())
    watched = {
        libc.inotify_add_watch(channel, os.fsencode(folder), OPENED | READ): folder
        for folder in folders
    }
    assert all(watch >= 0 for watch in watched), os.strerror(ctypes.get_errno())
    try:
        yield lambda: _drain(channel, watched)
    finally:
        os.close(channel)


def _drain(channel: int, watched: dict[int, Path]) -> Iterator[tuple[Path, int, str]]:
    """Each event: the watched folder, its kind, and the name below the folder; none is the folder itself."""
    while select.select([channel], [], [], 0.2)[0]:
        data, at = os.read(channel, 1 << 16), 0
        while at < len(data):
            watch, mask, _, length = HEAD.unpack_from(data, at)
            name = data[at + HEAD.size : at + HEAD.size + length].rstrip(b"\0")
            at += HEAD.size + length
            yield watched[watch], mask, os.fsdecode(name)
