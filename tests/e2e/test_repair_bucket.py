"""CALL repair_bucket: two file groups of one bucket become one, by one commit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from harness import damage, layout
from harness.faults import run_statement
from harness.invariants import check_table
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(
    by="test", when=product("procedures/RepairBucket.scala", "spark/repair/BucketMerge.scala")
)
LATER = "29990101000000000"


@pytest.fixture
def table(spark: SparkSession, database: Path) -> Path:
    spark.sql(
        "CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 2"
    )
    spark.sql("INSERT INTO t SELECT CAST(id AS INT), 'a', concat('v', id) FROM range(20)")
    spark.sql("INSERT INTO t VALUES (100, 'b', 'other')")
    return database / "t"


def fork(base: Path) -> layout.Slice:
    """A second file group of a bucket, by a commit of stock's form: it changes some rows and lacks
    one; the first group has one that it lacks, too."""
    found = next(f for f in layout.latest_slices(base) if f.partition == "p=a" and f.bucket == 0)
    rows = damage.rows(found.path)
    twin = found.file_id[:8] + "-1111-2222-3333-444444444444-0"
    name = f"{twin}_0-0-0_{LATER}.parquet"
    kept = rows.slice(2)
    for column, values in {
        "_hoodie_commit_time": [LATER] * kept.num_rows,
        "_hoodie_commit_seqno": [f"{LATER}_0_{i}" for i in range(kept.num_rows)],
        "_hoodie_file_name": [name] * kept.num_rows,
        "v": [f"new {value}" for value in kept.column("v").to_pylist()],
    }.items():
        at = kept.column_names.index(column)
        kept = kept.set_column(at, kept.schema.field(at), pa.array(values, pa.string()))
    damage.commit(base, LATER, found, name, kept)
    return found


def rows_by_pyarrow(base: Path) -> dict[int, str]:
    """Rows of the latest slices, without the engine; a key that comes twice fails."""
    tables = [damage.rows(found.path) for found in layout.latest_slices(base)]
    pairs = [
        pair
        for table in tables
        for pair in zip(table.column("id").to_pylist(), table.column("v").to_pylist(), strict=True)
    ]
    assert len(pairs) == len(dict(pairs))
    return dict(pairs)


def test_of_each_key_the_latest_row_stays(spark: SparkSession, table: Path) -> None:
    before = rows_by_pyarrow(table)
    forked = fork(table)
    changed = pc.unique(damage.rows(forked.path).slice(2).column("id")).to_pylist()
    fault = run_statement(spark, "SELECT count(v) FROM t WHERE p = 'a'")
    assert fault is not None
    assert fault.condition == "HUDILITE_DUPLICATE_BUCKET_FILE"
    call = "CALL repair_bucket(table => '{table}', partition => '{partition}', bucket => {bucket})"
    answer = spark.sql(call.format(**fault.parameters)).collect()
    assert [tuple(row) for row in answer] == [("p=a", 0, 2, len(changed) + 2)]
    expected = before | {key: f"new {before[key]}" for key in changed}
    assert rows_by_pyarrow(table) == expected
    assert {row.id: row.v for row in spark.sql("SELECT id, v FROM t").collect()} == expected
    assert spark.sql("CALL verify('t', 'rows')").collect() == []
    assert check_table(table) == []
    kept = {
        row.t for row in spark.sql("SELECT _hoodie_commit_time t FROM t WHERE p = 'a'").collect()
    }
    assert LATER in kept
    spark.sql("UPDATE t SET v = 'again' WHERE id = 3")
    assert spark.sql("CALL verify('t', 'rows')").collect() == []


def test_log_files_of_the_bucket_are_merged(spark: SparkSession, database: Path) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (type = 'mor')"
    )
    spark.sql("INSERT INTO t SELECT CAST(id AS INT), 'a', concat('v', id) FROM range(20)")
    base = database / "t"
    whole = next(f for f in layout.latest_slices(base) if f.partition == "p=a" and f.bucket == 0)
    own, gone, both, *rest = damage.rows(whole.path).column("id").to_pylist()
    spark.sql(f"UPDATE t SET v = 'logged' WHERE p = 'a' AND id IN ({own}, {both})")
    spark.sql(f"DELETE FROM t WHERE p = 'a' AND id = {gone}")
    assert len(list(base.rglob(".*.log.*"))) == 2
    before = {row.id: row.v for row in spark.sql("SELECT id, v FROM t").collect()}
    assert before[own] == before[both] == "logged"
    fork(base)
    answer = spark.sql("CALL repair_bucket('t', 'p=a', 0)").collect()
    assert [tuple(row) for row in answer] == [("p=a", 0, 2, len(rest) + 2)]
    expected = before | {key: f"new v{key}" for key in (both, *rest)}
    assert {row.id: row.v for row in spark.sql("SELECT id, v FROM t").collect()} == expected
    assert spark.sql("CALL verify('t', 'rows')").collect() == []
    assert check_table(base) == []
    spark.sql(f"UPDATE t SET v = 'again' WHERE p = 'a' AND id = {own}")
    assert spark.sql(f"SELECT v FROM t WHERE id = {own}").first()[0] == "again"
    assert spark.sql("CALL verify('t', 'rows')").collect() == []


@ROTATED
def test_a_healthy_bucket_is_refused_and_nothing_changes(spark: SparkSession, table: Path) -> None:
    before = layout.untouched_state(table)
    for partition, bucket in (("p=a", 0), ("p=a", 7), ("p=a", -1), ("p=nowhere", 0), ("", 0)):
        fault = run_statement(spark, f"CALL repair_bucket('t', '{partition}', {bucket})")
        assert fault is not None
        assert (fault.condition, fault.parameters["argument"]) == (
            "HUDILITE_ARGUMENT_INVALID",
            "bucket",
        )
    assert layout.untouched_state(table) == before


@ROTATED
def test_a_file_of_other_buckets_is_not_mixed_in(spark: SparkSession, table: Path) -> None:
    found = fork(table)
    twin = next(f for f in layout.base_files(table) if f.instant == LATER)
    other = next(f for f in layout.latest_slices(table) if f.partition == "p=a" and f.bucket == 1)
    assert found.bucket != other.bucket
    damage.rewrite(table, twin, damage.rows(other.path))
    before = layout.untouched_state(table)
    fault = run_statement(spark, "CALL repair_bucket('t', 'p=a', 0)")
    assert fault is not None
    assert fault.condition == "HUDILITE_CORRUPT_DATA_FILE"
    assert layout.untouched_state(table) == before
