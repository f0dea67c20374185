"""Tables whose data a bootstrap left in files of its own: every read and write, in vectors."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException

from harness import bootstrapped, damage, layout
from harness.canonical import assert_same_tables
from harness.rotation import JVM, product, turns
from harness.seeds import asked_seed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

ROTATED = pytest.mark.rotated(by="test", when=product("core/bootstrap/", "spark/read/"))
COLUMNS = (
    "id STRING, n INT, x DOUBLE, s STRUCT<a: INT, b: ARRAY<STRING>>, m MAP<STRING, BIGINT>, "
    "at TIMESTAMP, d DECIMAL(20, 2), p INT"
)
ROWS = 600
HIVE_STYLE = "hoodie.datasource.write.hive_style_partitioning"
UPDATE = "UPDATE t SET n = 1 WHERE p = 0"
VECTORS = "spark.sql.parquet.enableVectorizedReader"
SOURCE = f"""
SELECT concat('k', lpad(CAST(id * 7 % {ROWS} AS STRING), 4, '0')) id, CAST(id % 13 AS INT) n,
  IF(id % 11 = 0, NULL, id / 3D) x,
  IF(id % 5 = 0, NULL, named_struct('a', CAST(id AS INT), 'b', array('u', CAST(id AS STRING)))) s,
  map('k', id) m, timestamp_micros(id * 1000001) at, CAST(id * 1.01 AS DECIMAL(20, 2)) d,
  CAST(id % 2 AS INT) p
FROM range({ROWS})
"""
ALL = "id, n, x, s, m, at, d, p"
AT_ONCE = 10
WHOLE = f"_hoodie_commit_time, _hoodie_record_key, _hoodie_partition_path, {ALL}"


def assert_same(found: DataFrame, expected: DataFrame) -> None:
    """The same rows, whatever may be null."""
    assert found.schema.simpleString() == expected.schema.simpleString()
    assert_same_tables(expected.toArrow(), found.toArrow())


@pytest.fixture
def files(spark: SparkSession, database: Path) -> Iterator[list[Path]]:
    """The source files of table `t`, whose rows are those of `plain`."""
    spark.sql(
        f"CREATE TABLE t ({COLUMNS}, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) "
        f"LOCATION '{database / 't'}'"
    )
    spark.sql(f"INSERT INTO t {SOURCE}")
    spark.sql(SOURCE).write.parquet(str(database / "plain"))
    sources = bootstrapped.adopt(database / "t", database / "source")
    spark.sql("REFRESH TABLE t")
    key = "id _hoodie_record_key, concat('p=', p) _hoodie_partition_path"
    spark.read.parquet(str(database / "plain")).selectExpr(
        f"'{bootstrapped.INSTANT}' _hoodie_commit_time", *key.split(", ", 1), "*"
    ).createOrReplaceTempView("plain")
    yield sources
    spark.sql("DROP VIEW plain")


@pytest.mark.rotated(third=1, when=JVM)
def test_adopted_rows_are_those_of_the_source_in_vectors(
    spark: SparkSession, files: list[Path]
) -> None:
    assert len(files) == 2
    for columns in (ALL, WHOLE, "p", "_hoodie_commit_seqno", "count(*)", "s.a, m, p"):
        read = spark.sql(f"SELECT {columns} FROM t")
        if "seqno" in columns:
            assert read.distinct().count() == ROWS
        else:
            assert_same(read, spark.sql(f"SELECT {columns} FROM plain"))
        is_read = columns != "count(*)"  # that is told by footers
        assert ("ColumnarToRow" in read._jdf.queryExecution().executedPlan().toString()) == is_read


@ROTATED
@pytest.mark.usefixtures("files")
def test_a_session_without_vectors_reads_the_same(spark: SparkSession) -> None:
    settings = (VECTORS, "spark.sql.parquet.enableNestedColumnVectorizedReader")
    for setting in settings:
        spark.conf.set(setting, "false")
    try:
        for columns in (ALL, WHOLE):
            assert_same(
                spark.sql(f"SELECT {columns} FROM t"), spark.sql(f"SELECT {columns} FROM plain")
            )
    finally:
        for setting in settings:
            spark.conf.unset(setting)


def condition(choose: random.Random) -> str:
    """A filter of key, data and meta columns."""
    number = choose.randrange(ROWS)
    return choose.choice(
        [
            f"id {choose.choice(['=', '<', '>='])} 'k{number:04d}'",
            f"_hoodie_record_key {choose.choice(['=', '<'])} 'k{number:04d}'",
            f"n = {number % 15}",
            f"x {choose.choice(['<', '>'])} {number / 3}",
            "x IS NULL",
            f"p = {number % 3}",
            f"_hoodie_partition_path = 'p={number % 3}'",
            f"_hoodie_commit_time {choose.choice(['>', '<='])} '{bootstrapped.INSTANT}'",
            f"s.a > {number}",
            f"d BETWEEN {number - 50} AND {number}",
        ]
    )


def query(choose: random.Random) -> str:
    """How many rows of `{}` some filters leave, and the sum of the hashes of what they say in some columns.

    Equal rows in any order are equal sums.
    """
    joined = choose.choice([" AND ", " OR "]).join(
        condition(choose) for _ in range(choose.randint(1, 3))
    )
    columns = choose.choice(["id", WHOLE, "n, p", "_hoodie_record_key, x", ""])
    summed = (
        f"sum(CAST(xxhash64(string(struct({columns}))) AS DECIMAL(38, 0)))" if columns else "NULL"
    )
    return f"SELECT count(*) c, {summed} h FROM {{}} WHERE {joined}"


def all_of(spark: SparkSession, texts: list[str], table: str) -> list[Row]:
    """The one row of each query over a table, by one statement."""
    numbered = [f"SELECT {n} n, * FROM ({text.format(table)})" for n, text in enumerate(texts)]
    return sorted(spark.sql(" UNION ALL ".join(numbered)).collect())


@pytest.mark.usefixtures("files")
def test_random_filters_over_small_splits_equal_plain_parquet(spark: SparkSession) -> None:
    seed = asked_seed()
    print(f"HUDILITE_SEED={seed}")
    choose = random.Random(seed)
    spark.catalog.cacheTable("plain")
    assert spark.table("plain").count() == ROWS
    spark.conf.set("spark.sql.files.maxPartitionBytes", "4k")
    spark.conf.set("spark.sql.files.openCostInBytes", "0")
    try:
        texts = [query(choose) for _ in range(60)]
        asked = [texts[n] for n in turns(len(texts))]
        for start in range(0, len(asked), AT_ONCE):
            some = asked[start : start + AT_ONCE]
            ours, plain = (all_of(spark, some, table) for table in ("t", "plain"))
            assert [text for n, text in enumerate(some) if ours[n] != plain[n]] == []
        split = spark.sql(f"SELECT {WHOLE} FROM t")
        assert split.rdd.getNumPartitions() > 4
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
        spark.conf.unset("spark.sql.files.openCostInBytes")
        spark.catalog.uncacheTable("plain")


@pytest.mark.rotated(third=1, when=JVM)
def test_statements_rewrite_the_groups_they_touch_and_no_source(
    spark: SparkSession, database: Path, files: list[Path]
) -> None:
    before = {path: path.read_bytes() for path in files}
    counts = spark.sql(
        "MERGE INTO t USING (SELECT 'k0001' id, 1 p, -1 n UNION ALL SELECT 'new', 1, -2) s "
        "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET n = s.n "
        "WHEN NOT MATCHED THEN INSERT (id, n, p) VALUES (s.id, s.n, s.p)"
    ).collect()
    assert tuple(counts[0]) == (2, 1, 0, 1)
    slices = layout.latest_slices(database / "t")
    assert [s.instant == bootstrapped.INSTANT for s in slices if s.partition == "p=0"] == [True]
    assert spark.sql("SELECT count(*) FROM t WHERE n = -1").first() == (1,)
    spark.sql("DELETE FROM t WHERE n = 3")
    spark.sql("UPDATE t SET x = 0.5 WHERE p = 0 AND id > 'k0300'")
    expected = spark.sql(
        "SELECT id, IF(id = 'k0001', -1, n) n, IF(p = 0 AND id > 'k0300', 0.5D, x) x, s, m, at, d, p "
        "FROM plain WHERE n <> 3 OR id = 'k0001' UNION ALL "
        "SELECT 'new', -2, NULL, NULL, NULL, NULL, NULL, 1"
    )
    assert_same(spark.sql("SELECT * FROM t"), expected)
    found = spark.sql("CALL verify(table => 't', level => 'rows')").collect()
    assert [row for row in found if row.severity != "INFO"] == []
    assert {path: path.read_bytes() for path in files} == before


def conditions(spark: SparkSession, *statements: str) -> list[str | None]:
    """What each statement fails with."""
    found = []
    for statement in statements:
        with pytest.raises(PySparkException) as raised:
            spark.sql(statement).collect()
        found.append(raised.value.getCondition())
    return found


@ROTATED
def test_a_source_that_changed_or_went_is_an_error(spark: SparkSession, files: list[Path]) -> None:
    reads = ("SELECT n FROM t", f"SELECT {WHOLE} FROM t", "UPDATE t SET n = 1 WHERE x > 0")
    whole = files[0].read_bytes()
    files[0].write_bytes(whole + b"more")
    assert conditions(spark, *reads) == ["HUDILITE_SOURCE_CHANGED"] * 3
    files[0].unlink()
    assert conditions(spark, *reads) == ["HUDILITE_MISSING_DATA_FILE"] * 3
    files[0].write_bytes(whole)
    assert spark.sql("SELECT n FROM t").count() == ROWS


@ROTATED
def test_inserts_do_not_take_a_skeleton_for_a_small_file(
    spark: SparkSession, database: Path, files: list[Path]
) -> None:
    slices = layout.latest_slices(database / "t")
    largest = max(found.path.stat().st_size for found in slices)
    assert all(source.stat().st_size > 1000 for source in files)
    spark.conf.set("hoodie.parquet.small.file.limit", str(largest + 1))
    try:
        spark.sql("INSERT INTO t (id, p) VALUES ('new', 0)")
    finally:
        spark.conf.unset("hoodie.parquet.small.file.limit")
    assert len(layout.latest_slices(database / "t")) == len(slices) + 1
    assert spark.sql("SELECT n FROM t").count() == ROWS + 1


@ROTATED
def test_a_damaged_skeleton_is_named(
    spark: SparkSession, database: Path, files: list[Path]
) -> None:
    found = layout.latest_slices(database / "t")[-1]
    whole = found.path.read_bytes()
    for damaged in (whole[:4] + bytes(2000) + whole[2004:], whole[:-6] + b"??????"):
        found.path.write_bytes(damaged)
        with pytest.raises(PySparkException) as raised:
            spark.sql("SELECT _hoodie_commit_seqno, n FROM t").collect()
        assert raised.value.getCondition() == "HUDILITE_CORRUPT_DATA_FILE"
        assert str(found.path) in str(raised.value)
        assert all(str(source) not in str(raised.value) for source in files)
    found.path.write_bytes(whole)


@ROTATED
@pytest.mark.usefixtures("files")
def test_facts_that_would_give_other_values_are_refused(
    spark: SparkSession, database: Path
) -> None:
    file = database / "t" / ".hoodie" / "hoodie.properties"
    whole = file.read_bytes()
    cases = {
        ("hoodie.bootstrap.base.path", ""): "HUDILITE_CORRUPT_TIMELINE",
        ("hoodie.bootstrap.index.enable", "false"): "HUDILITE_UNSUPPORTED_TABLE",
        ("hoodie.bootstrap.index.type", "NO_OP"): "HUDILITE_UNSUPPORTED_TABLE",
        (HIVE_STYLE, "false"): "HUDILITE_UNSUPPORTED_TABLE",
    }
    for (key, value), expected in cases.items():
        facts = layout.properties(database / "t") | {key: value}
        facts[layout.OWN_CHECKSUM] = layout.facts_checksum(facts)
        damage.put(file, "".join(f"{k}={v}\n" for k, v in facts.items()).encode())
        for statement in ("SELECT n FROM t", "SELECT n FROM t WHERE p = 0", UPDATE):
            assert conditions(spark, statement) == [expected], (key, statement)
        damage.put(file, whole)
    assert spark.sql("SELECT n FROM t").count() == ROWS


@ROTATED
def test_a_table_without_its_bootstrap_index_is_not_read(
    spark: SparkSession, database: Path, files: list[Path]
) -> None:
    assert files
    (index,) = (database / "t" / ".hoodie" / ".aux" / ".bootstrap" / ".partitions").glob("*.hfile")
    whole = index.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole.replace(b"part=p=1", b"part=p=7"), b""):
        index.write_bytes(damaged)
        assert conditions(spark, "SELECT n FROM t") == ["HUDILITE_CORRUPT_TIMELINE"]
    index.unlink()
    assert conditions(spark, "SELECT n FROM t") == ["HUDILITE_MISSING_FILE"]
    index.write_bytes(whole)
    assert spark.sql("SELECT n FROM t").count() == ROWS


@ROTATED
def test_rows_of_skeletons_that_are_cut_otherwise_are_paired(
    spark: SparkSession, database: Path
) -> None:
    """Record keys of numbers lie in the skeletons alone."""
    spark.sql(
        "CREATE TABLE n (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite "
        f"LOCATION '{database / 'n'}'"
    )
    spark.sql("INSERT INTO n SELECT id * 7, concat('v', id) FROM range(200)")
    bootstrapped.adopt(database / "n", database / "numbers", groups=(10, 7))
    spark.sql("REFRESH TABLE n")
    small = {"spark.sql.files.maxPartitionBytes": "700", "spark.sql.files.openCostInBytes": "1"}
    try:
        for name, value in small.items():
            spark.conf.set(name, value)
        read = spark.sql("SELECT id, _hoodie_record_key k, v FROM n")
        assert read.rdd.getNumPartitions() > 4
        rows = read.collect()
    finally:
        for name in small:
            spark.conf.unset(name)
    assert len(rows) == 200
    assert [row for row in rows if row.k != str(row.id)] == []
