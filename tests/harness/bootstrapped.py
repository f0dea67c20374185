"""Turns a small table without buckets into one that a bootstrap might have left: hudi-format.md 8."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from harness import damage, layout
from harness.layout import META_FIELDS, Slice
from oracle import hfile
from oracle.hfile import avro_long, avro_text

INSTANT = "00000000000001"
NAME = f"00000000-0000-0000-0000-000000000000-0_1-0-1_{INSTANT}.hfile"
TEXT = ["null", {"type": "string", "avro.java.string": "String"}]
VERSION = {"name": "version", "type": ["int", "null"], "default": 1}
FIRST, ABSENT, THERE = avro_long(0), avro_long(0), avro_long(1)


def _field(name: str, kind: object) -> dict[str, object]:
    return {"name": name, "type": kind, "default": None}


def _record(name: str, *fields: dict[str, object]) -> dict[str, object]:
    return {"type": "record", "name": name, "fields": [VERSION, *fields]}


PATH = _record("HoodiePath", _field("uri", TEXT))
PERMISSION = _record(
    "HoodieFSPermission",
    *(_field(name, TEXT) for name in ("userAction", "groupAction", "otherAction")),
    _field("stickyBit", ["null", "boolean"]),
)
STATUS = _record(
    "HoodieFileStatus",
    _field("path", ["null", PATH]),
    _field("length", ["null", "long"]),
    _field("isDir", ["null", "boolean"]),
    _field("blockReplication", ["null", "int"]),
    _field("blockSize", ["null", "long"]),
    _field("modificationTime", ["null", "long"]),
    _field("accessTime", ["null", "long"]),
    _field("permission", ["null", PERMISSION]),
    _field("owner", TEXT),
    _field("group", TEXT),
    _field("symlink", ["null", "HoodiePath"]),
    _field("hudiliteFooter", TEXT),  # hudilite's own
)
SPACE = {"namespace": "org.apache.hudi.avro.model"}
FILES = {"type": "map", "values": STATUS, "avro.java.string": "String"}
PARTITION = SPACE | _record(
    "HoodieBootstrapPartitionMetadata",
    _field("bootstrapPartitionPath", TEXT),
    _field("partitionPath", TEXT),
    _field("fileIdToBootstrapFile", ["null", FILES]),
)
FILE = SPACE | _record(
    "HoodieBootstrapFilePartitionInfo",
    _field("bootstrapPartitionPath", TEXT),
    _field("bootstrapFileStatus", ["null", STATUS]),
    _field("partitionPath", TEXT),
)
INFO = SPACE | _record(
    "HoodieBootstrapIndexInfo",
    _field("bootstrapBasePath", TEXT),
    _field("createdTimestamp", ["null", "long"]),
    _field("numKeys", ["null", "int"]),
)


def adopt(
    base: Path,
    sources: Path,
    groups: tuple[int, int] = (10, 7),
    written: Mapping[str, Any] | None = None,
) -> list[Path]:
    """The same table with its data in files of its own, and skeletons where its base files were.

    Args:
        base: A table whose only commit is one INSERT.
        sources: Folder for the data, which has the table's partitions.
        groups: Rows a row group of the data, and of the skeletons.
        written: How pyarrow writes the data.

    Returns:
        The source files.
    """
    (instant,) = layout.completed(base)
    slices = layout.latest_slices(base)
    moved = {found: _split(base, sources, found, groups, written or {}) for found in slices}
    metadata = layout.commit_metadata(base, instant)
    for stat in (s for of in metadata["partitionToWriteStats"].values() for s in of):
        skeleton = next(to for found, (to, _) in moved.items() if found.file_id == stat["fileId"])
        stat["path"] = skeleton.relative_to(base).as_posix()
        stat["fileSizeInBytes"] = skeleton.stat().st_size
    metadata["operationType"] = "BOOTSTRAP"
    for file in (base / ".hoodie").glob(f"*{instant}*"):
        file.unlink()
    shutil.rmtree(base / ".hoodie" / ".hudilite")
    for state in ("commit.requested", "inflight"):
        (base / ".hoodie" / f"{INSTANT}.{state}").touch()
    text = layout.with_checksum(json.dumps(metadata))
    (base / ".hoodie" / f"{INSTANT}.commit").write_text(text, encoding="utf-8")
    write_index(base, sources, {found: source for found, (_, source) in moved.items()})
    facts = base / ".hoodie" / "hoodie.properties"
    damage.put(facts, facts.read_bytes() + f"hoodie.bootstrap.base.path={sources}\n".encode())
    return [source for _, source in moved.values()]


def write_index(base: Path, sources: Path, files: Mapping[Slice, Path]) -> None:
    """The two HFiles that say where the data of each skeleton lie."""
    partitions: dict[str, dict[str, Path]] = {}
    for found, source in files.items():
        partitions.setdefault(found.partition, {})[found.file_id] = source
    entries = [(f"part={p}", _partition(p, of)) for p, of in partitions.items()]
    _hfile(base, sources, ".partitions", entries)
    entries = [
        (f"part={p};fileid={file_id}", _file(p, source))
        for p, of in partitions.items()
        for file_id, source in of.items()
    ]
    _hfile(base, sources, ".fileids", entries)


def _hfile(base: Path, sources: Path, folder: str, entries: list[tuple[str, bytes]]) -> None:
    facts = FIRST + avro_long(1) + _text(str(sources)) + THERE + avro_long(0)
    facts += THERE + avro_long(len(entries))
    ordered = sorted((key.encode(), value) for key, value in entries)
    path = base / ".hoodie" / ".aux" / ".bootstrap" / folder / NAME
    path.parent.mkdir(parents=True)
    info = {b"INDEX_INFO": hfile.avro_file(json.dumps(INFO), facts)}
    path.write_bytes(hfile.write(ordered, info))


def _partition(partition: str, files: Mapping[str, Path]) -> bytes:
    entries = b"".join(avro_text(file_id) + _status(path) for file_id, path in files.items())
    record = FIRST + avro_long(1) + _text(partition) + _text(partition)
    record += THERE + avro_long(len(files)) + entries + avro_long(0)
    return hfile.avro_file(json.dumps(PARTITION), record)


def _file(partition: str, source: Path) -> bytes:
    record = FIRST + avro_long(1) + _text(partition) + THERE + _status(source) + _text(partition)
    return hfile.avro_file(json.dumps(FILE), record)


def _status(path: Path) -> bytes:
    stat = path.stat()
    place = FIRST + avro_long(1) + _text(f"file:{path}")
    numbers = (1, 32 << 20, int(stat.st_mtime * 1000), 0)
    known = THERE + avro_long(stat.st_size) + THERE + b"\0"
    known += b"".join(THERE + avro_long(number) for number in numbers)
    hashed = _text(footer_hash(path))
    return FIRST + avro_long(1) + THERE + place + known + ABSENT * 4 + hashed


def footer_hash(path: Path) -> str:
    """The hash of a Parquet file's footer, with its length and magic bytes."""
    data = path.read_bytes()
    size = int.from_bytes(data[-8:-4], "little")
    return hashlib.sha256(data[-8 - size :]).hexdigest()[:32]


def _text(text: str) -> bytes:
    return THERE + avro_text(text)


def _split(
    base: Path, sources: Path, found: Slice, groups: tuple[int, int], written: Mapping[str, Any]
) -> tuple[Path, Path]:
    """Writes the data and the meta columns of a base file to two, which take its place."""
    rows = damage.rows(found.path)
    pairs = {key.decode(): value.decode() for key, value in rows.schema.metadata.items()}
    pairs.pop("hudilite.sorted", None)
    keys = [level.split("=")[0] for level in found.partition.split("/") if level]
    folder = sources / found.partition
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"data-{len(list(folder.iterdir()))}.parquet"
    data = rows.drop_columns([*META_FIELDS, *keys]).replace_schema_metadata(None)
    pq.write_table(data, source, row_group_size=groups[0], store_schema=False, **written)
    skeleton = found.path.with_name(f"{found.file_id}_{found.token}_{INSTANT}.parquet")
    meta = rows.select(META_FIELDS).replace_schema_metadata(None)
    for name, value in (("commit_time", INSTANT), ("file_name", skeleton.name)):
        at = META_FIELDS.index(f"_hoodie_{name}")
        meta = meta.set_column(at, f"_hoodie_{name}", pa.array([value] * rows.num_rows))
    skeleton.write_bytes(damage.parquet(meta, pairs, group=groups[1]))
    found.path.unlink()
    found.path.with_name(f".{found.path.name}.crc").unlink(missing_ok=True)
    return skeleton, source
