"""hudilite's numbered commits: a write is committed once its number's file exists.

Hudi's completed file is published right after it. ``docs/format.md``, "Timeline", describes both.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from hudilite.format import avro, instant_files
from hudilite.format.commit_json import corrupt, json_object
from hudilite.format.folders import Folder

FOLDER = ".hoodie/.hudilite/commits"

_NAME = re.compile(r"([0-9]{20})(?:-([0-9]{17}|[0-9]{14}))?")
_ROLLBACKS = ("rollback", "restore")
_NAMING = ("instantToRollback", "instantsToRollback", "instantsRollback", "commitsRollback")


@dataclass(frozen=True)
class Pending:
    """Committed write whose completed file nobody has published yet."""

    time: str
    action: str
    content: bytes


def unpublished(folder: Folder, names: Collection[str]) -> list[Pending]:
    """Returns the writes of the highest number whose completed files are missing.

    Only the highest number can lack them. One number can commit two writes; the one to publish
    first comes first. A write that a later rollback or restore undoes is left out.

    Args:
        folder: Folder of the table.
        names: Names of the files in ``.hoodie``.

    Raises:
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when the file of a number, rollback or restore
            cannot be parsed.
    """
    found, hints = _listed(folder)
    if not found:
        return []
    completed = {i[0] for i in map(instant_files.parse, names) if i and i[2] == "completed"}
    if hints.get(max(found)) in completed:
        return []
    record = _record(folder, max(found))
    time, action = _text(record, "instant"), _text(record, "action")
    is_begun = instant_files.file_name(time, action, "inflight") in names
    if record.get("kind") != "commit" or time in completed or not is_begun:
        return []
    if any(time in rolled for rolled in _rolled_back(folder, names, time)):
        return []
    made = [Pending(time, action, _text(record, "metadata").encode())]
    before = record.get("before")
    if isinstance(before, dict) and before.get("instant") not in completed:
        earlier = Pending(_text(before, "instant"), "commit", _text(before, "metadata").encode())
        made.insert(0, earlier)
    return made


def aborted(folder: Folder, known: Collection[str], first_active: str | None) -> set[str]:
    """Returns rolled-back instants that are older than the first active commit and have no file.

    Without this, their base files would count as those of archived commits.

    Args:
        folder: Folder of the table.
        known: Instants that have a file on the timeline.
        first_active: First active commit; None returns nothing.
    """
    found, hints = _listed(folder)
    asked = [
        number
        for number in found
        if first_active and (number not in hints or _may_count(hints[number], known, first_active))
    ]
    records = [_record(folder, number) for number in asked]
    return {_text(r, "instant") for r in records if r.get("kind") == "abort"}


def _may_count(time: str, known: Collection[str], first_active: str) -> bool:
    return time not in known and time < first_active


def _listed(folder: Folder) -> tuple[list[str], Mapping[str, str]]:
    """Returns the commit numbers, and the instant of each number that has a hint file."""
    names = [_NAME.fullmatch(entry.name) for entry in folder.entries(FOLDER)]
    return (
        [name[1] for name in names if name and not name[2]],
        {name[1]: name[2] for name in names if name and name[2]},
    )


def _record(folder: Folder, number: str) -> dict[str, Any]:
    return json_object(folder.read(f"{FOLDER}/{number}"), folder.path(f"{FOLDER}/{number}"))


def _text(record: Mapping[str, Any], field: str) -> str:
    value = record.get(field)
    return value if isinstance(value, str) else ""


def _rolled_back(folder: Folder, names: Collection[str], after: str) -> list[set[str]]:
    """Returns the instants that each later rollback or restore undoes, planned or completed."""
    found = [(name, instant_files.parse(name)) for name in names]
    return [
        _named(folder, name)
        for name, i in found
        if i and i[1] in _ROLLBACKS and i[2] != "inflight" and i[0] > after
    ]


def _named(folder: Folder, name: str) -> set[str]:
    where = f".hoodie/{name}"
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
