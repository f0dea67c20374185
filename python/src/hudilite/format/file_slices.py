"""Base files that a snapshot shows, found in a listing per partition by Hudi's rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hudilite.conditions import error_of
from hudilite.format.commit_json import Written
from hudilite.format.folders import Entry, Folder
from hudilite.format.history import History
from hudilite.format.instant_files import BOOTSTRAPS

_BASE_FILE = re.compile(r"([^_/]+)_([0-9]+-[0-9]+-[0-9]+)_([0-9]{17}|[0-9]{14})\.parquet")
_BUCKET = re.compile(r"([0-9]{8})-[0-9a-fA-F]{4}-.*")
_COUNTED = re.compile(r"[0-9]{8}-([0-9]{4})-8([0-9]{3})-.*")
_METAFILE = ".hoodie_partition_metadata"

Group = tuple[str, str]


@dataclass(frozen=True)
class Slice:
    """Base file of a file group, found in a listing."""

    partition: str
    group: str
    token: str
    instant: str
    name: str
    bytes: int

    @property
    def place(self) -> str:
        """Path relative to the table's folder."""
        return f"{self.partition}/{self.name}" if self.partition else self.name


@dataclass(frozen=True)
class Snapshot:
    """State of a table as of an instant, according to its commits.

    Attributes:
        history: Timeline of the table.
        last: Last instant that counts; None for all instants.
    """

    history: History
    last: str | None

    def written(self) -> Mapping[Group, tuple[str, Written]]:
        """Returns the newest base file that commits name for each file group, with its instant."""
        found: dict[Group, tuple[str, Written]] = {}
        for time, step in sorted(self.history.completed.items()):
            if not self.history.counts(time, self.last) or step.commit is None:
                continue
            for file in step.commit.written:
                if file.is_log:
                    continue
                group = file.partition, file.group
                known = found.get(group)
                # If one commit names two files of a file group, the greater name counts.
                if known is None or (known[0], known[1].name) < (time, file.name):
                    found[group] = time, file
        return found

    def replaced(self) -> set[Group]:
        """Returns the file groups that a replacecommit hides."""
        return {
            (partition, group)
            for time, step in self.history.completed.items()
            if step.commit and self.history.counts(time, self.last)
            for partition, groups in step.commit.replaced.items()
            for group in groups
        }

    def files(self) -> Iterator[tuple[str, Written]]:
        """Yields every file that a completed commit names, with the commit's instant."""
        for time, step in self.history.completed.items():
            yield from ((time, file) for file in (step.commit.written if step.commit else ()))

    def latest(
        self, listed: Iterable[tuple[str, list[Entry]]], folder: Folder, only: str | None = None
    ) -> list[Slice]:
        """Returns the newest base file of each file group, sorted by partition and file group.

        Args:
            listed: Partitions, with the entries of their folders.
            folder: Folder of the table, for error messages.
            only: Partition path that was listed; None when all partitions were.

        Raises:
            HudiliteError: ``HUDILITE_MISSING_DATA_FILE`` when the newest file of a file group is
                gone.
            HudiliteError: ``HUDILITE_CORRUPT_DATA_FILE`` when it has another length than its commit
                recorded.
        """
        written, hidden = self.written(), self.replaced()
        recorded = {(time, file.partition, file.name) for time, file in self.files()}
        newest: dict[Group, Slice] = {}
        for found in (s for partition, entries in listed for s in _base_files(partition, entries)):
            group = found.partition, found.group
            if group in hidden or not self._counts(found, recorded):
                continue
            known = newest.get(group)
            if known is None or _rank(known, recorded) < _rank(found, recorded):
                newest[group] = found
        asked = {g: w for g, w in written.items() if g not in hidden and only in (None, g[0])}
        _check(newest, asked, folder)
        return [newest[group] for group in sorted(newest)]

    def _counts(self, found: Slice, recorded: set[tuple[str, str, str]]) -> bool:
        """Whether a file belongs to the snapshot.

        All attempts at a bootstrap have one instant, so only the files that its commit names count.
        """
        is_bootstrap = found.instant in BOOTSTRAPS and found.instant in self.history.completed
        is_named = (found.instant, found.partition, found.name) in recorded
        return self.history.counts(found.instant, self.last) and (is_named or not is_bootstrap)


def bucket_of(group: str) -> int | None:
    """Returns the bucket that a file group's id begins with; None for an id of another form.

    Examples:
        >>> bucket_of("00000007-aaaa-4bbb-8ccc-000000000000-0")
        7
    """
    digits = _BUCKET.fullmatch(group)
    return int(digits[1]) if digits else None


def count_of(group: str) -> int | None:
    """Returns the number of buckets that a file group's id contains; None for the table's own.

    An id contains it while the table is rescaled, and afterwards.

    Examples:
        >>> count_of("00000007-0000-8032-8ccc-000000000000-0")
        32
        >>> count_of("00000007-aaaa-4bbb-8ccc-000000000000-0") is None
        True
    """
    digits = _COUNTED.fullmatch(group)
    return (int(digits[1] + digits[2]) or None) if digits else None


def partitions(
    folder: Folder, levels: int, only: str | None = None
) -> Iterator[tuple[str, list[Entry]]]:
    """Yields the partitions of a table, with the entries of their folders.

    A folder is a partition if it contains Hudi's ``.hoodie_partition_metadata``. A table without
    partition columns has one partition, its own folder.

    Args:
        folder: Folder of the table.
        levels: Number of partition columns. A value that contains ``/`` makes the folder deeper.
        only: Partition path to look for; None for all partitions.
    """
    if levels == 0:
        yield from [("", folder.entries())] if only in (None, "") else []
        return
    waiting = [("", 0)]
    while waiting:
        path, level = waiting.pop()
        entries = folder.entries(path)
        if level >= levels and any(entry.name.startswith(_METAFILE) for entry in entries):
            if only in (None, path):
                yield path, entries
            continue
        below = [e.name for e in entries if e.is_folder and not e.name.startswith(".hoodie")]
        paths = [f"{path}/{name}" if path else name for name in below]
        waiting += [(p, level + 1) for p in paths if only is None or f"{only}/".startswith(f"{p}/")]


def _base_files(partition: str, entries: Iterable[Entry]) -> Iterator[Slice]:
    for entry in entries:
        name = _BASE_FILE.fullmatch(entry.name)
        if name and not entry.is_folder:
            yield Slice(partition, name[1], name[2], name[3], entry.name, entry.bytes)


def _rank(found: Slice, recorded: set[tuple[str, str, str]]) -> tuple[str, bool, str]:
    """Sort key of a file group's files: the newest is last.

    Among attempts of one commit, a file that the commit names comes after the others.
    """
    is_named = (found.instant, found.partition, found.name) in recorded
    return found.instant, is_named, found.token


def _check(
    newest: Mapping[Group, Slice], written: Mapping[Group, tuple[str, Written]], folder: Folder
) -> None:
    for group, (time, file) in sorted(written.items()):
        found = newest.get(group)
        place = f"{file.partition}/{file.name}" if file.partition else file.name
        if found is None or (found.instant <= time and found.name != file.name):
            raise error_of("HUDILITE_MISSING_DATA_FILE", path=folder.path(place), instant=time)
        if found.name == file.name and file.bytes not in (0, found.bytes):
            reason = f"it has {found.bytes} bytes, but its commit wrote {file.bytes}"
            raise error_of("HUDILITE_CORRUPT_DATA_FILE", path=folder.path(place), reason=reason)
