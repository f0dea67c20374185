"""Log files of merge-on-read tables, read without the engine: blocks, deletions, and the rows of a slice.

Only what hudilite itself writes: a Parquet block and a delete block. Anything else is a ValueError.
"""

from __future__ import annotations

import io
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from harness import avro, layout, names
from harness.layout import Slice

MAGIC = b"#HUDI#"
DELETE, PARQUET = 1, 5
INSTANT, SCHEMA = 0, 2  # keys of a block's header
NAME = re.compile(r"^\.(?P<file_id>[^._]+)_(?P<instant>\d+)\.log\.(?P<version>\d+)_\d+-\d+-\d+$")
DELETIONS = {
    "type": "array",
    "items": {
        "type": "record",
        "name": "deletion",
        "fields": [
            {"name": "key", "type": ["null", "string"]},
            {"name": "partition", "type": ["null", "string"]},
            {"name": "ordering", "type": ["null", "boolean", "int"]},
        ],
    },
}
Row = dict[str, Any]


@dataclass(frozen=True)
class Block:
    """A block: its type, the texts of its header by their keys, and its content."""

    kind: int
    header: dict[int, str]
    content: bytes

    @property
    def instant(self) -> str:
        return self.header[INSTANT]

    def rows(self) -> list[Row]:
        """The rows of a Parquet block, in their order."""
        found: list[Row] = pq.ParquetFile(io.BytesIO(self.content)).read().to_pylist()
        return found

    def deleted(self) -> list[str]:
        """The keys of a delete block, in their order."""
        version, length = struct.unpack_from(">ii", self.content)
        if version != 3 or length != len(self.content) - 8:
            raise ValueError(f"a delete block of version {version} with {length} bytes")
        records = avro.value(DELETIONS, self.content[8:])
        if any(record["ordering"] != 0 for record in records):
            raise ValueError("a deletion has an ordering value")
        return [record["key"] for record in records]


@dataclass(frozen=True)
class LogFile:
    """A log file: where it lies and what its name says."""

    partition: str
    file_id: str
    instant: str
    version: int
    path: Path

    def blocks(self) -> list[Block]:
        """Its blocks.

        Raises:
            ValueError: where a block is not whole.
        """
        return blocks(self.path.read_bytes())


def blocks(data: bytes) -> list[Block]:
    """The blocks of a log file's bytes.

    Raises:
        ValueError: where a block is not whole.
    """
    found: list[Block] = []
    at = 0
    while at < len(data):
        block, at = _block(data, at)
        found.append(block)
    return found


def _block(data: bytes, at: int) -> tuple[Block, int]:
    try:
        magic, size, version, kind, entries = struct.unpack_from(">6sqiii", data, at)
        place, end, header = at + 26, at + 14 + size, {}
        for _ in range(entries):
            key, length = struct.unpack_from(">ii", data, place)
            header[key] = data[place + 8 : place + 8 + length].decode()
            place += 8 + length
        (length,) = struct.unpack_from(">q", data, place)
        content = data[place + 8 : place + 8 + length]
        footer, reverse = struct.unpack_from(">iq", data, place + 8 + length)
    except struct.error as error:
        raise ValueError(f"a block at {at} is cut off") from error
    whole = (MAGIC, 1, 0, size + 6, place + 8 + length + 12)
    if (magic, version, footer, reverse, end) != whole:
        raise ValueError(f"a block at {at} is damaged")
    return Block(kind, header, content), end


def log_files(base: Path) -> list[LogFile]:
    """Every log file on disk, committed or not."""
    found = (_log_file(base, path) for path in base.rglob(".*.log.*"))
    return sorted(
        (log for log in found if log is not None),
        key=lambda log: (log.partition, log.file_id, log.instant, log.version),
    )


def _log_file(base: Path, path: Path) -> LogFile | None:
    relative = path.relative_to(base)
    match = NAME.match(path.name)
    if match is None or names.current().metadata in relative.parts:
        return None
    parent = relative.parent.as_posix()
    partition = "" if parent == "." else parent
    version = int(match["version"])
    return LogFile(partition, match["file_id"], match["instant"], version, path)


def names_own_instant(base: Path) -> bool:
    """Whether the name of a log file contains its own instant, and not that of its slice."""
    return layout.properties(base)["hoodie.table.version"] != "6"


def counts(base: Path, instant: str) -> bool:
    """Whether a commit has this instant."""
    return instant in layout.completed(base) or layout.is_archived(base, instant)


def logs_of(base: Path, of: Slice, logs: list[LogFile]) -> list[LogFile]:
    """Those log files of the newest slice of a file group that a commit wrote, oldest first.

    Writers take turns, so the log files of a slice have later instants than its base.
    """
    mine = [log for log in logs if (log.partition, log.file_id) == (of.partition, of.file_id)]
    if names_own_instant(base):
        return [log for log in mine if log.instant > of.instant and counts(base, log.instant)]
    in_slice = [log for log in mine if log.instant == of.instant]
    return [log for log in in_slice if counts(base, instant_of(log))]


def instant_of(log: LogFile) -> str:
    """The instant of the commit that wrote a log file: one has written all of its blocks.

    Raises:
        ValueError: for several instants, and for a file that is not whole.
    """
    found = {block.instant for block in log.blocks()}
    if len(found) != 1:
        raise ValueError(f"{log.path.name} has the instants {sorted(found)}")
    return found.pop()


def merged(rows: list[Row], logs: list[LogFile], ordering: str = "") -> list[Row]:
    """The rows of a slice: its base rows under its log files, oldest first.

    Args:
        ordering: The ordering field by which a row wins over another; "" if the later one does.
    """
    states: dict[str, Row | None] = {}
    for block in (block for log in logs for block in log.blocks()):
        if block.kind == DELETE:
            states |= dict.fromkeys(block.deleted())
            continue
        for row in block.rows():
            held = states.get(row["_hoodie_record_key"])
            if held is None or not ordering or row[ordering] >= held[ordering]:
                states[row["_hoodie_record_key"]] = row
    kept = [row for row in rows if _stays(row, states, ordering)]
    won = {row["_hoodie_record_key"] for row in kept}
    return kept + [row for key, row in states.items() if row is not None and key not in won]


def _stays(row: Row, states: dict[str, Row | None], ordering: str) -> bool:
    """Whether a base row is in the result: the log files have none of its key, or a lower one."""
    key = row["_hoodie_record_key"]
    if key not in states:
        return True
    held = states[key]
    if held is None or not ordering or row[ordering] is None:
        return False
    return bool(held[ordering] < row[ordering])
