"""CALL bootstrap over Parquet files that duckdb wrote, held against what Spark reads of them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException

from harness import layout
from harness.canonical import assert_same_tables
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("core/bootstrap/"))
ADOPTED = "00000000000001"
ROWS, GROUP = 5000, 2048  # duckdb cuts row groups at multiples of 2048 rows
WRITERS = {
    "plain": ("id", ""),
    "zstd": ("n", ", CODEC zstd, COMPRESSION_LEVEL 9"),
    "second version": ("id", ", CODEC zstd, PARQUET_VERSION V2"),
}
TYPES = """
  'k' || lpad((i * 7 % 5000)::VARCHAR, 5, '0') id, i * 3 n,
  TIMESTAMP '1969-12-31 23:00:00.000001' + to_seconds(i) ts,
  (TIMESTAMP '2020-01-01' + to_milliseconds(i))::TIMESTAMP_MS ms,
  TIMESTAMPTZ '2020-06-01 00:00:00.5+02' + to_seconds(i) utc,
  DATE '1500-01-01' + i::INT AS day,
  ((i - 2500) * 1.01)::DECIMAL(18, 2) d18, ((2500 - i) * 1.0001)::DECIMAL(38, 4) d38,
  (i % 1000)::DECIMAL(4, 1) d4,
  18446744073709551615::UBIGINT - i::UBIGINT u64, (2147483000 + i)::UINTEGER u32,
  (i % 65536)::USMALLINT u16, (i % 256)::UTINYINT u8, (i % 100 - 50)::TINYINT i8,
  CASE WHEN i % 3 = 0 THEN NULL ELSE {'a': i, 'b': [i::VARCHAR, NULL]} END s,
  CASE WHEN i % 5 = 0 THEN NULL WHEN i % 5 = 1 THEN [] ELSE [{'x': [i, NULL]}, NULL] END l,
  CASE WHEN i % 7 = 0 THEN NULL ELSE MAP {'k' || i: i, 'none': NULL} END m,
  CASE WHEN i % 11 = 0 THEN NULL ELSE encode('\u00e9' || i) END bytes,
  CASE i % 3 WHEN 0 THEN 'low' WHEN 1 THEN 'high' END::ENUM ('low', 'high') word,
  i % 2 = 0 AS yes, NULL AS nothing, [i, i + 1]::INT[2] AS pair
"""
FLOATS = """,
  i::HUGEINT huge,
  CASE WHEN i % 9 = 0 THEN 'nan'::DOUBLE WHEN i % 9 = 1 THEN -0.0::DOUBLE ELSE i / 3 END x,
  CASE WHEN i % 8 = 0 THEN '-inf'::FLOAT ELSE (i / 7)::FLOAT END y"""
FILTERS = [
    "ts < TIMESTAMP_NTZ '1970-01-01 00:00:00'",
    "utc >= TIMESTAMP '2020-05-31 23:00:00'",
    "day <= DATE '1501-01-01' OR day > DATE '1513-01-01'",
    "d18 < -1000.5",
    "d38 = 1.0001",
    "u64 > 18446744073709551000",
    "u32 > 2147483647",
    "u8 >= 250",
    "bytes = encode('\u00e94001', 'utf-8')",
    "word IS NULL AND s.a > 4000",
    "id > 'k04990' AND n < 3000",
]
KEYS = {
    "ts": ("TIMESTAMP '1960-01-01 00:00:00.000001' + to_seconds(i)", "-315619199999999"),
    "utc": ("TIMESTAMPTZ '2020-01-01 00:00:00.5+00' + to_seconds(i)", "1577836800500000"),
    "day": ("DATE '1500-01-01' + i::INT", "1500-01-01"),
    "d18": ("(i * -1.01)::DECIMAL(18, 2)", "0.00"),
    "d38": ("((i + 1) * -1.0001)::DECIMAL(38, 4)", "-1.0001"),
    "u64": ("18446744073709551615::UBIGINT - i::UBIGINT", "18446744073709551615"),
    "bytes": ("encode('\u00e9' || i)", "c3a930"),
}


@pytest.fixture
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    """A duckdb of the test's own, in UTC."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


def copy(duck: duckdb.DuckDBPyConnection, query: str, target: Path, options: str = "") -> None:
    """Writes the rows of a query as Parquet, with folders where the options ask for some."""
    target.parent.mkdir(parents=True, exist_ok=True)
    duck.execute(f"COPY ({query}) TO '{target}' (FORMAT parquet{options})")


def state(folder: Path) -> dict[Path, tuple[str, int]]:
    """Hash and time of the last change of every file below a folder."""
    return {
        path: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in folder.rglob("*.parquet")
    }


def bootstrap(spark: SparkSession, source: Path, key: str, table: str = "t") -> Row:
    """Makes a table of a folder."""
    call = f"CALL bootstrap(table => '{table}', source => '{source}', key => '{key}')"
    return spark.sql(call).first()


def assert_same(found: DataFrame, expected: DataFrame) -> None:
    """The same rows, whatever may be null."""
    assert found.schema.simpleString() == expected.schema.simpleString()
    assert_same_tables(expected.toArrow(), found.toArrow())


def counts(spark: SparkSession, table: str) -> dict[str, int]:
    """How many rows of a table each of the filters leaves, each in a read of its own."""
    reads = [
        f"SELECT {n} n, count(*) c FROM {table} WHERE {condition}"
        for n, condition in enumerate(FILTERS)
    ]
    return {FILTERS[row.n]: row.c for row in spark.sql(" UNION ALL ".join(reads)).collect()}


def assert_refused(spark: SparkSession, source: Path, condition: str, told: str) -> None:
    """A bootstrap fails with a condition, and its first line has these words."""
    with pytest.raises(PySparkException) as refused:
        bootstrap(spark, source, "id", "refused")
    assert refused.value.getCondition() == condition
    assert told in str(refused.value).split("\n")[0]


@pytest.mark.parametrize("writer", WRITERS)
def test_each_type_is_what_spark_reads(
    spark: SparkSession, duck: duckdb.DuckDBPyConnection, database: Path, writer: str
) -> None:
    source = database / "source"
    key, options = WRITERS[writer]
    # Spark's vectorized reader knows no BYTE_STREAM_SPLIT, which version 2 has for floats.
    columns = TYPES if "V2" in options else TYPES + FLOATS
    rows = f"SELECT {columns} FROM range({ROWS}) r(i)"
    copy(duck, rows, source / "a.parquet", f", ROW_GROUP_SIZE {GROUP}{options}")
    before = state(source)
    assert bootstrap(spark, source, key).rows == ROWS
    plain = spark.read.parquet(str(source))
    found = spark.table("t")
    assert [f.dataType for f in found.schema] == [f.dataType for f in plain.schema]
    assert_same(found, plain)
    (skeleton,) = layout.latest_slices(database / "t")
    cut = pq.read_metadata(skeleton.path)
    assert [cut.row_group(i).num_rows for i in range(3)] == [GROUP, GROUP, ROWS - 2 * GROUP]
    meta = spark.sql(
        "SELECT count(DISTINCT _hoodie_commit_seqno), count_if(_hoodie_record_key = "
        f"CAST({key} AS STRING)), collect_set(_hoodie_partition_path), "
        "collect_set(_hoodie_file_name), collect_set(_hoodie_commit_time) FROM t"
    ).first()
    assert tuple(meta) == (ROWS, ROWS, [""], [skeleton.path.name], [ADOPTED])
    plain.createOrReplaceTempView("plain")
    ours, theirs = (counts(spark, table) for table in ("t", "plain"))
    assert ours == theirs
    assert [condition for condition, n in theirs.items() if not 0 < n < ROWS] == []
    later = {"day": "IF(n % 50 = 0, DATE '2000-01-01', day) day"}
    fresh = {"id": "'new ' || id id", "n": "n + 100000 n"}
    changed = [later.get(c, c) for c in found.columns]
    added = [fresh.get(c, c) for c in found.columns]
    spark.sql(f"SELECT {', '.join(changed)} FROM t WHERE n % 50 = 0").union(
        plain.where("n < 30").selectExpr(added)
    ).createOrReplaceTempView("changes")
    merged = spark.sql(
        f"MERGE INTO t USING changes s ON t.{key} = s.{key} "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    ).first()
    assert (merged.num_updated_rows, merged.num_inserted_rows) == (100, 10)
    after = plain.selectExpr(changed).union(plain.where("n < 30").selectExpr(added))
    assert_same(spark.table("t"), after)
    assert state(source) == before


def test_keys_of_each_type_are_found_again(
    spark: SparkSession, duck: duckdb.DuckDBPyConnection, database: Path
) -> None:
    for name, (key, first) in KEYS.items():
        source = database / f"source_{name}"
        copy(duck, f"SELECT {key} k, i v FROM range(100) r(i)", source / "a.parquet")
        before = state(source)
        bootstrap(spark, source, "k", name)
        assert spark.sql(f"SELECT _hoodie_record_key k FROM {name} WHERE v = 0").first().k == first
        spark.read.parquet(str(source)).createOrReplaceTempView("plain")
        merged = spark.sql(
            f"MERGE INTO {name} t USING (SELECT k, -v v FROM plain WHERE v % 10 = 3) s "
            "ON t.k = s.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        ).first()
        assert (merged.num_updated_rows, merged.num_inserted_rows) == (10, 0), name
        assert_same(spark.table(name), spark.sql("SELECT k, IF(v % 10 = 3, -v, v) v FROM plain"))
        assert state(source) == before


@pytest.mark.parametrize("inside", ["", ", WRITE_PARTITION_COLUMNS true"])
def test_folders_are_what_spark_takes_them_for(
    spark: SparkSession, duck: duckdb.DuckDBPyConnection, database: Path, inside: str
) -> None:
    """A byte of UTF-8 is %xx in a folder of duckdb's, which Spark reads as a character each."""
    source = database / "source"
    query = (
        "SELECT i id, 'v' || i v, CASE i % 3 WHEN 0 THEN '01' WHEN 1 THEN '2' END p, "
        "CASE i % 4 WHEN 0 THEN '01' WHEN 1 THEN 'a/b c%=:' WHEN 2 THEN '\u00e9' END q "
        "FROM range(240) r(i)"
    )
    copy(duck, query, source, f", PARTITION_BY (p, q){inside}")
    assert {path.name for path in source.glob("p=01/*")} == {
        "q=01",
        "q=a%2Fb%20c%25%3D%3A",
        "q=%C3%A9",
        "q=__HIVE_DEFAULT_PARTITION__",
    }
    before = state(source)
    made = bootstrap(spark, source, "id")
    assert (made.files_adopted, made.rows) == (12, 240)
    plain = spark.read.parquet(str(source)).select("id", "v", "p", "q")
    found = spark.table("t")
    assert found.select("p", "q").schema.simpleString() == "struct<p:int,q:string>"
    assert_same(found, plain)
    values = {r.q for r in plain.select("q").distinct().collect()}
    assert values == {None, "01", "a/b c%=:", "\u00c3\u00a9"}
    outer = ("1", "2", "__HIVE_DEFAULT_PARTITION__")
    inner = ("01", "a%2Fb c%25%3D%3A", "\u00c3\u00a9", "__HIVE_DEFAULT_PARTITION__")
    paths = {f"p={p}/q={q}" for p in outer for q in inner}
    assert set(layout.partitions(database / "t")) == paths
    spark.sql("SELECT id, 'new' v, p, q FROM t WHERE id < 12").createOrReplaceTempView("changes")
    merged = spark.sql(
        "MERGE INTO t USING (SELECT * FROM changes UNION ALL SELECT 1000 + id, v, p, q FROM changes)"
        " s ON t.id = s.id AND t.p <=> s.p AND t.q <=> s.q "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    ).first()
    assert (merged.num_updated_rows, merged.num_inserted_rows) == (12, 12)
    after = plain.selectExpr("id", "IF(id < 12, 'new', v) v", "p", "q")
    more = plain.where("id < 12").selectExpr("id + 1000", "'new'", "p", "q")
    assert_same(spark.table("t"), after.union(more))
    assert set(layout.partitions(database / "t")) == paths
    assert state(source) == before


def test_two_folders_may_be_one_partition(
    spark: SparkSession, duck: duckdb.DuckDBPyConnection, database: Path
) -> None:
    """Folders p=01 and p=1 are both partition 1, where a key may stand once."""
    query = "SELECT i % {n} id, i v, CASE i % 2 WHEN 0 THEN '1' ELSE '01' END p FROM range(20) r(i)"
    good, bad = database / "good", database / "bad"
    copy(duck, query.format(n=20), good, ", PARTITION_BY (p)")
    assert bootstrap(spark, good, "id").rows == 20
    assert_same(spark.table("t"), spark.read.parquet(str(good)))
    assert layout.partitions(database / "t") == ["p=1"]
    spark.sql("UPDATE t SET v = -1 WHERE id IN (4, 5)")
    assert spark.sql("SELECT sum(id) n FROM t WHERE v = -1 AND p = 1").first().n == 9
    copy(duck, query.format(n=15), bad, ", PARTITION_BY (p)")
    assert_refused(spark, bad, "HUDILITE_DUPLICATE_KEY", "more than one row")


@pytest.mark.parametrize(
    "column, condition, told",
    [
        ("uuid()", "HUDILITE_BOOTSTRAP_SOURCE_INVALID", "(UUID)"),
        ("TIME '10:00:00'", "HUDILITE_UNSUPPORTED_TYPE", "TIME(6)"),
        ("TIMETZ '10:00:00+01'", "HUDILITE_BOOTSTRAP_SOURCE_INVALID", "TIME(MICROS,true)"),
        ("now()::TIMESTAMP_NS", "HUDILITE_BOOTSTRAP_SOURCE_INVALID", "NANOS"),
        ("INTERVAL 1 DAY", "HUDILITE_BOOTSTRAP_SOURCE_INVALID", "(INTERVAL)"),
        ("i::VARIANT", "HUDILITE_UNSUPPORTED_TYPE", "VARIANT"),
        ('i AS "a.b", i', "HUDILITE_INVALID_NAME", "a.b"),
    ],
)
def test_what_no_table_can_hold_is_refused_by_name(
    spark: SparkSession,
    duck: duckdb.DuckDBPyConnection,
    database: Path,
    column: str,
    condition: str,
    told: str,
) -> None:
    source = database / "source"
    copy(duck, f"SELECT i id, {column} v FROM range(9) r(i)", source / "a.parquet")
    assert_refused(spark, source, condition, told)
    assert not (database / "refused").exists()


def test_sources_without_a_table_in_them_are_refused(
    spark: SparkSession, duck: duckdb.DuckDBPyConnection, database: Path
) -> None:
    source = database / "source"
    for query, options, condition, told in (
        ("SELECT 1 id WHERE false", "", "HUDILITE_BOOTSTRAP_SOURCE_INVALID", "are empty"),
        ("SELECT 1::HUGEINT id", "", "HUDILITE_KEY_COLUMN_INVALID", "DOUBLE"),
        ("SELECT 1 id", ", CODEC brotli", "HUDILITE_BOOTSTRAP_SOURCE_INVALID", "Brotli"),
    ):
        copy(duck, query, source / "a.parquet", options)
        assert_refused(spark, source, condition, told)
        shutil.rmtree(source)
    copy(duck, "SELECT 1 id, '' p UNION ALL SELECT 2, 'a'", source, ", PARTITION_BY (p)")
    assert (source / "p=").exists(), "duckdb's folder of the empty text, which Spark refuses"
    assert_refused(spark, source, "HUDILITE_BOOTSTRAP_SOURCE_INVALID", "'p='")
    assert not (database / "refused").exists()


def test_an_encoding_that_spark_does_not_read_is_refused(
    spark: SparkSession, duck: duckdb.DuckDBPyConnection, database: Path
) -> None:
    """duckdb's second version has BYTE_STREAM_SPLIT for floats; Spark's vectorized reader has not."""
    source = database / "source"
    select = "SELECT i id, i / 3 x FROM range(3000) r(i)"
    copy(duck, select, source / "a.parquet", ", PARQUET_VERSION V2")
    assert_refused(spark, source, "HUDILITE_BOOTSTRAP_SOURCE_INVALID", "BYTE_STREAM_SPLIT")
    assert not (database / "refused").exists()
