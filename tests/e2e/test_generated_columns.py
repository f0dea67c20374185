"""Generated columns in writes of data frames, by name and by path, in streams, and in tables that change."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions

from harness.faults import run_statement
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    Write = Callable[[SparkSession, DataFrame, Path], None]

pytestmark = pytest.mark.rotated(
    rare=True,
    by="test",
    when=product("spark/analyze/GeneratedValues.scala", "spark/catalog/GeneratedColumns.scala"),
)
COLUMNS = (
    "id INT, at TIMESTAMP, n INT, day DATE GENERATED ALWAYS AS (CAST(at AS DATE)), "
    "twice BIGINT GENERATED ALWAYS AS (n * 2), PRIMARY KEY (id)"
)
VIOLATED = "CHECK_CONSTRAINT_VIOLATION"
FIRST = (1, "2024-01-01", 2)


def created(spark: SparkSession, folder: Path) -> None:
    spark.sql(
        f"CREATE TABLE t ({COLUMNS}) USING hudilite PARTITIONED BY (day) WITH BUCKETS 2 "
        f"LOCATION '{folder}'"
    )
    spark.sql("INSERT INTO t (id, at, n) VALUES (1, TIMESTAMP'2024-01-01 10:00:00', 1)")


def rows(spark: SparkSession) -> set[tuple[object, ...]]:
    return {tuple(row) for row in spark.sql("SELECT id, string(day), twice FROM t").collect()}


def streamed(spark: SparkSession, frame: DataFrame, folder: Path) -> None:
    source = folder.parent / f"source_{len(list(folder.parent.glob('source*')))}"
    frame.write.parquet(str(source))
    query = (
        spark.readStream.schema(frame.schema)
        .parquet(str(source))
        .writeStream.format("hudilite")
        .option("checkpointLocation", str(folder.parent / f"checkpoint_{source.name}"))
        .trigger(availableNow=True)
        .toTable("t")
    )
    query.awaitTermination()


def merged(spark: SparkSession, frame: DataFrame, folder: Path) -> None:
    writer = frame.alias("s").mergeInto("t", functions.expr("t.id = s.id"))
    writer.whenMatched().updateAll().whenNotMatched().insertAll().merge()


def named(spark: SparkSession, frame: DataFrame, folder: Path) -> None:
    frame.createOrReplaceTempView("rows")
    spark.sql("INSERT INTO t BY NAME SELECT * FROM rows")


def upserted(spark: SparkSession, frame: DataFrame, folder: Path) -> None:
    frame.write.format("hudilite").mode("append").save(str(folder))


def inserted(spark: SparkSession, frame: DataFrame, folder: Path) -> None:
    operation = {"hoodie.datasource.write.operation": "insert"}
    frame.write.format("hudilite").options(**operation).mode("append").save(str(folder))


ADDING: dict[str, Write] = {
    "writeTo append": lambda spark, frame, folder: frame.writeTo("t").append(),
    "saveAsTable": lambda spark, frame, folder: (
        frame.write.format("hudilite").mode("append").saveAsTable("t")
    ),
    "save": upserted,
    "save insert": inserted,
    "BY NAME": named,
    "mergeInto": merged,
    "stream": streamed,
}
REPLACING: dict[str, Write] = {
    "overwrite": lambda spark, frame, folder: frame.writeTo("t").overwrite(functions.expr("true")),
    "overwritePartitions": lambda spark, frame, folder: frame.writeTo("t").overwritePartitions(),
    "saveAsTable overwrite": lambda spark, frame, folder: (
        frame.write.format("hudilite").mode("overwrite").saveAsTable("t")
    ),
    "save overwrite": lambda spark, frame, folder: (
        frame.write.format("hudilite").mode("overwrite").save(str(folder))
    ),
}


@pytest.mark.parametrize("road", {**ADDING, **REPLACING})
def test_a_write_computes_and_compares(spark: SparkSession, database: Path, road: str) -> None:
    folder = database / "placed"
    created(spark, folder)
    write = {**ADDING, **REPLACING}[road]
    frame = spark.sql("SELECT 2 id, TIMESTAMP'2024-01-02 00:00:00' at, 4 n")
    for column in ("DATE'2024-01-03' day", "7L twice", "CAST(NULL AS BIGINT) twice"):
        with pytest.raises(Exception, match=VIOLATED):
            write(spark, frame.selectExpr("*", column), folder)
        assert rows(spark) == {FIRST}, column
    write(spark, frame, folder)
    kept = road in ADDING or road == "overwritePartitions"
    second = (2, "2024-01-02", 8)
    assert rows(spark) == ({FIRST, second} if kept else {second})
    given = frame.selectExpr("id + 1 id", "at", "n", "DATE'2024-01-02' day", "n * 2L twice")
    write(spark, given, folder)
    assert (3, "2024-01-02", 8) in rows(spark)


def test_expressions_stay_when_a_table_changes(spark: SparkSession, database: Path) -> None:
    created(spark, database / "placed")
    spark.sql("CALL upgrade_table(table => 't', version => 9)")
    spark.sql("CALL set_table_type(table => 't', type => 'mor')")
    spark.sql("ALTER TABLE t ADD COLUMN w INT FIRST")
    spark.sql("ALTER TABLE t RENAME COLUMN twice TO doubled")
    shown = spark.sql("SHOW CREATE TABLE t").head()
    assert shown is not None
    spark.sql("DROP TABLE t")
    spark.sql(shown[0])
    statement = "INSERT INTO t (id, n, doubled) VALUES (2, 2, 5)"
    fault = run_statement(spark, statement)
    assert fault and fault.condition == VIOLATED
    assert "doubled <=> (n * 2)" in str(fault)
    spark.sql("INSERT INTO t (id, n) VALUES (2, 2)")
    assert {row[0] for row in spark.sql("SELECT doubled FROM t").collect()} == {2, 4}


def test_rows_without_key_columns(spark: SparkSession, database: Path) -> None:
    folder = database / "keyless"
    spark.sql(
        "CREATE TABLE keyless (a INT, b INT GENERATED ALWAYS AS (a + 1)) USING hudilite "
        f"LOCATION '{folder}'"
    )
    spark.sql("INSERT INTO keyless (a) VALUES (1), (2)")
    read = spark.read.format("hudilite").load(str(folder))
    changed = read.select("*", "_hoodie_record_key").where("a = 2")
    upserted(spark, changed.drop("b").withColumn("a", functions.lit(5)), folder)
    assert {tuple(row) for row in spark.sql("SELECT a, b FROM keyless").collect()} == {
        (1, 2),
        (5, 6),
    }


def test_the_data_frame_of_a_table_has_plain_columns(spark: SparkSession, database: Path) -> None:
    created(spark, database / "placed")
    spark.table("t").write.format("parquet").saveAsTable("copied")
    assert spark.table("copied").count() == 1


@pytest.mark.parametrize(
    ("transform", "folder"),
    [
        ("years(at)", "at_year=2024"),
        ("months(at)", "at_month=2024-03"),
        ("days(at)", "at_day=2024-03-05"),
        ("hours(at)", "at_hour=2024-03-05-06"),
        ("truncate(2, v)", "v_start=ab"),
    ],
)
def test_the_error_for_a_transform_gives_a_generated_column(
    spark: SparkSession, database: Path, transform: str, folder: str
) -> None:
    create = "CREATE TABLE t (id INT, at TIMESTAMP, v STRING{}, PRIMARY KEY (id)) USING hudilite "
    fault = run_statement(spark, create.format("") + f"PARTITIONED BY ({transform})")
    assert fault is not None
    assert fault.condition == "HUDILITE_UNSUPPORTED_CLAUSE"
    typed = re.search(
        r"values, (.*), or add (.*) to .* (PARTITIONED BY .*)\.", fault.parameters["fix"]
    )
    assert typed is not None
    column, selected, clause = typed.groups()
    values = "1 AS id, TIMESTAMP'2024-03-05 06:07:08' AS at, 'abc' AS v"
    spark.sql(create.format(f", {column}") + clause)
    spark.sql(f"INSERT INTO t (id, at, v) SELECT {values}")
    spark.sql(
        f"CREATE TABLE u USING hudilite {clause} TBLPROPERTIES (primaryKey = 'id') "
        f"AS SELECT *, {selected} FROM (SELECT {values})"
    )
    for name in ("t", "u"):
        assert spark.sql(f"SHOW PARTITIONS {name}").collect() == [(folder,)]
