"""Parser of a completed commit's JSON: base files that it wrote, file groups that it replaced."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hudilite.conditions import error_of
from hudilite.errors import HudiliteError

METRICS = "hudilite.metrics."

# A field of a JSON object, or an entry in the header of an Avro file, where each text has a length.
_CHECKSUM = re.compile(rb'("hudilite\.checksum(?:"\s*:\s*"|\x10))([0-9a-f]{8})')
_RESTORE = (
    "Restore the file from a copy, or roll back the instant with stock Hudi. "
    "Do not delete only this file."
)

WRITER = "hudilite.writer"  # key of the writer's id in the extra metadata of a commit


@dataclass(frozen=True)
class Written:
    """Base or log file that a commit wrote, as its write stat describes it.

    Attributes:
        partition: Partition path.
        group: File group id.
        name: File name, without the partition path.
        rows: All rows in the file (``numWrites``); None when the stat has no such count.
        inserted: New rows (``numInserts``); 0 when the stat has no such count.
        updated: Changed rows (``numUpdateWrites``); 0 likewise.
        deleted: Deleted rows (``numDeletes``); 0 likewise.
        bytes: Length of the file (``fileSizeInBytes``); 0 likewise.
        appended: Bytes that the commit wrote (``totalWriteBytes``); 0 likewise. A log file of table
            version 6 may be longer.
        is_of_new_group: Whether the file begins a file group (``prevCommit`` is null).
        task_millis: Milliseconds of tasks that stock Hudi recorded (``runtimeStats``), by name.
    """

    partition: str
    group: str
    name: str
    rows: int | None
    inserted: int
    updated: int
    deleted: int
    bytes: int
    appended: int
    is_of_new_group: bool
    task_millis: Mapping[str, int]

    @property
    def is_log(self) -> bool:
        """Whether it is a log file of a merge-on-read table."""
        return self.name.startswith(".")


@dataclass(frozen=True)
class Commit:
    """Content of a completed commit.

    Attributes:
        operation: ``UPSERT``, ``INSERT_OVERWRITE``, ``BOOTSTRAP`` ...; "" when the commit has none.
        written: Base and log files that it wrote.
        replaced: Ids of the file groups that it replaced, by partition path. Readers do not see
            these file groups from this commit on.
        extra: Entries of ``extraMetadata`` that are text, without ``schema``.
    """

    operation: str
    written: tuple[Written, ...]
    replaced: Mapping[str, tuple[str, ...]]
    extra: Mapping[str, str]

    @property
    def metrics(self) -> dict[str, int]:
        """Metrics of hudilite in `extra`, by the names in ``docs/metrics.md``, sorted."""
        return {
            key.removeprefix(METRICS): int(value)
            for key, value in sorted(self.extra.items())
            if key.startswith(METRICS) and value.isascii() and value.isdigit()
        }


def parse(data: bytes, where: str) -> Commit:
    """Parses the completed file of a commit.

    Args:
        data: Content of the file.
        where: Path of the file, for error messages.

    Raises:
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when the file is empty, is not a JSON object,
            does not match its checksum, or lacks ``partitionToWriteStats`` or a file id or path in
            it.

    Examples:
        >>> parse(b'{"partitionToWriteStats": {}, "operationType": "DELETE"}', "x").operation
        'DELETE'
    """
    return commit_of(record(data, where), where)


def record(data: bytes, where: str) -> dict[str, Any]:
    """Parses the file of a commit into its fields, which may lack those of a completed commit.

    Raises:
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when the file is empty, is not a JSON object,
            or does not match its checksum.
    """
    root = json_object(data, where)
    check_sum(data, where)
    return root


def commit_of(root: Mapping[str, Any], where: str) -> Commit:
    """Returns the commit that an object describes: parsed JSON, or an Avro record.

    Raises:
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when it lacks ``partitionToWriteStats``, or a
            file id or path in it.
    """
    stats = root.get("partitionToWriteStats")
    if not isinstance(stats, dict):
        raise corrupt(where, "partitionToWriteStats is missing")
    replaced = mapping(root.get("partitionToReplaceFileIds"))
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
            for key, value in mapping(root.get("extraMetadata")).items()
            if isinstance(value, str) and key != "schema"
        },
    )


def json_object(data: bytes, where: str) -> dict[str, Any]:
    """Parses a file of the timeline that holds one JSON object.

    Raises:
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when the file is empty or not a JSON object.
    """
    if not data.strip():
        raise corrupt(where, "the completed file is empty")
    try:
        root = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise corrupt(where, f"it is not JSON ({error})") from error
    if not isinstance(root, dict):
        raise corrupt(where, "it is not a JSON object")
    return root


def check_sum(data: bytes, where: str) -> bool:
    """Checks a file of the timeline against its ``hudilite.checksum``.

    The checksum is the CRC-32 of the file with eight zeros in the place of the checksum. Stock Hudi
    writes none.

    Returns:
        Whether the file has a checksum.

    Raises:
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when the file does not match it.
    """
    found = _CHECKSUM.search(data)
    if found is None:
        return False
    blank = data[: found.start(2)] + b"0" * 8 + data[found.end(2) :]
    expected = f"{zlib.crc32(blank):08x}"
    if found[2].decode() != expected:
        raise corrupt(where, f"its checksum is {found[2].decode()}, its bytes give {expected}")
    return True


def corrupt(where: str, reason: str, fix: str = _RESTORE) -> HudiliteError:
    """Returns ``HUDILITE_CORRUPT_TIMELINE``, for content that neither Hudi nor hudilite writes."""
    return error_of("HUDILITE_CORRUPT_TIMELINE", path=where, reason=reason, fix=fix)


def _written(partition: str, stat: Any, where: str) -> Written:
    fields = mapping(stat)

    def count(key: str) -> int:
        value = fields.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    for needed in ("fileId", "path"):
        if not isinstance(fields.get(needed), str):
            raise corrupt(where, f"a write stat lacks {needed}")
    path = fields.get("partitionPath")
    return Written(
        path if isinstance(path, str) else partition,
        fields["fileId"],
        fields["path"].rsplit("/", 1)[-1],
        count("numWrites") if fields.get("numWrites") is not None else None,
        count("numInserts"),
        count("numUpdateWrites"),
        count("numDeletes"),
        count("fileSizeInBytes"),
        count("totalWriteBytes"),
        fields.get("prevCommit") in (None, "", "null"),
        {
            name: millis
            for name, millis in mapping(fields.get("runtimeStats")).items()
            if isinstance(millis, int) and millis > 0
        },
    )


def mapping(value: Any) -> Mapping[str, Any]:
    """Returns a value that is a JSON object, or an Avro map or record; otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
