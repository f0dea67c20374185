"""What the bloom index looks into: counted by its operator, and by the kernel where files are opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.faults import run_statement
from harness.gate import at_once, held
from harness.invariants import check_table
from harness.metrics import last_metrics
from harness.opens import opened_files
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(
    by="test", when=product("core/index/", "spark/locate/BloomIndex.scala")
)
CREATE = (
    "CREATE TABLE t (id STRING, p STRING, n INT, PRIMARY KEY (id)) "
    "USING hudilite PARTITIONED BY (p)"
)
ABSENT = "MERGE INTO t USING ({}) s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN DELETE"
LOOKED = "LocateRows"


def key(n: int) -> str:
    return f"{n:06d}"


@pytest.fixture
def table(spark: SparkSession, database: Path) -> Iterator[Path]:
    """3,000 keys in their order in each of two partitions, in several files."""
    spark.conf.set("hoodie.parquet.max.file.size", "12k")
    spark.conf.set("hoodie.parquet.small.file.limit", "0")
    spark.sql(CREATE)
    rows = "SELECT lpad(id, 6, '0') id, p, 0 n FROM range(3000) JOIN VALUES ('a'), ('b') AS q(p)"
    spark.sql(f"INSERT INTO t {rows}")
    yield database / "t"
    spark.conf.unset("hoodie.parquet.max.file.size")
    spark.conf.unset("hoodie.parquet.small.file.limit")


def absent(numbers: list[int]) -> str:
    """A MERGE that looks for keys between those that are there, and finds none."""
    rows = ", ".join(f"('{key(n)}x', 'a')" for n in numbers)
    return ABSENT.format(f"SELECT * FROM VALUES {rows} AS q(id, p)")


def test_files_are_left_out_by_range_then_by_filter(spark: SparkSession, table: Path) -> None:
    files = [s for s in layout.latest_slices(table) if s.partition == "p=a"]
    assert len(files) >= 8
    spark.sql(absent([100, 101]))
    cold = last_metrics(spark, LOOKED)
    assert cold["files in touched partitions"] == len(files)
    assert cold["files opened"] == cold["footers read"] == len(files)
    assert cold["footers read with their bloom filters"] <= 2
    assert cold["files after their key ranges"] <= 2
    assert cold["keys tested with bloom filters"] <= 2
    assert cold["keys found"] == 0
    spark.sql("SET hoodie.bloom.index.prune.by.ranges = false")
    try:
        spark.sql(absent([100, 101]))
    finally:
        spark.conf.unset("hoodie.bloom.index.prune.by.ranges")
    every = last_metrics(spark, LOOKED)
    assert every["files after their key ranges"] == len(files)
    assert every["comparisons with bounds of key ranges"] == 0
    assert every["keys tested with bloom filters"] == 2 * len(files)
    assert every["files after their bloom filters"] == 0
    assert every["false positives of bloom filters"] == 0


@ROTATED
def test_a_list_compares_more_than_a_tree(spark: SparkSession, table: Path) -> None:
    counts = {}
    for tree in ("true", "false"):
        spark.conf.set("hoodie.bloom.index.use.treebased.filter", tree)
        spark.sql(absent(list(range(0, 3000, 100))))
        told = last_metrics(spark, LOOKED)
        counts[tree] = told["comparisons with bounds of key ranges"]
        files = told["files in touched partitions"]
    spark.conf.unset("hoodie.bloom.index.use.treebased.filter")
    assert counts["false"] == 30 * files
    assert counts["true"] < counts["false"]


def test_other_partitions_are_not_opened_and_a_footer_is_read_once(
    spark: SparkSession, table: Path
) -> None:
    spark.sql(
        "INSERT INTO t SELECT concat(lpad(id, 6, '0'), 'y'), p, 1 FROM "
        "range(3000) JOIN VALUES ('a'), ('b') AS q(p)"
    )
    fresh = {s.path for s in layout.latest_slices(table) if s.partition == "p=a"}
    with opened_files([table / "p=a", table / "p=b"]) as cold:
        spark.sql(absent([100]))
    seen = {path for path in cold if path.suffix == ".parquet"}
    assert seen <= fresh
    with opened_files([table / "p=a", table / "p=b"]) as warm:
        spark.sql(absent([200, 300]))
    assert [path for path in warm if path.suffix == ".parquet"] == []


@ROTATED
@pytest.mark.fault("F18")
def test_of_two_inserts_of_one_key_one_is_a_duplicate(
    spark: SparkSession, table: Path, tmp_path: Path
) -> None:
    waiting = "INSERT INTO t SELECT 'new', 'a', gate(1)"
    with held(spark, table, waiting, tmp_path / "open") as faults:
        assert run_statement(spark, "INSERT INTO t VALUES ('new', 'a', 2)") is None
    assert [fault and fault.condition for fault in faults] == ["HUDILITE_DUPLICATE_KEY"]
    assert spark.sql("SELECT n FROM t WHERE id = 'new'").collect()[0][0] == 2
    assert check_table(table) == []


@ROTATED
@pytest.mark.fault("F20")
@pytest.mark.parametrize("partition", ["a", "c"])
def test_a_key_that_comes_meanwhile_is_matched(
    spark: SparkSession, table: Path, tmp_path: Path, partition: str
) -> None:
    merge = (
        "MERGE INTO t USING (SELECT 'new' id, 'a' p, 7 n WHERE gate(1) > 0) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED THEN INSERT *"
    )
    with held(spark, table, merge, tmp_path / "open") as faults:
        insert = f"INSERT INTO t VALUES ('new', '{partition}', 1)"
        assert run_statement(spark, insert) is None
    assert faults == [None]
    found = [tuple(row) for row in spark.sql("SELECT p, n FROM t WHERE id = 'new'").collect()]
    assert found == [(partition, 7)]
    assert check_table(table) == []


@ROTATED
@pytest.mark.fault("F19")
def test_writers_of_different_file_groups_do_not_disturb_each_other(
    spark: SparkSession, table: Path
) -> None:
    merge = (
        "MERGE INTO t USING (SELECT '{}' id, 'a' p) s "
        "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET n = n + 1"
    )
    texts = [[merge.format(key(n))] for n in (0, 1500, 2999)]
    faults = at_once(spark, texts, {"spark.hudilite.write.maxRetries": "0"})
    assert faults == [None] * 3
    assert spark.sql("SELECT sum(n) FROM t").collect()[0][0] == 3
