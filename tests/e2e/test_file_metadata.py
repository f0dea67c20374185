"""`_metadata` of a table: what Spark's own Parquet source says of the same rows, split and filtered alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness.rotation import product
from harness.session import PAGE_ROWS, ROW_GROUP_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.rotated(rare=True, by="test", when=product("spark/read/"))
OF_FILE = ["file_path", "file_name", "file_size", "file_modification_time"]
BLOCK = ["file_block_start", "file_block_length"]
CUT = {"spark.sql.files.maxPartitionBytes": "2048", "spark.sql.files.openCostInBytes": "1"}
FILTERS = ["true", "n = 7", "n BETWEEN 11 AND 12 AND s IS NOT NULL", "id % 3 = 0"]


@pytest.fixture(params=[{}, CUT], ids=["whole", "cut"])
def reads(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[None]:
    for key, value in request.param.items():
        spark.conf.set(key, value)
    yield
    for key in request.param:
        spark.conf.unset(key)


def described(rows: DataFrame, fields: list[str], where: str) -> list[tuple]:
    """Fields of `_metadata` of the rows of a filter, in the order of the key."""
    found = rows.where(where).selectExpr("id", *(f"_metadata.{name}" for name in fields))
    return sorted(tuple(row) for row in found.collect())


def bases(spark: SparkSession, table: str) -> list[str]:
    """Paths of the base files of a table."""
    return [
        row[0] for row in spark.sql(f"SELECT DISTINCT _metadata.file_path FROM {table}").collect()
    ]


@pytest.mark.parametrize("index", ["WITH BUCKETS 2", ""], ids=["buckets", "bloom"])
def test_a_row_is_described_as_by_sparks_own_source(
    spark: SparkSession, database: Path, reads: None, index: str
) -> None:
    spark.sql(
        f"CREATE TABLE t (id INT, n INT, s STRING, p INT, PRIMARY KEY (id, p)) USING hudilite {index} "
        "PARTITIONED BY (p)"
    )
    small = {PAGE_ROWS: "20", ROW_GROUP_ROWS: "60"}
    for key, value in small.items():
        spark.conf.set(key, value)
    spark.sql(
        "INSERT INTO t SELECT id, id % 40, if(id % 5 = 0, NULL, repeat('s', 20)), id % 2 FROM range(900)"
    )
    for key in small:
        spark.conf.unset(key)
    plain = spark.read.parquet(*bases(spark, "t"))
    for where in FILTERS:
        seen = described(spark.table("t"), [*OF_FILE, "row_index"], where)
        assert seen == described(plain, [*OF_FILE, "row_index"], where)
    assert len({row[5] for row in seen}) > 50
    for start, length in spark.sql(
        "SELECT DISTINCT _metadata.file_block_start, _metadata.file_block_length FROM t"
    ).collect():
        assert start >= 0 < length


@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_nested_columns_and_wide_rows(spark: SparkSession, database: Path, vectorized: str) -> None:
    """The session reads rows one by one, or its rows have too many columns for batches."""
    wide = ", ".join(f"c{i} INT" for i in range(110))
    spark.sql(
        f"CREATE TABLE t (id INT, a ARRAY<STRUCT<x: INT>>, {wide}, PRIMARY KEY (id)) "
        "USING hudilite WITH BUCKETS 1"
    )
    nulls = ", ".join("NULL" for _ in range(110))
    spark.sql(f"INSERT INTO t SELECT id, array(named_struct('x', id)), {nulls} FROM range(20)")
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
    try:
        rows = spark.sql("SELECT *, _metadata FROM t ORDER BY id").collect()
    finally:
        spark.conf.unset("spark.sql.parquet.enableVectorizedReader")
    places = [row._metadata.row_index for row in sorted(rows, key=lambda row: str(row.id))]
    assert places == list(range(20))  # a file is sorted by the text of the key
    assert [row.a[0].x for row in rows] == list(range(20))
    assert len({row._metadata.file_path for row in rows}) == 1


@pytest.mark.parametrize("key", ["number", "text"])
def test_an_adopted_row_is_in_its_source_file(
    spark: SparkSession, database: Path, reads: None, key: str
) -> None:
    source = database / "source"
    for part in range(2):
        folder = source / f"p={part}"
        folder.mkdir(parents=True)
        keys = [row + 300 * part for row in range(300)]
        columns = {
            "id": keys if key == "number" else [str(row) for row in keys],
            "n": [row % 40 for row in keys],
            "s": [None if row % 5 == 0 else "s" * 20 for row in keys],
        }
        pq.write_table(pa.table(columns), folder / "f.parquet", row_group_size=10)
    spark.sql(f"CALL bootstrap(table => 't', source => '{source}', key => 'id')")
    plain = spark.read.parquet(str(source))
    for where in FILTERS:
        seen = described(spark.table("t"), [*OF_FILE, "row_index"], where)
        assert seen == described(plain, [*OF_FILE, "row_index"], where)
    beside = spark.sql(
        "SELECT count_if(_hoodie_file_name = _metadata.file_name), count(_metadata.row_index), "
        "count_if(_metadata.row_index = CAST(id AS INT) % 300) FROM t"
    )
    assert tuple(beside.first()) == (0, 600, 600)


def test_a_row_of_a_log_file_is_in_it(spark: SparkSession, database: Path, reads: None) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, n INT, s STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 "
        "TBLPROPERTIES (type = 'mor')"
    )
    spark.sql("INSERT INTO t SELECT id, id % 40, repeat('s', 20) FROM range(900)")
    plain = spark.read.parquet(*bases(spark, "t"))
    spark.sql(
        "MERGE INTO t USING (SELECT id, 7 n, 'new' s FROM range(0, 1000, 100)) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    spark.sql("DELETE FROM t WHERE id = 500")
    kept = described(spark.table("t"), [*OF_FILE, "row_index"], "s <> 'new'")
    assert kept == described(plain, [*OF_FILE, "row_index"], "id % 100 <> 0")
    changed = described(spark.table("t"), [*OF_FILE, "row_index", *BLOCK], "s = 'new'")
    assert [row[0] for row in changed] == [0, 100, 200, 300, 400, 600, 700, 800, 900]
    for _, path, name, size, modified, place, start, length in changed:
        assert path.endswith(name)
        assert ".log." in name
        assert place is None
        assert modified is not None
        assert (start, length) == (0, size)
        assert (database / path.removeprefix("file:")).stat().st_size == size
