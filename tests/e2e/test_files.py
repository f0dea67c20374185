"""The files of tables of several shapes, after several statements, by pyarrow alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.faults import run_statement
from harness.invariants import check_table
from harness.pages import rows_per_page
from harness.session import PAGE_ROWS, ROW_GROUP_ROWS
from oracle.record_key import record_key

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SHAPES = {
    "flat": ("id STRING, n INT, at TIMESTAMP", "id", "", ", timestamp_micros(id * 1000003)"),
    "parted": (
        "id STRING, n INT, p STRING",
        "id",
        "PARTITIONED BY (p)",
        ", array('x', 'a/b')[id % 2]",
    ),
    "deep": (
        "id STRING, n INT, p STRING, q INT",
        "id",
        "PARTITIONED BY (p, q)",
        ", IF(id % 3 = 0, NULL, 'x'), CAST(id % 2 AS INT)",
    ),
    "composite": ("id STRING, n INT", "id, n", "", ""),
}


@pytest.fixture(scope="module", params=list(SHAPES))
def shaped(
    request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    """A table of 200 rows, merged twice: three versions of each file."""
    t, base = f"default.shaped_{request.param}", tmp_path_factory.mktemp("shaped") / "t"
    columns, key, parted, more = SHAPES[request.param]
    spark.sql(
        f"CREATE TABLE {t} ({columns}, PRIMARY KEY ({key})) USING hudilite {parted} "
        f"WITH BUCKETS 3 LOCATION '{base}'"
    )
    rows = f"concat('k', id) id, CAST(id AS INT) n{more}"
    spark.sql(f"INSERT INTO {t} SELECT {rows} FROM range(200)")
    for first in (50, 150):
        on = " AND ".join(f"t.{c} = s.{c}" for c in key.split(", "))
        spark.sql(
            f"MERGE INTO {t} t USING (SELECT * FROM {t} WHERE n BETWEEN {first} AND {first + 99}) s "
            f"ON {on} WHEN MATCHED AND s.n % 2 = 0 THEN UPDATE SET * WHEN MATCHED THEN DELETE"
        )
    spark.sql(f"DROP TABLE {t}")
    return request.param, base


def test_files_hold_the_invariants(shaped: tuple[str, Path]) -> None:
    _, base = shaped
    assert check_table(base) == []
    assert len(layout.completed(base)) == 3


def test_record_keys_equal_those_of_the_oracle(shaped: tuple[str, Path]) -> None:
    shape, base = shaped
    _, key, parted, _ = SHAPES[shape]
    fields = key.split(", ")
    parts = parted.removeprefix("PARTITIONED BY (").rstrip(")").split(", ") if parted else []
    seen = 0
    for found in layout.latest_slices(base):
        table = pq.ParquetFile(found.path).read(["_hoodie_record_key", *fields])
        for row in table.to_pylist():
            texts = [str(row[field]) for field in fields]
            assert row["_hoodie_record_key"] == record_key(fields, parts, texts)
            seen += 1
    assert seen == 125


def test_a_timestamp_is_a_number_of_microseconds(spark: SparkSession, database: Path) -> None:
    spark.sql("CREATE TABLE t (id INT, at TIMESTAMP, PRIMARY KEY (id)) USING hudilite")
    spark.sql("INSERT INTO t SELECT id, timestamp_micros(id * 1000003) FROM range(10)")
    (found,) = layout.latest_slices(database / "t")
    file = pq.ParquetFile(found.path)
    column = file.schema.column(file.schema.names.index("at"))
    assert (column.physical_type, column.converted_type) == ("INT64", "TIMESTAMP_MICROS")
    assert check_table(database / "t") == []


def test_an_untouched_file_group_is_not_rewritten(spark: SparkSession, database: Path) -> None:
    spark.sql("CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 8")
    spark.sql("INSERT INTO t SELECT id, 0 FROM range(100)")
    before = {found.bucket: found.path.name for found in layout.latest_slices(database / "t")}
    spark.sql(
        "MERGE INTO t USING (SELECT 7 id, 1 v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"
    )
    after = {found.bucket: found.path.name for found in layout.latest_slices(database / "t")}
    assert len(before) == 8
    assert [bucket for bucket in after if after[bucket] != before[bucket]] == [
        found.bucket
        for found in layout.latest_slices(database / "t")
        if 7 in pq.ParquetFile(found.path).read(["id"]).column("id").to_pylist()
    ]


def test_a_merge_that_changes_nothing_leaves_no_trace(spark: SparkSession, database: Path) -> None:
    spark.sql("CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2")
    spark.sql("INSERT INTO t SELECT id, 0 FROM range(10)")
    files = {found.path.name for found in layout.base_files(database / "t")}
    spark.sql(
        "MERGE INTO t USING (SELECT 7 id, 1 v) s ON t.id = s.id "
        "WHEN MATCHED AND s.v = 2 THEN UPDATE SET *"
    )
    assert {found.path.name for found in layout.base_files(database / "t")} == files
    assert check_table(database / "t") == []


def test_an_emptied_file_group_keeps_an_empty_file(spark: SparkSession, database: Path) -> None:
    spark.sql("CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2")
    spark.sql("INSERT INTO t SELECT id, 0 FROM range(10)")
    spark.sql("MERGE INTO t USING (SELECT id FROM t) s ON t.id = s.id WHEN MATCHED THEN DELETE")
    slices = layout.latest_slices(database / "t")
    assert [pq.ParquetFile(found.path).metadata.num_rows for found in slices] == [0, 0]
    footer = pq.ParquetFile(slices[0].path).metadata.metadata
    assert b"hoodie_min_record_key" not in footer
    assert check_table(database / "t") == []
    spark.sql("INSERT INTO t SELECT id, 1 FROM range(10)")
    assert check_table(database / "t") == []


def test_a_refused_statement_leaves_no_file(spark: SparkSession, database: Path) -> None:
    spark.sql("CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2")
    spark.sql("INSERT INTO t SELECT id, 0 FROM range(100)")
    base = database / "t"
    files = {found.path.name for found in layout.base_files(base)}
    done = layout.completed(base)
    for statement, condition in {
        "INSERT INTO t SELECT id, 0 FROM range(99, 200)": "HUDILITE_DUPLICATE_KEY",
        "INSERT INTO t SELECT IF(id < 190, id, NULL), 0 FROM range(100, 200)": "HUDILITE_NULL_KEY",
        "MERGE INTO t USING (SELECT id % 90 id, 1 v FROM range(100)) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET *": "HUDILITE_MERGE_CARDINALITY",
        "MERGE INTO t USING (SELECT id, 1 v FROM range(100)) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = CAST(s.v / (99 - t.id) AS INT)": "DIVIDE_BY_ZERO",
    }.items():
        fault = run_statement(spark, statement)
        assert fault is not None, statement
        assert fault.condition == condition
        assert {found.path.name for found in layout.base_files(base)} == files
        assert layout.completed(base) == done
        assert check_table(base) == []


def test_rows_per_page_and_row_group_follow_the_session(
    spark: SparkSession, database: Path
) -> None:
    spark.sql("CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1")
    before = {key: spark.conf.get(key, None) for key in (PAGE_ROWS, ROW_GROUP_ROWS)}
    spark.conf.set(PAGE_ROWS, "3")
    spark.conf.set(ROW_GROUP_ROWS, "10")
    try:
        spark.sql("INSERT INTO t SELECT id, concat('v', id) FROM range(100)")
    finally:
        for key, value in before.items():
            spark.conf.unset(key) if value is None else spark.conf.set(key, value)
    (found,) = layout.latest_slices(database / "t")
    metadata = pq.ParquetFile(found.path).metadata
    groups = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    assert sum(groups) == 100
    assert max(groups) <= 10
    pages = rows_per_page(found.path)
    assert max(pages) <= 3
    assert sum(pages) == 100 * metadata.num_columns
