"""Tables whose base files lack the partition columns: every write leaves them out, reads find them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.rotation import product
from tables.stock_facts import set_property

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WRITES = product("spark/merge/", "spark/read/", "spark/rewrite/", "spark/write/")
pytestmark = pytest.mark.rotated(rare=True, by="test", when=WRITES)
DROPS = "hoodie.datasource.write.drop.partition.columns"


@pytest.fixture(params=["WITH BUCKETS 2", ""])
def table(spark: SparkSession, database: Path, request: pytest.FixtureRequest) -> Path:
    spark.sql(
        "CREATE TABLE t (id INT, p STRING, v STRING, n INT, PRIMARY KEY (id)) USING hudilite "
        f"PARTITIONED BY (p) {request.param}"
    )
    set_property(database / "t", DROPS, "true")
    spark.sql("REFRESH TABLE t")
    return database / "t"


def rows(spark: SparkSession) -> list[tuple[object, ...]]:
    found = spark.sql("SELECT id, v, n, p FROM t ORDER BY id").collect()
    return [tuple(row) for row in found]


def assert_stored(base: Path) -> None:
    """No base file and no commit has the partition column."""
    files = [path for path in base.rglob("*.parquet") if ".hoodie" not in path.parts]
    assert files
    for path in files:
        stored = pq.read_schema(path)
        assert "p" not in stored.names, path
        assert {"id", "n", "_hoodie_partition_path"} <= set(stored.names)
        assert b'"name":"p"' not in pq.read_metadata(path).metadata[b"parquet.avro.schema"]
    for instant in layout.completed(base):
        schema = json.loads(layout.commit_metadata(base, instant)["extraMetadata"]["schema"])
        assert "p" not in {field["name"] for field in schema["fields"]}, instant


@pytest.mark.parametrize("group_rows", ["7", "1000000"])
def test_each_statement_leaves_the_partition_column_out(
    spark: SparkSession, table: Path, group_rows: str
) -> None:
    spark.conf.set("spark.hudilite.write.rowGroupRows", group_rows)
    try:
        made = {i: (i, f"v{i}", i, f"p{i % 2}") for i in range(60)}
        spark.sql(
            "INSERT INTO t SELECT id, concat('p', id % 2), concat('v', id), id FROM range(60)"
        )
        assert spark.table("t").columns[-1] == "p"
        assert rows(spark) == list(made.values())
        spark.sql("UPDATE t SET n = n + 100 WHERE id IN (3, 30)")  # a patch of columns
        spark.sql("UPDATE t SET v = concat(p, v) WHERE p = 'p1' AND id > 50")  # p of the path
        spark.sql("DELETE FROM t WHERE id = 4 AND p = 'p0'")
        for i in (3, 30):
            made[i] = (i, f"v{i}", i + 100, f"p{i % 2}")
        for i in range(51, 60, 2):
            made[i] = (i, f"p1v{i}", i, "p1")
        del made[4]
        assert rows(spark) == list(made.values())
        spark.sql(
            "MERGE INTO t USING (SELECT id, 'p0' p, 'merged' v, 0 n FROM range(58, 70)) s "
            "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN "
            "INSERT * WHEN NOT MATCHED BY SOURCE AND t.p = 'p1' AND t.id < 5 THEN DELETE"
        )
        made = {i: row for i, row in made.items() if i not in (1, 3)}
        merged = [(58, "merged", 0, "p0"), *((i, "merged", 0, "p0") for i in range(60, 70))]
        expected = sorted([row for i, row in made.items() if i != 58] + merged)
        expected = sorted([*expected, (59, "merged", 0, "p0")])
        assert rows(spark) == expected
        spark.sql("DELETE FROM t WHERE id = 59 AND p = 'p0'")
        spark.sql("UPDATE t SET p = 'new', v = concat('from ', p) WHERE id BETWEEN 10 AND 12")
        expected = sorted(
            (i, f"from {p}", n, "new") if 10 <= i <= 12 else (i, v, n, p)
            for i, v, n, p in expected
            if (i, p) != (59, "p0")
        )
        assert rows(spark) == expected
        assert_stored(table)
        found = spark.sql("CALL verify(table => 't', level => 'rows')").collect()
        assert [row for row in found if row.code != "NOT_CHECKED"] == []
    finally:
        spark.conf.unset("spark.hudilite.write.rowGroupRows")


def test_columns_change_beside_the_partition_column(spark: SparkSession, table: Path) -> None:
    spark.sql("INSERT INTO t SELECT id, concat('p', id % 2), concat('v', id), id FROM range(6)")
    spark.sql("ALTER TABLE t ADD COLUMN w INT")
    assert spark.table("t").columns == ["id", "v", "n", "w", "p"]
    spark.sql("UPDATE t SET w = n WHERE p = 'p1'")
    spark.sql("ALTER TABLE t RENAME COLUMN v TO u")
    spark.sql("ALTER TABLE t ALTER COLUMN n TYPE BIGINT")
    found = spark.sql("SELECT id, u, n, w, p FROM t ORDER BY id").collect()
    wanted = [(i, f"v{i}", i, i if i % 2 else None, f"p{i % 2}") for i in range(6)]
    assert [tuple(row) for row in found] == wanted
    assert_stored(table)


def test_a_null_partition_value_is_null_again(spark: SparkSession, table: Path) -> None:
    spark.sql("INSERT INTO t VALUES (1, NULL, 'v', 1), (2, 'a/b c%', 'v', 2)")
    spark.sql(
        "MERGE INTO t USING (SELECT 1 id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = 9"
    )
    assert rows(spark) == [(1, "v", 9, None), (2, "v", 2, "a/b c%")]
    assert spark.sql("SELECT id FROM t WHERE p IS NULL").collect() == [(1,)]
    assert_stored(table)
