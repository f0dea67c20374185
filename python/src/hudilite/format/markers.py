"""Markers of a write: each names a data file that the write has begun, before the file exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hudilite.format.folders import Folder

_FOLDER = ".hoodie/.temp"
_NAME = re.compile(r"(.+)\.marker\.(CREATE|MERGE|APPEND)")
_SERVED = re.compile(r"MARKERS[0-9]+")  # files of stock Hudi's timeline server, one marker per line
_LOG = re.compile(r"\.([^._/]+)_[0-9]+\.log\.")


@dataclass(frozen=True)
class Marker:
    """Marker of one data file.

    Attributes:
        partition: Partition path; "" in a table without partitions.
        name: Name of the data file.
        kind: ``CREATE``, ``MERGE`` or ``APPEND``.
        modified_seconds: When the marker was written, or the file that lists it was extended.
    """

    partition: str
    name: str
    kind: str
    modified_seconds: float

    @property
    def group(self) -> str:
        """Id of the file group.

        Examples:
            >>> Marker("", ".g-0_20240101000000000.log.1_0-1-0", "APPEND", 0).group
            'g-0'
        """
        log = _LOG.match(self.name)
        return log[1] if log else self.name.partition("_")[0]


def read(folder: Folder, instant: str) -> list[Marker]:
    """Lists the markers of an instant, in both forms in which Hudi writes them.

    Args:
        folder: Folder of the table.
        instant: Instant of the write.

    Raises:
        HudiliteError: ``HUDILITE_MISSING_FILE`` when the write ends during the read.
    """
    return list(_below(folder, f"{_FOLDER}/{instant}", ""))


def _below(folder: Folder, place: str, partition: str) -> Iterator[Marker]:
    for entry in folder.entries(place):
        path = f"{place}/{entry.name}"
        if entry.is_folder:
            yield from _below(folder, path, f"{partition}/{entry.name}".lstrip("/"))
        elif found := _NAME.fullmatch(entry.name):
            yield Marker(partition, found[1], found[2], entry.modified_seconds)
        elif not partition and _SERVED.fullmatch(entry.name):
            lines = folder.read(path).decode("utf-8", "replace").splitlines()
            for named in filter(None, map(_NAME.fullmatch, lines)):
                at, _, name = named[1].rpartition("/")
                yield Marker(at, name, named[2], entry.modified_seconds)
