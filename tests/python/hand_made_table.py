"""Small Hudi tables, written by pyarrow alone: no Spark and no hudilite in them.

`write_table` makes the flights that the demo reads. `make_table`, `add_commit` and `add_instant`
make a table with a history, one step a call.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from harness.layout import facts_checksum, properties, with_checksum
from hudilite.demo.flights import COLUMNS, KEY
from hudilite.format.commit_checkpoint import table_uuid

INSTANT = "20240101000000000"
META = ("commit_time", "commit_seqno", "record_key", "partition_path", "file_name")
_ARROW = {"INT": pa.int32(), "STRING": pa.string(), "TIMESTAMP": pa.timestamp("us", "UTC")}
_AVRO = {
    "INT": "int",
    "STRING": "string",
    "TIMESTAMP": {"type": "long", "logicalType": "timestamp-micros"},
}


def flight(month: int, number: int, **changed: Any) -> dict[str, Any]:
    """One flight; what is not said is the same for all."""
    row: dict[str, Any] = {
        name: 10 if kind == "INT" else "x" if kind == "STRING" else 1_357_034_400_000_000
        for name, kind in COLUMNS.items()
    }
    return row | {"month": month, "flight": number, "tailnum": None} | changed


def write_table(base: Path, rows: Sequence[dict[str, Any]]) -> list[Path]:
    """Write a table with one commit and one base file a month; gives the base files."""
    (base / ".hoodie").mkdir(parents=True)
    fields = [{"name": n, "type": ["null", _AVRO[k]], "default": None} for n, k in COLUMNS.items()]
    schema = json.dumps({"type": "record", "name": "flights_record", "fields": fields})
    facts = {
        "hoodie.table.name": "flights",
        "hoodie.table.type": "COPY_ON_WRITE",
        "hoodie.table.version": "6",
        "hoodie.timeline.layout.version": "1",
        "hoodie.table.base.file.format": "PARQUET",
        "hoodie.table.checksum": str(zlib.crc32(b".flights")),
        "hoodie.table.recordkey.fields": ",".join(KEY),
        "hoodie.table.partition.fields": "month",
        "hoodie.datasource.write.hive_style_partitioning": "true",
        "hoodie.table.create.schema": schema,
    }
    text = "".join(f"{key}={value}\n" for key, value in facts.items())
    (base / ".hoodie" / "hoodie.properties").write_text(text)
    months = sorted({row["month"] for row in rows})
    files = {m: _write_file(base, m, [r for r in rows if r["month"] == m]) for m in months}
    stats = {
        f"month={m}": [{"fileId": f.name.split("_")[0], "path": str(f.relative_to(base))}]
        for m, f in files.items()
    }
    commit = {"partitionToWriteStats": stats, "extraMetadata": {"schema": schema}}
    (base / ".hoodie" / f"{INSTANT}.commit").write_text(json.dumps(commit))
    return list(files.values())


def alter(file: Path, column: str, value: Any) -> None:
    """Write one value of the first row of a base file anew; nothing else changes."""
    table = pq.read_table(file, partitioning=None)
    place = table.column_names.index(column)
    values = table.column(column).to_pylist()
    values[0] = value
    field = table.schema.field(column)
    changed = table.set_column(place, field, pa.array(values, field.type))
    pq.write_table(changed, file, store_schema=True)
    sidecar = file.with_name(f".{file.name}.crc")
    sidecar.unlink(missing_ok=True)


def make_table(base: Path, **facts: str) -> Path:
    """A table without a commit: partitioned by p, key id, no index declared.

    Args:
        facts: More lines of hoodie.properties, their dots written as two underscores.
    """
    (base / ".hoodie").mkdir(parents=True)
    lines = {
        "hoodie.table.name": "t",
        "hoodie.table.type": "COPY_ON_WRITE",
        "hoodie.table.version": "6",
        "hoodie.timeline.layout.version": "1",
        "hoodie.table.recordkey.fields": "id",
        "hoodie.table.partition.fields": "p",
    }
    lines |= {key.replace("__", "."): value for key, value in facts.items()}
    name = f"{lines.get('hoodie.database.name', '')}.{lines['hoodie.table.name']}"
    lines.setdefault("hoodie.table.checksum", str(zlib.crc32(name.encode())))
    if any(key.startswith("hudilite.") for key in lines):
        lines.setdefault("hudilite.table.checksum", facts_checksum(lines))
    text = "".join(f"{key}={value}\n" for key, value in lines.items())
    (base / ".hoodie" / "hoodie.properties").write_text(text)
    return base


def make_bucketed(base: Path, buckets: int = 4, **facts: str) -> Path:
    """A table of hudilite's own with a bucket index, without a commit.

    Args:
        facts: As in make_table.
    """
    return make_table(
        base,
        hoodie__table__timeline__timezone="UTC",
        hudilite__index="BUCKET",
        hudilite__bucket__count=str(buckets),
        hudilite__bucket__fields="id",
        **facts,
    )


def group_of(bucket: int, tail: int = 0) -> str:
    """The file group of a bucket."""
    return f"{bucket:08d}-aaaa-4bbb-8ccc-{tail:012d}-0"


def add_commit(
    base: Path,
    instant: str,
    writes: Mapping[str, Mapping[str, int]],
    *,
    operation: str = "UPSERT",
    replaced: Mapping[str, Sequence[str]] | None = None,
    extra: Mapping[str, str] | None = None,
    keys: Mapping[str, tuple[str, str]] | None = None,
    completed: bool = True,
) -> dict[str, Path]:
    """Write base files, and the commit or replacecommit that names them.

    Args:
        writes: Rows of the new file of each file group, by partition; all are inserts.
        keys: Least and greatest key that the footer of a file group's file tells.
        completed: Whether the completed file is written too.

    Returns:
        The file of each file group.
    """
    files: dict[str, Path] = {}
    stats: dict[str, list[dict[str, Any]]] = {}
    for partition, groups in writes.items():
        for group, rows in groups.items():
            file = files[group] = _small_file(base, partition, group, instant, rows)
            _write_key_bounds(file, (keys or {}).get(group))
            stat = {"fileId": group, "path": file.relative_to(base).as_posix()}
            stat |= {"numWrites": rows, "numInserts": rows, "fileSizeInBytes": file.stat().st_size}
            stats.setdefault(partition, []).append(stat)
    content = {
        "partitionToWriteStats": stats,
        "operationType": operation,
        "extraMetadata": {"schema": "{}", **(extra or {})},
    }
    if replaced:
        content["partitionToReplaceFileIds"] = replaced
    action = "replacecommit" if replaced else "commit"
    add_instant(base, instant, action, json.dumps(content).encode(), completed=completed)
    return files


def add_logs(
    base: Path, instant: str, writes: Mapping[str, Sequence[str]], *, completed: bool = True
) -> dict[str, Path]:
    """Write log files of table version 6, and the deltacommit that names them.

    Args:
        writes: For each partition its new log files, by their names without the token.
        completed: Whether the completed file is written too.

    Returns:
        The files, by these names.
    """
    files: dict[str, Path] = {}
    stats: dict[str, list[dict[str, Any]]] = {}
    for partition, logs in writes.items():
        for name in logs:
            file = files[name] = base / partition / f"{name}_0-1-0"
            file.write_bytes(b"#HUDI#" + instant.encode())
            stat = {"fileId": name[1:].split("_")[0], "path": file.relative_to(base).as_posix()}
            stat |= {"numWrites": 1, "fileSizeInBytes": file.stat().st_size}
            stats.setdefault(partition, []).append(stat)
    content = {"partitionToWriteStats": stats, "operationType": "UPSERT", "extraMetadata": {}}
    add_instant(base, instant, "deltacommit", json.dumps(content).encode(), completed=completed)
    return files


def add_instant(
    base: Path, instant: str, action: str, content: bytes = b"", *, completed: bool = True
) -> None:
    """The files of one action on the timeline."""
    inflight = f"{instant}.inflight" if action == "commit" else f"{instant}.{action}.inflight"
    for name in (f"{instant}.{action}.requested", inflight):
        (base / ".hoodie" / name).touch()
    if completed:
        (base / ".hoodie" / f"{instant}.{action}").write_bytes(content)


def add_number(base: Path, number: int, hint: str | None = None, **record: Any) -> None:
    """One of hudilite's numbered commits, with or without the hint of its instant."""
    folder = base / ".hoodie" / ".hudilite" / "commits"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{number:020d}").write_text(json.dumps(record))
    if hint:
        (folder / f"{number:020d}-{hint}").touch()


def add_checkpoint(
    base: Path, number: int, instant: str, aborted: Sequence[str], /, **other: Any
) -> Path:
    """A checkpoint of the commits up to a number, as hudilite stores it.

    Args:
        other: Fields that say something else.
    """
    content = {
        "hudilite.checksum": "0" * 8,
        "version": 1,
        "table": table_uuid(properties(base)),
        "number": number,
        "instant": instant,
        "stamps": "",
        "aborted": list(aborted),
    }
    file = base / ".hoodie" / ".hudilite" / "commits" / f"{number:020d}.checkpoint"
    file.write_text(with_checksum(json.dumps(content | other)))
    return file


def _small_file(base: Path, partition: str, group: str, instant: str, rows: int) -> Path:
    file = base / partition / f"{group}_0-1-0_{instant}.parquet"
    file.parent.mkdir(parents=True, exist_ok=True)
    metafile = file.parent / ".hoodie_partition_metadata"
    metafile.write_text(f"commitTime={instant}\npartitionDepth={1 if partition else 0}\n")
    pq.write_table(pa.table({"id": pa.array(range(rows), pa.int32())}), file)
    return file


def _write_key_bounds(file: Path, keys: tuple[str, str] | None) -> None:
    """Put Hudi's bounds of the keys into a file's footer."""
    if keys is not None:
        pairs = {
            f"hoodie_{bound}_record_key": key
            for bound, key in zip(("min", "max"), keys, strict=True)
        }
        pq.write_table(pq.read_table(file, partitioning=None).replace_schema_metadata(pairs), file)


def _write_file(base: Path, month: int, rows: Sequence[dict[str, Any]]) -> Path:
    name = f"00000000-0000-0000-0000-{month:012d}-0_0-1-0_{INSTANT}.parquet"
    file = base / f"month={month}" / name
    file.parent.mkdir()
    (file.parent / ".hoodie_partition_metadata").write_text(
        f"commitTime={INSTANT}\npartitionDepth=1\n"
    )
    meta = {
        f"_hoodie_{column}": pa.array([f"month={month}"] * len(rows), pa.string())
        for column in META
    }
    data = {
        column: pa.array([row[column] for row in rows], _ARROW[kind])
        for column, kind in COLUMNS.items()
    }
    pq.write_table(pa.table(meta | data), file)
    return file
