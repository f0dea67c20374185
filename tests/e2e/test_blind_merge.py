"""A blind MERGE into a merge-on-read table neither opens a file of the table nor lists other partitions
than those of its source, as the kernel tells."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.faults import run_statement
from harness.opens import opened_or_listed
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(when=product("spark/exec/", "spark/merge/", "spark/analyze/"))
ROWS, PARTITIONS = 3000, ("p=0", "p=1", "p=2")
SOURCE = "SELECT id, 1 AS p, id + 7 AS v FROM range(1, 30, 3) UNION ALL SELECT 10001, 1, 1"
ON = "ON t.id = s.id AND t.p = s.p"
UPSERT = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"


@pytest.fixture(params=["6", "9"])
def base(request: pytest.FixtureRequest, spark: SparkSession, database: Path) -> Path:
    """Folder of table `t`: three partitions of two buckets, each with a base and a log file."""
    spark.sql(
        "CREATE TABLE t (id BIGINT, p BIGINT, v BIGINT, PRIMARY KEY (id)) USING hudilite "
        "PARTITIONED BY (p) WITH BUCKETS 2 "
        f"TBLPROPERTIES (type = 'mor', hoodie.table.version = '{request.param}')"
    )
    spark.sql(f"INSERT INTO t SELECT id, id % 3, id FROM range({ROWS})")
    spark.sql("UPDATE t SET v = -v WHERE id % 10 = 0")
    return database / "t"


@contextmanager
def as_garbage(base: Path) -> Iterator[None]:
    """Has other bytes in each file of data while the block runs, as many as before."""
    files = [path for folder in PARTITIONS for path in (base / folder).iterdir() if _is_data(path)]
    assert any(".log." in path.name for path in files)
    stored = {path: path.read_bytes() for path in files}
    for number, (path, content) in enumerate(stored.items()):
        path.write_bytes(random.Random(number).randbytes(len(content)))
    try:
        yield
    finally:
        for path, content in stored.items():
            path.write_bytes(content)


def _is_data(path: Path) -> bool:
    return ".parquet" in path.name or ".log." in path.name


def test_a_blind_merge_succeeds_whatever_the_files_contain(spark: SparkSession, base: Path) -> None:
    text = f"MERGE INTO t USING ({SOURCE}) s {ON} {UPSERT}"
    before = {(row.id, row.p): row.v for row in spark.table("t").collect()}
    source = {(row.id, row.p): row.v for row in spark.sql(SOURCE).collect()}
    touched = base / "p=1"
    there = set(touched.iterdir())
    with as_garbage(base), opened_or_listed(base / name for name in PARTITIONS) as seen:
        spark.sql(text)
    assert touched in seen
    assert {path for path in seen if touched not in {path, path.parent}} == set()
    assert {path for path in seen if path in there and _is_data(path)} == set()
    after = {(row.id, row.p): row.v for row in spark.table("t").collect()}
    assert after == before | source
    assert len(after) == len(before) + 1


def test_a_merge_that_reads_the_table_names_a_damaged_file(spark: SparkSession, base: Path) -> None:
    text = f"MERGE INTO t USING ({SOURCE}) s {ON} WHEN MATCHED AND t.v < s.v THEN UPDATE SET *"
    before = sorted(spark.table("t").collect())
    with as_garbage(base):
        fault = run_statement(spark, text)
    assert fault is not None
    assert fault.condition == "HUDILITE_CORRUPT_DATA_FILE"
    assert sorted(spark.table("t").collect()) == before
