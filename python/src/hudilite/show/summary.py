"""The figures of a table's page: rows by bucket, skew, ages of files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from hudilite.files import BaseFile
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
    """The rows that one bucket, or in a table without buckets one file group, holds.

    Attributes:
        label: Number of the bucket, or id of the file group.
        bucket: Number of the bucket, None for a file group.
        rows: In all partitions, of the files whose rows are known.
        bytes: In all partitions.
        files: In all partitions.
    """

    label: str
    bucket: int | None
    rows: int
    bytes: int
    files: int


def heaps(facts: TableFacts, files: Iterable[BaseFile]) -> list[Heap]:
    """A heap for each bucket of the table, empty ones too; without buckets one a file group."""
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
    """The greatest number of rows over the mean; None where there are none.

    Examples:
        >>> skew([10, 10, 40])
        2.0
    """
    return max(rows) * len(rows) / sum(rows) if sum(rows) else None


def ages(files: Iterable[BaseFile], now: datetime, zone: timezone | None) -> dict[str, int]:
    """Number of files by how long ago they were written, by their commits.

    Args:
        files: Base files of the table.
        now: What the ages are counted from.
        zone: In which the timeline names its instants, None for that of this machine.
    """
    found = {f"under {name}": 0 for name, _ in AGES} | {"older": 0, "undated": 0}
    for file in files:
        found[_age(file.instant, now, zone)] += 1
    return found


def clock_time(instant: str) -> datetime | None:
    """The date and time of an instant, without a zone; None for those of a bootstrap.

    Args:
        instant: 14 or 17 digits.

    Examples:
        >>> clock_time("20240102030405678").isoformat()
        '2024-01-02T03:04:05.678000'
    """
    try:
        shown = datetime.strptime(instant[:14], "%Y%m%d%H%M%S")
    except ValueError:
        return None
    return shown.replace(microsecond=int(instant[14:] or 0) * 1000)


def written_at(instant: str, zone: timezone | None) -> datetime | None:
    """The moment of an instant; None for those of a bootstrap.

    Args:
        instant: 14 or 17 digits.
        zone: In which the timeline names its instants, None for that of this machine. An hour that
            its clock shows twice counts as the first of the two.

    Examples:
        >>> written_at("20240102030405678", timezone.utc).isoformat()
        '2024-01-02T03:04:05.678000+00:00'
    """
    shown = clock_time(instant)
    if shown is None:
        return None
    return shown.replace(tzinfo=zone) if zone else shown.astimezone()


def _age(instant: str, now: datetime, zone: timezone | None) -> str:
    moment = written_at(instant, zone)
    if moment is None:
        return "undated"
    young = [name for name, limit in AGES if now - moment < limit]
    return f"under {young[0]}" if young else "older"


def _is_bucket(files: Sequence[BaseFile]) -> bool:
    return bool(files) and files[0].bucket is not None
