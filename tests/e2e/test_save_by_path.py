"""`df.write.save(path)`: what its options and modes do, and what is refused."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness import layout
from harness.faults import fault_of
from harness.invariants import check_table
from harness.rotation import product
from harness.warned import warnings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

WRITE = "hoodie.datasource.write"
KEY = f"{WRITE}.recordkey.field"
OPERATION = f"{WRITE}.operation"
FILTERS = "hoodie.parquet.bloom.filter.enabled"
FACTS = {KEY: "id", f"{WRITE}.partitionpath.field": "p"}
GENERATORS = "org.apache.hudi.keygen"
WHEN = product("spark/catalog/")
pytestmark = pytest.mark.rotated(by="test", when=WHEN)
OPTIONS = pytest.mark.rotated(rare=True, by="test", when=WHEN)


def frame(spark: SparkSession, *rows: tuple[int, str, int, str]) -> DataFrame:
    return spark.createDataFrame(list(rows), "id INT, v STRING, ts INT, p STRING")


def save(rows: DataFrame, base: Path, mode: str = "append", **options: str) -> None:
    named = {key.replace("__", "."): value for key, value in options.items()}
    rows.write.format("hudilite").options(**FACTS).options(**named).mode(mode).save(str(base))


def rows_at(spark: SparkSession, base: Path) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in spark.read.format("hudilite").load(str(base)).collect())


def refused(call: Any, condition: str) -> str:
    with pytest.raises(Exception, match=r"\[") as raised:
        call()
    fault = fault_of(raised.value)
    assert fault.condition == condition, fault
    return str(raised.value).splitlines()[0]


ORDERING = "hoodie.table.ordering.fields"
SYNC = "hoodie.datasource.hive_sync"
# For each option, two values and the fact of hoodie.properties in which the tables differ.
DIFFERENT = {
    **dict.fromkeys(
        (KEY, "primaryKey", "hoodie.table.recordkey.fields"),
        ("id", "id,v", "hoodie.table.recordkey.fields"),
    ),
    **dict.fromkeys(
        (f"{WRITE}.partitionpath.field", "hoodie.table.partition.fields"),
        ("p", "v", "hoodie.table.partition.fields"),
    ),
    **dict.fromkeys(
        ("preCombineField", "orderingFields", f"{WRITE}.precombine.field", ORDERING),
        ("ts", "id", ORDERING),
    ),
    "hoodie.table.precombine.field": ("ts", "id", "hoodie.table.precombine.field"),
    **dict.fromkeys(
        ("hoodie.table.name", f"{WRITE}.table.name"), ("one", "two", "hoodie.table.name")
    ),
    **dict.fromkeys(
        ("type", f"{WRITE}.table.type", "hoodie.table.type"),
        ("COPY_ON_WRITE", "MERGE_ON_READ", "hoodie.table.type"),
    ),
    "hoodie.index.type": ("BUCKET", "BLOOM", "hudilite.index"),
    "hoodie.bucket.index.num.buckets": ("2", "3", "hudilite.bucket.count"),
    "hoodie.bucket.index.hash.field": ("id", "v", "hudilite.bucket.fields"),
    **dict.fromkeys(
        ("hoodie.write.table.version", "hoodie.table.version"), ("6", "9", "hoodie.table.version")
    ),
    **{
        option: (*values, option)
        for option, values in {
            "hudilite.index.global": ("true", "false"),
            FILTERS: ("true", "false"),
            "hudilite.bloom.columns": ("v", "ts"),
            "hoodie.parquet.small.file.limit": ("1000000", "2000000"),
            "hoodie.parquet.max.file.size": ("50000000", "60000000"),
            "hoodie.clean.automatic": ("true", "false"),
            "hoodie.clean.commits.retained": ("10", "20"),
            "hoodie.clean.hours.retained": ("200", "300"),
            "hoodie.archive.automatic": ("true", "false"),
            "hoodie.keep.min.commits": ("20", "25"),
            "hoodie.keep.max.commits": ("40", "50"),
            f"{SYNC}.database": ("one", "two"),
            f"{SYNC}.table": ("one", "two"),
            f"{SYNC}.sync_as_datasource": ("true", "false"),
            "hudilite.metadata": ("detach", "keep-files"),
        }.items()
    },
}
NEEDED = {
    "hoodie.bucket.index.hash.field": {KEY: "id,v"},
    FILTERS: {"hoodie.index.type": "BUCKET"},
    "hudilite.metadata": {"hoodie.write.table.version": "9"},
}
# Options whose value follows from others: one value works, and another one is refused.
GENERATORS_OF_KEYS = [
    f"{place}.keygenerator.{kind}"
    for place in (WRITE, "hoodie.table")
    for kind in ("class", "type")
]
MODES = ["hoodie.write.record.merge.mode", "hoodie.record.merge.mode"]
# Options, or how they begin, of which other tests show what they do.
ELSEWHERE = {
    f"{SYNC}.enable": "tests/catalogs",
    "hudilite.stock.lock": "tests/stores/test_stock_lock.py",
    "hoodie.keygen.timebased.": "tests/interop/test_date_folders.py",
    "hoodie.deltastreamer.keygen.timebased.": "tests/interop/test_date_folders.py",
    f"{WRITE}.keygenerator.consistent.logical.timestamp.enabled": "tests/unit/core/hudilite/format/DateFolderSuite.scala",
}


def test_each_accepted_option_is_tested(spark: SparkSession) -> None:
    assert spark._jvm is not None
    rules = spark._jvm.hudilite.spark.catalog.PropertyRules.spellings()
    accepted = {str(rules.apply(i)._1()) for i in range(rules.size())}
    tested = {*DIFFERENT, *GENERATORS_OF_KEYS, *MODES}
    assert tested - accepted == set()
    assert {name for name in accepted - tested if not name.startswith(tuple(ELSEWHERE))} == set()


@OPTIONS
@pytest.mark.parametrize("option", list(DIFFERENT))
def test_two_values_make_different_tables(spark: SparkSession, tmp_path: Path, option: str) -> None:
    *values, fact = DIFFERENT[option]
    facts = {name: value for name, value in FACTS.items() if DIFFERENT[name][2] != fact}
    facts |= NEEDED.get(option, {})
    write = frame(spark, (1, "a", 1, "x")).write.format("hudilite").options(**facts).mode("append")
    for value in values:
        base = tmp_path / value
        for _ in range(2):
            write.option(option, value).save(str(base))
            assert rows_at(spark, base) == [(1, "a", 1, "x")]
        assert check_table(base) == []
    one, other = (layout.properties(tmp_path / value).get(fact) for value in values)
    assert one != other
    write = write.option(option, values[1])
    message = refused(lambda: write.save(str(tmp_path / values[0])), "HUDILITE_PROPERTY_CONFLICT")
    assert option in message
    declared = {"COPY_ON_WRITE": "cow"}.get(values[0], values[0])
    assert re.search(rf"\b{declared}\b.*\b{values[1]}\b", message), message


@OPTIONS
@pytest.mark.parametrize("option", MODES)
def test_the_merge_mode_follows_from_the_ordering(
    spark: SparkSession, tmp_path: Path, option: str
) -> None:
    rows = frame(spark, (1, "a", 1, "x"))
    of_commits, of_events = ({option: f"{kind}_TIME_ORDERING"} for kind in ("COMMIT", "EVENT"))
    ordered = {f"{WRITE}.precombine.field": "ts"}
    save(rows, tmp_path / "a", **of_commits)
    save(rows, tmp_path / "b", **of_events, **ordered)
    for wrong in (of_events, of_commits | ordered):
        refused(partial(save, rows, tmp_path / "c", **wrong), "HUDILITE_PROPERTY_CONFLICT")
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("option", GENERATORS_OF_KEYS)
def test_key_generators_follow_from_the_columns(
    spark: SparkSession, tmp_path: Path, option: str
) -> None:
    rows = frame(spark, (1, "a", 1, "x"))
    kinds = {
        "SimpleKeyGenerator": ("SIMPLE", {}),
        "ComplexKeyGenerator": ("COMPLEX", {KEY: "id,v"}),
        "NonpartitionedKeyGenerator": ("NON_PARTITION", {f"{WRITE}.partitionpath.field": ""}),
    }

    def stated(name: str) -> dict[str, str]:
        return {option: kinds[name][0] if option.endswith("type") else f"{GENERATORS}.{name}"}

    for name, (_, facts) in kinds.items():
        for wrong in kinds.keys() - {name}:
            call = partial(save, rows, tmp_path / name, **facts, **stated(wrong))
            assert name in refused(call, "HUDILITE_PROPERTY_CONFLICT")
            assert not (tmp_path / name).exists()
        save(rows, tmp_path / name, **facts, **stated(name))
        stored = layout.properties(tmp_path / name)["hoodie.table.keygenerator.class"]
        assert stored == f"{GENERATORS}.{name}"
    other = {option: "com.example.OwnKeyGenerator"}
    message = refused(lambda: save(rows, tmp_path / "x", **other), "HUDILITE_PROPERTY_UNSUPPORTED")
    assert "com.example.OwnKeyGenerator" in message


@OPTIONS
@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize("buckets", [True, False])
def test_operations(spark: SparkSession, tmp_path: Path, kind: str, buckets: bool) -> None:
    base = tmp_path / "t"
    facts = {f"{WRITE}.table.type": kind, f"{WRITE}.precombine.field": "ts"}
    if buckets:
        facts |= {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "2"}

    def write(operation: str, *rows: tuple[int, str, int, str], **more: str) -> None:
        save(frame(spark, *rows), base, **facts, **{OPERATION: operation}, **more)

    def operation() -> str:
        return str(layout.commit_metadata(base, max(layout.completed(base)))["operationType"])

    write("insert_overwrite", (1, "a", 1, "x"), (2, "b", 1, "y"))
    write("upsert", (1, "A", 2, "x"), (2, "old", 0, "y"), (3, "c", 1, "x"), (3, "C", 3, "x"))
    assert rows_at(spark, base) == [(1, "A", 2, "x"), (2, "b", 1, "y"), (3, "C", 3, "x")]
    assert operation() == "UPSERT"
    refused(lambda: write("insert", (1, "z", 9, "x")), "HUDILITE_DUPLICATE_KEY")
    refused(lambda: write("bulk_insert", (1, "z", 9, "x")), "HUDILITE_DUPLICATE_KEY")
    write("insert", (4, "d", 1, "x"))
    assert operation() == "INSERT"
    write("bulk_insert", (5, "e", 1, "z"))
    assert operation() == "BULK_INSERT"
    write("delete", (4, "whatever", 0, "x"), (5, "e", 0, "another partition"))
    assert [row[0] for row in rows_at(spark, base)] == [1, 2, 3, 5]
    write("delete_partition", **{f"{WRITE}.partitions.to.delete": "p=z, p=nowhere"})
    assert [row[0] for row in rows_at(spark, base)] == [1, 2, 3]
    write("insert_overwrite", (6, "f", 1, "y"))
    assert [row[0] for row in rows_at(spark, base)] == [1, 3, 6]
    write("insert_overwrite_table", (7, "g", 1, "y"))
    assert rows_at(spark, base) == [(7, "g", 1, "y")]
    save(frame(spark, (8, "h", 1, "x")), base, "overwrite", **{OPERATION: "insert_overwrite"})
    assert [row[0] for row in rows_at(spark, base)] == [7, 8]
    save(frame(spark, (9, "i", 1, "x")), base, "overwrite")
    assert [row[0] for row in rows_at(spark, base)] == [9]
    assert check_table(base) == []


def test_a_blind_upsert_opens_no_file(spark: SparkSession, tmp_path: Path) -> None:
    facts = {
        f"{WRITE}.table.type": "MERGE_ON_READ",
        "hoodie.index.type": "BUCKET",
        "hoodie.bucket.index.num.buckets": "1",
    }
    save(frame(spark, (1, "a", 1, "x")), tmp_path / "t", **facts)
    bases = layout.base_files(tmp_path / "t")
    save(frame(spark, (1, "b", 1, "x")), tmp_path / "t")
    assert layout.base_files(tmp_path / "t") == bases
    assert rows_at(spark, tmp_path / "t") == [(1, "b", 1, "x")]


def test_modes(spark: SparkSession, tmp_path: Path) -> None:
    for mode in ("append", "overwrite", "errorifexists", "ignore"):
        save(frame(spark, (1, mode, 1, "x")), tmp_path / mode, mode)
        assert rows_at(spark, tmp_path / mode) == [(1, mode, 1, "x")]
    base = tmp_path / "append"
    save(frame(spark, (2, "b", 1, "x")), base, "ignore")
    assert len(layout.completed(base)) == 1
    again = frame(spark, (2, "b", 1, "x"))
    refused(lambda: save(again, base, "errorifexists"), "PATH_ALREADY_EXISTS")
    conflict = {KEY: "v"}
    refused(lambda: save(again, base, "overwrite", **conflict), "HUDILITE_PROPERTY_CONFLICT")
    write = again.write.format("hudilite").mode("overwrite").partitionBy("v")
    refused(lambda: write.save(str(base)), "HUDILITE_UNSUPPORTED_CLAUSE")
    assert rows_at(spark, base) == [(1, "append", 1, "x")]


def test_an_overwrite_keeps_one_row_of_each_key(spark: SparkSession, tmp_path: Path) -> None:
    """As an upsert into a new table does; operation insert refuses them."""
    rows = frame(spark, (1, "new", 2, "a"), (1, "old", 1, "a"), (2, "x", 1, "b"))
    ordered = {f"{WRITE}.precombine.field": "ts"}
    for _ in range(2):
        save(rows, tmp_path / "t", "overwrite", **ordered)
        assert [row[:2] for row in rows_at(spark, tmp_path / "t")] == [(1, "new"), (2, "x")]
    older = frame(spark, (1, "older", 0, "a"))
    save(older, tmp_path / "t", "overwrite", **ordered, **{OPERATION: "upsert"})
    assert [row[:2] for row in rows_at(spark, tmp_path / "t")] == [(1, "older")]
    inserted = {**ordered, OPERATION: "insert"}
    refused(lambda: save(rows, tmp_path / "t", "overwrite", **inserted), "HUDILITE_DUPLICATE_KEY")


def test_bad_input_leaves_the_table_as_it_is(spark: SparkSession, tmp_path: Path) -> None:
    base = tmp_path / "t"
    rows = frame(spark, (1, "a", 1, "x"))
    hashed = rows.write.format("hudilite").option("hoodie.bucket.index.num.buckets", "2")
    refused(lambda: hashed.mode("append").save(str(base)), "HUDILITE_KEY_NOT_DECLARED")
    refused(lambda: rows.write.format("hudilite").save(), "HUDILITE_PATH_INVALID")
    deleting = {OPERATION: "delete"}
    refused(lambda: save(rows, base, **deleting), "HUDILITE_PATH_INVALID")
    twice = frame(spark, (1, "a", 1, "x"), (1, "b", 1, "x"))
    refused(lambda: save(twice, base), "HUDILITE_DUPLICATE_KEY")
    assert not base.exists()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a.txt").write_text("not a table")
    refused(lambda: save(rows, tmp_path / "full"), "HUDILITE_LOCATION_NOT_EMPTY")
    save(rows, base)
    state = layout.untouched_state(base)
    unsupported = "HUDILITE_UNSUPPORTED_CLAUSE"
    keys = spark.sql("SELECT 1 AS id")
    assert "column p" in refused(lambda: save(keys, base, **deleting), unsupported)
    refused(lambda: save(rows, base, "overwrite", **deleting), unsupported)
    emptying = {OPERATION: "delete_partition"}
    refused(lambda: save(rows, base, **emptying), unsupported)
    star = emptying | {f"{WRITE}.partitions.to.delete": "p=*"}
    refused(lambda: save(rows, base, **star), unsupported)
    deeper = emptying | {f"{WRITE}.partitions.to.delete": "p=x/q=y"}
    refused(lambda: save(rows, base, **deeper), unsupported)
    assert f"save('file:{base}')" in refused(lambda: save(rows, base / "p=x"), unsupported)
    option = "HUDILITE_PROPERTY_UNSUPPORTED"
    assert "upsert, insert" in refused(lambda: save(rows, base, **{OPERATION: "put"}), option)
    feild = {"hoodie.datasource.write.recordkey.feild": "id"}
    assert KEY in refused(lambda: save(rows, base, **feild), option)
    payload = {f"{WRITE}.payload.class": "org.example.Payload"}
    refused(lambda: save(rows, base, **payload), option)
    assert "true or false" in refused(lambda: save(rows, base, mergeSchema="maybe"), option)
    refused(lambda: save(keys, base, mergeSchema="true", **deleting), unsupported)
    flat = {f"{WRITE}.hive_style_partitioning": "false"}
    refused(lambda: save(rows, base, **flat), "HUDILITE_PROPERTY_CONFLICT")
    refused(lambda: save(rows, tmp_path / "flat", **flat), option)
    refused(
        lambda: rows.writeTo(f"hudilite.`{base}`").option(OPERATION, "delete").append(), unsupported
    )
    refused(
        lambda: (
            rows.writeTo(f"hudilite.`{base}`").option(OPERATION, "delete").overwritePartitions()
        ),
        unsupported,
    )
    assert layout.untouched_state(base) == state


def test_options_without_effect_are_named_once(spark: SparkSession, tmp_path: Path) -> None:
    unknown = {
        "hoodie.bulkinsert.shuffle.parallelism": "2",
        "hoodie.cleaner.commits.retained": "5",
        "hoodie.write.lock.retries": "3",
    }
    with warnings(spark) as first:
        save(frame(spark, (1, "a", 1, "x")), tmp_path / "t", **unknown)
        save(frame(spark, (2, "b", 1, "x")), tmp_path / "t", **unknown)
    assert [line.split()[1] for line in first] == sorted(unknown)
    with warnings(spark) as second:
        save(frame(spark, (3, "c", 1, "x")), tmp_path / "t", **unknown)
    assert second == []


def test_meta_columns_are_not_written(spark: SparkSession, tmp_path: Path) -> None:
    base = tmp_path / "t"
    save(frame(spark, (1, "a", 1, "x")), base)
    own = (
        spark.read.format("hudilite")
        .load(str(base))
        .selectExpr("_hoodie_commit_time", "_hoodie_record_key", "id", "upper(v) AS v", "ts", "p")
    )
    save(own, base)
    assert rows_at(spark, base) == [(1, "A", 1, "x")]


def test_operations_of_named_tables(spark: SparkSession, database: Path) -> None:
    rows = frame(spark, (1, "a", 1, "x"), (2, "b", 1, "x"))
    new = rows.write.format("hudilite").partitionBy("p").options(**FACTS)
    new.option("hoodie.sort.memory", "1").saveAsTable("t")
    newer = frame(spark, (1, "A", 2, "x")).write.format("hudilite").mode("append")
    refused(lambda: newer.saveAsTable("t"), "HUDILITE_DUPLICATE_KEY")
    newer.option(OPERATION, "upsert").saveAsTable("t")
    frame(spark, (2, "B", 2, "x")).writeTo("t").option(OPERATION, "upsert").append()
    assert rows_at(spark, database / "t") == [(1, "A", 2, "x"), (2, "B", 2, "x")]


def test_the_sessions_mode_of_an_overwrite_counts(spark: SparkSession, database: Path) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, v STRING, ts INT, p STRING, PRIMARY KEY (id)) USING hudilite "
        "PARTITIONED BY (p)"
    )
    base, mode = database / "t", "spark.sql.sources.partitionOverwriteMode"
    writer = frame(spark, (3, "c", 1, "x")).write.format("hudilite").mode("overwrite")
    kept = [(2, "b", 1, "y"), (3, "c", 1, "x")]
    for write in (lambda: writer.saveAsTable("t"), lambda: writer.save(str(base))):
        spark.sql("INSERT OVERWRITE t VALUES (1, 'a', 1, 'x'), (2, 'b', 1, 'y')")
        spark.conf.set(mode, "dynamic")
        try:
            write()
            assert rows_at(spark, base) == kept
            whole = frame(spark, (4, "d", 1, "z")).write.format("hudilite").mode("overwrite")
            whole.option(OPERATION, "insert_overwrite_table").save(str(base))
            assert rows_at(spark, base) == [(4, "d", 1, "z")]
        finally:
            spark.conf.unset(mode)
    spark.sql("INSERT OVERWRITE t VALUES (1, 'a', 1, 'x'), (2, 'b', 1, 'y')")
    writer.saveAsTable("t")
    assert rows_at(spark, base) == kept[1:]


def test_an_upsert_without_a_column_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    base = tmp_path / "t"
    save(frame(spark, (1, "a", 10, "x")), base)
    fewer = frame(spark, (1, "b", 1, "x")).drop("ts")
    assert "column ts" in refused(lambda: save(fewer, base), "HUDILITE_UNSUPPORTED_CLAUSE")
    assert rows_at(spark, base) == [(1, "a", 10, "x")]
    save(frame(spark, (2, "b", 1, "x")).drop("ts"), base, **{OPERATION: "insert"})
    assert rows_at(spark, base)[1][2] is None


def test_an_upsert_without_a_column_of_a_named_table_is_refused(
    spark: SparkSession, database: Path
) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, v STRING, ts INT, p STRING, l INT GENERATED ALWAYS AS (length(v)), "
        "PRIMARY KEY (id)) USING hudilite"
    )
    whole = frame(spark, (1, "a", 10, "x"))
    whole.write.format("hudilite").mode("append").option(OPERATION, "upsert").saveAsTable("t")
    fewer = whole.selectExpr("id", "'new' AS v", "CAST(NULL AS STRING) AS p")
    upsert = fewer.write.format("hudilite").mode("append").option(OPERATION, "upsert")
    refused(lambda: upsert.saveAsTable("t"), "HUDILITE_UNSUPPORTED_CLAUSE")
    to = fewer.writeTo("t").option(OPERATION, "upsert")
    refused(to.append, "HUDILITE_UNSUPPORTED_CLAUSE")
    assert rows_at(spark, database / "t") == [(1, "a", 10, "x", 1)]


def test_the_path_of_a_named_table_is_its_own(spark: SparkSession, database: Path) -> None:
    spark.sql("CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite")
    rows = spark.sql("SELECT 5 AS id").write.format("hudilite")
    for mode in ("append", "overwrite"):
        elsewhere = rows.option("path", str(database / "elsewhere")).mode(mode)
        refused(partial(elsewhere.saveAsTable, "t"), "HUDILITE_UNSUPPORTED_CLAUSE")
    assert rows_at(spark, database / "t") == []
    rows.option("path", str(database / "t")).mode("append").saveAsTable("t")
    assert rows_at(spark, database / "t") == [(5,)]


def test_partition_by_of_a_table_with_buckets(spark: SparkSession, database: Path) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, v STRING, ts INT, p STRING, PRIMARY KEY (id)) USING hudilite "
        "PARTITIONED BY (p) WITH BUCKETS 2"
    )
    writer = frame(spark, (1, "a", 1, "x")).write.format("hudilite").mode("overwrite")
    writer.partitionBy("p").saveAsTable("t")
    assert rows_at(spark, database / "t") == [(1, "a", 1, "x")]
    other = frame(spark, (1, "a", 1, "x")).write.format("hudilite").mode("overwrite")
    refused(lambda: other.partitionBy("v").saveAsTable("t"), "HUDILITE_UNSUPPORTED_CLAUSE")


def test_tables_by_path_in_sql(spark: SparkSession, tmp_path: Path) -> None:
    name = f"hudilite.`{tmp_path}/t`"
    spark.sql(f"CREATE TABLE {name} (id INT, v STRING, PRIMARY KEY (id)) USING hudilite")
    spark.sql(f"INSERT INTO {name} VALUES (1, 'a')")
    assert [tuple(row) for row in spark.sql(f"SELECT * FROM {name}").collect()] == [(1, "a")]
    again = f"CREATE TABLE {name} (id INT, PRIMARY KEY (id)) USING hudilite"
    refused(lambda: spark.sql(again), "TABLE_OR_VIEW_ALREADY_EXISTS")
    of = f"CREATE TABLE hudilite.`{tmp_path}/u` USING hudilite TBLPROPERTIES (primaryKey = 'id')"
    refused(
        lambda: spark.sql(f"{of} LOCATION '{tmp_path}/w' AS SELECT 1 AS id"),
        "HUDILITE_UNSUPPORTED_CLAUSE",
    )
    refused(
        lambda: spark.sql(f"{of} AS SELECT 1 AS id UNION ALL SELECT 1"), "HUDILITE_DUPLICATE_KEY"
    )
    assert not (tmp_path / "u").exists()
    spark.sql(f"{of} AS SELECT 1 AS id")
    assert layout.properties(tmp_path / "u")["hoodie.table.name"] == "u"
