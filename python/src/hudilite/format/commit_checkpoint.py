"""Checkpoints: summaries of the numbered commits up to a number, which save reading each of them.

A checkpoint is never authoritative, and may be missing: ``docs/decisions/0013-checkpoints.md``.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from hudilite.format.commit_json import check_sum, corrupt, json_object

_VERSION = 1
_UUID = "hudilite.table.uuid"
_FOREIGN_FACTS = (
    "hoodie.database.name",
    "hoodie.table.name",
    "hoodie.table.recordkey.fields",
    "hoodie.table.partition.fields",
    "hoodie.table.create.schema",
)


@dataclass(frozen=True)
class Checkpoint:
    """Summary of the commits up to a number.

    Attributes:
        table: Uuid of the table.
        number: Highest commit number that it covers, 20 digits.
        instant: Instant of this number.
        aborted: Instants that were rolled back.
    """

    table: str
    number: str
    instant: str
    aborted: frozenset[str]


def parse(data: bytes, where: str) -> Checkpoint:
    """Parses a checkpoint.

    Args:
        data: Content of the file.
        where: Path of the file, for error messages.

    Raises:
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when the file does not match its checksum, has
            none, or has another version or form.
    """
    root = json_object(data, where)
    if not check_sum(data, where) or root.get("version") != _VERSION:
        raise corrupt(where, "it is no checkpoint of this version")
    table, number, instant = (root.get(field) for field in ("table", "number", "instant"))
    aborted = root.get("aborted")
    if not (isinstance(number, int) and isinstance(aborted, list)):
        raise corrupt(where, "it is no checkpoint of this version")
    return Checkpoint(str(table), f"{number:020d}", str(instant), frozenset(map(str, aborted)))


def table_uuid(properties: Mapping[str, str]) -> str:
    """Returns the uuid of a table, which its checkpoints repeat.

    A table that stock Hudi created stores none. The uuid is then computed from properties that
    never change.

    Args:
        properties: Entries of the table's hoodie.properties.

    Examples:
        >>> table_uuid({"hoodie.table.name": "t"})
        'f2b48d25-d241-33c6-85ae-a5d89eb11c05'
    """
    stored = properties.get(_UUID, "").strip()
    if stored:
        return stored
    facts = [properties.get(key, "").encode() for key in _FOREIGN_FACTS]
    named = b"".join(len(fact).to_bytes(4, "big") + fact for fact in facts)
    digest = hashlib.md5(named, usedforsecurity=False).digest()
    return str(uuid.UUID(bytes=digest, version=3))
