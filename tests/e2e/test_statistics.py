"""ANALYZE TABLE: what the optimizer does with its statistics, and what becomes of them later."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.rotation import product

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.rotated(
    rare=True, by="test", when=product("spark/read/", "spark/command/")
)
CBO = {"spark.sql.cbo.enabled": "true", "spark.sql.cbo.joinReorder.enabled": "true"}


@contextmanager
def session_of(spark: SparkSession, settings: dict[str, str]) -> Iterator[None]:
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key in settings:
            spark.conf.unset(key)


def optimized(query: DataFrame) -> str:
    return query._jdf.queryExecution().optimizedPlan().toString()


def physical(query: DataFrame) -> str:
    return query._jdf.queryExecution().executedPlan().toString()


def statistics(spark: SparkSession, query: str) -> tuple[int, int | None]:
    """Estimated size in bytes and number of rows of a query, without those of its columns."""
    with session_of(spark, CBO):
        found = spark.sql(query)._jdf.queryExecution().optimizedPlan().stats()
    rows = found.rowCount()
    return int(str(found.sizeInBytes())), int(str(rows.get())) if rows.isDefined() else None


def rows_of(spark: SparkSession, table: str) -> int | None:
    return statistics(spark, f"SELECT * FROM {table}")[1]


def order(query: DataFrame) -> list[str]:
    """Tables of a join in the order in which the plan reads them."""
    return re.findall(r"RelationV2\[[^]]*\] (?:\w+\.)*(\w+)", optimized(query))


def file(database: Path, table: str = "t") -> Path:
    return database / table / ".hoodie/.hudilite/statistics.json"


def test_joins_change_their_order(spark: SparkSession, database: Path) -> None:
    """`small` and `wide` meet in few values, so that the join of both is the largest that there can be."""
    spark.sql(
        "CREATE TABLE wide (w INT, k INT, x INT, PRIMARY KEY (w)) USING hudilite WITH BUCKETS 1"
    )
    spark.sql("CREATE TABLE many (m INT, k INT, PRIMARY KEY (m)) USING hudilite WITH BUCKETS 1")
    spark.sql("CREATE TABLE few (f INT, x INT, PRIMARY KEY (f)) USING hudilite WITH BUCKETS 1")
    spark.sql("INSERT INTO wide SELECT id, id % 4, id FROM range(2000)")
    spark.sql("INSERT INTO many SELECT id, id % 4 FROM range(2000)")
    spark.sql("INSERT INTO few SELECT id, id * 3 FROM range(5)")
    text = (
        "SELECT count(*), sum(m), sum(f) FROM wide JOIN many ON wide.k = many.k "
        "JOIN few ON wide.x = few.x"
    )
    with session_of(spark, CBO):
        before = spark.sql(text)
        assert order(before) == ["wide", "many", "few"]
        counted = before.collect()
        for table in ("wide", "many", "few"):
            spark.sql(f"ANALYZE TABLE {table} COMPUTE STATISTICS FOR ALL COLUMNS")
        after = spark.sql(text)
        assert order(after) in (["wide", "few", "many"], ["few", "wide", "many"])
        assert after.collect() == counted
    assert order(spark.sql(text)) == ["wide", "many", "few"]  # as in Spark, not by default


def test_a_small_part_is_broadcast_without_statistics(spark: SparkSession, database: Path) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, v STRING, p INT, PRIMARY KEY (id, p)) USING hudilite "
        "PARTITIONED BY (p) WITH BUCKETS 1"
    )
    spark.sql("INSERT INTO t SELECT id, sha2(string(id), 512), if(id < 5, 1, 2) FROM range(20000)")
    part = "SELECT id FROM t WHERE p IN ({})"
    small, whole = (statistics(spark, part.format(p))[0] for p in ("1", "1, 2"))
    assert small * 10 < whole
    threshold = {"spark.sql.autoBroadcastJoinThreshold": str(whole // 2)}
    join = f"SELECT count(*) FROM t a JOIN ({part}) b ON a.id = b.id"
    with session_of(spark, threshold | {"spark.sql.adaptive.enabled": "false"}):
        assert "BroadcastHashJoin" in physical(spark.sql(join.format("1")))
        assert "BroadcastHashJoin" not in physical(spark.sql(join.format("1, 2")))


def test_rows_are_scaled_by_the_size_of_the_files(spark: SparkSession, database: Path) -> None:
    """More commits, fewer partitions, earlier versions and restored ones: an estimate, never that of before."""
    spark.sql(
        "CREATE TABLE t (id INT, v STRING, p INT, PRIMARY KEY (id, p)) USING hudilite "
        "PARTITIONED BY (p) WITH BUCKETS 1"
    )
    spark.sql("INSERT INTO t SELECT id, NULL, id % 2 FROM range(20000)")
    assert rows_of(spark, "t") is None
    spark.sql("ANALYZE TABLE t COMPUTE STATISTICS FOR COLUMNS id, v")
    first = max(layout.completed(database / "t"))
    assert json.loads(file(database).read_text())["instant"] == first
    assert rows_of(spark, "t") == 20000
    assert 9000 < (rows_of(spark, "t WHERE p = 1") or 0) < 11000
    spark.sql("INSERT INTO t SELECT id, NULL, 2 + id % 6 FROM range(60000)")
    assert 60000 < (rows_of(spark, "t") or 0) < 100000
    assert rows_of(spark, f"t VERSION AS OF '{first}'") == 20000
    described = dict(spark.sql("DESCRIBE EXTENDED t v").select("info_name", "info_value").collect())
    assert 60000 < int(described["num_nulls"]) < 100000
    spark.sql(f"CALL restore(table => 't', instant => '{first}')")
    assert rows_of(spark, "t") == 20000
    spark.sql("TRUNCATE TABLE t")
    assert rows_of(spark, "t") == 0
    assert spark.table("t").count() == 0


def test_a_join_of_keys_is_as_long_as_its_longer_side(spark: SparkSession, database: Path) -> None:
    """A pruned bucket has no more keys than rows, so that a look-up is one row."""
    spark.sql("CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 8")
    spark.sql("INSERT INTO t SELECT id, id % 10 FROM range(8000)")
    spark.sql("ANALYZE TABLE t COMPUTE STATISTICS FOR ALL COLUMNS")
    assert statistics(spark, "SELECT * FROM t WHERE id = 77")[1] == 1
    assert 700 < (statistics(spark, "SELECT * FROM t WHERE v = 3")[1] or 0) < 900


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "{",
        "[]",
        '{"version": 1}',
        '{"version": 2, "instant": "", "rows": 9, "bytes": 9, "columns": {}}',
        '{"version": 1, "instant": "", "rows": -9, "bytes": 9, "columns": {}}',
        '{"version": 1, "instant": "", "rows": 9, "bytes": 9, "columns": {"v": 3}}',
    ],
)
def test_a_damaged_file_counts_as_none(spark: SparkSession, database: Path, damage: str) -> None:
    spark.sql("CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1")
    spark.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    spark.sql("ANALYZE TABLE t COMPUTE STATISTICS FOR ALL COLUMNS")
    file(database).write_text(damage)
    assert rows_of(spark, "t") is None
    assert spark.sql("CALL verify(table => 't')").collect() == []
    assert spark.table("t").count() == 2
    spark.sql("ANALYZE TABLE t COMPUTE STATISTICS")
    assert rows_of(spark, "t") == 2


def test_values_that_do_not_fit_are_left_out(spark: SparkSession, database: Path) -> None:
    spark.sql("CREATE TABLE t (id INT, v DATE, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1")
    spark.sql("INSERT INTO t VALUES (1, DATE '2026-01-01'), (2, NULL)")
    spark.sql("ANALYZE TABLE t COMPUTE STATISTICS FOR ALL COLUMNS")
    stored = json.loads(file(database).read_text())
    assert stored["columns"]["v"]["values"]["min"] == "2026-01-01"
    stored["columns"]["v"]["values"]["min"] = "no date"
    stored["columns"]["id"]["values"]["distinctCount"] = "many"
    file(database).write_text(json.dumps(stored))
    with session_of(spark, CBO):
        assert spark.sql("SELECT id FROM t WHERE v > DATE '2020-01-01' AND id < 9").collect() == [
            (1,)
        ]
    assert rows_of(spark, "t") == 2


def test_rows_of_log_files_count_unless_nothing_is_scanned(
    spark: SparkSession, database: Path
) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 "
        "TBLPROPERTIES (type = 'mor')"
    )
    spark.sql("INSERT INTO t SELECT id, 1 FROM range(100)")
    spark.sql(
        "MERGE INTO t USING (SELECT id, 2 v FROM range(90, 120)) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    spark.sql("ANALYZE TABLE t COMPUTE STATISTICS NOSCAN")
    assert rows_of(spark, "t") == 100
    spark.sql("ANALYZE TABLE t COMPUTE STATISTICS")
    assert rows_of(spark, "t") == 120


def test_the_file_is_beside_the_commits_and_changes_nothing(
    spark: SparkSession, database: Path
) -> None:
    spark.sql("CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1")
    spark.sql("INSERT INTO t VALUES (1)")
    files = {path for path in (database / "t").rglob("*") if not path.name.endswith(".crc")}
    spark.sql("ANALYZE TABLE t COMPUTE STATISTICS")
    now = {path for path in (database / "t").rglob("*") if not path.name.endswith(".crc")}
    assert now - files == {file(database)}
    assert spark.sql("SHOW TABLES").where("NOT isTemporary").count() == 1
    spark.sql("DROP TABLE t")
    assert not (database / "t").exists()


def test_each_table_of_a_database_is_analyzed(spark: SparkSession, database: Path) -> None:
    spark.sql("CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1")
    spark.sql("INSERT INTO t VALUES (1), (2)")
    spark.sql("CREATE TABLE plain USING parquet AS SELECT 1 AS id")
    spark.sql("CREATE VIEW watched AS SELECT * FROM plain")
    name = spark.catalog.currentDatabase()
    assert spark.sql(f"ANALYZE TABLES IN `{name}` COMPUTE STATISTICS").collect() == []
    assert rows_of(spark, "t") == 2
    assert rows_of(spark, "plain") == 1
