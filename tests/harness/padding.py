"""A table made as large as asked by metadata and links alone: no row is written.

Usage: python tests/harness/padding.py BASE --partitions N --groups N --commits N

The table must have buckets, partition columns and a commit. The values of the new partitions are
`pad00000`, `pad00001` and so on; of two partition columns, the first has a new value for each hundred
of the second. Their base files are links to one of the table's base files, so that the rows in them
are of another partition: they are there to be counted, listed and left alone.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import layout, names

MOST_LINKS = 60_000  # to one file: ext4 has 65,000
BELOW = 100  # partitions with the same value of the first of two columns
MILLI = timedelta(milliseconds=1)
SHAPE = "%Y%m%d%H%M%S%f"


@dataclass(frozen=True)
class Size:
    """How much is added to a table.

    Attributes:
        partitions: New ones.
        groups: File groups in each of them, which are the first buckets.
        commits: Over which these file groups are spread, in order.
    """

    partitions: int
    groups: int
    commits: int

    @property
    def files(self) -> int:
        """Base files."""
        return self.partitions * self.groups


@dataclass(frozen=True)
class Written:
    """A file group of the padding."""

    partition: str
    file_id: str


def pad(base: Path, size: Size) -> None:
    """Adds partitions, their files and the commits that name them."""
    model = layout.latest_slices(base)[0]
    columns = [level.partition("=")[0] for level in model.partition.split("/")]
    links = _Links(model.path, base.parent / f"{base.name}_links")
    metafile = _Links(model.path.parent / layout.PARTITION_METAFILE, links.folder)
    groups = iter(_groups(columns, size))
    timeline = _Timeline(base, model.instant)
    each, rest = divmod(size.files, size.commits)
    for number in range(size.commits):
        instant = timeline.next_instant()
        written = list(islice(groups, each + (number < rest)))
        for group in written:
            folder = base / group.partition
            if not folder.exists():
                folder.mkdir(parents=True)
                metafile.link(folder / layout.PARTITION_METAFILE)
            links.link(folder / f"{group.file_id}_0-0-0_{instant}.parquet")
        timeline.commit(instant, written, model.path.stat().st_size)


def _groups(columns: list[str], size: Size) -> Iterator[Written]:
    for number in range(size.partitions):
        values = [number] if len(columns) == 1 else divmod(number, BELOW)
        levels = zip(columns, values, strict=True)
        partition = "/".join(f"{column}=pad{value:05d}" for column, value in levels)
        tail = str(uuid.uuid5(uuid.NAMESPACE_URL, partition))[8:]
        for bucket in range(size.groups):
            yield Written(partition, f"{bucket:08d}{tail}-0")


class _Links:
    """Links to the content of a file, which is copied as often as that needs."""

    def __init__(self, of: Path, folder: Path) -> None:
        self.folder = folder
        self._of = of
        self._made = 0
        self._current = of
        folder.mkdir(exist_ok=True)

    def link(self, new: Path) -> None:
        if self._made % MOST_LINKS == 0:
            self._current = self.folder / f"{self._made}_{self._of.name}"
            self._current.write_bytes(self._of.read_bytes())
        os.link(self._current, new)
        self._made += 1


class _Timeline:
    """Writes commits after the last one of a table, in the form of one that is there."""

    def __init__(self, base: Path, model: str) -> None:
        self._base = base
        self._metadata = layout.commit_metadata(base, model)
        stats: list[dict[str, Any]] = next(iter(self._metadata["partitionToWriteStats"].values()))
        self._stat = stats[0]
        self._inflight = names.current().file(base, model, "commit", "inflight").read_bytes()
        self._last = datetime.strptime(max(layout.instants(base)), SHAPE)
        self._numbers = base / names.current().commits
        taken = (re.fullmatch(r"\d{20}", path.name) for path in self._numbers.iterdir())
        self._number = max(int(found[0]) for found in taken if found)

    def next_instant(self) -> str:
        self._last += MILLI
        return self._last.strftime(SHAPE)[:17]

    def commit(self, instant: str, written: list[Written], bytes_of_file: int) -> None:
        """Writes a completed commit, and its number."""
        by_partition: dict[str, list[dict[str, Any]]] = {}
        for group in written:
            name = f"{group.file_id}_0-0-0_{instant}.parquet"
            by_partition.setdefault(group.partition, []).append(
                self._stat
                | {
                    "fileId": group.file_id,
                    "path": f"{group.partition}/{name}",
                    "prevCommit": "null",
                    "partitionPath": group.partition,
                    "fileSizeInBytes": bytes_of_file,
                }
            )
        metadata = self._metadata | {"partitionToWriteStats": by_partition}
        text = layout.with_checksum(json.dumps(metadata))
        for state, content in (("requested", b""), ("inflight", self._inflight)):
            self._file(instant, state).write_bytes(content)
        self._file(instant, "completed").write_text(text, encoding="utf-8")
        self._number += 1
        record = {
            "kind": "commit",
            "instant": instant,
            "action": "commit",
            "writer": "padding",
            "touched": [{"partition": g.partition, "group": g.file_id[:8]} for g in written],
            "metadata": text,
        }
        number = self._numbers / f"{self._number:020d}"
        number.write_text(json.dumps(record), encoding="utf-8")
        number.with_name(f"{number.name}-{instant}").touch()

    def _file(self, instant: str, state: str) -> Path:
        return names.current().new_file(self._base, names.State(instant, "commit", state))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", type=Path)
    for name in ("partitions", "groups", "commits"):
        parser.add_argument(f"--{name}", type=int, required=True)
    asked = parser.parse_args()
    pad(asked.base, Size(asked.partitions, asked.groups, asked.commits))


if __name__ == "__main__":
    main()
