"""CALL bootstrap: Parquet files that become a table where they lie."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.testing import assertDataFrameEqual

from harness import layout
from harness.rotation import product
from harness.seeds import asked_seed
from hudilite import why

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

ROTATED = pytest.mark.rotated(by="test", when=product("core/bootstrap/", "spark/bootstrap/"))
ADOPTED, REWRITTEN = "00000000000001", "00000000000002"
INVALID = "HUDILITE_BOOTSTRAP_SOURCE_INVALID"
ARGUMENT = "HUDILITE_ARGUMENT_INVALID"
ROWS = """
SELECT concat('k', lpad(CAST(id * 7 % {n} AS STRING), 6, '0')) id, CAST(id % 13 AS INT) n,
  IF(id % 11 = 0, NULL, id / 3D) x,
  IF(id % 5 = 0, NULL, named_struct('a', CAST(id AS INT), 'b', array('u', CAST(id AS STRING)))) s,
  map('k', id) m, timestamp_micros(id * 1000001) at, CAST(id * 1.01 AS DECIMAL(20, 2)) d,
  IF(id % 4 = 3, NULL, CAST(id % 4 AS INT)) p
FROM range({n})
"""
META = "_hoodie_commit_time, _hoodie_commit_seqno, _hoodie_record_key, _hoodie_partition_path"


def state(folder: Path) -> dict[str, tuple[str, int]]:
    """Content and time of the last change of every file below a folder."""
    return {
        str(path.relative_to(folder)): (
            hashlib.sha256(path.read_bytes()).hexdigest(),
            path.stat().st_mtime_ns,
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def size_of(folder: Path) -> int:
    """Bytes of every file below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def call(spark: SparkSession, **arguments: object) -> list[Row]:
    """Runs CALL bootstrap with these arguments."""

    def text(value: object) -> str:
        if isinstance(value, str):
            return "'" + value.replace("'", "\\'") + "'"
        return str(value)

    named = ", ".join(f"{name} => {text(value)}" for name, value in arguments.items())
    return spark.sql(f"CALL bootstrap({named})").collect()


def written(spark: SparkSession, folder: Path, rows: int = 1000, files: int = 2) -> str:
    """A partitioned folder as Spark writes it, timestamps as INT96."""
    source = spark.sql(ROWS.format(n=rows)).repartition(files)
    source.write.partitionBy("p").option("parquet.block.size", 4096).parquet(str(folder))
    return str(folder)


def assert_same(found: DataFrame, expected: DataFrame) -> None:
    """The same rows, whatever may be null."""
    assertDataFrameEqual(found, expected, ignoreNullable=True)


def fails(spark: SparkSession, condition: str, **arguments: object) -> PySparkException:
    """The error of a call, which leaves nothing behind."""
    with pytest.raises(PySparkException) as failed:
        call(spark, **arguments)
    assert failed.value.getCondition() == condition
    return failed.value


@ROTATED
@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_a_filter_of_one_file_is_none_of_the_next(
    spark: SparkSession, database: Path, vectorized: str
) -> None:
    source = database / "source"
    for first, last, stored in ((0, 3000, "TIMESTAMP_MICROS"), (3000, 3005, "INT96")):
        rows = spark.sql(f"SELECT id, timestamp_seconds(id) at FROM range({first}, {last})")
        with_type = {"spark.sql.parquet.outputTimestampType": stored}
        for key, value in with_type.items():
            spark.conf.set(key, value)
        rows.coalesce(1).write.mode("append").parquet(str(source))
        for key in with_type:
            spark.conf.unset(key)
    call(spark, table="t", source=str(source), key="id")
    spark.conf.set("spark.sql.files.minPartitionNum", "1")  # one task reads both
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
    try:
        found = spark.sql("SELECT id FROM t WHERE at >= timestamp_seconds(2990)")
        assert found.rdd.getNumPartitions() == 1
        assert sorted(row.id for row in found.collect()) == list(range(2990, 3005))
    finally:
        spark.conf.unset("spark.sql.files.minPartitionNum")
        spark.conf.unset("spark.sql.parquet.enableVectorizedReader")


def test_files_become_a_table_where_they_lie(spark: SparkSession, database: Path) -> None:
    source = Path(written(spark, database / "source"))
    before = state(source)
    (row,) = call(spark, table="t", source=str(source), key="id")
    files = list(source.rglob("*.parquet"))
    assert (row.files_adopted, row.files_rewritten, row.files_refused) == (len(files), 0, 0)
    assert (row.rows, row.instant) == (1000, ADOPTED)
    base = database / "t"
    assert row.bytes_written == size_of(base)
    assert row.bytes_read < size_of(source)
    expected = spark.read.parquet(str(source)).selectExpr(
        ["id", "n", "x", "s", "m", "at", "d", "p"]
    )
    read = spark.sql("SELECT id, n, x, s, m, at, d, p FROM t")
    assert_same(read, expected)
    assert [(f.name, f.dataType.simpleString()) for f in spark.table("t").schema] == [
        (f.name, f.dataType.simpleString()) for f in spark.read.parquet(str(source)).schema
    ]
    meta = spark.sql(f"SELECT {META}, id, p, _hoodie_file_name FROM t").collect()
    assert len({r._hoodie_commit_seqno for r in meta}) == 1000
    names = {s.path.name for s in layout.latest_slices(base)}
    for r in meta:
        folder = "__HIVE_DEFAULT_PARTITION__" if r.p is None else r.p
        assert (r._hoodie_commit_time, r._hoodie_record_key) == (ADOPTED, r.id)
        assert r._hoodie_partition_path == f"p={folder}"
        assert r._hoodie_file_name in names
    assert state(source) == before
    found = spark.sql("CALL verify(table => 't', level => 'rows')").collect()
    assert [r for r in found if r.severity != "INFO"] == []


@ROTATED
def test_skeletons_are_cut_as_their_sources(spark: SparkSession, database: Path) -> None:
    source = database / "source"
    source.mkdir()
    keys = [f"key-{i:05}" for i in range(500)]
    random.Random(asked_seed()).shuffle(keys)
    table = pa.table({"id": keys, "v": range(500)})
    pq.write_table(table.slice(0, 450), source / "a.parquet", row_group_size=70)
    pq.write_table(table.slice(450, 50), source / "b.parquet")
    call(spark, table="t", source=str(source), key="id")
    found = {}
    for skeleton in layout.latest_slices(database / "t"):
        file = pq.ParquetFile(skeleton.path)
        groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
        found[tuple(groups)] = (file.read()["_hoodie_record_key"].to_pylist(), skeleton.path)
    assert found[(70,) * 6 + (30,)][0] == keys[:450]
    small, path = found[(50,)]
    assert small == keys[450:]
    assert path.stat().st_size < 10240


@pytest.mark.fault("F75")
@pytest.mark.parametrize("merges", [False, True])
def test_statements_change_an_adopted_table(
    spark: SparkSession, database: Path, merges: bool
) -> None:
    source = Path(written(spark, database / "source"))
    before = state(source)
    call(spark, table="t", source=str(source), key="id")
    rows = spark.read.parquet(str(source)).selectExpr(["id", "n", "x", "s", "m", "at", "d", "p"])
    if merges:
        spark.sql(
            "MERGE INTO t USING (SELECT *, 'new' why FROM t WHERE n = 3 UNION ALL "
            "SELECT 'fresh', n, x, s, m, at, d, p, '' FROM t WHERE id = 'k000007') s "
            "ON t.id = s.id AND t.p <=> s.p WHEN MATCHED THEN UPDATE SET x = -1.0 "
            "WHEN NOT MATCHED THEN INSERT *"
        )
        kept = rows.selectExpr(
            "id", "n", "IF(n = 3, -1.0, x) x", *["s", "m", "at", "d", "p"]
        ).union(rows.where("id = 'k000007'").selectExpr("'fresh'", *rows.columns[1:]))
    else:
        spark.sql("DELETE FROM t WHERE n < 5 AND p = 1")
        spark.sql("UPDATE t SET n = 100 WHERE p IS NULL")
        spark.sql("INSERT INTO t SELECT 'added', n, x, s, m, at, d, 77 FROM t WHERE id = 'k000014'")
        kept = (
            rows.where("NOT (n < 5 AND p <=> 1)")
            .selectExpr("id", "IF(p IS NULL, 100, n) n", *rows.columns[2:])
            .union(rows.where("id = 'k000014'").selectExpr("'added'", *rows.columns[1:-1], "77"))
        )
    assert_same(spark.sql("SELECT id, n, x, s, m, at, d, p FROM t"), kept)
    assert state(source) == before


@ROTATED
def test_partitions_keep_the_values_that_spark_gives_them(
    spark: SparkSession, database: Path
) -> None:
    source = database / "source"
    part = 0
    for p in ("01", "7", "__HIVE_DEFAULT_PARTITION__"):
        for q in ("a%2Fb", "x y", "é"):
            folder = source / f"p={p}" / f"q={q}"
            folder.mkdir(parents=True)
            pq.write_table(
                pa.table({"id": [part * 10 + i for i in range(5)]}), folder / "f.parquet"
            )
            part += 1
    (row,) = call(spark, table="t", source=str(source), key="id")
    assert (row.files_adopted, row.rows) == (9, 45)
    plain = spark.read.parquet(str(source))
    assert [f.dataType.simpleString() for f in spark.table("t").schema] == [
        "bigint",
        "int",
        "string",
    ]
    assert_same(spark.table("t"), plain)
    folders = set(layout.partitions(database / "t"))
    assert {f.split("/")[0] for f in folders} == {"p=1", "p=7", "p=__HIVE_DEFAULT_PARTITION__"}
    assert {f.split("/")[1] for f in folders} == {"q=a%2Fb", "q=x y", "q=é"}
    spark.sql("INSERT INTO t VALUES (1000, 1, 'a/b')")
    spark.sql("UPDATE t SET id = id WHERE p = 1")
    assert spark.sql("SELECT count(*) n FROM t WHERE p = 1 AND q = 'a/b'").first().n == 6


@ROTATED
def test_sources_of_other_writers(spark: SparkSession, database: Path) -> None:
    source = database / "source"
    source.mkdir()
    fields = [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("at", pa.timestamp("ms")),
        pa.field("utc", pa.timestamp("us", tz="UTC")),
        pa.field("tags", pa.list_(pa.string())),
        pa.field("amount", pa.decimal128(30, 4)),
        pa.field("u", pa.uint32()),
        pa.field("word", pa.dictionary(pa.int32(), pa.string())),
    ]
    for n, options in enumerate(
        (
            {"version": "2.6", "data_page_version": "2.0", "use_dictionary": False},
            {"version": "1.0", "use_dictionary": True, "compression": "gzip"},
            {"compression": "zstd", "write_statistics": False, "row_group_size": 33},
        )
    ):
        ids = range(n * 100, n * 100 + 100)
        table = pa.table(
            {
                "id": ids,
                "name": [f"n{i}" for i in ids],
                "at": list(ids),
                "utc": list(ids),
                "tags": [None if i % 3 else [str(i), "é"] for i in ids],
                "amount": [None if i % 4 else i for i in ids],
                "u": [i + (1 << 31) for i in ids],
                "word": [f"w{i % 5}" for i in ids],
            },
            schema=pa.schema(fields),
        )
        pq.write_table(table, source / f"f{n}.parquet", **options)
    for key in ("name", "id", "id, name"):
        name = "t_" + key.replace(", ", "_")
        (row,) = call(spark, table=name, source=str(source), key=key)
        assert row.rows == 300
        assert_same(spark.table(name), spark.read.parquet(str(source)))
        schema = spark.table(name).schema
        assert not schema["id"].nullable, "a required column stays required"
        assert not schema["name"].nullable
        keys = spark.sql(f"SELECT _hoodie_record_key k, id, name FROM {name}").collect()
        for r in keys:
            texts = {"name": r.name, "id": str(r.id), "id, name": f"id:{r.id},name:{r.name}"}
            assert r.k == texts[key]
        merged = f"MERGE INTO {name} t USING {name} s ON t.id = s.id AND t.name = s.name"
        assert spark.sql(f"{merged} WHEN MATCHED THEN DELETE").first().num_deleted_rows == 300


@ROTATED
def test_both_ways_make_one_table_by_one_number(spark: SparkSession, database: Path) -> None:
    source = Path(written(spark, database / "source"))
    before = state(source)
    (row,) = call(
        spark, table="t", source=str(source), key="id", full_partitions="p >= 1", partitions="p < 3"
    )
    assert (row.files_adopted, row.rows, row.instant) == (2, 750, REWRITTEN)
    assert row.files_rewritten == 4
    base = database / "t"
    assert set(layout.completed(base)) == {ADOPTED, REWRITTEN}
    assert list(why.read(base, ADOPTED).phases) == ["merging", "committing"]
    found = why.read(base, REWRITTEN)
    assert list(found.phases) == ["planning", "tagging", "merging", "committing"]
    assert (found.totals.rows_inserted, found.unrecorded) == (500, ())
    numbers = base / ".hoodie" / ".hudilite" / "commits"
    assert len([p for p in numbers.iterdir() if "-" not in p.name and p.name[0] == "0"]) == 1
    rows = spark.read.parquet(str(source)).where("p < 3")
    assert_same(spark.sql("SELECT id, n, x, s, m, at, d, p FROM t"), rows)
    times = spark.sql("SELECT DISTINCT p, _hoodie_commit_time c FROM t").collect()
    assert {(r.p, r.c) for r in times} == {(0, ADOPTED), (1, REWRITTEN), (2, REWRITTEN)}
    spark.sql("INSERT INTO t SELECT concat(id, '+'), n, x, s, m, at, d, 9 FROM t WHERE p = 0")
    assert spark.table("t").count() == 1000
    assert state(source) == before


@ROTATED
def test_full_mode_writes_buckets_and_other_partitions(spark: SparkSession, database: Path) -> None:
    source = written(spark, database / "source")
    (row,) = call(
        spark, table="t", source=source, key="id", mode="full", buckets=4, partitioned_by="n"
    )
    assert (row.files_adopted, row.rows, row.instant) == (0, 1000, REWRITTEN)
    assert_same(
        spark.table("t").select("id", "n", "p"), spark.read.parquet(source).select("id", "n", "p")
    )
    assert {s.bucket for s in layout.latest_slices(database / "t")} == {0, 1, 2, 3}
    assert layout.partitions(database / "t") == sorted(f"n={i}" for i in range(13))


@ROTATED
def test_a_dry_run_reports_and_writes_nothing(spark: SparkSession, database: Path) -> None:
    source = database / "source"
    source.mkdir()
    good = pa.table({"id": ["a", "b", "c"], "v": [1, 2, 3]})
    pq.write_table(good, source / "good.parquet")
    pq.write_table(pa.table({"id": ["d", None, None], "v": [1, 2, 3]}), source / "null.parquet")
    pq.write_table(pa.table({"id": ["e", "e", "a"], "v": [1, 2, 3]}), source / "twice.parquet")
    pq.write_table(good.slice(0, 0), source / "empty.parquet")
    (source / "broken.parquet").write_bytes(b"PAR1 no Parquet PAR1")
    pq.write_table(pa.table({"v": [1]}), source / "keyless.parquet")
    found = {
        Path(r.file).name: r
        for r in call(spark, table="t", source=str(source), key="id", dry_run=True)
    }
    assert not (database / "t").exists()
    told = {
        name: (r.action, r.rows, r.null_keys, r.duplicate_keys, r.bytes_to_write is None)
        for name, r in found.items()
    }
    assert told == {
        "good.parquet": ("refuse", 3, 0, 1, True),
        "null.parquet": ("refuse", 3, 2, 0, True),
        "twice.parquet": ("refuse", 3, 0, 3, True),
        "empty.parquet": ("refuse", 0, 0, 0, True),
        "broken.parquet": ("refuse", None, None, None, True),
        "keyless.parquet": ("refuse", 1, 0, 0, True),
    }
    for name in ("null", "twice", "broken", "keyless"):
        (source / f"{name}.parquet").unlink()
    dry = call(spark, table="t", source=str(source), key="id", dry_run=True)
    (good_row,) = [r for r in dry if r.action == "adopt"]
    call(spark, table="t", source=str(source), key="id")
    (skeleton,) = layout.latest_slices(database / "t")
    # compressed, with the file's name in its rows, whose digits are others each time
    assert abs(good_row.bytes_to_write - skeleton.path.stat().st_size) <= 8


@ROTATED
def test_the_source_may_be_a_table(spark: SparkSession, database: Path) -> None:
    spark.sql("CREATE TABLE src (id STRING, v INT, p STRING) USING parquet PARTITIONED BY (p)")
    spark.sql("INSERT INTO src SELECT CAST(id AS STRING), id, id % 3 FROM range(30)")
    call(spark, table="t", source="src", key="id", parallelism=1)
    assert_same(spark.table("t"), spark.table("src"))
    assert spark.table("t").schema["p"].dataType.simpleString() == "string"


@ROTATED
@pytest.mark.fault("F69", "F70", "F71", "F72", "F73")
def test_bad_input_is_refused_before_anything_is_left(spark: SparkSession, database: Path) -> None:
    source = database / "source"
    source.mkdir()
    pq.write_table(pa.table({"id": ["a", "b"], "f": [1.0, 2.0]}), source / "one.parquet")
    good = {"table": "t", "source": str(source), "key": "id"}

    def refused(condition: str, **changed: object) -> str:
        error = str(fails(spark, condition, **(good | changed)))
        assert not (database / "t").exists()
        assert not spark.catalog.tableExists("t")
        return error

    refused(INVALID, source=str(database / "absent"))
    refused(INVALID, source="no_such_table")
    refused(INVALID, source=str(source / "one.parquet"))
    empty = database / "empty"
    empty.mkdir()
    refused(INVALID, source=str(empty))
    refused("HUDILITE_KEY_COLUMN_INVALID", key="nothing")
    refused("HUDILITE_KEY_COLUMN_INVALID", key="f")
    refused("HUDILITE_KEY_COLUMN_INVALID", key="id, id")
    refused(ARGUMENT, key="")
    refused(ARGUMENT, buckets=3)
    refused(ARGUMENT, mode="other")
    refused(ARGUMENT, parallelism=0)
    refused(ARGUMENT, partitions="p = 1")
    refused(ARGUMENT, partitioned_by="f")
    refused(ARGUMENT, mode="full", full_partitions="p = 1")
    refused(ARGUMENT, table="a.b.c.d")
    refused(INVALID, location=str(source / "below"))
    refused(INVALID, location=str(database))
    broken = source / "two.parquet"
    broken.write_bytes(b"no Parquet")
    assert broken.name in refused(INVALID)
    (row,) = call(spark, **(good | {"skip_corrupt": True}))
    assert (row.files_adopted, row.files_refused, row.rows) == (1, 1, 2)
    fails(spark, "TABLE_OR_VIEW_ALREADY_EXISTS", **good)
    spark.sql("DROP TABLE t")
    broken.unlink()
    nested = source / "plain"
    nested.mkdir()
    (source / "one.parquet").rename(nested / "one.parquet")
    refused(INVALID)
    (nested / "one.parquet").rename(source / "one.parquet")
    pq.write_table(pa.table({"id": ["c"], "f": ["text"]}), source / "two.parquet")
    told = refused(INVALID)
    assert "one.parquet" in told and "two.parquet" in told
    pq.write_table(pa.table({"id": [3], "f": [1.0]}), source / "two.parquet")
    refused("HUDILITE_KEY_COLUMN_INVALID")
    pq.write_table(pa.table({"id": [None, "z"], "f": [1.0, 2.0]}), source / "two.parquet")
    refused("HUDILITE_NULL_KEY")
    keys = [f"d{i:02}" for i in range(20)]
    pq.write_table(pa.table({"id": keys * 2, "f": [1.0] * 40}), source / "two.parquet")
    told = refused("HUDILITE_DUPLICATE_KEY")
    assert "d09" in told and "d10" not in told and "20" in told
    for kept in ("_delta_log", ".hoodie"):
        (source / kept).mkdir()
        refused(INVALID)
        (source / kept).rmdir()


@ROTATED
def test_folders_that_a_late_task_leaves_are_no_obstacle(
    spark: SparkSession, database: Path
) -> None:
    source = database / "source"
    source.mkdir()
    pq.write_table(pa.table({"id": ["a"], "v": [1]}), source / "one.parquet")
    (database / "t" / "p=a").mkdir(parents=True)
    (database / "t" / ".hoodie" / ".temp" / ADOPTED / "p=a").mkdir(parents=True)
    (row,) = call(spark, table="t", source=str(source), key="id")
    assert (row.rows, spark.table("t").count()) == (1, 1)


@ROTATED
@pytest.mark.fault("F69")
def test_columns_that_some_files_lack_are_null_there(spark: SparkSession, database: Path) -> None:
    source = database / "source"
    source.mkdir()
    pq.write_table(pa.table({"id": ["a"], "v": [1]}), source / "one.parquet")
    pq.write_table(pa.table({"id": ["b"], "w": ["x"]}), source / "two.parquet")
    call(spark, table="t", source=str(source), key="id")
    found = spark.sql("SELECT id, v, w FROM t ORDER BY id").collect()
    assert [tuple(r) for r in found] == [("a", 1, None), ("b", None, "x")]
    spark.sql("UPDATE t SET v = 2")
    found = spark.sql("SELECT id, v, w FROM t ORDER BY id").collect()
    assert [tuple(r) for r in found] == [("a", 2, None), ("b", 2, "x")]


@ROTATED
def test_a_first_file_without_rows_does_not_decide_the_columns(
    spark: SparkSession, database: Path
) -> None:
    """pandas gives columns without a value the type null."""
    source = database / "source"
    source.mkdir()
    empty = pa.table({name: pa.array([], pa.null()) for name in ("id", "v")})
    pq.write_table(empty, source / "1.parquet")
    pq.write_table(pa.table({"id": [1, 2], "v": ["a", "b"]}), source / "2.parquet")
    call(spark, table="t", source=str(source), key="id")
    assert sorted(map(tuple, spark.table("t").collect())) == [(1, "a"), (2, "b")]


@ROTATED
def test_settings_that_pass_over_damage_do_not_hold_for_a_bootstrap(
    spark: SparkSession, database: Path
) -> None:
    source = database / "source"
    source.mkdir()
    path, noise = source / "1.parquet", random.Random(7).randbytes
    rows = pa.table({"id": list(range(1000)), "v": [noise(50) for _ in range(1000)]})
    pq.write_table(rows, path, compression="snappy", use_dictionary=False)
    chunk = pq.read_metadata(path).row_group(0).column(1)
    content = bytearray(path.read_bytes())
    first = chunk.data_page_offset
    content[first : first + 2000] = bytes(2000)  # no page begins there any more
    path.write_bytes(content)
    spark.conf.set("spark.sql.files.ignoreCorruptFiles", "true")
    try:
        with pytest.raises(Exception, match="FAILED_READ_FILE"):
            call(spark, table="t", source=str(source), key="id", mode="full")
    finally:
        spark.conf.unset("spark.sql.files.ignoreCorruptFiles")
    assert not spark.catalog.tableExists("t")


@ROTATED
def test_pages_with_a_wrong_version_in_the_footer_are_inspected(
    spark: SparkSession, database: Path
) -> None:
    """pyarrow says in the footer that its pages of version 2 are of version 1."""
    source = database / "source"
    source.mkdir()
    rows = pa.table({"id": [f"k{i}" for i in range(1000)], "v": range(1000)})
    options = {"data_page_version": "2.0", "use_dictionary": False, "compression": "snappy"}
    pq.write_table(rows, source / "two.parquet", **options)
    call(spark, table="t", source=str(source), key="id")
    merge = (
        "MERGE INTO t USING (SELECT 'k7' id, -1 v UNION ALL SELECT 'new', -2) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    done = spark.sql(merge).first()
    assert (done.num_updated_rows, done.num_inserted_rows) == (1, 1)
    assert spark.sql("SELECT id FROM t WHERE v < 0 ORDER BY v").collect() == [("new",), ("k7",)]


@ROTATED
@pytest.mark.fault("F67", "F68")
def test_the_source_is_what_it_was_when_it_was_adopted(spark: SparkSession, database: Path) -> None:
    source = database / "source"
    source.mkdir()
    pq.write_table(pa.table({"id": ["a", "b"], "v": [1, 2]}), source / "one.parquet")
    call(spark, table="t", source=str(source), key="id")
    later = pa.table({"id": ["c", "d", "e"], "v": [3, 4, 5]})
    pq.write_table(later, source / "two.parquet")
    assert [r.id for r in spark.sql("SELECT id FROM t ORDER BY id").collect()] == ["a", "b"]
    pq.write_table(later, source / "one.parquet")
    for columns in ("*", "_hoodie_record_key, v"):
        with pytest.raises(PySparkException) as changed:
            spark.sql(f"SELECT {columns} FROM t").collect()
        assert changed.value.getCondition() == "HUDILITE_SOURCE_CHANGED"
    found = spark.sql("CALL verify(table => 't')").collect()
    assert "SOURCE_CHANGED" in {row.code for row in found}
