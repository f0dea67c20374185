"""DataFrames with rows that `_hoodie_is_deleted` marks, upserted in each way, into a table of each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness import streams
from harness.invariants import check_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import DataFrame, DataFrameWriter, SparkSession

    Write = Callable[[DataFrame, Path], object]

KINDS = {
    "cow": "WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id')",
    "mor": "WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id', type = 'mor')",
    "bloom": "TBLPROPERTIES (primaryKey = 'id', 'hoodie.index.type' = 'BLOOM')",
    "global": "TBLPROPERTIES (primaryKey = 'id', 'hudilite.index.global' = 'true')",
}
COLUMNS = "id INT, p STRING, _hoodie_is_deleted BOOLEAN"
UPSERT = {"hoodie.datasource.write.operation": "upsert"}


def writer(rows: DataFrame) -> DataFrameWriter:
    return rows.write.format("hudilite").mode("append").options(**UPSERT)


def stream(rows: DataFrame, base: Path, to: str) -> str | None:
    """Writes the rows in a stream; returns the condition of its error."""
    folder = base.parent / "arriving"
    rows.coalesce(1).write.parquet(str(folder / "rows"))
    read = rows.sparkSession.readStream.schema(rows.schema).parquet(str(folder / "rows"))
    writing = read.writeStream.format("hudilite").trigger(availableNow=True).options(**UPSERT)
    writing = writing.option("checkpointLocation", str(folder / "checkpoint"))
    return streams.ended(writing.toTable(to) if to else writing.start(str(base)))


WRITES: dict[str, Write] = {
    "saveAsTable": lambda rows, _: writer(rows).saveAsTable("t"),
    "writeTo": lambda rows, _: rows.writeTo("t").options(**UPSERT).append(),
    "save": lambda rows, base: writer(rows).save(str(base)),
    "toTable": lambda rows, base: stream(rows, base, "t"),
    "start": lambda rows, base: stream(rows, base, ""),
}


@pytest.mark.rotated(by="test")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", WRITES)
def test_an_upsert_deletes_marked_rows(
    spark: SparkSession, database: Path, name: str, kind: str
) -> None:
    spark.sql(f"CREATE TABLE t ({COLUMNS}) USING hudilite PARTITIONED BY (p) {KINDS[kind]}")
    spark.sql("INSERT INTO t VALUES (1, 'x', false), (2, 'x', NULL), (3, 'y', false)")
    rows = spark.sql(
        "SELECT * FROM VALUES (1, 'x', true), (2, 'x', false), (4, 'y', true), (5, 'z', NULL) "
        "AS q (id, p, _hoodie_is_deleted)"
    )
    WRITES[name](rows, database / "t")
    left = sorted(tuple(row) for row in spark.table("t").collect())
    assert left == [(2, "x", False), (3, "y", False), (5, "z", None)]
    assert check_table(database / "t") == []


def test_a_stream_that_lacks_a_column_does_not_upsert(spark: SparkSession, database: Path) -> None:
    spark.sql("CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite")
    spark.sql("INSERT INTO t VALUES (1, 'a')")
    assert stream(spark.sql("SELECT 1 AS id"), database / "t", "t") == "HUDILITE_UNSUPPORTED_CLAUSE"
    assert [tuple(row) for row in spark.table("t").collect()] == [(1, "a")]
