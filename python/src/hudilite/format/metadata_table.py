"""List of files in Hudi's metadata table, and how it differs from the files of the commits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hudilite.errors import HudiliteError
from hudilite.format import avro, hfile, log_blocks
from hudilite.format.folders import Entry, Folder
from hudilite.format.history import History
from hudilite.format.layouts import VERSION_8

PARTITION = "files"
_FOLDER = ".hoodie/metadata"
_GROUP = "files-0000-0"
_LOG = re.compile(rf"\.{_GROUP}_([0-9]{{17}})\.log\.[0-9]+_[0-9]+-[0-9]+-[0-9]+")
_BASE = re.compile(rf"{_GROUP}_[0-9]+-[0-9]+-[0-9]+_([0-9]{{17}})\.hfile")
_PARTITIONS = "__all_partitions__"
_NO_PARTITION = "."
_DELETIONS, _HFILE = 1, 4
_NO_KEYS = 9  # most bytes of a block that deletes nothing

Files = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Differences:
    """How the list of files differs from the files that count.

    Attributes:
        lacking: Paths of files that readers need and the list lacks, or has with another length.
        surplus: Paths of listed files that are not in their folders.
    """

    lacking: tuple[str, ...]
    surplus: tuple[str, ...]


def listing(folder: Folder, history: History) -> Files:
    """Returns the files in the list, with their lengths in bytes, by partition path.

    Args:
        folder: Folder of a table of version 8 or 9.
        history: Timeline of the table. A block counts if its instant is completed there, or if only
            the metadata table has this instant.

    Raises:
        ValueError: When a file of the metadata table cannot be read, is damaged, or contains
            something unknown.
    """
    try:
        return _listing(folder, history)
    except (HudiliteError, LookupError, AttributeError, TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _listing(folder: Folder, history: History) -> Files:
    done = _completed(folder)
    known = {step.time for step in history.steps}
    completed = {step.time for step in history.steps if step.state == "completed"}
    counted = completed | (set(done) - known)
    names = [entry.name for entry in folder.entries(f"{_FOLDER}/{PARTITION}")]
    bases = {found[1]: found[0] for found in map(_BASE.fullmatch, names) if found}
    first = min(done, default="")  # earlier instants are archived
    base = max((instant for instant in bases if instant in done or instant < first), default="")
    logs = [(done.get(m[1], m[1]), m[0]) for m in map(_LOG.fullmatch, names) if m]
    later = [name for at, name in sorted(logs) if _instant(name) in counted and at > base]
    found: dict[str, dict[str, int | None]] = {}
    if base:
        data = folder.read(f"{_FOLDER}/{PARTITION}/{bases[base]}")
        schema = hfile.info(data).get(b"schema", b"")
        _apply(found, data, json.loads(schema))
    for name in later:
        for header, data in _blocks(folder.read(f"{_FOLDER}/{PARTITION}/{name}")):
            _apply(found, data, json.loads(header.get(log_blocks.SCHEMA, b"")))
    return {
        partition: {name: size for name, size in files.items() if size is not None}
        for partition, files in found.items()
    }


def is_at_rest(folder: Folder, history: History) -> bool:
    """Whether no action is running, and none has begun since the timeline was read."""
    named = (VERSION_8.parse(entry.name) for entry in folder.entries(VERSION_8.folder))
    times = {of.time for of in named if of}
    return times == {step.time for step in history.steps if step.state == "completed"}


def differences(
    listed: Files,
    needed: Iterable[tuple[str, str, int]],
    there: Mapping[str, Iterable[Entry]],
) -> Differences:
    """Compares the list with the files of a table.

    Args:
        listed: What `listing` returns.
        needed: Partition path, name and length of each file that a reader of the latest rows opens.
        there: Entries of the folder of each partition that is compared.
    """
    lacking = [
        _path(partition, name)
        for partition, name, size in needed
        if listed.get(partition, {}).get(name) != size
    ]
    surplus = [
        _path(partition, name)
        for partition, entries in there.items()
        for name in sorted(listed.get(partition, {}).keys() - {entry.name for entry in entries})
    ]
    return Differences(tuple(sorted(lacking)), tuple(sorted(surplus)))


def _completed(folder: Folder) -> dict[str, str]:
    """Returns the time of completion of each completed instant of the metadata table."""
    entries = folder.entries(f"{_FOLDER}/{VERSION_8.folder}")
    named = (VERSION_8.parse(entry.name) for entry in entries if not entry.is_folder)
    return {of.time: of.completion or of.time for of in named if of and of.state == "completed"}


def _instant(log: str) -> str:
    found = _LOG.fullmatch(log)
    return found[1] if found else ""


def _apply(found: dict[str, dict[str, int | None]], data: bytes, schema: Any) -> None:
    """Adds the records of an HFile, in which a deleted file has no length."""
    for key, content in hfile.entries(data).items():
        if key != _PARTITIONS:
            record = avro.value(schema, content)
            files = record.get("filesystemMetadata") or {}
            partition = "" if key == _NO_PARTITION else key
            found.setdefault(partition, {}).update(
                (name, None if facts["isDeleted"] else facts["size"])
                for name, facts in files.items()
            )


def _blocks(data: bytes) -> Iterator[tuple[Mapping[int, bytes], bytes]]:
    """Yields the header and the content of each block with records of a log file.

    Stock Hudi also writes blocks of deletions, in which there is no key: the records say which
    files are deleted.

    Raises:
        ValueError: When the file ends too early, or has another block.
    """
    for block in log_blocks.read(data):
        if block.kind == _HFILE:
            yield block.header, block.content
        elif block.kind != _DELETIONS or len(block.content) > _NO_KEYS:
            raise ValueError(f"a log file has a block of the kind {block.kind}")


def _path(partition: str, name: str) -> str:
    return f"{partition}/{name}" if partition else name
