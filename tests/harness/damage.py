"""Damage to the files of a table, each kind alone: what else a change would tell is set right."""

from __future__ import annotations

import base64
import io
import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from harness import layout
from harness.layout import Slice

BLOOM = "org.apache.hudi.bloomfilter"
MIN_KEY = "hoodie_min_record_key"
MAX_KEY = "hoodie_max_record_key"
HEAD_BYTES = 25  # of a DYNAMIC_V0 filter
ROW_HEAD_BYTES = 13

Footer = dict[str, str]


def put(path: Path, data: bytes) -> None:
    """Puts bytes in place of a file's; Hadoop's checksum of the old ones goes."""
    path.write_bytes(data)
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def rows(path: Path) -> pa.Table:
    """The rows of a base file, with its footer's pairs as the schema's metadata."""
    return pq.ParquetFile(path).read()


def rewrite(
    base: Path,
    found: Slice,
    table: pa.Table | None = None,
    footer: Mapping[str, str | None] | Callable[[Footer], Footer] | None = None,
    *,
    statistics: bool = True,
    group: int | None = None,
) -> None:
    """Writes a base file anew with other rows or another footer; its commit gets the new length.

    Args:
        footer: Pairs to change, None takes one out; or a function over all.
        statistics: Whether its columns have bounds.
        group: Rows of a row group, all in one if None.
    """
    kept = rows(found.path) if table is None else table
    pairs = {
        k.decode(): v.decode() for k, v in pq.ParquetFile(found.path).metadata.metadata.items()
    }
    if callable(footer):
        pairs = footer(pairs)
    elif footer is not None:
        changed = {**pairs, **footer}
        pairs = {key: value for key, value in changed.items() if value is not None}
    put(found.path, parquet(kept, pairs, statistics=statistics, group=group))
    restate(base, found, fileSizeInBytes=found.path.stat().st_size)


def rewrite_unsorted(base: Path, found: Slice, rng: random.Random, group: int) -> None:
    """Writes a base file anew with its rows in any order, which its footer does not deny."""
    table = rows(found.path)
    order = pa.array(rng.sample(range(len(table)), len(table)), pa.int64())  # a file may be empty
    shuffled = table.take(order)
    rewrite(base, found, shuffled, {"hudilite.sorted": None}, group=group)


def parquet(
    table: pa.Table, footer: Footer, *, statistics: bool = True, group: int | None = None
) -> bytes:
    """A Parquet file of rows, `group` a row group, with the pairs given in its footer."""
    sink = pa.BufferOutputStream()
    options = {"store_schema": False, "write_statistics": statistics}
    with pq.ParquetWriter(sink, table.schema, **options) as writer:
        writer.write_table(table, row_group_size=group)
        writer.add_key_value_metadata(footer)
    return bytes(sink.getvalue().to_pybytes())


def restate(base: Path, found: Slice, **facts: int) -> None:
    """Changes what the commit of a base file says of it."""
    file = layout.completed_file(base, found.instant)
    metadata: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    stats = metadata["partitionToWriteStats"][found.partition]
    next(stat for stat in stats if stat["fileId"] == found.file_id).update(facts)
    put(file, layout.with_checksum(json.dumps(metadata)).encode())


def without_bits(pairs: Footer) -> Footer:
    """The bloom filter with every bit of its rows cleared, its sizes kept."""
    data = bytearray(base64.b64decode(pairs[BLOOM]))
    count = int.from_bytes(data[HEAD_BYTES - 4 : HEAD_BYTES], "big")
    size = (len(data) - HEAD_BYTES) // count
    for row in range(count):
        start = HEAD_BYTES + row * size
        data[start + ROW_HEAD_BYTES : start + size] = bytes(size - ROW_HEAD_BYTES)
    return {**pairs, BLOOM: base64.b64encode(bytes(data)).decode()}


def page_of(path: Path, column: str) -> int:
    """Where the last byte of a column's pages lies."""
    group = pq.ParquetFile(path).metadata.row_group(0)
    chunk = next(
        group.column(i)
        for i in range(group.num_columns)
        if group.column(i).path_in_schema == column
    )
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    return int(start + chunk.total_compressed_size - 1)


def commit(base: Path, instant: str, like: Slice, name: str, table: pa.Table) -> None:
    """A commit of one new base file, as a writer makes it that knows no numbers.

    Args:
        like: A slice of the same partition, for the schema and the footer.
    """
    target = like.path.with_name(name)
    pairs = {k.decode(): v.decode() for k, v in pq.ParquetFile(like.path).metadata.metadata.items()}
    target.write_bytes(parquet(table, pairs))
    metadata = layout.commit_metadata(base, like.instant)
    stat = dict(metadata["partitionToWriteStats"][like.partition][0])
    stat |= {
        "fileId": name.split("_")[0],
        "path": f"{like.partition}/{name}",
        "prevCommit": "null",
        "prevBaseFile": None,
        "numWrites": table.num_rows,
        "fileSizeInBytes": target.stat().st_size,
    }
    metadata["partitionToWriteStats"] = {like.partition: [stat]}
    text = layout.with_checksum(json.dumps(metadata))
    (base / ".hoodie" / f"{instant}.commit").write_text(text, encoding="utf-8")


def retype(path: Path, column: str, values: pa.Array) -> None:
    """Gives a column of a base file other values and their type; the file keeps its length.

    The meta columns go, to make room.
    """
    stored = pq.read_table(path)
    stored = stored.select([n for n in stored.column_names if not n.startswith("_hoodie_")])
    at = stored.column_names.index(column)
    changed = stored.set_column(at, column, values).replace_schema_metadata(None)
    length, pad = path.stat().st_size, 0
    for _ in range(8):  # the pad's own length takes a byte or two
        out = io.BytesIO()
        with pq.ParquetWriter(out, changed.schema) as writer:
            writer.write_table(changed)
            writer.add_key_value_metadata({"pad": "x" * pad})
        missing = length - out.tell()
        if missing == 0:
            break
        pad += missing
    assert len(out.getvalue()) == length, f"{path} cannot be kept at {length} bytes"
    put(path, out.getvalue())
