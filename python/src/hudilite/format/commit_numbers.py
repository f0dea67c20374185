"""hudilite's numbered commits: a write is committed once its number's file exists.

Hudi's completed file is published right after it. ``docs/format.md``, "Timeline", describes both.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from hudilite.errors import HudiliteError
from hudilite.format import avro, commit_checkpoint, instant_files
from hudilite.format.commit_checkpoint import Checkpoint
from hudilite.format.commit_json import corrupt, json_object
from hudilite.format.folders import Folder
from hudilite.format.layouts import Layout

FOLDER = ".hoodie/.hudilite/commits"

_NAME = re.compile(r"([0-9]{20})(?:-([0-9]{17}|[0-9]{14})|(\.checkpoint))?")
_ROLLBACKS = ("rollback", "restore")
_PASSED_OVER = {"HUDILITE_CORRUPT_TIMELINE", "HUDILITE_MISSING_FILE", "HUDILITE_LIMIT_EXCEEDED"}
_NAMING = ("instantToRollback", "instantsToRollback", "instantsRollback", "commitsRollback")


@dataclass(frozen=True)
class Pending:
    """Committed write whose completed file nobody has published yet.

    Attributes:
        content: JSON of its metadata.
        completion: Time of completion in the name of its completed file, "" if that has none.
    """

    time: str
    action: str
    content: bytes
    completion: str = ""

    @property
    def file_name(self) -> str:
        """Name of its completed file."""
        times = f"{self.time}_{self.completion}" if self.completion else self.time
        return instant_files.file_name(times, self.action, "completed")


@dataclass(frozen=True)
class _Listing:
    """Files in the folder of the commit numbers.

    Attributes:
        numbers: Commit numbers, 20 digits each.
        hints: Instant of each number that has a hint file.
        checkpoints: Numbers up to which a checkpoint summarizes the commits.
    """

    numbers: list[str]
    hints: Mapping[str, str]
    checkpoints: list[str]


def unpublished(folder: Folder, names: Collection[str], layout: Layout) -> list[Pending]:
    """Returns the writes of the highest number whose completed files are missing.

    Only the highest number can lack them. One number can commit two writes; the one to publish
    first comes first. A write that a later rollback or restore undoes is left out, and so is
    one whose completed file has an unknown name: stock Hudi has rolled it back when it upgraded the
    table.

    Args:
        folder: Folder of the table.
        names: Names of the files in the timeline's folder.
        layout: Form of the timeline.

    Raises:
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when the file of a number, rollback or restore
            cannot be parsed.
    """
    listed = _listed(folder)
    if not listed.numbers:
        return []
    highest = max(listed.numbers)
    states = {(i.time, i.action, i.state) for i in map(layout.parse, names) if i}
    completed = {time for time, _, state in states if state == "completed"}
    if listed.hints.get(highest) in completed:
        return []
    record = _record(folder, highest)
    time, action = _text(record, "instant"), _text(record, "action")
    is_begun = (time, action, "inflight") in states
    if record.get("kind") != "commit" or time in completed or not is_begun:
        return []
    if layout.names_completion and not _text(record, "completion"):
        return []
    if any(time in undone for _, undone in _rollbacks(folder, names, layout, time)):
        return []
    made = [_pending(record, action)]
    before = record.get("before")
    if isinstance(before, dict) and before.get("instant") not in completed:
        made.insert(0, _pending(before, "commit"))
    return made


def _pending(record: Mapping[str, Any], action: str) -> Pending:
    content = _text(record, "metadata").encode()
    return Pending(_text(record, "instant"), action, content, _text(record, "completion"))


def aborted(
    folder: Folder,
    known: Collection[str],
    first_active: str | None,
    properties: Mapping[str, str],
) -> set[str]:
    """Returns rolled-back instants that are older than the first active commit and have no file.

    Without this, their base files would count as those of archived commits. The newest checkpoint
    that fits the numbers names the rolled-back instants that it covers; later numbers are read one
    by one.

    Args:
        folder: Folder of the table.
        known: Instants that have a file on the timeline.
        first_active: First active commit; None returns nothing.
        properties: Entries of the table's hoodie.properties.
    """
    if first_active is None:
        return set()
    listed = _listed(folder)
    asked = [
        number
        for number in listed.numbers
        if number not in listed.hints or _may_count(listed.hints[number], known, first_active)
    ]
    covered = _newest_checkpoint(folder, listed, properties) if asked else None
    records = [_record(folder, n) for n in asked if covered is None or n > covered.number]
    found = {_text(r, "instant") for r in records if r.get("kind") == "abort"}
    if covered is not None:
        found |= {time for time in covered.aborted if _may_count(time, known, first_active)}
    return found


def rollback_of(folder: Folder, names: Collection[str], layout: Layout, time: str) -> str | None:
    """Returns the instant of the rollback or restore that undoes a write, planned or completed.

    "" is returned for a write whose rollback took a number and has left the timeline since, None
    for one that was not rolled back.

    Args:
        folder: Folder of the table.
        names: Names of the files in the timeline's folder.
        layout: Form of the timeline.
        time: Instant of the write.

    Raises:
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when the file of a number, rollback or restore
            cannot be parsed.
    """
    undoing = (at for at, undone in _rollbacks(folder, names, layout, time) if time in undone)
    found = min(undoing, default=None)
    if found is not None:
        return found
    numbers = [number for number, of in _listed(folder).hints.items() if of == time]
    return "" if any(_record(folder, n).get("kind") == "abort" for n in numbers) else None


def _may_count(time: str, known: Collection[str], first_active: str) -> bool:
    return time not in known and time < first_active


def _newest_checkpoint(
    folder: Folder, listed: _Listing, properties: Mapping[str, str]
) -> Checkpoint | None:
    """Returns the newest checkpoint that fits the numbers.

    A checkpoint is ignored if it is damaged, no longer exists, is ahead of the numbers, or belongs
    to another table or another history. Aborted instants do not depend on the completed files that
    a checkpoint covers, so a checkpoint counts even if those files changed.
    """
    table = commit_checkpoint.table_uuid(properties)
    highest = max(listed.numbers)
    for number in sorted(listed.checkpoints, reverse=True):
        found = _readable_checkpoint(folder, number) if number <= highest else None
        if (
            found is not None
            and (found.table, found.number) == (table, number)
            and found.instant == listed.hints.get(number)
        ):
            return found
    return None


def _readable_checkpoint(folder: Folder, number: str) -> Checkpoint | None:
    place = f"{FOLDER}/{number}.checkpoint"
    try:
        return commit_checkpoint.parse(folder.read(place), folder.path(place))
    except HudiliteError as error:
        if error.condition not in _PASSED_OVER:
            raise
        return None


def _listed(folder: Folder) -> _Listing:
    found = [_NAME.fullmatch(entry.name) for entry in folder.entries(FOLDER)]
    names = [name for name in found if name]
    return _Listing(
        [name[1] for name in names if not name[2] and not name[3]],
        {name[1]: name[2] for name in names if name[2]},
        [name[1] for name in names if name[3]],
    )


def _record(folder: Folder, number: str) -> dict[str, Any]:
    return json_object(folder.read(f"{FOLDER}/{number}"), folder.path(f"{FOLDER}/{number}"))


def _text(record: Mapping[str, Any], field: str) -> str:
    value = record.get(field)
    return value if isinstance(value, str) else ""


def _rollbacks(
    folder: Folder, names: Collection[str], layout: Layout, after: str
) -> list[tuple[str, set[str]]]:
    """Returns each later rollback or restore, planned or completed, with the instants it undoes."""
    found = [(name, layout.parse(name)) for name in names]
    return [
        (i.time, _named(folder, f"{layout.folder}/{name}"))
        for name, i in found
        if i and i.action in _ROLLBACKS and i.state != "inflight" and i.time > after
    ]


def _named(folder: Folder, where: str) -> set[str]:
    try:
        records = avro.records(folder.read(where))
        return {text for r in records for key in _NAMING for text in _texts(r.get(key))}
    except ValueError as error:
        raise corrupt(folder.path(where), f"it cannot be read ({error})") from error


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for item in inner for text in _texts(item)]
