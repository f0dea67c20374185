"""Damaged files: right rows, or an error with a name of ours; never wrong rows, never a hang."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from asked import LONG, SEED, rng_of
from damaged import look, newest_base_file, numbers
from runs import Enumeration

from harness import layout
from harness.rotation import third

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FLIPS = 40 if LONG else 2  # for a kind of file, at random places


FILES: dict[str, Callable[[Path], Path]] = {
    "properties": lambda base: base / ".hoodie" / "hoodie.properties",
    "requested": lambda base: max((base / ".hoodie").glob("*.requested")),
    "inflight": lambda base: max((base / ".hoodie").glob("*.inflight")),
    "completed": lambda base: max((base / ".hoodie").glob("*.commit")),
    "first completed": lambda base: min((base / ".hoodie").glob("*.commit")),
    "number": lambda base: numbers(base)[-1],
    "first number": lambda base: numbers(base)[0],
    "metafile": lambda base: min(base.rglob(layout.PARTITION_METAFILE)),
    "base file": newest_base_file,
    "base file without crc": newest_base_file,
}


@dataclass(frozen=True)
class Damage:
    """A kind of file, and how its bytes change."""

    kind: str
    how: str
    change: Callable[[bytes], bytes]

    def spoil(self, base: Path) -> None:
        """Changes the file's bytes."""
        target = FILES[self.kind](base)
        if self.kind.endswith("without crc"):
            target.with_name(f".{target.name}.crc").unlink()
        target.write_bytes(self.change(target.read_bytes()))


def damages(kind: str) -> Iterator[Damage]:
    """Cuts at ends and middle, and flipped bits at random places."""
    for label, share in (("empty", 0.0), ("half", 0.5)):
        yield Damage(kind, label, lambda data, share=share: data[: int(len(data) * share)])
    yield Damage(kind, "one byte less", lambda data: data[:-1])
    yield Damage(kind, "one byte more", lambda data: data + b"\x00")
    if kind == "base file without crc":
        for column, back in (("_hoodie_commit_seqno", 1), ("v", 1), ("_hoodie_commit_seqno", 8)):
            how = f"a bit of {column} turned {back} bytes before its end"
            yield Damage(kind, how, turned(column, back))
        for encoding in (1, 3, 4, 5, 6, 7, 9):
            change = other_encoding("v", encoding)
            yield Damage(kind, f"a page of v says that its encoding is {encoding}", change)
    rng = rng_of(kind)
    for _ in range(FLIPS):
        place, bit = rng.random(), rng.randrange(8)
        yield Damage(kind, f"bit {bit} at {place:.6f}", flip(kind, place, bit))


def turned(column: str, back: int) -> Callable[[bytes], bytes]:
    """Turns a bit in the last page of a column of texts, in the first row group."""

    def change(data: bytes) -> bytes:
        at = pages(data, column).stop - back
        return data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]

    return change


def other_encoding(column: str, encoding: int) -> Callable[[bytes], bytes]:
    """Writes another encoding into the header of a column's first data page of version 1.

    The header's fields are the encoding of the values (a dictionary's), of definition levels (3),
    and of repetition levels (4), each a byte 0x15 and the number, doubled.
    """

    def change(data: bytes) -> bytes:
        found = pages(data, column)
        header = re.compile(rb"\x15[\x04\x10]\x15\x06\x15[\x06\x08]")
        place = header.search(data, found.start, found.stop)
        assert place is not None
        return data[: place.start() + 1] + bytes([2 * encoding]) + data[place.start() + 2 :]

    return change


def pages(data: bytes, column: str) -> range:
    """Where the pages of a column lie, in the first row group."""
    group = pq.ParquetFile(pa.BufferReader(data)).metadata.row_group(0)
    chunks = [group.column(i) for i in range(group.num_columns)]
    chunk = next(c for c in chunks if c.path_in_schema == column)
    begin = chunk.dictionary_page_offset or chunk.data_page_offset
    return range(begin, begin + chunk.total_compressed_size)


def flip(kind: str, place: float, bit: int) -> Callable[[bytes], bytes]:
    """Turns a bit over; of a base file without .crc only in its pages, as a footer has no check."""

    def change(data: bytes) -> bytes:
        footer = struct.unpack("<I", data[-8:-4])[0] + 8 if kind.endswith("crc") else 0
        at = int((len(data) - footer) * place)
        return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :] if data else data

    return change


@pytest.mark.fault("F34", "F35", "F40", "F45", "F46")
@pytest.mark.timeout(3600 if LONG else 600)
@pytest.mark.parametrize("kind", FILES)
def test_damage_gives_right_rows_or_a_named_error(
    enumeration: Enumeration, spark: SparkSession, kind: str
) -> None:
    print(f"HUDILITE_SEED={SEED}")
    wrong = []
    for damage in third(damages(kind)):
        told = look(enumeration, spark, damage.spoil)
        print(damage.kind, damage.how, told)
        wrong += [f"{damage.kind}, {damage.how}: {text}" for text in told]
    assert wrong == []
