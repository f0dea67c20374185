"""Statements on a table with two numbers of buckets do what they do on one that was never rescaled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.invariants import check_table
from harness.rotation import product
from oracle import file_id

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    by="test",
    when=product(
        "core/format/BucketLayout.scala",
        "core/format/BucketCounts.scala",
        "spark/merge/TableBuckets.scala",
        "spark/merge/CrossPartitionMerge.scala",
        "spark/exec/TagRowsExec.scala",
    ),
)
CREATE = (
    "CREATE TABLE {table} (id INT, p STRING, n INT, v STRING, PRIMARY KEY (id)) USING hudilite "
    "PARTITIONED BY (p) WITH BUCKETS {buckets} "
    "TBLPROPERTIES (type = '{kind}', hoodie.table.version = '{version}')"
)
SOURCE = (
    "(SELECT CAST(id AS INT) id, concat('p', id % 3) p, CAST({n} AS INT) n, '{v}' v "
    "FROM range({first}, {last}, {step})) s"
)


def source(first: int, last: int, v: str, step: int = 1) -> str:
    return SOURCE.format(first=first, last=last, step=step, n=first, v=v)


STATEMENTS = (
    f"MERGE INTO {{t}} t USING {source(150, 250, 'merged')} ON t.id = s.id AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET v = s.v, n = t.n + 1 WHEN NOT MATCHED THEN INSERT *",
    f"MERGE INTO {{t}} t USING {source(240, 260, 'blind')} ON t.id = s.id AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    f"MERGE INTO {{t}} t USING {source(0, 300, 'anywhere', 7)} ON t.id = s.id "
    "WHEN MATCHED AND t.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v "
    "WHEN NOT MATCHED THEN INSERT *",
    f"MERGE INTO {{t}} t USING {source(0, 60, 'by source', 2)} ON t.id = s.id AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED BY SOURCE AND t.id < 20 THEN DELETE "
    "WHEN NOT MATCHED BY SOURCE AND t.id > 250 THEN UPDATE SET v = 'left'",
    f"MERGE INTO {{t}} t USING {source(0, 40, 'spans', 3)} ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED BY SOURCE AND t.id = 101 THEN DELETE",
    "UPDATE {t} SET n = n + 1 WHERE id % 5 = 0",
    "UPDATE {t} SET p = 'p1' WHERE p = 'p0' AND id % 4 = 0",
    "UPDATE {t} SET p = concat('new', id % 2) WHERE id IN (25, 28, 31, 34, 37)",
    "UPDATE {t} SET v = 'one' WHERE id = 119",
    "DELETE FROM {t} WHERE id IN (121, 122, 124)",
    "DELETE FROM {t} WHERE v = 'x' AND id % 11 = 0",
    "DELETE FROM {t} WHERE p = 'p2' AND id > 180",
    "INSERT INTO {t} SELECT CAST(id AS INT), concat('p', id % 4), 0, 'added' FROM range(1000, 1040)",
    "INSERT OVERWRITE {t} PARTITION (p = 'p3') SELECT CAST(id AS INT), 1, 'over' FROM range(1003, 1030, 4)",
    "INSERT OVERWRITE {t} SELECT id, p, n + 5, 'all' FROM {t} WHERE id % 13 <> 0",
    f"MERGE INTO {{t}} t USING {source(0, 90, 'again')} ON t.id = s.id AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
)
READS = (
    "SELECT * FROM {t} WHERE id IN (3, 7, 11, 119, 121, 150, 245, 1003)",
    "SELECT * FROM {t} WHERE id = 119 OR id = 31",
    "SELECT p, count(*), count(DISTINCT id), sum(n) FROM {t} GROUP BY p",
    "SELECT a.id, a.p, b.p FROM {t} a JOIN {t} b ON a.id = b.id AND a.p = b.p",
    "SELECT a.id, a.v, o.v FROM {t} a JOIN other o ON a.id = o.id",
    "SELECT a.id, a.v FROM {t} a LEFT ANTI JOIN other o ON a.id = o.id",
    "SELECT a.id, a.v FROM {t} a JOIN (SELECT /*+ BROADCAST */ id FROM other WHERE v = 'rare') s USING (id)",
)


def told(spark: SparkSession, statement: str, table: str) -> list[tuple[object, ...]]:
    return sorted(map(tuple, spark.sql(statement.format(t=table)).collect()), key=repr)


def are_alike(one: list[tuple[object, ...]], other: list[tuple[object, ...]]) -> bool:
    """Whether two statements tell the same counts; NULL is one that a blind write does not know."""
    pairs = [pair for rows in zip(one, other, strict=True) for pair in zip(*rows, strict=True)][:4]
    return all(a == b or a is None or b is None for a, b in pairs)


@pytest.fixture
def tables(spark: SparkSession, database: Path, kind: str, version: int) -> Iterator[Path]:
    """The tables `t` and `twin` with equal rows, and `other`; joins by buckets are not broadcast."""
    for table, buckets in (("t", 2), ("twin", 3)):
        spark.sql(CREATE.format(table=table, buckets=buckets, kind=kind, version=version))
        spark.sql(
            f"INSERT INTO {table} SELECT CAST(id AS INT), concat('p', id % 3), 0, 'x' FROM range(200)"
        )
    spark.sql(
        "CREATE TABLE other (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2"
    )
    spark.sql(
        "INSERT INTO other SELECT CAST(id AS INT), IF(id = 119, 'rare', 'o') FROM range(0, 400, 3)"
    )
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    yield database / "t"
    spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")


def counts(base: Path) -> set[int]:
    return {file_id.count_of(of.file_id) or 0 for of in layout.latest_slices(base)}


@pytest.mark.parametrize(("kind", "version", "to"), [("cow", 6, 6), ("mor", 9, 6), ("mor", 6, 1)])
def test_statements_between_two_numbers_of_buckets(
    spark: SparkSession, tables: Path, to: int
) -> None:
    step = f"CALL rescale(table => 't', buckets => {to}, max_bytes => 1)"
    spark.sql(step)
    for number, statement in enumerate(STATEMENTS):
        if number in {5, 15}:
            spark.sql(step)
        preview = f"CALL merge_preview(show => 'statement', statement => \"{statement}\")"
        if not statement.startswith("INSERT"):
            assert are_alike(told(spark, preview, "t"), told(spark, preview, "twin")), statement
        assert are_alike(told(spark, statement, "t"), told(spark, statement, "twin")), statement
        for read in READS:
            assert told(spark, read, "t") == told(spark, read, "twin"), (
                statement,
                read,
            )
        assert told(spark, "SELECT * FROM {t}", "t") == told(spark, "SELECT * FROM {t}", "twin")
        assert check_table(tables) == [], statement
        assert told(spark, "CALL verify(table => '{t}', level => 'rows')", "t") == []
    spark.sql(f"CALL rescale(table => 't', buckets => {to})")
    assert counts(tables) <= {0, to}
    assert told(spark, "SELECT * FROM {t}", "t") == told(spark, "SELECT * FROM {t}", "twin")
    assert check_table(tables) == []


@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 6)])
def test_streams_compaction_and_differences_between_two_numbers_of_buckets(
    spark: SparkSession, tables: Path, kind: str
) -> None:
    first = max(layout.completed(tables))
    spark.sql("CALL rescale(table => 't', buckets => 6, max_bytes => 1)")
    assert counts(tables) == {0, 6}
    assert spark.sql(f"SELECT * FROM hudilite_changes('t', '{first}')").count() == 0
    for batch in range(2):
        frame = spark.sql(f"SELECT * FROM {source(190 + batch, 230, 'streamed')}").localCheckpoint()
        folder = tables.parent.parent / f"{tables.parent.name}_source_{batch}"
        frame.write.parquet(str(folder))
        for table in ("t", "twin"):
            spark.readStream.schema(frame.schema).parquet(str(folder)).writeStream.format(
                "hudilite"
            ).option("checkpointLocation", f"{folder}_{table}").option(
                "hoodie.datasource.write.operation", "upsert"
            ).trigger(availableNow=True).toTable(table).awaitTermination()
        assert told(spark, "SELECT * FROM {t}", "t") == told(spark, "SELECT * FROM {t}", "twin")
        assert check_table(tables) == []
        spark.sql("CALL rescale(table => 't', buckets => 6, max_bytes => 1)")
    assert told(spark, "CALL diff(table => '{t}', other => 'twin', rows => true)", "t") == []
    if kind == "mor":
        spark.sql("CALL compact(table => 't', min_log_files => 1)")
    assert told(spark, "SELECT * FROM {t}", "t") == told(spark, "SELECT * FROM {t}", "twin")
    changed = (
        f"SELECT v FROM hudilite_changes('t', '{first}') WHERE _change_type <> 'update_preimage'"
    )
    assert {row[0] for row in spark.sql(changed).collect()} == {"streamed"}
    assert (
        spark.sql(f"SELECT * FROM t VERSION AS OF '{first}' WHERE id IN (3, 7, 190)").count() == 3
    )
    assert check_table(tables) == []
