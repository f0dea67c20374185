"""What the JSON of a completed commit says: the files it wrote and the file groups it hid."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hudilite.conditions import error_of
from hudilite.errors import HudiliteError

_CHECKSUM = re.compile(rb'("hudilite\.checksum"\s*:\s*")([0-9a-f]{8})(?=")')
_RESTORE = (
    "Restore the file from a copy, or roll the instant back with stock Hudi; "
    "do not delete it alone."
)


@dataclass(frozen=True)
class Written:
    """One base file of a commit; what it does not tell is 0, or None as its number of rows."""

    partition: str
    group: str
    name: str
    rows: int | None
    inserted: int
    updated: int
    deleted: int
    bytes: int


@dataclass(frozen=True)
class Commit:
    """The content of a completed commit.

    Attributes:
        operation: ``UPSERT``, ``INSERT_OVERWRITE``, ``BOOTSTRAP`` ..., "" when it says none.
        written: The base files that it made.
        replaced: File groups by partition that are hidden from this commit on.
        extra: Its extra metadata of text, without the schema.
    """

    operation: str
    written: tuple[Written, ...]
    replaced: Mapping[str, tuple[str, ...]]
    extra: Mapping[str, str]


def parse(data: bytes, where: str) -> Commit:
    """Reads the file of a completed commit.

    Args:
        data: Its bytes.
        where: Its path, for errors.

    Raises:
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when it is empty, cut, altered or no commit.

    Examples:
        >>> parse(b'{"partitionToWriteStats": {}, "operationType": "DELETE"}', "x").operation
        'DELETE'
    """
    root = json_object(data, where)
    _check_sum(data, where)
    stats = root.get("partitionToWriteStats")
    if not isinstance(stats, dict):
        raise corrupt(where, "partitionToWriteStats is missing")
    replaced = _mapping(root.get("partitionToReplaceFileIds"))
    operation = root.get("operationType")
    return Commit(
        operation if isinstance(operation, str) else "",
        tuple(
            _written(partition, stat, where)
            for partition, of in stats.items()
            for stat in _items(of)
        ),
        {partition: tuple(map(str, _items(ids))) for partition, ids in replaced.items()},
        {
            key: value
            for key, value in _mapping(root.get("extraMetadata")).items()
            if isinstance(value, str) and key != "schema"
        },
    )


def json_object(data: bytes, where: str) -> dict[str, Any]:
    """The one object in a file of the timeline.

    Raises:
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE``.
    """
    if not data.strip():
        raise corrupt(where, "the completed file is empty")
    try:
        root = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise corrupt(where, f"it is no JSON ({error})") from error
    if not isinstance(root, dict):
        raise corrupt(where, "it is no JSON object")
    return root


def corrupt(where: str, reason: str, fix: str = _RESTORE) -> HudiliteError:
    """HUDILITE_CORRUPT_TIMELINE for a file that neither Hudi nor hudilite writes so."""
    return error_of("HUDILITE_CORRUPT_TIMELINE", path=where, reason=reason, fix=fix)


def _check_sum(data: bytes, where: str) -> None:
    """Hold the text against its own checksum, taken while eight zeros stood in its place."""
    found = _CHECKSUM.search(data)
    if found is None:
        return
    blank = data[: found.start(2)] + b"0" * 8 + data[found.end(2) :]
    expected = f"{zlib.crc32(blank):08x}"
    if found[2].decode() != expected:
        raise corrupt(where, f"its checksum is {found[2].decode()}, its bytes give {expected}")


def _written(partition: str, stat: Any, where: str) -> Written:
    fields = _mapping(stat)

    def count(key: str) -> int:
        value = fields.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    for needed in ("fileId", "path"):
        if not isinstance(fields.get(needed), str):
            raise corrupt(where, f"a write stat lacks {needed}")
    told = fields.get("partitionPath")
    return Written(
        told if isinstance(told, str) else partition,
        fields["fileId"],
        fields["path"].rsplit("/", 1)[-1],
        count("numWrites") if "numWrites" in fields else None,
        count("numInserts"),
        count("numUpdateWrites"),
        count("numDeletes"),
        count("fileSizeInBytes"),
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
