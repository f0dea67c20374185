"""How the key ranges of file groups lie over each other: what a look-up by key pays for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from hudilite.files import BaseFile


def overlaps(files: Iterable[BaseFile]) -> dict[tuple[str, str], int]:
    """Of each file group whose keys are known, how many others of its partition may hold them.

    Returns:
        By partition and file group: the number of other file groups whose range of keys has a key
        in common with it.
    """
    ranges: dict[str, list[tuple[str, bytes, bytes]]] = {}
    for file in files:
        if file.least_key is not None and file.greatest_key is not None:
            bounds = file.group, _ordered(file.least_key), _ordered(file.greatest_key)
            ranges.setdefault(file.partition, []).append(bounds)
    return {
        (partition, group): count
        for partition, found in ranges.items()
        for group, count in _counted(found)
    }


def _counted(found: list[tuple[str, bytes, bytes]]) -> Iterable[tuple[str, int]]:
    leasts = sorted(least for _, least, _ in found)
    greatests = sorted(greatest for _, _, greatest in found)
    for group, least, greatest in found:
        before = bisect_left(greatests, least)
        after = len(found) - bisect_right(leasts, greatest)
        yield group, len(found) - before - after - 1


def _ordered(key: str) -> bytes:
    """A key in the order of Java's texts, by units of 16 bits."""
    return key.encode("utf-16-be", "surrogatepass")
