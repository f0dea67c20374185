"""Reads by hudi-rs, in this process."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa


def read_rust(path: Path) -> pa.Table:
    """All rows and columns that hudi-rs reads, meta columns included; a schema alone when empty."""
    from hudi import HudiTable

    table = HudiTable(path.as_uri())
    batches = [pa.record_batch(batch) for batch in table.read()]
    if batches:
        return pa.Table.from_batches(batches)
    schema = table.get_schema_with_meta_fields()
    return pa.schema(schema).empty_table()


def read_files(paths: list[Path]) -> pa.Table:
    """All rows of base files by pyarrow alone."""
    import pyarrow.parquet as pq

    return pa.concat_tables([pq.ParquetFile(path).read() for path in paths])
