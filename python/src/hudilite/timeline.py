"""Timeline of a table, read from its folder without a JVM."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from hudilite.format import commit_json, history
from hudilite.format.folders import Folder, open_folder
from hudilite.format.history import History, Step
from hudilite.format.instant_files import State
from hudilite.table_facts import facts_of, layout_of


@dataclass(frozen=True)
class Completion:
    """Result of a completed commit. A count that its writer did not record is 0.

    Attributes:
        operation: ``UPSERT``, ``INSERT``, ``DELETE``, ``BOOTSTRAP`` ...; "" when the commit has
            none.
        rows_written: Rows in the new base files, including rows that were carried over.
        rows_inserted: Rows that were inserted.
        rows_updated: Rows that were updated.
        rows_deleted: Rows that were deleted.
        bytes_written: Total length of the new base files.
        files_written: Number of new base files.
        groups_replaced: Number of file groups that the commit replaced; readers do not see them.
        partitions: Partition paths in which it wrote files or replaced file groups, sorted; "" in a
            table without partitions.
        metrics: hudilite's metrics, by the names in ``docs/metrics.md``.
        extra: Other extra metadata, as text.
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
    """Action on a table, in the furthest state that it has reached.

    Attributes:
        time: Instant: 14 or 17 digits, yyyyMMddHHmmssSSS. Compare instants as text.
        action: ``commit``, ``replacecommit``, ``clean``, ``rollback``, ``savepoint`` ...
        state: ``requested``, ``inflight`` or ``completed``.
        completion: Result of a completed commit; None for actions that are not commits, and while
            the action is pending.
    """

    time: str
    action: str
    state: State
    completion: Completion | None = None


@dataclass(frozen=True)
class Commit:
    """Completed commit, of any action that writes rows.

    Attributes:
        time: Its instant.
        action: ``commit`` or ``replacecommit``; ``deltacommit`` in a merge-on-read table.
        completion: Its result.
    """

    time: str
    action: str
    completion: Completion


@dataclass(frozen=True)
class Timeline:
    """Active timeline of a table.

    Attributes:
        path: Folder of the table.
        instants: Actions, oldest first.
    """

    path: str
    instants: tuple[Instant, ...]

    @property
    def commits(self) -> tuple[Commit, ...]:
        """Completed commits, oldest first. Readers see their rows."""
        return tuple(Commit(i.time, i.action, i.completion) for i in self.instants if i.completion)

    @property
    def pending(self) -> tuple[Instant, ...]:
        """Actions that were started and are not completed."""
        return tuple(instant for instant in self.instants if instant.state != "completed")


def read(path: str | os.PathLike[str]) -> Timeline:
    """Reads the active timeline of the table in a folder. Archived instants are not in it.

    A commit of hudilite counts as completed as soon as it has its commit number, as it does for
    hudilite's readers in Spark.

    Args:
        path: Folder of the table, or its URI if pyarrow can open it.

    Raises:
        HudiliteError: ``HUDILITE_PATH_INVALID`` when the folder has no table or cannot be opened.
        HudiliteError: ``HUDILITE_UNSUPPORTED_TABLE`` for another table version than 6, 8 and 9.
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when a file is empty, incomplete or altered.
        HudiliteError: ``HUDILITE_MISSING_FILE`` when a file is deleted during the read.
        HudiliteError: ``HUDILITE_PACKAGE_MISSING`` for a URI when pyarrow is not installed.

    Examples:
        >>> [instant.action for instant in read("/lake/orders").commits]  # doctest: +SKIP
        ['commit', 'replacecommit']
    """
    folder = open_folder(path)
    facts = facts_of(folder)
    return shown(folder, history.load(folder, facts.properties, layout_of(facts, folder)))


def shown(folder: Folder, loaded: History) -> Timeline:
    """Returns the public timeline of a history that was loaded from an opened folder."""
    return Timeline(folder.root, tuple(map(_instant, loaded.steps)))


def _instant(step: Step) -> Instant:
    completion = _completion(step.commit) if step.commit else None
    return Instant(step.time, step.action, step.state, completion)


def _completion(commit: commit_json.Commit) -> Completion:
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
        metrics=commit.metrics,
        extra={
            k: v for k, v in sorted(commit.extra.items()) if not k.startswith(commit_json.METRICS)
        },
    )
