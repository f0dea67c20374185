"""Rows a page of a Parquet file, from its offset indexes, which pyarrow does not show."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

ROW_GROUPS, COLUMNS, ROW_COUNT = 4, 1, 3
OFFSET_INDEX_AT, OFFSET_INDEX_LENGTH = 4, 5
METADATA, PATH = 3, 3
LOCATIONS, FIRST_ROW = 1, 3


def rows_per_page(path: Path, but: str = "") -> list[int]:
    """Number of rows of every data page of every column but one."""
    data = path.read_bytes()
    (footer,) = struct.unpack_from("<i", data, len(data) - 8)
    metadata = _Compact(data, len(data) - 8 - footer).struct()
    found: list[int] = []
    for group in metadata[ROW_GROUPS]:
        for column in group[COLUMNS]:
            if column[METADATA][PATH] == [but.encode()]:
                continue
            index = _Compact(data, column[OFFSET_INDEX_AT]).struct()
            firsts = [location[FIRST_ROW] for location in index[LOCATIONS]]
            ends = [*firsts[1:], group[ROW_COUNT]]
            found += [end - first for first, end in zip(firsts, ends, strict=True)]
    return found


class _Compact:
    """Thrift's compact protocol: structs as {field number: value}."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at

    def struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            kind = head & 0x0F
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind)
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._zigzag()
        if kind == 7:
            return self._take(8)
        if kind == 8:
            return self._take(self._varint())
        if kind in (9, 10):
            head = self._byte()
            size = head >> 4 if head >> 4 != 15 else self._varint()
            return [self._value(head & 0x0F) for _ in range(size)]
        if kind == 12:
            return self.struct()
        raise ValueError(f"no compact type {kind}")

    def _take(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]

    def _byte(self) -> int:
        return self._take(1)[0]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
