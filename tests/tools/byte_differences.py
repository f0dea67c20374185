"""Compares folders file by file, byte by byte, and names the place of each difference."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

# A checkpoint summarizes commits and may be missing at any time; it stores times of change on disk.
CHECKPOINT = re.compile(r"\d{20}\.checkpoint")
OF_RUN = ("stamps", "hudilite.checksum")
SHOWN = 40  # bytes of a file around a difference


@dataclass(frozen=True)
class Comparison:
    """What a comparison found.

    Attributes:
        files: Number of files and empty folders of head.
        bytes: Their bytes.
        faults: A line for each file that differs or is on one side only, sorted by name.
    """

    files: int
    bytes: int
    faults: tuple[str, ...]


def by_statement(base: Path, head: Path) -> dict[str, Comparison]:
    """Compares what two runs of tests/bytes/side_main.py left, statement by statement."""
    old, new = _states(base), _states(head)
    return {
        name: compared(base / old.get(name, "absent"), head / new.get(name, "absent"))
        for name in {**new, **old}
    }


def _states(folder: Path) -> dict[str, str]:
    states: dict[str, str] = json.loads((folder / "states.json").read_text(encoding="utf-8"))
    return states


def compared(base: Path, head: Path) -> Comparison:
    """Compares the content of two folders; one that does not exist counts as empty."""
    old, new = content(base), content(head)
    faults = [fault for name in sorted({*old, *new}) for fault in _faults(name, old, new)]
    return Comparison(len(new), sum(map(_size, new.values())), tuple(faults))


def content(folder: Path) -> dict[str, Path]:
    """Every file below a folder, and every folder without entries, by name; the name of a folder
    ends with a slash."""
    return {
        path.relative_to(folder).as_posix() + ("/" if path.is_dir() else ""): path
        for path in folder.rglob("*")
        if not path.is_dir() or not any(path.iterdir())
    }


def _size(path: Path) -> int:
    return 0 if path.is_dir() else path.stat().st_size


def _faults(name: str, old: Mapping[str, Path], new: Mapping[str, Path]) -> Iterator[str]:
    is_checkpoint = CHECKPOINT.fullmatch(name.rsplit("/", 1)[-1]) is not None
    if name not in old or name not in new:
        if not is_checkpoint:
            yield f"{name}: it is only in {'head' if name in new else 'base'}"
    elif not name.endswith("/"):
        one, other = old[name].read_bytes(), new[name].read_bytes()
        if is_checkpoint and _same_summary(one, other):
            return
        if one != other:
            yield f"{name}: {_difference(old[name], one, other)}"


def _same_summary(one: bytes, other: bytes) -> bool:
    """Whether two checkpoints differ only in what depends on the times of change of files."""
    try:
        read = [json.loads(text) for text in (one, other)]
    except ValueError:
        return False
    return all(r.keys() >= set(OF_RUN) for r in read) and _kept(read[0]) == _kept(read[1])


def _kept(summary: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in summary.items() if key not in OF_RUN}


def _difference(path: Path, one: bytes, other: bytes) -> str:
    """The offset of the first difference, what lies there, and both contents around it."""
    pairs = enumerate(zip(one, other, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))
    begin = max(0, at - SHOWN // 4)
    shown = [data[begin : begin + SHOWN] for data in (one, other)]
    return (
        f"byte {at} of {len(one)} and {len(other)}, {place_of(path, one, at)}: "
        f"{shown[0]!r} became {shown[1]!r}"
    )


def place_of(path: Path, data: bytes, at: int) -> str:
    """What lies at an offset of a file: a part of a Parquet file, or a line of any other."""
    if path.suffix != ".parquet":
        line = data.count(b"\n", 0, at) + 1
        return f"line {line}"
    try:
        metadata = pq.ParquetFile(path).metadata
    except (OSError, ValueError):
        return "in a Parquet file that cannot be read"
    for group in range(metadata.num_row_groups):
        for number in range(metadata.num_columns):
            column = metadata.row_group(group).column(number)
            begin = column.dictionary_page_offset or column.data_page_offset
            if begin <= at < begin + column.total_compressed_size:
                return f"row group {group}, column {column.path_in_schema}"
    length = int.from_bytes(data[-8:-4], "little")
    return "the footer" if at >= len(data) - 8 - length else "between row groups and footer"


def table(found: Mapping[str, Comparison]) -> Iterator[str]:
    """A line for each statement."""
    width = max(map(len, found), default=0)
    for name, of in found.items():
        outcome = f"{len(of.faults)} DIFFERENT" if of.faults else "equal"
        yield f"{name:{width}} {of.files:6,} files {of.bytes:11,} bytes  {outcome}"


def differences(found: Mapping[str, Comparison], most: int = 20) -> Iterator[str]:
    """The first differences, a line each; none if all is equal."""
    faults = [f"{name}: {fault}" for name, of in found.items() for fault in of.faults]
    yield from faults[:most]
    if len(faults) > most:
        yield f"and {len(faults) - most} more"


def golden_results(base: Path, head: Path) -> Iterator[str]:
    """A line for each golden result that differs between two trees, and one with their number."""
    old, new = (
        {n: p for n, p in content(t / "tests/sql").items() if p.suffix == ".out"}
        for t in (base, head)
    )
    faults = [fault for name in sorted({*old, *new}) for fault in _faults(name, old, new)]
    yield from faults
    yield f"{len(new)} golden results, of which {len(faults)} differ"
