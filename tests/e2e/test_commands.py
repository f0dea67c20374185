"""Commands of Delta, Iceberg and stock Hudi: what they do with files and times, and that what an error
says to write instead does the job."""

from __future__ import annotations

import datetime
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.faults import run_statement
from harness.invariants import check_table
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("spark/command/", "spark/parse/"))

Job = Callable[["SparkSession", "list[Row]"], bool]


def create(spark: SparkSession) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, v STRING, p STRING, ts TIMESTAMP, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 2"
    )
    spark.sql("INSERT INTO t VALUES (1, 'a', 'x', TIMESTAMP '2026-01-01 00:00:00')")
    spark.sql("INSERT INTO t VALUES (2, 'b', 'y', TIMESTAMP '2026-02-01 00:00:00')")


def values(spark: SparkSession, table: str, column: str) -> set[object]:
    return {row[0] for row in spark.sql(f"SELECT {column} FROM {table}").collect()}


def has(column: str, *wanted: object) -> Job:
    return lambda _, rows: {row[column] for row in rows} >= set(wanted)


def copies(table: str, column: str, *wanted: object) -> Job:
    return lambda spark, _: values(spark, table, column) == set(wanted)


def parts(table: str, *wanted: str) -> Job:
    def judge(spark: SparkSession, _: list[Row]) -> bool:
        created = spark.sql(f"SHOW CREATE TABLE {table}").collect()[0][0]
        found = re.search(r"PARTITIONED BY \(([^)]*)\)", created)
        columns = set(found[1].split(", ")) if found else set()
        return columns == set(wanted) and values(spark, table, "id") == {1, 2}

    return judge


def keyed(table: str, key: str) -> Job:
    return lambda spark, _: (
        f"PRIMARY KEY ({key})" in spark.sql(f"SHOW CREATE TABLE {table}").collect()[0][0]
    )


# Statement, and whether what the error says to write does what was asked for, or what is closest to it.
INSTEAD: list[tuple[str, Job]] = [
    ("SHOW INDEXES FROM t", has("rows", 1)),
    ("CREATE INDEX i ON t (v)", has("rows", 1)),
    ("DROP INDEX i ON t", has("rows", 1)),
    ("REFRESH INDEX i ON t", has("rows", 1)),
    ("GENERATE symlink_format_manifest FOR TABLE t", lambda _, rows: len(rows) == 2),
    ("CREATE TABLE c SHALLOW CLONE t", copies("c", "id", 1, 2)),
    (
        "CREATE TABLE IF NOT EXISTS `select` DEEP CLONE t VERSION AS OF 1",
        copies("`select`", "id", 1),
    ),
    ("FSCK REPAIR TABLE t", lambda _, rows: not rows),
    (
        "REORG TABLE t APPLY (PURGE)",
        lambda _, rows: rows[0]["metrics"]["totalConsideredFiles"] == 2,
    ),
    ("SCHEDULE COMPACTION ON t", lambda _, rows: rows[0]["metrics"]["totalConsideredFiles"] == 2),
    ("SHOW COMPACTION ON t", has("version", 1, 2)),
    ("OPTIMIZE t WHERE p = 'x' ZORDER BY (v)", copies("t_new", "id", 1, 2)),
    ("OPTIMIZE t FULL", lambda _, rows: rows[0]["metrics"]["totalConsideredFiles"] == 2),
    ("OPTIMIZE t WHERE id = 1", lambda _, rows: rows[0]["metrics"]["totalConsideredFiles"] == 2),
    ("VACUUM t LITE RETAIN 200 HOURS DRY RUN", has("dry_run", True)),
    ("VACUUM t USING INVENTORY inventory", has("dry_run", False)),
    ("VACUUM t RETAIN 0.5 HOURS", has("dry_run", True)),
    ("VACUUM t RETAIN 1 HOURS DRY RUN", has("dry_run", True)),
    ("RESTORE TABLE t TO TIMESTAMP AS OF current_timestamp()", has("version", 1, 2)),
    ("ALTER TABLE t CREATE BRANCH b", has("created", True)),
    ("ALTER TABLE t CREATE OR REPLACE TAG `o'clock` AS OF VERSION 1", has("created", True)),
    ("ALTER TABLE t DROP TAG q", lambda _, rows: not rows),
    ("ALTER TABLE t ADD PARTITION FIELD v", parts("t_new", "p", "v")),
    ("ALTER TABLE t ADD PARTITION FIELD days(ts) AS d", parts("t_new", "p", "ts_day")),
    ("ALTER TABLE t ADD PARTITION FIELD month(ts)", parts("t_new", "p", "ts_month")),
    ("ALTER TABLE t ADD PARTITION FIELD truncate(v, 1)", parts("t_new", "p", "v_truncate")),
    ("ALTER TABLE t DROP PARTITION FIELD p", parts("t_new")),
    ("ALTER TABLE t REPLACE PARTITION FIELD p WITH hours(ts)", parts("t_new", "ts_hour")),
    ("ALTER TABLE t REPLACE PARTITION FIELD p WITH bucket(16, id)", parts("t_new")),
    ("ALTER TABLE t WRITE ORDERED BY v DESC", has("id", 1, 2)),
    ("ALTER TABLE t WRITE UNORDERED", has("id", 1, 2)),
    ("ALTER TABLE t SET IDENTIFIER FIELDS id, v", keyed("t_new", "id, v")),
    ("ALTER TABLE t DROP IDENTIFIER FIELDS id", copies("t_rows", "id", 1, 2)),
    ("ALTER TABLE t DROP FEATURE deletionVectors", has("tableVersion", 6)),
    ("ALTER TABLE t ADD CONSTRAINT k PRIMARY KEY (v)", keyed("t_new", "v")),
]


@pytest.mark.parametrize(("statement", "job"), INSTEAD, ids=[text for text, _ in INSTEAD])
def test_what_an_error_says_to_write_does_the_job(
    spark: SparkSession, database: Path, statement: str, job: Job
) -> None:
    create(spark)
    fault = run_statement(spark, statement)
    assert fault is not None
    assert fault.condition in ("HUDILITE_UNSUPPORTED_STATEMENT", "HUDILITE_UNSUPPORTED_CLAUSE")
    told = re.search(r"[Ww]rite: (.*)$", fault.parameters["fix"])
    assert told, fault.parameters["fix"]
    assert job(spark, spark.sql(told[1]).collect()), told[1]
    assert values(spark, "t", "id") == {1, 2}


def test_files_that_were_copied_into_are_inserted(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    create(spark)
    spark.sql("SELECT 4 id, 'd' v, 'x' p, current_timestamp() ts").write.parquet(
        str(tmp_path / "q")
    )
    fault = run_statement(spark, f"COPY INTO t FROM '{tmp_path / 'q'}' FILEFORMAT = PARQUET")
    assert fault is not None
    spark.sql(fault.parameters["fix"].partition("Write: ")[2])
    assert values(spark, "t", "id") == {1, 2, 4}


def test_files_to_convert_are_adopted(spark: SparkSession, database: Path, tmp_path: Path) -> None:
    spark.range(3).write.parquet(str(tmp_path / "events"))
    fault = run_statement(spark, f"CONVERT TO DELTA parquet.`{tmp_path / 'events'}`")
    assert fault is not None
    assert fault.condition == "HUDILITE_UNSUPPORTED_STATEMENT"
    written = re.search(r"Write: (CALL .*\))(;|$)", fault.parameters["fix"])
    assert written
    spark.sql(written[1])
    assert values(spark, "events", "id") == {0, 1, 2}


def test_vacuum_deletes_what_is_older_than_a_week(spark: SparkSession, database: Path) -> None:
    create(spark)
    spark.sql("UPDATE t SET v = 'c' WHERE id = 1")
    spark.sql("UPDATE t SET v = 'd' WHERE id = 1")
    base = database / "t"
    files = {file.name for file in base.rglob("*.parquet")}
    assert len(files) == 4
    assert spark.sql("VACUUM t").first()["files_deleted"] == 0  # type: ignore[index]
    old = time.time() - 8 * 24 * 3600
    for file in (base / ".hoodie").rglob("*.commit"):
        os.utime(file, (old, old))
    seen = spark.sql("VACUUM t DRY RUN").first()
    assert seen is not None
    assert (seen["path"], seen["files_deleted"]) == (str(base.as_uri()).replace("///", "/"), 2)
    assert {file.name for file in base.rglob("*.parquet")} == files
    assert spark.sql("VACUUM t RETAIN 240 HOURS").first()["files_deleted"] == 0  # type: ignore[index]
    assert spark.sql("VACUUM t RETAIN 168 HOURS").first()["files_deleted"] == 2  # type: ignore[index]
    assert len(list(base.rglob("*.parquet"))) == 2
    assert values(spark, "t", "v") == {"b", "d"}
    assert check_table(base) == []


def test_restore_to_a_time(spark: SparkSession, database: Path) -> None:
    create(spark)
    time.sleep(0.05)
    between = datetime.datetime.now().isoformat(sep=" ")
    time.sleep(0.05)
    spark.sql("DELETE FROM t")
    between = spark.sql(f"SELECT TIMESTAMP '{between}'").first()[0]  # type: ignore[index]
    done = spark.sql(f"RESTORE TABLE t TO TIMESTAMP AS OF '{between}'").first()
    assert done is not None
    assert (done["commits_undone"], done["num_of_files_after_restore"]) == (1, 2)
    assert values(spark, "t", "id") == {1, 2}
    spark.sql("DELETE FROM t")
    digits = f"{between:%Y%m%d%H%M%S}{between.microsecond // 1000:03d}"
    assert spark.sql(f"RESTORE TABLE t TO TIMESTAMP AS OF '{digits}'").count() == 1
    assert values(spark, "t", "id") == {1, 2}
    assert check_table(database / "t") == []


def test_history_is_the_latest_first(spark: SparkSession, database: Path) -> None:
    create(spark)
    spark.sql("DELETE FROM t WHERE id = 1")
    rows = spark.sql("DESCRIBE HISTORY t").collect()
    assert [row["version"] for row in rows] == [3, 2, 1]
    assert sorted((row["timestamp"] for row in rows), reverse=True) == [
        r["timestamp"] for r in rows
    ]
    assert rows[0]["operationMetrics"]["numTargetRowsDeleted"] == "1"
    assert spark.read.option("versionAsOf", 1).table("t").count() == 1
    by_path = spark.read.format("hudilite").option("versionAsOf", "2")
    assert by_path.load(str(database / "t")).count() == 2


def test_commands_of_a_table_with_an_odd_name(spark: SparkSession, database: Path) -> None:
    path = f"hudilite.`{database}/o'clock at`"
    spark.sql(
        "CREATE TABLE `select` (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 "
        f'LOCATION "{database}/o\'clock at"'
    )
    spark.sql("INSERT INTO `select` VALUES (1)")
    assert spark.sql("DESCRIBE HISTORY `select`;").count() == 1
    spark.conf.set("spark.which", "select")
    assert spark.sql("OPTIMIZE `${spark.which}`").count() == 1
    assert spark.sql(f"/* a comment */ -- more\nvacuum {path} dry run").count() == 1
    assert spark.sql(f'DESCRIBE DETAIL "{database}/o\'clock at"').count() == 1
    assert spark.sql(f"RESTORE {path} TO VERSION AS OF 1").count() == 1
    for n, table in enumerate(("`select`", path)):
        fault = run_statement(spark, f"CREATE TABLE c{n} CLONE {table}")
        assert fault is not None
        spark.sql(fault.parameters["fix"].partition("Write: ")[2])
        assert values(spark, f"c{n}", "id") == {1}
        fault = run_statement(spark, f"VACUUM {table} RETAIN 1 HOURS")
        assert fault is not None
        assert spark.sql(fault.parameters["fix"].partition("write: ")[2]).count() == 1
