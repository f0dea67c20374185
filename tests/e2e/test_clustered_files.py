"""CALL cluster: rows are sorted into other files, which writes change as they change any file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from harness import bootstrapped, layout
from harness.gate import held
from harness.invariants import check_table
from harness.rotation import product
from model.relations import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    by="test", when=product("procedures/Cluster.scala", "spark/repair/", "spark/rewrite/")
)
ROWS = 3000
CREATE = (
    "CREATE TABLE t (id INT, a INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite "
    "PARTITIONED BY (p) TBLPROPERTIES ('hoodie.parquet.small.file.limit' = '0')"
)
SOURCE = (
    f"SELECT CAST(id AS INT) id, CAST(id * 7919 % {ROWS} AS INT) a, "
    f"sha2(CAST(id AS STRING), 256) v, 'x' p FROM range({ROWS})"
)
CALL = "CALL cluster(table => 't', order_by => 'a', target_file_size => '32k')"
WHOLE = (
    "SELECT _hoodie_commit_time, _hoodie_commit_seqno, _hoodie_record_key, "
    "_hoodie_partition_path, * FROM t ORDER BY p, id"
)


@pytest.fixture
def base(spark: SparkSession, database: Path) -> Path:
    """Table `t`: one file in partition x."""
    spark.sql(CREATE)
    spark.sql(f"INSERT INTO t {SOURCE}")
    return database / "t"


def metric(base: Path, name: str) -> int:
    """A metric of the newest commit of a statement, not of a clustering."""
    written = [time for time, action in layout.completed(base).items() if action == "commit"]
    metadata = layout.commit_metadata(base, max(written))
    return int(metadata["extraMetadata"].get(f"hudilite.metrics.{name}", 0))


def files_of(base: Path, column: str, value: int) -> int:
    """Number of files whose minima and maxima do not rule a value out."""
    found = 0
    for part in layout.latest_slices(base):
        footer = pq.read_metadata(part.path)
        at = footer.schema.names.index(column)
        bounds = [footer.row_group(i).column(at).statistics for i in range(footer.num_row_groups)]
        found += min(s.min for s in bounds) <= value <= max(s.max for s in bounds)
    return found


def test_a_value_is_in_one_file_and_a_merge_copies_row_groups(
    spark: SparkSession, base: Path
) -> None:
    before = spark.sql(WHOLE).collect()
    with settings(spark, {"spark.hudilite.write.rowGroupRows": "100"}):
        (told,) = spark.sql(CALL).collect()
        made = layout.latest_slices(base)
        assert told["new_file_groups"] == len(made) > 3
        assert told["bytes"] == sum(s.path.stat().st_size for s in made)
        assert {files_of(base, "a", value) for value in range(0, ROWS, 100)} == {1}
        assert spark.sql(WHOLE).collect() == before
        assert check_table(base) == []
        (answer,) = spark.sql("UPDATE t SET v = 'new' WHERE id = 1234").collect()
        assert answer[0] == 1
        assert metric(base, "numRowGroupsCopied") > 0
    assert {files_of(base, "a", value) for value in range(0, ROWS, 100)} == {1}
    assert check_table(base) == []


def test_a_write_of_a_replaced_file_group_is_retried(
    spark: SparkSession, base: Path, tmp_path: Path
) -> None:
    merge = (
        "MERGE INTO t USING (SELECT 7 id, 'x' p, 'new' v WHERE gate(1) > 0) s "
        "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET v = s.v"
    )
    with held(spark, base, merge, tmp_path / "open") as faults:
        assert len(spark.sql(CALL).collect()) == 1
    assert faults == [None]
    assert metric(base, "numRetries") == 1
    found = spark.sql(
        "SELECT count(*), count_if(v = 'new'), max(id) FILTER (WHERE v = 'new') FROM t"
    )
    assert found.collect() == [(ROWS, 1, 7)]
    assert check_table(base) == []


def test_new_rows_in_files_of_their_own_are_no_conflict(
    spark: SparkSession, base: Path, tmp_path: Path
) -> None:
    insert = f"INSERT INTO t SELECT {ROWS} + gate(1), 0, 'new', 'x'"
    with held(spark, base, insert, tmp_path / "open") as faults:
        assert len(spark.sql(CALL).collect()) == 1
    assert faults == [None]
    assert metric(base, "numRetries") == 0
    assert spark.sql("SELECT count(*), count_if(v = 'new') FROM t").collect() == [(ROWS + 1, 1)]
    assert check_table(base) == []


def test_adopted_files_become_whole_ones(spark: SparkSession, base: Path, database: Path) -> None:
    bootstrapped.adopt(base, database / "source")
    spark.sql("REFRESH TABLE t")
    before = spark.sql("SELECT * FROM t ORDER BY id").collect()
    assert len(layout.sources(base)) == 1
    assert len(spark.sql(CALL).collect()) == 1
    (database / "source").rename(database / "elsewhere")
    assert spark.sql("SELECT * FROM t ORDER BY id").collect() == before
    assert {files_of(base, "a", value) for value in range(0, ROWS, 100)} == {1}
    found = spark.sql("CALL verify('t', 'rows')").collect()
    assert [row for row in found if row.severity != "INFO"] == []


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_optimize_puts_small_files_together(spark: SparkSession, database: Path, kind: str) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite "
        "PARTITIONED BY (p) TBLPROPERTIES ('hoodie.parquet.small.file.limit' = '0', "
        f"type = '{kind}')"
    )
    base = database / "t"
    small = [(p, 100 * n, 100 * n + 40) for n, p in enumerate(["x", "y", "x", "x", "y", "z"])]
    large = ("y", 10000, 20000)
    for p, begin, end in [*small, large]:
        spark.sql(
            f"INSERT INTO t SELECT CAST(id AS INT), sha2(CAST(id AS STRING), 256), '{p}' "
            f"FROM range({begin}, {end}, 1, 1)"
        )
    spark.sql("UPDATE t SET v = 'updated' WHERE id % 100 = 7")
    before, files = spark.sql(WHOLE.replace("p, id", "id")).collect(), layout.latest_slices(base)
    (kept,) = [s.path for s in files if s.path.stat().st_size > 100_000]
    target = spark.sql(f"SELECT {kept.stat().st_size} * 5 DIV 4").first()[0]  # above 3/4 of it
    spark.sql(f"ALTER TABLE t SET TBLPROPERTIES ('hoodie.parquet.max.file.size' = '{target}')")
    metrics = spark.sql("OPTIMIZE t WHERE p <> 'x'").collect()[0].metrics
    packed = {s.path for s in layout.latest_slices(base)}
    counts = [[s.partition for s in layout.latest_slices(base)].count(f"p={p}") for p in "xyz"]
    assert counts == [3, 2, 1]
    assert metrics.numFilesAdded >= 1
    assert metrics.partitionsOptimized >= 1
    if kind == "cow":
        assert {s.path for s in files} & packed >= {kept}
        assert (metrics.numFilesAdded, metrics.numFilesRemoved) == (1, 2)
    metrics = spark.sql("OPTIMIZE t").collect()[0].metrics
    assert (metrics.partitionsOptimized, metrics.numFilesAdded) == (1, 1)
    again = spark.sql("OPTIMIZE t").collect()[0].metrics
    assert (again.numFilesAdded, again.numFilesRemoved) == (0, 0)
    counts = [[s.partition for s in layout.latest_slices(base)].count(f"p={p}") for p in "xyz"]
    assert counts == [1, 2, 1]
    assert spark.sql(WHOLE.replace("p, id", "id")).collect() == before
    assert check_table(base) == []
