"""Blocks of files in Hudi's log format, such as log files and the archive of table version 6."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

AVRO = 3  # kind of a block of Avro records
SCHEMA = 2  # entry of the header with the Avro schema

_MAGIC = b"#HUDI#"
_HEAD = struct.Struct(">6sqiii")


@dataclass(frozen=True)
class Block:
    """Block of a file.

    Attributes:
        kind: Number of the form of its content.
        header: Texts of its header, by their numbers.
        content: Its content.
    """

    kind: int
    header: Mapping[int, bytes]
    content: bytes


def read(data: bytes) -> Iterator[Block]:
    """Yields the blocks of a file.

    Args:
        data: Content of the whole file.

    Raises:
        ValueError: When the file ends too early or a block is damaged, after the blocks before it.
    """
    at = 0
    try:
        while at < len(data):
            magic, length, version, kind, count = _HEAD.unpack_from(data, at)
            end = at + len(_MAGIC) + 8 + length
            if magic != _MAGIC or version != 1 or length < 0 or end > len(data):
                raise ValueError("a log file has a block that is damaged")
            at, header = at + _HEAD.size, {}
            for _ in range(count):
                key, size = struct.unpack_from(">ii", data, at)
                header[key] = data[at + 8 : at + 8 + size]
                at += 8 + size
            (size,) = struct.unpack_from(">q", data, at)
            yield Block(kind, header, data[at + 8 : at + 8 + size])
            at = end
    except struct.error as error:
        raise ValueError(f"a log file ends too early ({error})") from error
