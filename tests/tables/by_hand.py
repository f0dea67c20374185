"""A sound keyed table from pyarrow and the oracles: no Spark and no hudilite in it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from harness import layout
from oracle import bloom, bucket, file_id

Row = tuple[int, str, str]

UUID = "0b1f7a52-5d0c-4f0e-9c55-0b3b8f1d4a10"
BUCKETS = 2
FIRST, SECOND = "20240101000000000", "20240102000000000"
SCHEMA = '{"type": "record", "name": "t_record", "fields": []}'
PROPERTIES = {
    "hoodie.table.name": "t",
    "hoodie.database.name": "db",
    "hoodie.table.checksum": str(zlib.crc32(b"db.t")),
    "hoodie.table.version": "6",
    "hoodie.timeline.layout.version": "1",
    "hoodie.table.type": "COPY_ON_WRITE",
    "hoodie.table.timeline.timezone": "UTC",
    "hoodie.datasource.write.drop.partition.columns": "false",
    "hoodie.table.create.schema": SCHEMA,
    "hoodie.table.partition.fields": "p",
    "hudilite.bucket.fields": "id",
    "hudilite.bucket.count": str(BUCKETS),
    "hudilite.table.uuid": UUID,
}


def write_table(base: Path, rows: Iterable[Row], later: Iterable[Row] = ()) -> None:
    """A table of (id, p, v) with a commit, and a second one where `later` has new rows.

    A bucket that the second commit writes holds its old rows, too.
    """
    hoodie = base / ".hoodie"
    (hoodie / ".hudilite" / "commits").mkdir(parents=True)
    facts = {**PROPERTIES, layout.OWN_CHECKSUM: layout.facts_checksum(PROPERTIES)}
    text = "".join(f"{key}={value}\n" for key, value in facts.items())
    (hoodie / "hoodie.properties").write_text(text, encoding="utf-8")
    held: dict[tuple[str, int], list[Row]] = {}
    for instant, arrived in ((FIRST, list(rows)), (SECOND, list(later))):
        touched = {place_of(row) for row in arrived}
        for row in arrived:
            held.setdefault(place_of(row), []).append(row)
        paths = [write_file(base, instant, place, held[place]) for place in sorted(touched)]
        if paths:
            write_commit(base, instant, paths)


def place_of(row: Row) -> tuple[str, int]:
    """Partition and bucket of a row."""
    return f"p={row[1]}", bucket.bucket_of_key(str(row[0]), ["id"], BUCKETS)


def write_file(base: Path, instant: str, place: tuple[str, int], rows: Iterable[Row]) -> Path:
    """A base file of one bucket with a footer as Hudi wants it."""
    partition, number = place
    name = f"{file_id.bucket(UUID, partition, number, '')}_0-1-{number}_{instant}.parquet"
    path = base / partition / name
    path.parent.mkdir(exist_ok=True)
    metafile = path.parent / ".hoodie_partition_metadata"
    metafile.write_text(f"commitTime={instant}\npartitionDepth=1\n", encoding="utf-8")
    ordered = sorted(rows, key=lambda row: str(row[0]))
    keys = [str(row[0]) for row in ordered]
    columns: dict[str, pa.Array] = {
        "_hoodie_commit_time": pa.array([instant] * len(keys)),
        "_hoodie_commit_seqno": pa.array(
            [f"{instant}_{partition}-{number}_{i}" for i in range(len(keys))]
        ),
        "_hoodie_record_key": pa.array(keys),
        "_hoodie_partition_path": pa.array([partition] * len(keys)),
        "_hoodie_file_name": pa.array([name] * len(keys)),
        "id": pa.array([row[0] for row in ordered], pa.int32()),
        "p": pa.array([row[1] for row in ordered]),
        "v": pa.array([row[2] for row in ordered]),
    }
    footer = {
        "parquet.avro.schema": SCHEMA,
        "org.apache.hudi.bloomfilter": bloom.serialize(
            [key.encode() for key in keys], 100, 0.01, "SIMPLE"
        ),
        "hoodie_bloom_filter_type_code": "SIMPLE",
        "hoodie_min_record_key": min(keys),
        "hoodie_max_record_key": max(keys),
    }
    table = pa.table(columns)
    pq.write_table(table.replace_schema_metadata(footer), path)
    return path


def write_commit(base: Path, instant: str, paths: Iterable[Path]) -> None:
    """The completed file of an instant, and its number."""
    stats: dict[str, list[dict[str, object]]] = {}
    for path in paths:
        stat = {
            "path": path.relative_to(base).as_posix(),
            "fileSizeInBytes": path.stat().st_size,
            "numWrites": pq.ParquetFile(path).metadata.num_rows,
        }
        stats.setdefault(path.parent.name, []).append(stat)
    metadata = json.dumps({"partitionToWriteStats": stats, "extraMetadata": {"schema": SCHEMA}})
    hoodie = base / ".hoodie"
    for end in ("commit.requested", "inflight"):
        (hoodie / f"{instant}.{end}").write_text("{}", encoding="utf-8")
    (hoodie / f"{instant}.commit").write_text(metadata, encoding="utf-8")
    record = {"kind": "commit", "instant": instant, "action": "commit", "metadata": metadata}
    numbers = hoodie / ".hudilite" / "commits"
    number = len(list(numbers.iterdir())) + 1
    (numbers / f"{number:020d}").write_text(json.dumps(record), encoding="utf-8")
