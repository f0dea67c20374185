"""CREATE TABLE of each system that is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bench.beside.shapes import Table

STATEMENTS = ("merge", "update", "delete")


def _partitioned(*fields: str) -> str:
    named = [name for name in fields if name]
    return f" PARTITIONED BY ({', '.join(named)})" if named else ""


def _properties(pairs: Mapping[str, object]) -> str:
    return ", ".join(f"'{key}' = '{value}'" for key, value in pairs.items())


def hudilite(table: Table) -> str:
    """A table with buckets."""
    key = f"PRIMARY KEY ({', '.join(table.key)})"
    on = f" ON ({table.hashed})" if table.hashed else ""
    return (
        f"CREATE TABLE {table.name} ({table.columns}, {key}) USING hudilite"
        f"{_partitioned(table.partition)} WITH BUCKETS {table.buckets}{on}"
    )


def hudilite_logs(table: Table) -> str:
    """The same, merge on read; a MERGE is blind as there is no ordering field."""
    return f"{hudilite(table)} TBLPROPERTIES (type = 'mor')"


def duckdb(table: Table) -> str:
    """A table without a key: an index would make its MERGE slower."""
    columns = [column.split(" ", 1) for column in table.columns.split(", ")]
    quoted = ", ".join(f'"{name}" {kind}' for name, kind in columns)
    return f"CREATE TABLE {table.name} ({quoted})"


def delta_rs(table: Table) -> str:
    """A table of Delta without partitions."""
    return f"CREATE TABLE {table.name} ({table.columns})"


def delta(vectors: bool) -> Callable[[Table], str]:
    """With deletion vectors or without."""
    properties = _properties({"delta.enableDeletionVectors": str(vectors).lower()})
    return lambda table: (
        f"CREATE TABLE {table.name} ({table.columns}) USING delta"
        f"{_partitioned(table.partition)} TBLPROPERTIES ({properties})"
    )


def iceberg(mode: str, version: int) -> Callable[[Table], str]:
    """With buckets by the key."""
    properties = _properties(
        {
            "format-version": version,
            **{f"write.{one}.mode": mode for one in STATEMENTS},
            **{f"write.{one}.distribution-mode": "none" for one in STATEMENTS},
            "write.parquet.compression-codec": "snappy",
        }
    )

    def create(table: Table) -> str:
        bucket = f"bucket({table.buckets}, {table.hashed or table.key[0]})"
        return (
            f"CREATE TABLE ice.db.{table.name} ({table.columns}) USING iceberg"
            f"{_partitioned(table.partition, bucket)} TBLPROPERTIES ({properties})"
        )

    return create


def hudi(kind: str) -> Callable[[Table], str]:
    """With a bucket index, of one of its types."""

    def create(table: Table) -> str:
        key = ",".join(table.key)
        properties = {
            "type": kind,
            "primaryKey": key,
            "preCombineField": table.ordering,
            "hoodie.index.type": "BUCKET",
            "hoodie.bucket.index.num.buckets": table.buckets,
            "hoodie.bucket.index.hash.field": table.hashed or key,
        }
        return (
            f"CREATE TABLE {table.name} ({table.columns}) USING hudi"
            f"{_partitioned(table.partition)} TBLPROPERTIES ({_properties(properties)})"
        )

    return create
