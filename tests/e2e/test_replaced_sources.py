"""A source that another file took the place of, of the same length, row count and time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from harness import bootstrapped, layout
from harness.faults import run_statement
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("core/bootstrap/"))
ROWS = 400
PLAIN = {"compression": "NONE", "use_dictionary": False}
MERGE = (
    "MERGE INTO t USING (SELECT '0007' id, p, -1L n FROM (VALUES (0), (1)) v(p)) s "
    "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET n = s.n"
)


@pytest.fixture
def replaced(spark: SparkSession, database: Path) -> Iterator[Path]:
    """The source of partition p=1 of table `t`, with other values than it was adopted with."""
    spark.sql(
        "CREATE TABLE t (id STRING, n BIGINT, p INT, PRIMARY KEY (id)) USING hudilite "
        f"PARTITIONED BY (p) LOCATION '{database / 't'}'"
    )
    spark.sql(f"INSERT INTO t SELECT lpad(id DIV 2, 4, '0'), id, id % 2 FROM range({ROWS})")
    files = bootstrapped.adopt(database / "t", database / "source", written=PLAIN)
    spark.sql("REFRESH TABLE t")
    assert spark.sql("SELECT sum(n) FROM t WHERE p = 1").first() == (ROWS**2 // 4,)
    (file,) = [path for path in files if path.parent.name == "p=1"]
    whole, stat = file.read_bytes(), file.stat()
    other(file, 1000)
    assert file.stat().st_size == stat.st_size
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    yield file
    file.write_bytes(whole)
    assert spark.sql("SELECT sum(n) FROM t").first() == (ROWS * (ROWS - 1) // 2,)


def other(file: Path, add: int) -> None:
    """The same file with other values of `n`; what has no compression keeps its length."""
    rows = pq.ParquetFile(file).read()
    at = rows.column_names.index("n")
    values = pa.chunked_array([pc.add(rows["n"], add).combine_chunks()], pa.int64())
    changed = rows.set_column(at, rows.schema.field(at), values)
    pq.write_table(changed, file, row_group_size=10, store_schema=False, **PLAIN)


@pytest.mark.parametrize("columns", ["n", "_hoodie_record_key, n", "count(*)", "p"])
@pytest.mark.fault("F66")
def test_a_read_of_it_names_it_and_other_files_are_read(
    spark: SparkSession, replaced: Path, columns: str
) -> None:
    fault = run_statement(spark, f"SELECT {columns} FROM t")
    assert fault is not None
    assert fault.condition == "HUDILITE_SOURCE_CHANGED"
    assert replaced.as_posix() in fault.parameters["path"]
    assert run_statement(spark, f"SELECT {columns} FROM t WHERE p = 0") is None


def test_verify_finds_it(spark: SparkSession, database: Path, replaced: Path) -> None:
    assert replaced.exists()
    for level in ("files", "rows"):
        found = spark.sql(f"CALL verify('t', '{level}')").collect()
        codes = {row.code: row.path for row in found if row.severity == "ERROR"}
        assert codes["SOURCE_CHANGED"].startswith("p=1/"), level
        assert all(path.startswith("p=1/") for path in codes.values())
    assert layout.pending(database / "t") == set()


@pytest.mark.usefixtures("replaced")
@pytest.mark.fault("F66")
def test_a_write_that_needs_it_leaves_no_trace(spark: SparkSession, database: Path) -> None:
    before = layout.untouched_state(database / "t")
    for statement in (MERGE, "UPDATE t SET n = 0 WHERE p = 1", "DELETE FROM t WHERE n = 7"):
        fault = run_statement(spark, statement)
        assert fault is not None
        assert fault.condition == "HUDILITE_SOURCE_CHANGED", statement
        assert layout.untouched_state(database / "t") == before, statement


def test_a_source_that_is_not_parquet_is_a_corrupt_file(
    spark: SparkSession, replaced: Path
) -> None:
    replaced.write_bytes(bytes(replaced.stat().st_size))
    fault = run_statement(spark, "SELECT n FROM t")
    assert fault is not None
    assert fault.condition == "HUDILITE_CORRUPT_DATA_FILE"
    assert replaced.as_posix() in fault.parameters["path"]


def test_a_footer_of_more_than_one_read_is_compared_with_its_hash(
    spark: SparkSession, database: Path
) -> None:
    wide = ", ".join(f"id + {i} c{i}" for i in range(150))
    columns = ", ".join(f"c{i} BIGINT" for i in range(150))
    spark.sql(
        f"CREATE TABLE w (id BIGINT, {columns}, PRIMARY KEY (id)) USING hudilite "
        f"LOCATION '{database / 'w'}'"
    )
    spark.sql(f"INSERT INTO w SELECT id, {wide} FROM range(200)")
    (file,) = bootstrapped.adopt(database / "w", database / "source", written=PLAIN)
    size = int.from_bytes(file.read_bytes()[-8:-4], "little")
    assert size > 2 * 65536
    spark.sql("REFRESH TABLE w")
    assert spark.sql("SELECT sum(c0) FROM w").first() == (19900,)
    data = bytearray(file.read_bytes())
    at = len(data) - 8 - size
    kept = data[at]
    data[at] ^= 1
    file.write_bytes(data)
    fault = run_statement(spark, "SELECT c0 FROM w")
    assert fault is not None
    assert fault.condition == "HUDILITE_SOURCE_CHANGED"
    data[at] = kept
    file.write_bytes(data)
    assert spark.sql("SELECT sum(c0) FROM w").first() == (19900,)
