"""Overlap of the key ranges of file groups, which determines the cost of a lookup by key."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from hudilite.files import BaseFile


def overlaps(files: Iterable[BaseFile]) -> dict[tuple[str, str], int]:
    """Counts for each file group the others of its partition whose key range overlaps its own.

    File groups without a known key range are left out.

    Returns:
        Number of overlapping file groups, by partition path and file group id.
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
    """Returns a key as bytes in the order of Java's strings, by units of 16 bits."""
    return key.encode("utf-16-be", "surrogatepass")
