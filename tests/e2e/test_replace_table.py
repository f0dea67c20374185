"""REPLACE TABLE and REPLACE WHERE from DataFrames, and what their errors say to type."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness import layout
from harness.faults import run_statement
from harness.invariants import check_table
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.rotated(
    rare=True, by="test", when=product("spark/analyze/", "spark/catalog/Redeclaration.scala")
)

AGAIN = "Run the statement again after: "


@pytest.fixture
def table(spark: SparkSession, database: Path) -> Path:
    spark.sql(
        "CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 2"
    )
    spark.sql("INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y')")
    return database / "t"


def frame(spark: SparkSession, *rows: tuple[Any, ...]) -> DataFrame:
    return spark.createDataFrame(list(rows), "id INT, v STRING, p STRING")


def rows_of(spark: SparkSession, name: str = "t") -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in spark.table(name).collect())


def declared(columns: str, clauses: str = "PARTITIONED BY (p) WITH BUCKETS 2") -> str:
    return f"CREATE OR REPLACE TABLE t ({columns}, PRIMARY KEY (id)) USING hudilite {clauses}"


@pytest.mark.parametrize(
    "statement",
    [
        declared("id INT, v STRING, p STRING, n INT, d DATE"),
        declared("id INT, p STRING"),
        declared("id BIGINT, v STRING, p STRING"),
        declared("id INT, p STRING, v STRING"),
        declared("id INT, v STRING, p STRING", "WITH BUCKETS 2"),
        declared("id INT, v STRING, p STRING", "PARTITIONED BY (p) WITH BUCKETS 3"),
        declared("id INT, v STRING, p STRING")
        + " TBLPROPERTIES ('hoodie.clean.automatic' = 'true')",
    ],
)
def test_what_the_error_says_is_what_is_missing(
    spark: SparkSession, table: Path, statement: str
) -> None:
    before = layout.untouched_state(table)
    fault = run_statement(spark, statement)
    assert fault is not None
    assert fault.condition == "HUDILITE_REPLACE_DIFFERS"
    assert layout.untouched_state(table) == before
    fix = fault.parameters["fix"]
    assert fix.startswith(AGAIN)
    spark.sql(fix.removeprefix(AGAIN))
    spark.sql(statement)
    assert rows_of(spark) == []
    assert check_table(table) == []


def test_a_wider_column_is_altered_first(spark: SparkSession, database: Path) -> None:
    def statement(kind: str) -> str:
        return f"CREATE OR REPLACE TABLE t (id INT, n {kind}, PRIMARY KEY (id)) USING hudilite"

    spark.sql(statement("INT"))
    spark.sql("INSERT INTO t VALUES (1, 1)")
    fault = run_statement(spark, statement("BIGINT"))
    assert fault is not None
    assert "ALTER COLUMN n TYPE BIGINT" in fault.parameters["fix"]
    spark.sql(fault.parameters["fix"].removeprefix(AGAIN))
    assert rows_of(spark) == [(1, 1)]
    spark.sql(statement("BIGINT"))
    assert rows_of(spark) == []


def test_a_table_of_another_format_goes_first(spark: SparkSession, database: Path) -> None:
    spark.sql("CREATE TABLE t (id INT) USING parquet")
    statement = "CREATE OR REPLACE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite"
    fault = run_statement(spark, statement)
    assert fault is not None
    spark.sql(fault.parameters["fix"].removeprefix(AGAIN))
    spark.sql(statement)
    assert spark.sql("SHOW TBLPROPERTIES t ('primaryKey')").collect()[0].value == "id"


def test_comments_become_those_of_the_statement(spark: SparkSession, database: Path) -> None:
    def text(comment: str, clauses: str) -> str:
        return (
            f"CREATE OR REPLACE TABLE t (id INT COMMENT '{comment}', PRIMARY KEY (id)) "
            f"USING hudilite {clauses}"
        )

    def shown() -> str:
        return str(spark.sql("SHOW CREATE TABLE t").collect()[0][0])

    spark.sql(text("a key", "COMMENT 'first' TBLPROPERTIES (team = 'north')"))
    spark.sql("CACHE TABLE t")
    spark.sql(text("the key", "COMMENT 'second' TBLPROPERTIES (town = 'east')"))
    assert all(word in shown() for word in ("COMMENT 'the key'", "COMMENT 'second'", "'town'"))
    assert not any(word in shown() for word in ("a key", "first", "team"))
    spark.sql(text("", ""))
    assert "COMMENT 's" not in shown()
    assert "town" not in shown()


def test_data_frames_replace_tables(spark: SparkSession, table: Path) -> None:
    from pyspark.sql.functions import col

    def writer(name: str, *rows: tuple[Any, ...]) -> Any:
        made = frame(spark, *rows).writeTo(name).using("hudilite").partitionedBy(col("p"))
        return made.tableProperty("primaryKey", "id")

    def bucketed(name: str, *rows: tuple[Any, ...]) -> Any:
        return writer(name, *rows).tableProperty("hoodie.bucket.index.num.buckets", "2")

    first = max(layout.completed(table))
    bucketed("t", (3, "c", "x")).createOrReplace()
    assert rows_of(spark) == [(3, "c", "x")]
    bucketed("t", (4, "d", "z")).replace()
    assert rows_of(spark) == [(4, "d", "z")]
    assert len(layout.completed(table)) == 3
    past = spark.sql(f"SELECT * FROM t VERSION AS OF '{first}'").collect()
    assert sorted(tuple(row) for row in past) == [(1, "a", "x"), (2, "b", "y")]
    bucketed("fresh", (5, "e", "x")).createOrReplace()
    assert rows_of(spark, "fresh") == [(5, "e", "x")]
    with pytest.raises(Exception, match="TABLE_OR_VIEW_NOT_FOUND"):
        bucketed("absent", (5, "e", "x")).replace()
    with pytest.raises(Exception, match="HUDILITE_REPLACE_DIFFERS"):
        writer("t", (6, "f", "x")).createOrReplace()
    assert rows_of(spark) == [(4, "d", "z")]
    assert check_table(table) == []


def test_data_frames_replace_rows(spark: SparkSession, table: Path) -> None:
    from pyspark.sql.functions import col

    frame(spark, (2, "b2", "y"), (3, "b3", "x")).writeTo("t").overwrite(col("v").startswith("b"))
    assert rows_of(spark) == [(1, "a", "x"), (2, "b2", "y"), (3, "b3", "x")]
    assert len(layout.completed(table)) == 2
    write = frame(spark, (2, "c", "y")).write.format("hudilite").mode("overwrite")
    with pytest.raises(Exception, match="HUDILITE_REPLACE_MISMATCH"):
        write.option("replaceWhere", "v LIKE 'b%'").insertInto("t")
    write.option("replaceWhere", "id = 2").insertInto("t")
    assert rows_of(spark) == [(1, "a", "x"), (2, "c", "y"), (3, "b3", "x")]
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    dynamic = frame(spark, (3, "d", "x")).write.format("hudilite").mode("overwrite")
    dynamic.option("replaceWhere", "id = 3").insertInto("t")
    spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    assert rows_of(spark) == [(1, "a", "x"), (2, "c", "y"), (3, "d", "x")]
    named = frame(spark, (4, "e", "y")).select("p", "v", "id").write.format("hudilite")
    named.mode("overwrite").option("replaceWhere", "p = 'y'").saveAsTable("t")
    assert rows_of(spark) == [(1, "a", "x"), (3, "d", "x"), (4, "e", "y")]
    with pytest.raises(Exception, match="PARSE_SYNTAX_ERROR"):
        named.mode("overwrite").option("replaceWhere", "p = = 'y'").saveAsTable("t")
    with pytest.raises(Exception, match="HUDILITE_PROPERTY_UNSUPPORTED"):
        named.mode("append").option("replaceWhere", "p = 'y'").saveAsTable("t")
    assert check_table(table) == []


def test_the_mode_of_an_overwrite_is_an_option(spark: SparkSession, table: Path) -> None:
    before = rows_of(spark)
    write = frame(spark, (7, "new", "x")).write.format("hudilite").mode("overwrite")
    write.option("partitionOverwriteMode", "dynamic").saveAsTable("t")
    others = [row for row in before if row[2] != "x"]
    assert others
    assert rows_of(spark) == sorted([*others, (7, "new", "x")])
    dynamic = frame(spark, (8, "path", "x")).write.format("hudilite").mode("overwrite")
    dynamic.option("partitionOverwriteMode", "DYNAMIC").save(str(table))
    assert rows_of(spark) == sorted([*others, (8, "path", "x")])
    for options in (
        {"partitionOverwriteMode": "some"},
        {"partitionOverwriteMode": "dynamic", "replaceWhere": "p = 'x'"},
        {"overwriteSchema": "true"},
        {"userMetadata": "a note"},
    ):
        with pytest.raises(Exception, match="HUDILITE_PROPERTY_UNSUPPORTED"):
            write.options(**options).saveAsTable("t")
    with pytest.raises(Exception, match="mode\\('overwrite'\\)"):
        frame(spark, (9, "c", "x")).write.format("hudilite").mode("append").option(
            "partitionOverwriteMode", "dynamic"
        ).saveAsTable("t")
    fresh = frame(spark, (1, "a", "x")).write.format("hudilite").mode("overwrite")
    fresh = fresh.option("primaryKey", "id").option("partitionOverwriteMode", "dynamic")
    fresh.option("overwriteSchema", "true").saveAsTable("created")
    fresh.save(str(table.parent / "placed"))
    assert spark.table("created").count() == 1
    last = frame(spark, (9, "all", "z")).write.format("hudilite").mode("overwrite")
    last.option("partitionOverwriteMode", "static").option("overwriteSchema", "false").saveAsTable(
        "t"
    )
    assert rows_of(spark) == [(9, "all", "z")]
    assert check_table(table) == []


def test_a_replacement_is_one_commit_of_new_log_files(spark: SparkSession, database: Path) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, v STRING, n INT, PRIMARY KEY (id)) USING hudilite "
        "WITH BUCKETS 2 TBLPROPERTIES (type = 'mor')"
    )
    spark.sql("INSERT INTO t SELECT id, concat('v', id % 10), id FROM range(1000)")
    spark.sql("INSERT INTO t REPLACE WHERE v = 'v3' SELECT id, 'v3', -1 FROM range(3, 400, 20)")
    instants = sorted(layout.completed(database / "t"))
    assert len(instants) == 2
    assert {s.instant for s in layout.latest_slices(database / "t")} == {instants[0]}
    found = spark.sql("SELECT v, count(*), min(n), max(n) FROM t GROUP BY v ORDER BY v").collect()
    assert [tuple(row) for row in found if row.v in ("v2", "v3")] == [
        ("v2", 100, 2, 992),
        ("v3", 20, -1, -1),
    ]
    assert check_table(database / "t") == []
