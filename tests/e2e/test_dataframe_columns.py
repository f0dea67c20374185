"""DataFrames with columns that the table does not have: options that add them, errors without one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness import layout
from harness.faults import fault_of
from harness.invariants import check_table
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

WHEN = product("spark/analyze/", "spark/catalog/")
pytestmark = pytest.mark.rotated(by="test", when=WHEN)
ROTATED = pytest.mark.rotated(rare=True, by="test", when=WHEN)
ADDS = {"mergeSchema": "true"}
Write = Callable[["DataFrame", dict[str, str], Path], None]


def by_name(mode: str, **more: str) -> Write:
    return lambda rows, options, _: (
        rows.write.format("hudilite").mode(mode).options(**options, **more).saveAsTable("t")
    )


def by_path(mode: str, **more: str) -> Write:
    return lambda rows, options, base: (
        rows.write.format("hudilite").mode(mode).options(**options, **more).save(str(base))
    )


def by_position(*, overwrite: bool) -> Write:
    return lambda rows, options, _: (
        rows.select("id", "p", "w")
        .write.format("hudilite")
        .options(**options)
        .insertInto("t", overwrite=overwrite)
    )


def to(call: Callable[[Any], None], name: str = "t") -> Write:
    return lambda rows, options, base: call(rows.writeTo(name.format(base=base)).options(**options))


def overwrite(writer: Any) -> None:
    from pyspark.sql.functions import col

    writer.overwrite(col("p") == "x")


WRITES: dict[str, Write] = {
    "saveAsTable": by_name("append"),
    "saveAsTable upsert": by_name("append", **{"hoodie.datasource.write.operation": "upsert"}),
    "saveAsTable overwrite": by_name("overwrite"),
    "saveAsTable dynamic": by_name("overwrite", partitionOverwriteMode="dynamic"),
    "saveAsTable replaceWhere": by_name("overwrite", replaceWhere="p = 'x'"),
    "save": by_path("append"),
    "save overwrite": by_path("overwrite"),
    "save dynamic": by_path("overwrite", partitionOverwriteMode="dynamic"),
    "insertInto": by_position(overwrite=False),
    "insertInto overwrite": by_position(overwrite=True),
    "writeTo append": to(lambda writer: writer.append()),
    "writeTo overwrite": to(overwrite),
    "writeTo overwritePartitions": to(lambda writer: writer.overwritePartitions()),
    "writeTo a path": to(lambda writer: writer.append(), "hudilite.`{base}`"),
}
KINDS = {
    "buckets": "WITH BUCKETS 2",
    "bloom": "TBLPROPERTIES (primaryKey = 'id', 'hoodie.index.type' = 'BLOOM')",
    "mor": "WITH BUCKETS 2 TBLPROPERTIES (type = 'mor')",
}


@pytest.fixture(params=KINDS)
def table(request: pytest.FixtureRequest, spark: SparkSession, database: Path) -> Path:
    spark.sql(
        "CREATE TABLE t (id INT, p STRING, PRIMARY KEY (id)) USING hudilite "
        f"PARTITIONED BY (p) {KINDS[request.param]}"
    )
    spark.sql("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    return database / "t"


def rows_of(spark: SparkSession) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in spark.table("t").collect())


def refused(call: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(Exception, match=r"\[") as raised:
        call()
    return fault_of(raised.value).condition, str(raised.value).splitlines()[0]


@ROTATED
@pytest.mark.parametrize("name", WRITES)
def test_an_option_adds_columns(spark: SparkSession, table: Path, name: str) -> None:
    write, commits = WRITES[name], len(layout.completed(table))
    rows = spark.sql("SELECT 2.5D AS w, 3 AS id, 'x' AS p")
    for options in ({}, {"mergeSchema": "false"}):
        condition, _ = refused(lambda options=options: write(rows, options, table))
        assert condition == "HUDILITE_COLUMN_UNKNOWN"
    assert spark.table("t").columns == ["id", "p"]
    option = "merge-schema" if name.startswith("writeTo") else "mergeSchema"
    write(rows, {option: "true"}, table)
    assert spark.table("t").columns == ["id", "p", "w"]
    assert (3, "x", 2.5) in rows_of(spark)
    whole = name in ("saveAsTable overwrite", "save overwrite", "insertInto overwrite")
    kept = {(1, "x", None), (2, "y", None)} & set(rows_of(spark))
    assert kept == set() if whole else (2, "y", None) in kept
    assert len(layout.completed(table)) == commits + 1
    assert check_table(table) == []


@ROTATED
@pytest.mark.parametrize("name", ["saveAsTable", "save", "insertInto", "writeTo append"])
def test_an_error_says_what_to_type(spark: SparkSession, database: Path, name: str) -> None:
    spark.sql("CREATE TABLE t (id INT, p STRING, PRIMARY KEY (id)) USING hudilite")
    rows = spark.sql("SELECT 3 AS id, 'x' AS p, named_struct('a', 1, 'b c', array('d')) AS w")
    base = database / "t"
    condition, text = refused(lambda: WRITES[name](rows, {}, base))
    assert condition == "HUDILITE_COLUMN_UNKNOWN"
    assert ".option('mergeSchema', 'true')" not in text  # its field has an invalid name
    rows = rows.withColumn("w", rows.w.dropFields("`b c`"))
    _, text = refused(lambda: WRITES[name](rows, {}, base))
    assert ".option('mergeSchema', 'true')" in text
    if name == "save":  # ALTER TABLE needs a name
        (first, then) = re.findall(r"Run (CREATE TABLE name .*'), then (ALTER TABLE .*\))\.", text)[
            0
        ]
        spark.sql(first)
    else:
        (then,) = re.findall(r"Type: (ALTER TABLE .*\))\.", text)
    spark.sql(then)
    WRITES[name](rows, {}, base)
    assert rows_of(spark) == [(3, "x", (1,))]


@ROTATED
@pytest.mark.parametrize("name", ["saveAsTable", "save", "insertInto", "writeTo append"])
def test_an_option_adds_fields(spark: SparkSession, database: Path, name: str) -> None:
    spark.sql("CREATE TABLE t (id INT, p STRUCT<a: INT>, PRIMARY KEY (id)) USING hudilite")
    rows = spark.sql("SELECT 1 AS id, named_struct('a', 1, 'b', 'x') AS p, 7 AS w")
    condition, text = refused(lambda: WRITES[name](rows, {}, database / "t"))
    assert condition == "HUDILITE_COLUMN_UNKNOWN"
    assert "ADD COLUMNS (p.b STRING, w INT)" in text
    WRITES[name](rows, ADDS, database / "t")
    assert rows_of(spark) == [(1, (1, "x"), 7)]


@ROTATED
def test_fields_are_added_before(spark: SparkSession, database: Path) -> None:
    spark.sql("CREATE TABLE t (id INT, s STRUCT<a: INT>, PRIMARY KEY (id)) USING hudilite")
    rows = spark.sql("SELECT 1 AS id, named_struct('b', 'x', 'a', 1) AS s")
    _, text = refused(lambda: by_name("append")(rows, {}, database))
    (statement,) = re.findall(r"Type: (ALTER TABLE .*\))\.", text)
    spark.sql(statement)
    by_name("append")(rows, {}, database)
    assert rows_of(spark) == [(1, (1, "x"))]


@ROTATED
def test_a_merge_adds_columns(spark: SparkSession, database: Path) -> None:
    from pyspark.sql.functions import col

    spark.sql("CREATE TABLE t (id INT, s STRUCT<a: INT>, PRIMARY KEY (id)) USING hudilite")
    spark.sql("INSERT INTO t VALUES (1, named_struct('a', 1))")
    source = spark.sql(
        "SELECT 1 AS id, named_struct('b', 2, 'a', 3) AS s, 2.5D AS x UNION ALL SELECT 2, NULL, 3.5D"
    ).alias("q")

    def merge(*, evolving: bool) -> None:
        writer = source.mergeInto("t", col("t.id") == col("q.id"))
        writer = writer.withSchemaEvolution() if evolving else writer
        writer.whenMatched().updateAll().whenNotMatched().insertAll().merge()

    merge(evolving=True)
    assert rows_of(spark) == [(1, (3, 2), 2.5), (2, None, 3.5)]
    merge(evolving=False)
    assert len(layout.completed(database / "t")) == 3


@ROTATED
def test_a_default_stays(spark: SparkSession, database: Path) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, v STRING DEFAULT 'none', n INT, PRIMARY KEY (id)) USING hudilite"
    )
    spark.sql("ALTER TABLE t ADD CONSTRAINT positive CHECK (n > 0)")
    rows = spark.sql("SELECT 1 AS id, true AS flag")
    rows.writeTo("t").option("mergeSchema", "true").append()
    assert rows_of(spark) == [(1, "none", None, True)]
    wrong = spark.sql("SELECT 2 AS id, -1 AS n, 'late' AS late").writeTo("t")
    condition, _ = refused(lambda: wrong.option("mergeSchema", "true").append())
    assert condition == "CHECK_CONSTRAINT_VIOLATION"
    assert spark.table("t").columns == ["id", "v", "n", "flag"]


@ROTATED
def test_upserts_by_record_keys_add_columns(spark: SparkSession, database: Path) -> None:
    base = str(database / "t")
    spark.sql("CREATE TABLE t (v STRING) USING hudilite")
    spark.sql("INSERT INTO t VALUES ('a'), ('b')")
    rows = spark.table("t").selectExpr("_hoodie_record_key", "upper(v) AS v", "length(v) AS n")
    write = rows.write.format("hudilite").mode("append")
    condition, text = refused(lambda: write.save(base))
    assert condition == "HUDILITE_COLUMN_UNKNOWN"
    assert ".option('mergeSchema', 'true')" in text
    write.option("mergeSchema", "true").save(base)
    assert rows_of(spark) == [("A", 1), ("B", 1)]


@ROTATED
def test_options_that_add_nothing(spark: SparkSession, database: Path, tmp_path: Path) -> None:
    rows = spark.sql("SELECT 1 AS id, 'a' AS v")
    new = rows.write.format("hudilite").options(**{"primaryKey": "id", "mergeSchema": "true"})
    new.saveAsTable("t")
    new.save(str(tmp_path / "path"))
    assert rows_of(spark) == [(1, "a")]
    for value in ("maybe", "yes", ""):
        wrong = rows.write.format("hudilite").mode("append").option("mergeSchema", value)
        condition, text = refused(lambda wrong=wrong: wrong.saveAsTable("t"))
        assert condition == "HUDILITE_PROPERTY_UNSUPPORTED"
        assert "true or false" in text
    other = rows.write.format("hudilite").option("primaryKey", "id").option("mergeSchema", "si")
    assert refused(lambda: other.saveAsTable("u"))[0] == "HUDILITE_PROPERTY_UNSUPPORTED"
    rows.write.mode("append").option("mergeSchema", "true").format("parquet").saveAsTable("plain")
    more = rows.withColumn("w", rows.id)
    assert "ARITY" in refused(lambda: more.write.mode("append").insertInto("plain"))[0]
    assert refused(more.writeTo("nowhere").append)[0] == "TABLE_OR_VIEW_NOT_FOUND"


@ROTATED
def test_spark_gives_insert_into_without_a_format_no_options(
    spark: SparkSession, database: Path
) -> None:
    spark.sql("CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite")
    write = spark.sql("SELECT 1 AS id, 2 AS w").write.option("mergeSchema", "true")
    condition, text = refused(lambda: write.insertInto("t"))
    assert condition == "HUDILITE_COLUMN_UNKNOWN"
    assert ".format('hudilite').option('mergeSchema', 'true')" in text
    write.format("hudilite").insertInto("t")
    assert rows_of(spark) == [(1, 2)]


def test_the_table_of_another_format_takes_no_clause(spark: SparkSession, database: Path) -> None:
    spark.sql("CREATE TABLE plain (id INT) USING parquet")
    insert = "INSERT WITH SCHEMA EVOLUTION INTO plain SELECT 1 AS id, 2 AS w"
    condition, _ = refused(lambda: spark.sql(insert))
    # Spark 4.2 has the clause, and a condition of its own.
    own = "UNSUPPORTED_INSERT_WITH_SCHEMA_EVOLUTION"
    assert condition in ("HUDILITE_UNSUPPORTED_STATEMENT", own)
    assert spark.table("plain").columns == ["id"]


def test_fields_that_the_rows_lack(spark: SparkSession, database: Path) -> None:
    """By name, structs of other order are right; what they lack is NULL where the option asks for it."""
    declared = "id INT, s STRUCT<x: INT, z: INT>, PRIMARY KEY (id)"
    spark.sql(f"CREATE TABLE t ({declared}) USING hudilite WITH BUCKETS 1")

    def rows(number: int, fields: str) -> Any:
        return spark.sql(f"SELECT {number} AS id, named_struct({fields}) AS s")

    rows(1, "'z', 10, 'x', 1").writeTo("t").append()
    rows(2, "'z', 20, 'x', 2").write.format("hudilite").mode("append").save(str(database / "t"))
    lacking = rows(3, "'z', 30")
    before = layout.untouched_state(database / "t")
    writes: list[Callable[[], None]] = [
        lambda: lacking.writeTo("t").append(),
        lambda: lacking.write.format("hudilite").mode("append").save(str(database / "t")),
        lambda: lacking.write.insertInto("t"),
    ]
    for write in writes:
        with pytest.raises(Exception, match="INCOMPATIBLE_DATA_FOR_TABLE"):
            write()
    assert layout.untouched_state(database / "t") == before
    lacking.writeTo("t").options(**ADDS).append()
    more = rows(4, "'w', 4, 'z', 40").write.format("hudilite").mode("append").options(**ADDS)
    more.save(str(database / "t"))
    spark.catalog.refreshTable("t")
    found = spark.sql("SELECT id, s.x, s.z, s.w FROM t ORDER BY id").collect()
    expected = [(1, 1, 10, None), (2, 2, 20, None), (3, None, 30, None), (4, None, 40, 4)]
    assert [tuple(row) for row in found] == expected
