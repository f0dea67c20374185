"""UPDATE, DELETE and MERGE rewrite the file groups that hold a changed row, and no other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.invariants import check_table
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(by="test", when=product("spark/rewrite/", "spark/write/"))
PREDICATES = {
    "key": "id IN (3, 40, 77)",
    "partition": "p = 'x' AND id > 0",
    "column": "n BETWEEN 100 AND 130",
    "text": "startswith(v, 'v7')",
    "sub-query": "id IN (SELECT k FROM o)",
    "correlated": "EXISTS (SELECT 1 FROM o WHERE o.k * 10 = n)",
    "nobody": "n = 5",
}
CHANGES = {
    "update": "UPDATE t SET v = 'changed' WHERE {where}",
    "delete": "DELETE FROM t WHERE {where}",
}


@pytest.fixture
def base(spark: SparkSession, database: Path) -> Path:
    """A table of 200 rows in three partitions of four buckets, and a small one beside it."""
    spark.sql(
        "CREATE TABLE t (id INT, p STRING, n INT, v STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 4"
    )
    spark.sql(
        "INSERT INTO t SELECT id, array('x', 'y', 'z')[id % 3], id * 10, concat('v', id) "
        "FROM range(200)"
    )
    spark.sql("CREATE TABLE o USING parquet AS SELECT int(id) k FROM range(10, 12)")
    return database / "t"


def files(base: Path) -> dict[str, int]:
    """Base files by relative name, each with its time of change."""
    found = (s.path for s in layout.base_files(base))
    return {path.relative_to(base).as_posix(): path.stat().st_mtime_ns for path in found}


def affected(spark: SparkSession, condition: str) -> tuple[int, int]:
    """Rows for which a condition holds, and the files that they lie in."""
    row = spark.sql(
        f"SELECT count(*), count(DISTINCT _hoodie_file_name) FROM t WHERE {condition}"
    ).first()
    assert row is not None
    return row[0], row[1]


def assert_rewritten(base: Path, before: dict[str, int], count: int) -> None:
    """The last commit has `count` base files, and all older files are as they were."""
    after = files(base)
    assert len(after) - len(before) == count
    assert {name: time for name, time in after.items() if name in before} == before
    assert check_table(base) == []


@ROTATED
@pytest.mark.parametrize("change", list(CHANGES))
@pytest.mark.parametrize("predicate", list(PREDICATES))
def test_groups_with_a_matching_row_are_rewritten(
    spark: SparkSession, base: Path, change: str, predicate: str
) -> None:
    where = PREDICATES[predicate]
    rows, groups = affected(spark, where)
    assert (rows == 0) == (predicate == "nobody")
    assert predicate in ("partition", "correlated") or groups < 12
    before = files(base)
    answer = spark.sql(CHANGES[change].format(where=where)).collect()
    assert [tuple(row) for row in answer] == [(rows,)]
    assert_rewritten(base, before, groups)
    assert len(layout.completed(base)) == (1 if rows == 0 else 2)


def test_a_row_that_moves_is_written_where_it_goes(spark: SparkSession, base: Path) -> None:
    before = files(base)
    answer = spark.sql("UPDATE t SET p = 'new' WHERE id = 7").collect()
    assert [tuple(row) for row in answer] == [(1,)]
    assert_rewritten(base, before, 2)


def test_a_joined_merge_rewrites_what_matches(spark: SparkSession, base: Path) -> None:
    rows, groups = affected(spark, "v IN ('v3', 'v77')")
    before = files(base)
    answer = spark.sql(
        "MERGE INTO t USING (SELECT * FROM VALUES ('v3'), ('v77'), ('none') AS q(v)) s "
        "ON t.v = s.v WHEN MATCHED THEN UPDATE SET n = -1"
    ).collect()
    assert [tuple(row) for row in answer] == [(rows, rows, 0, 0)]
    assert_rewritten(base, before, groups)


def test_rows_that_no_source_row_matches_name_their_groups(spark: SparkSession, base: Path) -> None:
    rows, groups = affected(spark, "n = 50")
    before = files(base)
    answer = spark.sql(
        "MERGE INTO t USING (SELECT 1 id WHERE false) s ON t.id = s.id AND t.p = 'x' "
        "WHEN NOT MATCHED BY SOURCE AND t.n = 50 THEN DELETE"
    ).collect()
    assert [tuple(row) for row in answer] == [(rows, 0, rows, 0)]
    assert_rewritten(base, before, groups)
