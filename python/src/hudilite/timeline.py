"""The timeline of a table, read from its folder without a JVM."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from hudilite import commits, history
from hudilite.history import History, Step
from hudilite.instants import State
from hudilite.storage import Folder, open_folder
from hudilite.table_facts import check_layout, facts_of

_METRICS = "hudilite.metrics."


@dataclass(frozen=True)
class Completion:
    """What a completed commit says that it did; what its writer did not tell is 0.

    Attributes:
        operation: ``UPSERT``, ``INSERT``, ``DELETE``, ``BOOTSTRAP`` ..., "" when it says none.
        rows_written: Rows of the new base files, those that were carried over included.
        rows_inserted: Rows that are new in the table.
        rows_updated: Rows that were changed.
        rows_deleted: Rows that were taken out.
        bytes_written: Length of the new base files.
        files_written: Number of the new base files.
        groups_replaced: File groups that the commit hides.
        partitions: Partitions that it wrote or replaced in, sorted; "" is a table without them.
        metrics: What hudilite counted, by the names of ``docs/metrics.md``.
        extra: Extra metadata of other writers, as text.
    """

    operation: str
    rows_written: int
    rows_inserted: int
    rows_updated: int
    rows_deleted: int
    bytes_written: int
    files_written: int
    groups_replaced: int
    partitions: tuple[str, ...]
    metrics: Mapping[str, int] = field(repr=False)
    extra: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True)
class Instant:
    """One action on a table, in the furthest state it has reached.

    Attributes:
        time: 14 or 17 digits, yyyyMMddHHmmssSSS; instants are compared as text.
        action: ``commit``, ``replacecommit``, ``clean``, ``rollback``, ``savepoint`` ...
        state: ``requested``, ``inflight`` or ``completed``.
        completion: Of a completed commit; None for actions whose files are Avro.
    """

    time: str
    action: str
    state: State
    completion: Completion | None = None


@dataclass(frozen=True)
class Commit:
    """A completed commit, whatever its action.

    Attributes:
        time: As of its instant.
        action: ``commit`` or ``replacecommit``; ``deltacommit`` in a merge-on-read table.
        completion: What it did.
    """

    time: str
    action: str
    completion: Completion


@dataclass(frozen=True)
class Timeline:
    """The active timeline of a table.

    Attributes:
        path: Folder of the table.
        instants: Oldest first.
    """

    path: str
    instants: tuple[Instant, ...]

    @property
    def commits(self) -> tuple[Commit, ...]:
        """The completed commits, of which readers see the rows."""
        return tuple(Commit(i.time, i.action, i.completion) for i in self.instants if i.completion)

    @property
    def pending(self) -> tuple[Instant, ...]:
        """What was begun and is not completed."""
        return tuple(instant for instant in self.instants if instant.state != "completed")


def read(path: str | os.PathLike[str]) -> Timeline:
    """The active timeline of the table in a folder; instants that were archived are not in it.

    A commit of hudilite counts as completed from the moment it has its number, as it does for
    hudilite's own readers.

    Args:
        path: The table's folder, or the URI of one that pyarrow can open.

    Raises:
        HudiliteError: ``HUDILITE_PATH_INVALID`` where there is no table or none may be opened;
            ``HUDILITE_UNSUPPORTED_TABLE`` for a table of another version than 6;
            ``HUDILITE_CORRUPT_TIMELINE`` when a file is empty, cut or altered;
            ``HUDILITE_MISSING_FILE`` when one went while the table was read.

    Examples:
        >>> [instant.action for instant in read("/lake/orders").commits]  # doctest: +SKIP
        ['commit', 'replacecommit']
    """
    folder = open_folder(path)
    check_layout(facts_of(folder), folder)
    return shown(folder, history.load(folder))


def shown(folder: Folder, loaded: History) -> Timeline:
    """The timeline that was loaded of an opened folder."""
    return Timeline(folder.root, tuple(map(_instant, loaded.steps)))


def _instant(step: Step) -> Instant:
    completion = _completion(step.commit) if step.commit else None
    return Instant(step.time, step.action, step.state, completion)


def _completion(commit: commits.Commit) -> Completion:
    files = commit.written
    return Completion(
        operation=commit.operation,
        rows_written=sum(file.rows or 0 for file in files),
        rows_inserted=sum(file.inserted for file in files),
        rows_updated=sum(file.updated for file in files),
        rows_deleted=sum(file.deleted for file in files),
        bytes_written=sum(file.bytes for file in files),
        files_written=len(files),
        groups_replaced=sum(map(len, commit.replaced.values())),
        partitions=tuple(sorted({file.partition for file in files} | set(commit.replaced))),
        metrics={
            key.removeprefix(_METRICS): int(value)
            for key, value in sorted(commit.extra.items())
            if key.startswith(_METRICS) and value.isascii() and value.isdigit()
        },
        extra={k: v for k, v in sorted(commit.extra.items()) if not k.startswith(_METRICS)},
    )
