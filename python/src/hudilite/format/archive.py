"""Archived commits: those that have left the timeline. Nothing here is needed to read rows."""

from __future__ import annotations

import io
import json
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hudilite.conditions import session_error
from hudilite.format import avro, commit_json, instant_files, log_blocks
from hudilite.format.commit_json import Commit, corrupt
from hudilite.format.folders import Folder
from hudilite.format.layouts import VERSION_8

_LOG = re.compile(r"\.commits_\.archive\.([0-9]+)(?:_.*)?")
_NEWEST = "_version_"  # contains the number of the newest manifest
_MANIFEST = re.compile(r"manifest_([0-9]+)")
_HISTORY = re.compile(r"([0-9]+)_([0-9]+)_[0-9]+\.parquet")
_BODIES = ("hoodieCommitMetadata", "hoodieReplaceCommitMetadata")
_MOST_BYTES = 2 << 30  # of a file; stock Hudi puts many commits into one
_COUNT = struct.Struct(">ii")
_LENGTH = struct.Struct(">i")


@dataclass(frozen=True)
class Archived:
    """Archived commit.

    Attributes:
        time: Its instant.
        action: ``commit``, ``deltacommit`` or ``replacecommit``.
        completion: Time of completion, as instants have it; "" if it is not known.
        commit: Its content.
    """

    time: str
    action: str
    completion: str
    commit: Commit


def find(folder: Folder, properties: Mapping[str, str], time: str) -> Archived | None:
    """Looks for a commit in the archives of a table: of its version and of an earlier one.

    Args:
        folder: Folder of the table.
        properties: Entries of its hoodie.properties.
        time: Instant of the commit: 14 or 17 digits, where 14 digits stand for the last commit of
            that second.

    Returns:
        The commit; None if no archive has it.

    Raises:
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when a file of an archive is damaged.
        HudiliteError: ``HUDILITE_PACKAGE_MISSING`` when the archive of table version 8 or 9 may
            have it, and pyarrow is not installed.
    """
    history = properties.get("hoodie.timeline.history.path", "history").strip()
    archived = properties.get("hoodie.archivelog.folder", "archived").strip()
    found = _in_history(folder, f"{VERSION_8.folder}/{history}", time)
    return found or _in_logs(folder, f".hoodie/{archived}".rstrip("/"), time)


def _in_history(folder: Folder, place: str, time: str) -> Archived | None:
    """Looks into the Parquet files that the newest manifest lists."""
    names = [entry.name for entry in folder.entries(place)]
    numbers = [int(found[1]) for found in map(_MANIFEST.fullmatch, names) if found]
    if not numbers:
        return None
    stated = folder.read(f"{place}/{_NEWEST}").strip() if _NEWEST in names else b""
    number = int(stated) if stated.isdigit() and int(stated) in numbers else max(numbers)
    manifest = f"{place}/manifest_{number}"
    root = commit_json.json_object(folder.read(manifest), folder.path(manifest))
    listed = root.get("files")
    last = instant_files.last_of(time)
    found: list[tuple[dict[str, Any], str]] = []
    for file in listed if isinstance(listed, list) else []:
        name = str(file.get("fileName")) if isinstance(file, dict) else ""
        bounds = _HISTORY.fullmatch(name)
        if bounds and bounds[1] <= last and time <= bounds[2]:
            where = folder.path(f"{place}/{name}")
            found += [
                (row, where)
                for row in _rows(folder, f"{place}/{name}", time, last)
                if row["action"] in instant_files.WRITES | {"deltacommit"}
            ]
    if not found:
        return None
    row, where = max(found, key=lambda one: str(one[0]["instantTime"]))
    commit = VERSION_8.commit(row["metadata"] or b"", where)
    return Archived(row["instantTime"], row["action"], row["completionTime"] or "", commit)


def _rows(folder: Folder, place: str, first: str, last: str) -> list[dict[str, Any]]:
    try:
        import pyarrow.parquet as pq
        from pyarrow.lib import ArrowException
    except ImportError as error:
        raise session_error(
            "HUDILITE_PACKAGE_MISSING", work="Reading archived commits", package="pyarrow"
        ) from error
    data = io.BytesIO(folder.read(place, _MOST_BYTES))
    try:
        rows: list[dict[str, Any]] = pq.read_table(
            data, filters=[("instantTime", ">=", first), ("instantTime", "<=", last)]
        ).to_pylist()
    except (ArrowException, OSError, ValueError) as error:
        raise corrupt(
            folder.path(place), f"it is no Parquet file of an archive ({error})"
        ) from error
    return rows


def _in_logs(folder: Folder, place: str, time: str) -> Archived | None:
    """Looks into the log files of table version 6, the newest first."""
    names = [entry.name for entry in folder.entries(place)]
    logs = sorted((int(found[1]), found[0]) for found in map(_LOG.fullmatch, names) if found)
    last = instant_files.last_of(time)
    for _, name in reversed(logs):
        found = [
            (str(entry["commitTime"]), entry, body)
            for entry in _entries(folder.read(f"{place}/{name}", _MOST_BYTES))
            if time <= str(entry.get("commitTime")) <= last
            and entry.get("actionState") == "COMPLETED"
            for body in [next((entry[field] for field in _BODIES if entry.get(field)), None)]
            if body is not None
        ]
        if found:
            instant, entry, body = max(found, key=lambda one: one[0])
            return Archived(
                instant,
                str(entry.get("actionType")),
                str(entry.get("stateTransitionTime") or ""),
                commit_json.commit_of(_without_nulls(body), folder.path(f"{place}/{name}")),
            )
    return None


def _entries(data: bytes) -> Iterator[dict[str, Any]]:
    """Yields the entries of a file, up to the first damage, such as a dying stock Hudi leaves."""
    try:
        for block in log_blocks.read(data):
            if block.kind == log_blocks.AVRO:
                yield from _records(json.loads(block.header.get(log_blocks.SCHEMA, b"")), block)
    except (ValueError, struct.error, RecursionError):
        return


def _records(schema: Any, block: log_blocks.Block) -> Iterator[dict[str, Any]]:
    _, count = _COUNT.unpack_from(block.content)  # the version of the content comes first
    at = _COUNT.size
    for _ in range(count):
        (length,) = _LENGTH.unpack_from(block.content, at)
        at += _LENGTH.size + length
        yield avro.value(schema, block.content[at - length : at])


def _without_nulls(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if value is not None}
