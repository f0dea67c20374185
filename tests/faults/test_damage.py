"""Damaged files: right rows, or an error with a name of ours; never wrong rows, never a hang."""

from __future__ import annotations

import re
import shutil
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from asked import LONG, SEED, rng_of
from runs import Enumeration, by_path
from script import FOLLOWING, ORIGINAL, following

from harness import layout
from harness.faults import fault_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FLIPS = 40 if LONG else 2  # for a kind of file, at random places
HANGS = 20  # seconds


def newest_base_file(base: Path) -> Path:
    return max(layout.latest_slices(base), key=lambda found: (found.instant, found.bucket)).path


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


def numbers(base: Path) -> list[Path]:
    found = (base / ".hoodie" / ".hudilite" / "commits").iterdir()
    return sorted(path for path in found if "-" not in path.name)


@dataclass(frozen=True)
class Damage:
    """A kind of file, and how its bytes change."""

    kind: str
    how: str
    change: Callable[[bytes], bytes]


def damages(kind: str) -> Iterator[Damage]:
    """Cuts at ends and middle, and flipped bits at random places."""
    for label, share in (("empty", 0.0), ("half", 0.5)):
        yield Damage(kind, label, lambda data, share=share: data[: int(len(data) * share)])
    yield Damage(kind, "one byte less", lambda data: data[:-1])
    yield Damage(kind, "one byte more", lambda data: data + b"\x00")
    if kind == "base file without crc":
        for back in (1, 8, 16):
            yield Damage(kind, f"a text turned {back} bytes before its end", turn_text(back))
    rng = rng_of(kind)
    for _ in range(FLIPS):
        place, bit = rng.random(), rng.randrange(8)
        yield Damage(kind, f"bit {bit} at {place:.6f}", flip(kind, place, bit))


def turn_text(back: int) -> Callable[[bytes], bytes]:
    """Turns a bit in the page that holds the sequence numbers, which are texts."""

    def change(data: bytes) -> bytes:
        group = pq.ParquetFile(pa.BufferReader(data)).metadata.row_group(0)
        chunks = [group.column(i) for i in range(group.num_columns)]
        chunk = next(c for c in chunks if c.path_in_schema == "_hoodie_commit_seqno")
        begin = chunk.dictionary_page_offset or chunk.data_page_offset
        at = begin + chunk.total_compressed_size - back
        return data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]

    return change


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
    for damage in damages(kind):
        began = time.monotonic()
        told = look(enumeration, spark, damage)
        if time.monotonic() - began > HANGS:
            told.append("it hung")
        print(damage.kind, damage.how, told)
        wrong += [f"{damage.kind}, {damage.how}: {text}" for text in told]
    assert wrong == []


def look(enumeration: Enumeration, spark: SparkSession, damage: Damage) -> list[str]:
    """What is wrong with how a damaged table is read, merged into and, mended, read again."""
    place = enumeration.folder / "damaged"
    shutil.copytree(enumeration.original, place)
    target = FILES[damage.kind](place)
    whole = target.read_bytes()
    side = target.with_name(f".{target.name}.crc")
    if damage.kind.endswith("without crc"):
        side.unlink()
    target.write_bytes(damage.change(whole))
    query = f"SELECT id, p, v FROM {by_path(place)}"
    told: list[str] = []
    rows = attempt(spark, query, told)
    if rows is not None and sorted(rows) != sorted(ORIGINAL):
        told.append(f"{len(set(rows) ^ ORIGINAL)} wrong rows are read")
    merged = attempt(spark, FOLLOWING.format(t=by_path(place)), told)
    target.write_bytes(whole)
    state = ORIGINAL if merged is None else following(ORIGINAL)
    told += [f"mended: {text}" for text in enumeration.look(place, [state])[1]]
    shutil.rmtree(place)
    return told


def attempt(spark: SparkSession, sql: str, told: list[str]) -> list[tuple[Any, ...]] | None:
    """The rows of a statement in a fresh session; a failure must have a name of ours."""
    try:
        return [tuple(row) for row in spark.newSession().sql(sql).collect()]
    except Exception as error:  # noqa: BLE001 - every failure is judged by its name
        name, causes = fault_of(error).condition, re.findall(r"Caused by: .*", str(error))
        if not name.startswith("HUDILITE_"):
            told.append(f"{sql[:6]} fails with {name}: {causes[-2:]}")
        return None
