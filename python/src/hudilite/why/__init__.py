"""Explanation of a commit by its metadata, without a JVM: its changes and what they cost."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from hudilite.format import commit_json
from hudilite.format.commit_json import Commit, Written
from hudilite.format.folders import open_folder
from hudilite.format.instant_times import written_at
from hudilite.table_facts import facts_of, layout_of
from hudilite.why.lookup import LATEST, Found, find

ROW_GROUPS = {
    "copied": "numRowGroupsCopied",
    "partly_copied": "numRowGroupsPartlyCopied",
    "by_columns": "numRowGroupsByColumns",
    "by_rows": "numRowGroupsByRows",
}
PHASES = {
    "planning": "millisPlanning",
    "tagging": "millisTagging",
    "merging": "millisMerging",
    "committing": "millisCommitting",
}
_NOT_COPIED = "numFilesNotCopied"
_TASKS = {
    "creating": "totalCreateTime",
    "merging": "totalUpsertTime",
    "scanning": "totalScanTime",
}


@dataclass(frozen=True)
class Totals:
    """Files and rows of a commit, in one partition or in all.

    Attributes:
        files_created: Base files that begin a file group.
        files_rewritten: Base files that replace an older one.
        logs_written: Log files that were created or extended.
        groups_replaced: File groups that readers do not see any more.
        rows_inserted: Rows that were inserted.
        rows_updated: Rows that were updated.
        rows_deleted: Rows that were deleted.
        rows_written: Rows in the new files, including rows that were carried over.
        bytes_written: Bytes that were written into these files.
    """

    files_created: int
    files_rewritten: int
    logs_written: int
    groups_replaced: int
    rows_inserted: int
    rows_updated: int
    rows_deleted: int
    rows_written: int
    bytes_written: int


@dataclass(frozen=True)
class Account:
    """Changes of a completed commit, and what they cost.

    Attributes:
        path: Folder of the table.
        time: Instant of the commit.
        action: ``commit``, ``deltacommit`` or ``replacecommit``.
        operation: ``UPSERT``, ``DELETE``, ``COMPACT`` ...; "" when the commit has none.
        began: Moment of the instant; None for the instant of a bootstrap.
        completed: When the commit was completed; None if that is not known.
        completed_by: Source of `completed`: the ``name`` or the ``time`` of its file, or the
            ``archive``. Table version 6 has only the time of the file, which a copy changes.
        seconds: Seconds from `began` to `completed`; None if one of them is not known.
        totals: Files and rows.
        partitions: Files and rows of each partition path, "" in a table without partitions.
        groups_written: Number of file groups with a new file.
        bytes_read: Bytes that were read from the old files; None if not recorded.
        row_groups: Row groups of the new files that were ``copied``, ``partly_copied``, or encoded
            ``by_columns`` or ``by_rows``; empty if not recorded.
        files_not_copied: Number of files of which nothing was copied, by reason.
        phases: Seconds of ``planning``, ``tagging`` (reading the source and finding the file groups
            of its rows), ``merging`` (and writing files) and ``committing``; only the last two for
            a write without source rows, such as a compaction; empty if not recorded.
        task_seconds: Seconds of all tasks together that stock Hudi records: ``creating`` files,
            ``merging`` files, ``scanning`` log files; empty if not recorded.
        retries: How often the statement ran again after a conflict; None if not recorded.
        writer: Id of the hudilite writer; "" for a commit of another program.
        unrecorded: Facts that the commit does not record, in words.
    """

    path: str
    time: str
    action: str
    operation: str
    began: datetime | None
    completed: datetime | None
    completed_by: str
    seconds: float | None
    totals: Totals
    partitions: Mapping[str, Totals] = field(repr=False)
    groups_written: int
    bytes_read: int | None
    row_groups: Mapping[str, int]
    files_not_copied: Mapping[str, int]
    phases: Mapping[str, float]
    task_seconds: Mapping[str, float]
    retries: int | None
    writer: str
    unrecorded: tuple[str, ...]


def read(path: str | os.PathLike[str], instant: str = LATEST) -> Account:
    """Reads what a completed commit did, also an archived one.

    Args:
        path: Folder of the table, or its URI if pyarrow can open it.
        instant: Instant of the commit, or ``latest``.

    Raises:
        HudiliteError: The errors of `timeline.read`.
        HudiliteError: ``HUDILITE_INSTANT_INVALID`` when `instant` has another form.
        HudiliteError: ``HUDILITE_INSTANT_UNKNOWN`` when no completed commit has this instant.
        HudiliteError: ``HUDILITE_PACKAGE_MISSING`` for an archived commit of table version 8 or 9
            when pyarrow is not installed.

    Examples:
        >>> read("/lake/orders").phases  # doctest: +SKIP
        {'planning': 0.21, 'tagging': 1.94, 'merging': 8.02, 'committing': 0.05}
    """
    folder = open_folder(path)
    facts = facts_of(folder)
    found = find(folder, facts, layout_of(facts, folder), instant)
    return account_of(folder.root, found, written_at(found.time, facts.zone))


def account_of(path: str, found: Found, began: datetime | None) -> Account:
    """Returns the account of a commit that was found.

    Args:
        path: Folder of the table.
        found: The commit.
        began: Moment of its instant.
    """
    commit, metrics = found.commit, found.commit.metrics
    row_groups = _named(ROW_GROUPS, metrics)
    phases = {name: millis / 1000 for name, millis in _named(PHASES, metrics).items()}
    tasks = _task_seconds(commit.written)
    told = {
        "bytes read": "bytesRead" in metrics,
        "row groups": bool(row_groups),
        "seconds by phase": bool(phases or tasks),
    }
    return Account(
        path=path,
        time=found.time,
        action=found.action,
        operation=commit.operation,
        began=began,
        completed=found.completed,
        completed_by=found.completed_by,
        seconds=(found.completed - began).total_seconds() if found.completed and began else None,
        totals=_totals(commit.written, commit.replaced.values()),
        partitions=_by_partition(commit),
        groups_written=len({(file.partition, file.group) for file in commit.written}),
        bytes_read=metrics.get("bytesRead"),
        row_groups=row_groups,
        files_not_copied={
            name.removeprefix(_NOT_COPIED).lower(): count
            for name, count in metrics.items()
            if name.startswith(_NOT_COPIED) and count
        },
        phases=phases,
        task_seconds=tasks,
        retries=metrics.get("numRetries"),
        writer=commit.extra.get(commit_json.WRITER, ""),
        unrecorded=tuple(name for name, is_told in told.items() if not is_told),
    )


def _named(names: Mapping[str, str], metrics: Mapping[str, int]) -> dict[str, int]:
    return {name: metrics[metric] for name, metric in names.items() if metric in metrics}


def _task_seconds(files: Iterable[Written]) -> dict[str, float]:
    all_files = list(files)
    found = {
        name: sum(file.task_millis.get(stored, 0) for file in all_files) / 1000
        for name, stored in _TASKS.items()
    }
    return {name: seconds for name, seconds in found.items() if seconds}


def _by_partition(commit: Commit) -> dict[str, Totals]:
    files: dict[str, list[Written]] = {partition: [] for partition in commit.replaced}
    for file in commit.written:
        files.setdefault(file.partition, []).append(file)
    return {
        partition: _totals(of, [commit.replaced.get(partition, ())])
        for partition, of in sorted(files.items())
    }


def _totals(files: Sequence[Written], replaced: Iterable[Sequence[str]]) -> Totals:
    bases = [file for file in files if not file.is_log]
    return Totals(
        files_created=sum(file.is_of_new_group for file in bases),
        files_rewritten=sum(not file.is_of_new_group for file in bases),
        logs_written=len(files) - len(bases),
        groups_replaced=sum(map(len, replaced)),
        rows_inserted=sum(file.inserted for file in files),
        rows_updated=sum(file.updated for file in files),
        rows_deleted=sum(file.deleted for file in files),
        rows_written=sum(file.rows or 0 for file in files),
        bytes_written=sum(file.appended or file.bytes for file in files),
    )
