"""A small Hudi table of flights, written by pyarrow alone: no Spark and no hudilite in it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hudilite.demo.flights import COLUMNS, KEY

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
    properties = {
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
    text = "".join(f"{key}={value}\n" for key, value in properties.items())
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
