"""Facts of a table, read from its ``.hoodie/hoodie.properties`` without a JVM."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timezone

from hudilite import java_properties
from hudilite.conditions import error_of
from hudilite.errors import HudiliteError
from hudilite.format.folders import Folder, no_table, open_folder
from hudilite.format.layouts import BY_VERSION, Layout

FILE = ".hoodie/hoodie.properties"

_OURS = "hudilite."
_OWN_CHECKSUM = "hudilite.table.checksum"
_ZONE = "hoodie.table.timeline.timezone"
_MERGE_MODE = "hoodie.record.merge.mode"
_PAYLOAD = "hoodie.compaction.payload.class"
_KEEP_FILES = "keep-files"
_COVERED = (
    "hoodie.table.recordkey.fields",
    "hoodie.table.partition.fields",
    "hoodie.table.create.schema",
    "hoodie.datasource.write.hive_style_partitioning",
    "hoodie.datasource.write.partitionpath.urlencode",
    "hoodie.keygen.timebased.timestamp.type",
    "hoodie.keygen.timebased.timestamp.scalar.time.unit",
    "hoodie.keygen.timebased.input.dateformat",
    "hoodie.keygen.timebased.input.dateformat.list.delimiter.regex",
    "hoodie.keygen.timebased.input.timezone",
    "hoodie.keygen.timebased.output.dateformat",
    "hoodie.keygen.timebased.output.timezone",
    "hoodie.keygen.timebased.timezone",
    "hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled",
)
_RESTORE = "Restore the file, or replace it with hoodie.properties.backup if that file exists."
_NEW_TABLE = (
    "Export the rows with stock Hudi, for example to Parquet files, and insert them into a table "
    "that was created with USING hudilite."
)
_OTHER_VERSION = (
    "Convert it to version 6 with stock Hudi 1.x: "
    "CALL {call}_table(table => '...', to_version => 'SIX'), "
    "then CALL delete_metadata_table(table => '...')."
)
_BETWEEN_VERSIONS = (
    "Stock Hudi was interrupted while it upgraded the table. "
    "Let it finish: CALL upgrade_table(table => '...', to_version => 'NINE')."
)
_MISMATCH = (
    "The table version and the timeline layout do not match. "
    "Restore the properties file from a copy."
)


@dataclass(frozen=True)
class TableFacts:
    """Facts that a table declares about itself.

    Attributes:
        name: Name under which the table was created.
        database: Its database; None when it was created without one.
        type: ``COPY_ON_WRITE`` or ``MERGE_ON_READ``.
        version: Version of Hudi's table format; hudilite reads 6, 8 and 9.
        layout: Version of the timeline layout; table version 6 has layout 1, 8 and 9 have 2.
        key: Record key columns, in key order; empty for a table without a key.
        partitioned_by: Partition columns, in path order, without the types of a custom key
            generator; empty for a table without partitions.
        ordering: Ordering fields, separated by commas: of two rows with one key, the one with the
            greatest value wins. None if the row that is written last wins.
        index: ``BUCKET`` or ``BLOOM``; None when the table does not declare it, as in stock Hudi.
        buckets: Number of buckets in each partition; None without a bucket index.
        bucketed_by: Key columns that are hashed into the bucket; empty without a bucket index.
        bootstrap: Base path of the bootstrap source, when data stayed there; None otherwise.
        zone: Time zone of the timeline's instants; None for the zone of the machine that writes.
        metadata: What a write of hudilite does to Hudi's metadata table: ``keep-files`` keeps its
            list of files up to date, ``detach`` removes it. Always ``detach`` in table version 6.
        metadata_partitions: Partitions of Hudi's metadata table that readers use; empty without a
            metadata table.
        properties: All entries of the file.
    """

    name: str
    database: str | None
    type: str
    version: int
    layout: int
    key: tuple[str, ...]
    partitioned_by: tuple[str, ...]
    ordering: str | None
    index: str | None
    buckets: int | None
    bucketed_by: tuple[str, ...]
    bootstrap: str | None
    zone: timezone | None
    metadata: str
    metadata_partitions: tuple[str, ...]
    properties: Mapping[str, str] = field(repr=False)


def read(path: str | os.PathLike[str]) -> TableFacts:
    """Reads the facts of the table in a folder. It accepts every table version.

    Args:
        path: Folder of the table, or its URI if pyarrow can open it.

    Raises:
        HudiliteError: ``HUDILITE_PATH_INVALID`` when the folder has no table or cannot be opened.
        HudiliteError: ``HUDILITE_MISSING_FILE`` when the table has no hoodie.properties.
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when that file cannot be parsed or does not
            match its checksums.
        HudiliteError: ``HUDILITE_PACKAGE_MISSING`` for a URI when pyarrow is not installed.

    Examples:
        >>> read("/lake/orders").buckets  # doctest: +SKIP
        8
    """
    return facts_of(open_folder(path))


def facts_of(folder: Folder) -> TableFacts:
    """Reads the facts of the table in an opened folder; the errors are those of `read`."""
    if not any(entry.name == ".hoodie" and entry.is_folder for entry in folder.entries()):
        raise no_table(folder)
    where = folder.path(FILE)
    try:
        found = java_properties.parse(folder.read(FILE))
    except ValueError as error:
        raise _corrupt(where, f"it is malformed ({error})") from error
    facts = _facts(found, where)
    _check_sums(facts, where)
    return facts


def layout_of(facts: TableFacts, folder: Folder) -> Layout:
    """Returns the form of a table's timeline, which its version determines.

    Raises:
        HudiliteError: ``HUDILITE_UNSUPPORTED_TABLE`` for a version that hudilite does not read, a
            timeline layout of another version, and a timeline in another folder.
    """
    if facts.version not in BY_VERSION:
        call = "upgrade" if facts.version < 6 else "downgrade"
        fix = _BETWEEN_VERSIONS if facts.version == 7 else _OTHER_VERSION.format(call=call)
        raise unsupported(folder, "hoodie.table.version", str(facts.version), fix)
    number, layout = BY_VERSION[facts.version]
    if facts.layout != number:
        raise unsupported(folder, "hoodie.timeline.layout.version", str(facts.layout), _MISMATCH)
    place = facts.properties.get("hoodie.timeline.path", "").strip() or "timeline"
    if number > 1 and place != "timeline":
        raise unsupported(folder, "hoodie.timeline.path", place)
    return layout


def unsupported(folder: Folder, fact: str, value: str, fix: str = _NEW_TABLE) -> HudiliteError:
    """Returns ``HUDILITE_UNSUPPORTED_TABLE`` for a fact of a table."""
    return error_of("HUDILITE_UNSUPPORTED_TABLE", path=folder.root, fact=fact, value=value, fix=fix)


def _facts(found: Mapping[str, str], where: str) -> TableFacts:
    def text(key: str) -> str | None:
        return found.get(key, "").strip() or None

    def columns(key: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in found.get(key, "").split(",") if part.strip())

    name = text("hoodie.table.name")
    if name is None:
        raise _corrupt(where, "it lacks hoodie.table.name" if found else "it is empty")
    is_bucketed = text("hudilite.index") == "BUCKET"
    version = _number(found, "hoodie.table.version", where)
    return TableFacts(
        name=name,
        database=text("hoodie.database.name"),
        type=text("hoodie.table.type") or "COPY_ON_WRITE",
        version=version,
        layout=_number(found, "hoodie.timeline.layout.version", where),
        key=columns("hoodie.table.recordkey.fields"),
        partitioned_by=tuple(
            column.partition(":")[0].strip() for column in columns("hoodie.table.partition.fields")
        ),
        ordering=None
        if _last_wins(text(_MERGE_MODE), text(_PAYLOAD))
        else text("hoodie.table.ordering.fields") or text("hoodie.table.precombine.field"),
        index=text("hudilite.index"),
        buckets=_number(found, "hudilite.bucket.count", where) if is_bucketed else None,
        bucketed_by=columns("hudilite.bucket.fields") if is_bucketed else (),
        bootstrap=text("hoodie.bootstrap.base.path"),
        zone=timezone.utc if (text(_ZONE) or "").upper() == "UTC" else None,
        metadata=_KEEP_FILES
        if version > 6 and (text("hudilite.metadata") or "").lower() == _KEEP_FILES
        else "detach",
        metadata_partitions=columns("hoodie.table.metadata.partitions"),
        properties=dict(found),
    )


def _last_wins(mode: str | None, payload: str | None) -> bool:
    """Whether the row that is written last stays, whatever the ordering field contains.

    In table versions 8 and 9 the merge mode says so, in version 6 the payload class.
    """
    if mode is not None:
        return mode.upper() == "COMMIT_TIME_ORDERING"
    return payload is not None and payload.endswith(".OverwriteWithLatestAvroPayload")


def _number(found: Mapping[str, str], key: str, where: str) -> int:
    """Returns a number in the file; 0 if it is missing, as in a table older than the property."""
    text = found.get(key, "0").strip()
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise _corrupt(where, f"its {key} is '{text}'")
    return int(text)


def _check_sums(facts: TableFacts, where: str) -> None:
    """Checks the file against its checksums.

    Hudi's checksum covers the table's name and database. hudilite's checksum covers the facts in
    `_COVERED` and all ``hudilite.*``.
    """
    found = facts.properties
    named = str(zlib.crc32(f"{facts.database or ''}.{found['hoodie.table.name']}".encode()))
    stored = found.get("hoodie.table.checksum", named).strip()
    if stored != named:
        raise _corrupt(
            where, f"its hoodie.table.checksum is {stored}, but its table name gives {named}"
        )
    own = [key for key in found if key.startswith(_OURS) and key != _OWN_CHECKSUM]
    lines = [f"{key}={found[key]}\n" for key in sorted(found) if key in own or key in _COVERED]
    expected = str(zlib.crc32("".join(lines).encode()))
    if (own or _OWN_CHECKSUM in found) and found.get(_OWN_CHECKSUM) != expected:
        missing = found.get(_OWN_CHECKSUM, "missing")
        raise _corrupt(where, f"its {_OWN_CHECKSUM} is {missing}, but its facts give {expected}")


def _corrupt(where: str, reason: str) -> HudiliteError:
    return error_of("HUDILITE_CORRUPT_TIMELINE", path=where, reason=reason, fix=_RESTORE)
