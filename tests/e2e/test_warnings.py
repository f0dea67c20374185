"""What a session is told besides the answers of its statements."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.warned import warnings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_warnings_are_heard_while_the_block_runs(spark: SparkSession) -> None:
    loggers: Any = spark._jvm
    ours = loggers.org.slf4j.LoggerFactory.getLogger("hudilite")
    ours.warn("before")
    with warnings(spark) as first:
        ours.warn("one")
        ours.info("not a warning")
        loggers.org.slf4j.LoggerFactory.getLogger("other").warn("of somebody else")
        ours.warn("two")
    ours.warn("after")
    with warnings(spark) as second:
        ours.warn("three")
    assert first == ["one", "two"]
    assert second == ["three"]


# Sixteen files of 1.7 MB, of texts that no codec makes smaller than half.
ROWS = (
    "SELECT id, array_join(transform(sequence(1, 220), i -> sha2(concat(id, '-', i), 256)), '') v "
    "FROM range(2000)"
)
SMALL = (
    "Table {}: the files of its 16 buckets have 2 MB on average, below 24 MB, which makes writes slow. "
    "CALL rescale(table => '{}', buckets => 1) changes the number."
)


def test_small_buckets_are_warned_of_once(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    name = spark.sql("SELECT current_database()").collect()[0][0]
    with warnings(spark) as made:
        spark.sql(
            "CREATE TABLE t USING hudilite WITH BUCKETS 16 "
            f"TBLPROPERTIES (primaryKey = 'id') AS {ROWS}"
        )
    assert made == [SMALL.format(*[f"spark_catalog.{name}.t"] * 2)]
    with warnings(spark) as merged:
        spark.sql(
            "MERGE INTO t USING (SELECT 1L id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = ''"
        )
    assert merged == []
    shutil.copytree(database / "t", tmp_path / "copy")
    with warnings(spark) as adopted:
        spark.sql(f"CREATE TABLE u USING hudilite LOCATION '{tmp_path}/copy'")
    assert adopted == [SMALL.format(*[f"{name}.u"] * 2)]


def test_few_rows_cause_no_warning(spark: SparkSession, database: Path) -> None:
    with warnings(spark) as said:
        spark.sql("CREATE TABLE t (id INT PRIMARY KEY) USING hudilite WITH BUCKETS 64")
        spark.sql("INSERT INTO t SELECT CAST(id AS INT) FROM range(1000)")
    assert said == []


def test_settings_of_a_store_that_come_too_late_are_named_once(spark: SparkSession) -> None:
    session = spark.newSession()
    session.sql("SET fs.s3a.secret.key=hidden")
    session.sql("SET spark.hadoop.fs.s3a.endpoint=hidden")
    with warnings(session) as first:
        for place in ("/tmp", "gs://bucket/t", "s3a://bucket/t", "s3a://bucket/t"):
            session.sql(f"CALL check_storage(location => '{place}')")
    session.sql("SET fs.s3a.path.style.access=true")
    with warnings(session) as second:
        session.sql("CALL check_storage(location => 's3a://bucket/t')")
    with warnings(spark) as other:
        spark.sql("CALL check_storage(location => 's3a://bucket/t')")
    assert [text.partition(". ")[0] for text in first + second] == [
        "This session has set fs.s3a.secret.key, spark.hadoop.fs.s3a.endpoint",
        "This session has set fs.s3a.path.style.access",
    ]
    assert "hidden" not in first[0]
    assert other == []


def test_a_property_of_another_project_is_warned_of_once(
    spark: SparkSession, database: Path
) -> None:
    own = "team = 'north', 'delta.appendOnly' = 'true', 'write.format.default' = 'orc'"
    with warnings(spark) as created:
        spark.sql(
            f"CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 "
            f"TBLPROPERTIES ({own})"
        )
    effect = "has no effect on a table of hudilite. Remove it."
    assert sorted(created) == [
        f"Property delta.appendOnly of Delta {effect}",
        f"Property write.format.default of Iceberg {effect}",
    ]
    with warnings(spark) as altered:
        spark.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.appendOnly' = 'false')")
        spark.sql("ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2', 'delta' = 'x')")
    assert altered == [f"Property format-version of Iceberg {effect}"]
