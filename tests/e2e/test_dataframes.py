"""Tables through the DataFrame API, by name and by path."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.faults import fault_of
from harness.invariants import check_table
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("spark/catalog/"))


def frame(spark: SparkSession, *rows: tuple[int, str, str]) -> DataFrame:
    return spark.createDataFrame(list(rows), "id INT, v STRING, p STRING")


def rows_of(found: DataFrame) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in found.collect())


def condition(call: Any) -> str:
    with pytest.raises(Exception, match=r"\[") as raised:
        call()
    return fault_of(raised.value).condition


@pytest.fixture
def table(spark: SparkSession, database: Path) -> Path:
    spark.sql(
        "CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 2"
    )
    frame(spark, (1, "a", "x"), (2, "b", "y")).writeTo("t").append()
    return database / "t"


def test_write_to(spark: SparkSession, table: Path) -> None:
    from pyspark.sql.functions import col

    frame(spark, (3, "c", "x")).writeTo("t").append()
    frame(spark, (4, "d", "x")).writeTo("t").overwrite(col("p") == "x")
    assert rows_of(spark.table("t")) == [(2, "b", "y"), (4, "d", "x")]
    frame(spark, (5, "e", "y"), (6, "f", "z")).writeTo("t").overwritePartitions()
    assert rows_of(spark.read.table("t")) == [(4, "d", "x"), (5, "e", "y"), (6, "f", "z")]
    elsewhere = frame(spark, (7, "g", "w")).writeTo("t")
    assert condition(lambda: elsewhere.overwrite(col("p") == "x")) == "HUDILITE_REPLACE_MISMATCH"
    assert condition(lambda: elsewhere.overwrite(col("id") == 1)) == "HUDILITE_REPLACE_MISMATCH"
    assert condition(elsewhere.using("hudilite").replace) == "HUDILITE_REPLACE_DIFFERS"
    assert check_table(table) == []


def test_write_to_creates(spark: SparkSession, database: Path) -> None:
    from pyspark.sql.functions import col, partitioning

    new = frame(spark, (1, "a", "x"), (2, "b", "y")).writeTo("made").using("hudilite")
    new = new.tableProperty("primaryKey", "id").partitionedBy(
        col("p"), partitioning.bucket(3, col("id"))
    )
    new.create()
    assert rows_of(spark.table("made")) == [(1, "a", "x"), (2, "b", "y")]
    assert condition(new.create) == "TABLE_OR_VIEW_ALREADY_EXISTS"
    new.createOrReplace()
    assert rows_of(spark.table("made")) == [(1, "a", "x"), (2, "b", "y")]
    twice = frame(spark, (1, "a", "x"), (1, "b", "x")).writeTo("twice").using("hudilite")
    twice = twice.tableProperty("primaryKey", "id").partitionedBy(partitioning.bucket(3, col("id")))
    assert condition(twice.create) == "HUDILITE_DUPLICATE_KEY"
    assert not spark.catalog.tableExists("twice")
    assert not (database / "twice").exists()
    assert check_table(database / "made") == []


def test_merge_into(spark: SparkSession, table: Path) -> None:
    from pyspark.sql.functions import expr

    source = frame(spark, (1, "A", "x"), (3, "C", "z")).alias("s")
    (
        source.mergeInto("t", expr("t.id = s.id AND t.p = s.p"))
        .whenMatched()
        .updateAll()
        .whenNotMatched()
        .insertAll()
        .merge()
    )
    assert rows_of(spark.table("t")) == [(1, "A", "x"), (2, "b", "y"), (3, "C", "z")]


def test_insert_into(spark: SparkSession, table: Path) -> None:
    frame(spark, (3, "c", "x")).write.insertInto("t")
    assert spark.table("t").count() == 3
    frame(spark, (4, "d", "x")).write.insertInto("t", overwrite=True)
    assert rows_of(spark.table("t")) == [(4, "d", "x")]
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    frame(spark, (5, "e", "y")).write.insertInto("t", overwrite=True)
    spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    assert rows_of(spark.table("t")) == [(4, "d", "x"), (5, "e", "y")]


def test_save_as_table(spark: SparkSession, database: Path) -> None:
    def writer(mode: str, *rows: tuple[int, str, str]) -> Any:
        write = frame(spark, *rows).write.format("hudilite").mode(mode)
        return write.option("primaryKey", "id").bucketBy(2, "id").partitionBy("p")

    writer("errorifexists", (1, "a", "x")).saveAsTable("s")
    assert rows_of(spark.table("s")) == [(1, "a", "x")]
    again = writer("errorifexists", (2, "b", "x"))
    assert condition(lambda: again.saveAsTable("s")) == "TABLE_OR_VIEW_ALREADY_EXISTS"
    writer("ignore", (2, "b", "x")).saveAsTable("s")
    writer("append", (3, "c", "y")).saveAsTable("s")
    assert rows_of(spark.table("s")) == [(1, "a", "x"), (3, "c", "y")]
    clash = writer("append", (3, "d", "y"))
    assert condition(lambda: clash.saveAsTable("s")) == "HUDILITE_DUPLICATE_KEY"
    writer("overwrite", (9, "z", "x")).saveAsTable("s")
    assert rows_of(spark.table("s")) == [(9, "z", "x")]
    frame(spark, (8, "y", "x")).write.format("hudilite").mode("overwrite").saveAsTable("s")
    assert rows_of(spark.table("s")) == [(8, "y", "x")]
    writer("overwrite", (7, "n", "x")).saveAsTable("fresh")
    assert rows_of(spark.table("fresh")) == [(7, "n", "x")]
    other = frame(spark, (1, "a", "x")).write.format("hudilite").mode("overwrite")
    wrong = other.option("primaryKey", "v")
    assert condition(lambda: wrong.saveAsTable("s")) == "HUDILITE_PROPERTY_CONFLICT"
    moved = frame(spark, (1, "a", "x")).write.format("hudilite").mode("overwrite").partitionBy("v")
    assert condition(lambda: moved.saveAsTable("s")) == "HUDILITE_UNSUPPORTED_CLAUSE"
    assert rows_of(spark.table("s")) == [(8, "y", "x")]
    assert check_table(database / "s") == []


def test_paths(spark: SparkSession, table: Path) -> None:
    place = str(table)
    write = frame(spark, (3, "c", "x")).write.format("hudilite")
    write.mode("append").save(place)
    assert rows_of(spark.read.format("hudilite").load(place)) == [
        (1, "a", "x"),
        (2, "b", "y"),
        (3, "c", "x"),
    ]
    once = write.mode("append").option("hoodie.datasource.write.operation", "insert")
    assert condition(lambda: once.save(place)) == "HUDILITE_DUPLICATE_KEY"
    write = frame(spark, (3, "c", "x")).write.format("hudilite")
    write.mode("overwrite").save(place)
    assert rows_of(spark.table("t")) == [(3, "c", "x")]
    unsaved = write.mode("errorifexists")
    assert condition(lambda: unsaved.save(place)) == "PATH_ALREADY_EXISTS"
    assert condition(lambda: spark.read.format("hudilite").load(f"{place}x")) == (
        "HUDILITE_PATH_INVALID"
    )
    frame(spark, (4, "d", "y")).writeTo(f"hudilite.`{place}`").append()
    assert spark.table("t").count() == 2
    assert check_table(table) == []


def test_partitions_by_path(spark: SparkSession, table: Path) -> None:
    frame(spark, (3, "c", "z"), (4, "d", "z")).writeTo("t").append()
    read = spark.read.format("hudilite")
    assert rows_of(read.load(f"{table}/p=x")) == [(1, "a", "x")]
    assert rows_of(read.load(f"{table}/p=[xy]")) == [(1, "a", "x"), (2, "b", "y")]
    assert rows_of(read.load([f"{table}/p=x", f"{table}/p=z"]).select("id")) == [(1,), (3,), (4,)]
    assert read.load(f"{table}/*").count() == 4
    assert rows_of(
        read.load(f"{table}/p={{x,z}}").where("id > 3").select("_hoodie_record_key")
    ) == [("4",)]
    # Under the table's snapshot: old file slices and replaced groups are not read.
    spark.sql("INSERT OVERWRITE t PARTITION (p = 'x') VALUES (1, 'A')")
    assert rows_of(spark.read.format("hudilite").load(f"{table}/p=x")) == [(1, "A", "x")]
    for wrong in ("p=nowhere", "other", "p=x/deeper", "*/*", ".hoodie"):
        path = f"{table}/{wrong}"
        with pytest.raises(Exception, match=f"HUDILITE_PATH_INVALID.*Load file:{table}"):
            spark.read.format("hudilite").load(path)


def test_unknown_options_are_errors(spark: SparkSession, table: Path) -> None:
    def read(**options: str) -> Any:
        return lambda: spark.read.options(**options).table("t").collect()

    write = frame(spark, (3, "c", "x")).write.format("hudilite").mode("append")
    for call in (
        read(mergeSchema="true"),
        read(ignoreCorruptFile="true"),
        read(**{"hoodie.datasource.query.type": "incremental"}),
        lambda: write.option("primaryKeys", "id").save(str(table)),
    ):
        assert condition(call) == "HUDILITE_PROPERTY_UNSUPPORTED"
    with pytest.raises(Exception, match="Did you mean ignoreCorruptFiles"):
        read(ignoreCorruptFile="true")()
    with pytest.raises(Exception, match="Did you mean primaryKey"):
        write.option("primaryKeys", "id").saveAsTable("t")
    read(ignoreMissingFiles="true")()
    assert spark.table("t").count() == 2
