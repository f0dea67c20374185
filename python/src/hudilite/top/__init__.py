"""Running writes of a table, read from its files without a JVM."""

from __future__ import annotations

import json
import os
import time as clock
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from hudilite.errors import HudiliteError
from hudilite.format import commit_numbers, history, markers
from hudilite.format.file_slices import bucket_of
from hudilite.format.folders import Entry, Folder, open_folder
from hudilite.format.instant_files import State
from hudilite.format.instant_times import written_at
from hudilite.format.layouts import Layout
from hudilite.format.markers import Marker
from hudilite.table_facts import TableFacts, facts_of, layout_of
from hudilite.top import plans
from hudilite.top.status import Signs, Status, advice, status_of

DAY_SECONDS = 86400.0

_MOST_LISTED = 200  # partitions whose files are listed at each look

_HEARTBEATS = ".hoodie/.heartbeat"
_LOCKS, _LOCK = ".hoodie/.locks", "table_lock.json"


@dataclass(frozen=True)
class PendingAction:
    """Action that has begun and is not completed.

    Attributes:
        time: Its instant.
        action: ``commit``, ``deltacommit``, ``compaction``, ``clustering``, ``clean`` ...
        state: ``requested`` or ``inflight``.
        operation: ``UPSERT``, ``DELETE``, ``COMPACT`` ...; "" if its files do not contain it.
        writer: Spark application or id of the writer; "" if its files do not contain it.
        age_seconds: Seconds since its instant, or since its file was written if the instant is not
            a date.
        silent_seconds: Seconds since the last sign of life: a file on the timeline, a heartbeat or
            a marker was written.
        heartbeat_seconds: Seconds since the last heartbeat; None without one. hudilite's writers
            have one in a table with ``hudilite.stock.lock``. Stock Hudi's writers have one if they
            clean lazily.
        files: Data files that it has begun to write, by its markers. Files of lost task attempts
            count until the commit.
        groups: File groups of these files.
        planned_groups: File groups that it is to change or read; None if its files do not name any.
        buckets: Buckets of these files; empty in a table without buckets.
        partitions: Partition paths of these files.
        bytes: Bytes of these files so far; None if they are in more than 200 partitions, which
            are not listed. Log files that existed before do not count.
        status: ``alive``, ``silent`` (no sign of life for two minutes, and no heartbeat), ``dead``,
            or ``planned`` (a table service of stock Hudi that nobody has begun).
        advice: What to do about it; "" for nothing.
    """

    time: str
    action: str
    state: State
    operation: str
    writer: str
    age_seconds: float
    silent_seconds: float
    heartbeat_seconds: float | None
    files: int
    groups: int
    planned_groups: int | None
    buckets: tuple[int, ...]
    partitions: tuple[str, ...]
    bytes: int | None
    status: Status
    advice: str


@dataclass(frozen=True)
class Running:
    """Pending actions of a table at a moment.

    Attributes:
        path: Folder of the table.
        at: Moment of the read.
        lock_owner: Who holds the lock of stock Hudi in the table's folder; "" if nobody does.
        actions: Pending actions, oldest first. Those of Hudi's metadata table are not among them.
    """

    path: str
    at: datetime
    lock_owner: str
    actions: tuple[PendingAction, ...]


def read(
    path: str | os.PathLike[str],
    *,
    rollback_after: float = DAY_SECONDS,
    now: float | None = None,
) -> Running:
    """Reads the pending actions of a table; writes nothing.

    Args:
        path: Folder of the table, or its URI if pyarrow can open it.
        rollback_after: Age in seconds at which a pending write without a heartbeat counts as dead:
            the setting ``spark.hudilite.write.rollbackAfter`` of the table's writers.
        now: Seconds since 1970; None for the clock of this machine, with which the times of the
            files are compared.

    Raises:
        HudiliteError: ``HUDILITE_PATH_INVALID`` when the folder has no table or cannot be opened.
        HudiliteError: ``HUDILITE_UNSUPPORTED_TABLE`` for another table version than 6, 8 and 9.
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when the newest commit number is damaged.
        HudiliteError: ``HUDILITE_PACKAGE_MISSING`` for a URI when pyarrow is not installed.

    Examples:
        >>> [write.status for write in read("/lake/orders").actions]  # doctest: +SKIP
        ['alive']
    """
    folder = open_folder(path)
    facts = facts_of(folder)
    layout = layout_of(facts, folder)
    at = clock.time() if now is None else now
    beats = {entry.name: entry.modified_seconds for entry in folder.entries(_HEARTBEATS)}
    pending = _pending(folder, layout)
    actions = tuple(
        _action(folder, facts, layout, key, pending[key], beats.get(key[0]), rollback_after, at)
        for key in sorted(pending)
    )
    moment = datetime.fromtimestamp(at, timezone.utc)
    return Running(folder.root, moment, _lock_owner(folder, at), actions)


def _pending(folder: Folder, layout: Layout) -> dict[tuple[str, str], dict[State, Entry]]:
    """Returns the files of each action that is not completed, by their states."""
    entries = {e.name: e for e in folder.entries(layout.folder) if not e.is_folder}
    states = history.furthest(entries, layout)
    done = {key for key, (named, _) in states.items() if named.state == "completed"}
    times = {time for time, action in done if action != "savepoint"}
    times |= {write.time for write in commit_numbers.unpublished(folder, entries, layout)}
    found: dict[tuple[str, str], dict[State, Entry]] = {}
    for name, entry in sorted(entries.items()):
        named = layout.parse(name)
        if named is None or (named.time, named.action) in done or named.time in times:
            continue
        action = "clustering" if history.is_clustering(states, named.time) else named.action
        found.setdefault((named.time, action), {})[named.state] = entry
    return found


def _action(
    folder: Folder,
    facts: TableFacts,
    layout: Layout,
    key: tuple[str, str],
    files: Mapping[State, Entry],
    beat: float | None,
    rollback_after: float,
    now: float,
) -> PendingAction:
    time, action = key
    plan = plans.read(folder, layout, action, {state: file.name for state, file in files.items()})
    action = "clustering" if plan.is_clustering else action
    marked = _markers(folder, time)
    changed = max(file.modified_seconds for file in files.values())
    last = max([changed, *(m.modified_seconds for m in marked), *([] if beat is None else [beat])])
    signs = Signs(
        action,
        "inflight" in files,
        _since(changed, now),
        _since(last, now),
        None if beat is None else _since(beat, now),
        "hudilite.stock.lock" in facts.properties,
    )
    status = status_of(signs, rollback_after)
    began = written_at(time, facts.zone)
    return PendingAction(
        time=time,
        action=action,
        state="inflight" if signs.is_begun else "requested",
        operation=plan.operation,
        writer=plan.writer,
        age_seconds=_since(began.timestamp() if began else changed, now),
        silent_seconds=signs.silent_seconds,
        heartbeat_seconds=signs.heartbeat_seconds,
        files=len({(m.partition, m.name) for m in marked}),
        groups=len({(m.partition, m.group) for m in marked}),
        planned_groups=plan.groups,
        buckets=_buckets(facts, marked),
        partitions=tuple(sorted({m.partition for m in marked})),
        bytes=_bytes(folder, marked),
        status=status,
        advice=advice(signs, status, rollback_after, _call(folder, time)),
    )


def _call(folder: Folder, time: str) -> str:
    """Returns the CALL that rolls a write back.

    It names the table by its path: a session may know it by another name than its properties have.
    """
    by_path = folder.root.replace("`", "``")
    name = f"hudilite.`{by_path}`"
    quoted = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"CALL rollback(table => '{quoted}', instant => '{time}')"


def _since(moment: float, now: float) -> float:
    return max(0.0, now - moment)


def _markers(folder: Folder, time: str) -> list[Marker]:
    try:
        return markers.read(folder, time)
    except HudiliteError as error:
        if error.condition != "HUDILITE_MISSING_FILE":
            raise
        return []  # the write has just ended


def _buckets(facts: TableFacts, marked: Iterable[Marker]) -> tuple[int, ...]:
    found = {bucket_of(marker.group) for marker in marked}
    numbers = {bucket for bucket in found if bucket is not None}
    is_bucketed = facts.buckets is not None or (facts.index is None and None not in found)
    return tuple(sorted(numbers)) if is_bucketed else ()


def _bytes(folder: Folder, marked: Sequence[Marker]) -> int | None:
    """Returns the length of the files that a write has created, from a listing of each folder."""
    created = {(m.partition, m.name) for m in marked if m.kind != "APPEND"}
    partitions = {partition for partition, _ in created}
    if len(partitions) > _MOST_LISTED:
        return None
    return sum(
        entry.bytes
        for partition in partitions
        for entry in folder.entries(partition)
        if (partition, entry.name) in created
    )


def _lock_owner(folder: Folder, now: float) -> str:
    """Returns the owner of the lock that stock Hudi keeps in the table's folder."""
    if not any(entry.name == _LOCK for entry in folder.entries(_LOCKS)):
        return ""
    try:
        lock = json.loads(folder.read(f"{_LOCKS}/{_LOCK}"))
        is_held = not lock["expired"] and lock["validUntil"] / 1000 >= now
        return str(lock["owner"]) if is_held else ""
    except (HudiliteError, ValueError, LookupError, TypeError):  # replaced at this moment
        return ""
