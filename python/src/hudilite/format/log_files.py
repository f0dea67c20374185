"""Log files of merge-on-read tables, and the file slices that they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hudilite.conditions import error_of
from hudilite.format.commit_json import Written
from hudilite.format.file_slices import Group, Slice, Snapshot
from hudilite.format.folders import Entry, Folder

_NAME = re.compile(r"\.([^._/]+)_([0-9]{14}|[0-9]{17})\.log\.([0-9]{1,9})_([0-9]+-[0-9]+-[0-9]+)")


@dataclass(frozen=True)
class Log:
    """Log file, found in a listing.

    Attributes:
        instant: Instant in its name: in table version 6 that of the slice's base, in later versions
            that of its commit.
        number: Number of the log file, from 1.
        committed: Instant of the last commit that names the file; None if no commit of the timeline
            does.
    """

    partition: str
    group: str
    instant: str
    number: int
    token: str
    name: str
    bytes: int
    committed: str | None

    @property
    def place(self) -> str:
        """Path relative to the table's folder."""
        return f"{self.partition}/{self.name}" if self.partition else self.name


@dataclass(frozen=True)
class LoggedSlice:
    """File slice: a base file, or none, and the log files that apply to it, in their order."""

    partition: str
    group: str
    instant: str
    base: Slice | None
    logs: tuple[Log, ...]


def slices(
    snapshot: Snapshot,
    listed: Iterable[tuple[str, list[Entry]]],
    folder: Folder,
    only: str | None = None,
    *,
    names_writers: bool,
) -> list[LoggedSlice]:
    """Returns the newest slice of each file group, sorted by partition and file group.

    Args:
        snapshot: State of the table.
        listed: Partitions, with the entries of their folders.
        folder: Folder of the table, for error messages.
        only: Partition path that was listed; None when all partitions were.
        names_writers: Whether the names of log files contain the instants of their commits. In
            table version 6 they do not, and only the blocks in a file contain these instants.

    Raises:
        HudiliteError: The errors of `Snapshot.latest`, also for log files.
    """
    entries = list(listed)
    bases = {(s.partition, s.group): s for s in snapshot.latest(entries, folder, only)}
    rules = _Rules(snapshot, names_writers)
    hidden = snapshot.replaced()
    logs: dict[Group, list[Log]] = {}
    for log in (log for partition, of in entries for log in rules.logs(partition, of)):
        if (log.partition, log.group) not in hidden:
            logs.setdefault((log.partition, log.group), []).append(log)
    found = []
    named = {g for g in rules.named() if g not in hidden and only in (None, g[0])}
    for group in sorted(bases.keys() | logs.keys() | named):
        base, of_group = bases.get(group), logs.get(group, [])
        if base is None and not of_group:
            rules.check(group, "", [], folder)
        instant = base.instant if base else rules.without_base(of_group)
        if instant is not None:
            own = [log for log in of_group if rules.since(log.instant) >= instant]
            own.sort(key=lambda log: (log.instant, log.number, log.token))
            has_all = base is None and names_writers  # no slice came before
            rules.check(group, "" if has_all else instant, own, folder)
            found.append(LoggedSlice(*group, instant, base, tuple(own)))
    return found


class _Rules:
    """Rules that assign log files to slices."""

    def __init__(self, snapshot: Snapshot, names_writers: bool) -> None:
        self._snapshot = snapshot
        self._names_writers = names_writers
        self._named: dict[Group, dict[str, list[tuple[str, Written]]]] = {}
        for time, file in snapshot.files():
            if file.is_log:
                of_group = self._named.setdefault((file.partition, file.group), {})
                of_group.setdefault(file.name, []).append((time, file))

    def _counts(self, time: str) -> bool:
        return self._snapshot.history.counts(time, self._snapshot.last)

    def logs(self, partition: str, entries: Iterable[Entry]) -> Iterator[Log]:
        """Yields the log files of a listing that may have rows of the snapshot."""
        for entry in entries:
            name = _NAME.fullmatch(entry.name)
            if name and not entry.is_folder:
                of_group = self._named.get((partition, name[1]), {})
                named = [time for time, _ in of_group.get(entry.name, [])]
                counted = [time for time in named if self._counts(time)]
                is_seen = self._counts(name[2]) if self._names_writers else counted or not named
                if is_seen:
                    yield Log(
                        partition,
                        name[1],
                        name[2],
                        int(name[3]),
                        name[4],
                        entry.name,
                        entry.bytes,
                        max(counted, default=name[2] if self._names_writers else None),
                    )

    def named(self) -> set[Group]:
        """Returns the file groups of which commits name log files."""
        return set(self._named)

    def since(self, instant: str) -> str:
        """Returns the time that decides to which slice a log file belongs."""
        step = self._snapshot.history.completed.get(instant)
        return step.completion or instant if self._names_writers and step else instant

    def without_base(self, logs: Iterable[Log]) -> str | None:
        """Returns the instant of a slice that has log files alone."""
        if self._names_writers:
            return min((log.instant for log in logs), default=None)
        return max((log.instant for log in logs if self._counts(log.instant)), default=None)

    def check(self, group: Group, instant: str, found: Iterable[Log], folder: Folder) -> None:
        """Checks that the log files that commits name are there and not shorter than recorded."""
        there: Mapping[str, Log] = {log.name: log for log in found}
        partition = group[0]
        for name, named in sorted(self._named.get(group, {}).items()):
            own = [(t, f) for t, f in named if self._counts(t)]
            parts = _NAME.fullmatch(name)
            if not own or parts is None or self.since(parts[2]) < instant:
                continue
            time, length = max(t for t, _ in own), max(f.bytes for _, f in own)
            path = folder.path(f"{partition}/{name}" if partition else name)
            if name not in there:
                raise error_of("HUDILITE_MISSING_DATA_FILE", path=path, instant=time)
            if there[name].bytes < length:
                reason = f"it has {there[name].bytes} bytes, but its commit wrote {length}"
                raise error_of("HUDILITE_CORRUPT_DATA_FILE", path=path, reason=reason)
