"""A look-up by key opens one file, reads its footer once and one row group at most, as Hadoop counts bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.opens import opened_files
from harness.rotation import product
from harness.session import ROW_GROUP_ROWS, small_geometry

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("spark/read/"))
ROWS = 400 if small_geometry() else 40_000
KEY = "concat('k', lpad(id, 6, '0'))"
TAIL = 8  # the footer's length and the magic bytes
SETTINGS = {
    # Files would be cut into many ranges, and Hadoop reads ahead no more than it is asked for.
    "spark.sql.files.maxPartitionBytes": "65536",
    "spark.sql.files.openCostInBytes": "1",
    "fs.file.impl.disable.cache": "true",
    "io.file.buffer.size": "16",
} | ({} if small_geometry() else {ROW_GROUP_ROWS: "1000"})


@pytest.fixture
def base(spark: SparkSession, database: Path) -> Iterator[Path]:
    """Folder of table `t`: two partitions of two buckets, each file with several row groups."""
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)
    try:
        spark.sql(
            "CREATE TABLE t (id STRING, p INT, v BIGINT, s STRING, PRIMARY KEY (id)) "
            "USING hudilite PARTITIONED BY (p) WITH BUCKETS 2"
        )
        rows = f"SELECT {KEY}, int(id % 2), id, md5(string(id)) FROM range({ROWS})"
        spark.sql(f"INSERT INTO t {rows}")
        yield database / "t"
    finally:
        for name in SETTINGS:
            spark.conf.unset(name)


def read_bytes(spark: SparkSession) -> int:
    """What this process has read of files so far, as Hadoop counts it."""
    every = spark._jvm.org.apache.hadoop.fs.FileSystem.getAllStatistics()  # type: ignore[union-attr]
    return sum(of.getBytesRead() for of in every)


def look_up(spark: SparkSession, base: Path, key: str) -> list[Row]:
    """The rows of a key; fails when more was opened or read than must be."""
    p = int(key[1:7]) % 2
    query = spark.sql(f"SELECT * FROM t WHERE id = '{key}' AND p = {p}")
    assert query.rdd.getNumPartitions() == 1
    before = read_bytes(spark)
    with opened_files([base / f"p={p}"]) as opened:
        found = query.collect()
    read = read_bytes(spark) - before
    files = {path for path in opened if path.suffix == ".parquet"}
    assert len(files) == 1, files
    file = files.pop()
    metadata = pq.ParquetFile(file).metadata
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    sizes = [sum(g.column(c).total_compressed_size for c in range(g.num_columns)) for g in groups]
    assert len(sizes) >= 3, sizes
    indexes = file.stat().st_size - metadata.serialized_size - TAIL - sum(sizes)
    group = max(sizes) + 2 * indexes // len(sizes)  # with what tells where its pages begin
    assert read <= metadata.serialized_size + TAIL + group
    return found


def test_a_look_up_reads_a_footer_and_a_row_group(spark: SparkSession, base: Path) -> None:
    places = [0, 1, ROWS // 3, ROWS // 2, ROWS - 1]
    for place in places:
        found = look_up(spark, base, f"k{place:06}")
        assert [(row.p, row.v) for row in found] == [(place % 2, place)]
    assert look_up(spark, base, f"k{ROWS // 2:06}x") == []
    more = f"range(0, {ROWS}, 7)"
    spark.sql(
        f"MERGE INTO t USING (SELECT {KEY} id, int(id % 2) p, -id v FROM {more} UNION ALL "
        f"SELECT concat({KEY}, 'x'), int(id % 2), -id FROM {more}) s ON t.id = s.id AND t.p = s.p "
        "WHEN MATCHED THEN UPDATE SET v = s.v "
        "WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, s.p, s.v)"
    )
    for place in [place - place % 7 for place in places]:
        for key in (f"k{place:06}", f"k{place:06}x"):
            assert [row.v for row in look_up(spark, base, key)] == [-place], key


def test_look_ups_of_other_keys_compile_no_code(spark: SparkSession, base: Path) -> None:
    spark.conf.set("spark.sql.codegen.wholeStage", "true")
    try:
        found = [rows_and_compilations(spark, f"k{place:06}") for place in (5, 6, 7)]
    finally:
        spark.conf.unset("spark.sql.codegen.wholeStage")
    assert [rows for rows, _ in found] == [[5], [6], [7]]
    assert [compiled for _, compiled in found[1:]] == [0, 0]


def rows_and_compilations(spark: SparkSession, key: str) -> tuple[list[int], int]:
    """Rows of a look-up, and the number of times that Spark compiled code for it."""
    metrics = spark._jvm.org.apache.spark.metrics.source.CodegenMetrics  # type: ignore[union-attr]
    compilations = metrics.METRIC_COMPILATION_TIME()
    before = compilations.getCount()
    rows = [row.v for row in spark.sql(f"SELECT v FROM t WHERE id = '{key}'").collect()]
    return rows, compilations.getCount() - before


def test_a_look_up_in_all_partitions_opens_a_file_of_each(spark: SparkSession, base: Path) -> None:
    with opened_files(sorted(base.glob("p=*"))) as opened:
        found = spark.sql(f"SELECT v FROM t WHERE id = 'k{ROWS // 2:06}'").collect()
    assert [row.v for row in found] == [ROWS // 2]
    assert len({path for path in opened if path.suffix == ".parquet"}) == 2
    assert len(layout.latest_slices(base)) == 4
