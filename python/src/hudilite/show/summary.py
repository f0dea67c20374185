"""Figures of a table's page: rows per bucket, skew, ages of files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from hudilite.files import BaseFile, FileSlice
from hudilite.format.instant_times import written_at
from hudilite.table_facts import TableFacts

AGES = (
    ("an hour", timedelta(hours=1)),
    ("a day", timedelta(days=1)),
    ("a week", timedelta(weeks=1)),
    ("a month", timedelta(days=30)),
    ("a year", timedelta(days=365)),
)


@dataclass(frozen=True)
class Heap:
    """Totals of one bucket, or in a table without buckets of one file group.

    Attributes:
        label: Bucket number, or file group id.
        bucket: Bucket number; None for a file group.
        rows: Rows in all partitions, of the files whose row counts are known.
        bytes: Bytes in all partitions.
        files: Files in all partitions.
    """

    label: str
    bucket: int | None
    rows: int
    bytes: int
    files: int


def heaps(facts: TableFacts, files: Iterable[BaseFile]) -> list[Heap]:
    """Returns the totals of each bucket, also of empty ones, or else of each file group."""
    found: dict[str, list[BaseFile]] = {}
    if facts.buckets is not None:
        found = {str(bucket): [] for bucket in range(facts.buckets)}
    for file in files:
        label = file.group if file.bucket is None else str(file.bucket)
        found.setdefault(label, []).append(file)
    return [
        Heap(
            label,
            int(label) if facts.buckets is not None or _is_bucket(of) else None,
            sum(file.rows or 0 for file in of),
            sum(file.bytes for file in of),
            len(of),
        )
        for label, of in found.items()
    ]


def skew(rows: Sequence[int]) -> float | None:
    """Returns the ratio of the greatest number of rows to the mean; None when there are no rows.

    Examples:
        >>> skew([10, 10, 40])
        2.0
    """
    return max(rows) * len(rows) / sum(rows) if sum(rows) else None


def ages(files: Iterable[BaseFile], now: datetime, zone: timezone | None) -> dict[str, int]:
    """Counts files by age. The instant of a file's commit gives its age.

    Args:
        files: Base files of the table.
        now: Time from which the ages are counted.
        zone: Time zone of the timeline's instants; None for that of this machine.
    """
    return _by_age((file.instant for file in files), now, zone)


def log_ages(slices: Iterable[FileSlice], now: datetime, zone: timezone | None) -> dict[str, int]:
    """Counts log files by the age of the last commit that names them; arguments as of `ages`.

    Those that no commit of the timeline names are undated.
    """
    return _by_age((log.instant or "" for of in slices for log in of.logs), now, zone)


def log_heaps(slices: Iterable[FileSlice]) -> list[Heap]:
    """Returns the log files of each bucket, or else of each file group that has any."""
    found: dict[str, list[FileSlice]] = {}
    for of in slices:
        if of.logs or of.bucket is not None:
            found.setdefault(of.group if of.bucket is None else str(of.bucket), []).append(of)
    return [
        Heap(
            label,
            of[0].bucket,
            0,
            sum(log.bytes for one in of for log in one.logs),
            sum(len(one.logs) for one in of),
        )
        for label, of in found.items()
    ]


def _by_age(instants: Iterable[str], now: datetime, zone: timezone | None) -> dict[str, int]:
    found = {f"under {name}": 0 for name, _ in AGES} | {"older": 0, "undated": 0}
    for instant in instants:
        found[_age(instant, now, zone)] += 1
    return found


def _age(instant: str, now: datetime, zone: timezone | None) -> str:
    moment = written_at(instant, zone)
    if moment is None:
        return "undated"
    young = [name for name, limit in AGES if now - moment < limit]
    return f"under {young[0]}" if young else "older"


def _is_bucket(files: Sequence[BaseFile]) -> bool:
    return bool(files) and files[0].bucket is not None
