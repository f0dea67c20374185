"""Counts, least and greatest values that footers tell: the same answers as the rows', and no row is read."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.faults import run_statement
from harness.rotation import product
from harness.seeds import asked_seed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(by="test", when=product("spark/read/"))
STATED = {
    "bo": ("BOOLEAN", "id % 2 = 0"),
    "ti": ("TINYINT", "CAST(id % 200 - 100 AS TINYINT)"),
    "sm": ("SMALLINT", "CAST(id * 100 - 10000 AS SMALLINT)"),
    "it": ("INT", "CAST(id * 1000003 - 100000000 AS INT)"),
    "bi": ("BIGINT", "id * 1000003000001 - 7"),
    "da": ("DATE", "date_from_unix_date(CAST(id * 997 - 90000 AS INT))"),
    "ts": ("TIMESTAMP", "timestamp_micros(id * 5400000001 - 1730600000000000)"),
    "tn": ("TIMESTAMP_NTZ", "CAST(timestamp_micros(id * 54000001 - 7) AS TIMESTAMP_NTZ)"),
}
COUNTED = {
    "fl": (
        "FLOAT",
        "CAST(CASE id % 5 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0.0' ELSE string(id) END AS FLOAT)",
    ),
    "db": (
        "DOUBLE",
        "CAST(CASE id % 3 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0.0' ELSE '0.0' END AS DOUBLE)",
    ),
    "dc": ("DECIMAL(20, 9)", "CAST((id - 100) / 1000000BD AS DECIMAL(20, 9))"),
    "st": ("STRING", "concat(repeat('ж', 3000), id)"),
    "bn": ("BINARY", "CAST(concat('b', id, 'é') AS BINARY)"),
    "ch": ("CHAR(5)", "CAST(id AS STRING)"),
}
NESTED = {"ar": ("ARRAY<INT>", "array(1, NULL)"), "ro": ("STRUCT<a: INT>", "named_struct('a', 1)")}
AT_ONCE = 8
KINDS = {"buckets": "WITH BUCKETS 3", "bloom": ""}


@contextmanager
def switched_off(spark: SparkSession) -> Iterator[None]:
    """Whoever lets missing files pass wants the scan."""
    spark.conf.set("spark.sql.files.ignoreMissingFiles", "true")
    try:
        yield
    finally:
        spark.conf.unset("spark.sql.files.ignoreMissingFiles")


def ran(spark: SparkSession, queries: list[str]) -> tuple[int, list[str]]:
    """How many of the queries ask footers, and the rows of all, each as a text behind its query."""
    texts = [f"SELECT {n} n, string(struct(*)) row FROM ({q})" for n, q in enumerate(queries)]
    frame = spark.sql(" UNION ALL ".join(texts))
    found = sorted(f"{queries[n]}: {row}" for n, row in frame.collect())
    run: Any = frame._jdf.queryExecution()
    # The plan that adaptive execution began with: it takes out what proves to be empty.
    plan = str(run.simpleString()).rpartition("Initial Plan")[2]
    return plan.count("pushed aggregates"), found


def hold(spark: SparkSession, *queries: str, pushed: bool = True) -> None:
    """Fails unless the footers are asked as they should, and the rows say the same."""
    for start in range(0, len(queries), AT_ONCE):
        some = list(queries[start : start + AT_ONCE])
        told, found = ran(spark, some)
        assert told == (len(some) if pushed else 0), some
        with switched_off(spark):
            assert ran(spark, some) == (0, found)


@pytest.fixture(params=KINDS)
def table(spark: SparkSession, database: Path, request: pytest.FixtureRequest) -> str:
    """Rows of all types with nulls among them, in partitions of two columns; merged, deleted, grown."""
    rng = random.Random(asked_seed())
    columns = STATED | COUNTED | NESTED
    declared = ", ".join(f"{name} {kind}" for name, (kind, _) in columns.items())
    values = ", ".join(
        f"IF((id * {rng.randrange(1, 7)}) % 7 < {rng.randrange(4)}, NULL, {v}) {name}"
        for name, (_, v) in columns.items()
    )
    spark.sql(
        f"CREATE TABLE t (id BIGINT, {declared}, p STRING, d DATE, PRIMARY KEY (id)) "
        f"USING hudilite PARTITIONED BY (p, d) {KINDS[request.param]}"
    )
    part = "IF(id % 3 = 0, NULL, concat('p', id % 3)) p, date_add(DATE '2026-01-30', int(id % 2)) d"
    spark.sql(f"INSERT INTO t SELECT id, {values}, {part} FROM range(120)")
    spark.sql(f"DELETE FROM t WHERE id % 11 = {rng.randrange(11)} OR p = 'p2' AND id % 2 = 0")
    changed = f"SELECT id, {values}, {part} FROM range(90, 150) WHERE id % 3 = {rng.randrange(3)}"
    spark.sql(
        f"MERGE INTO t USING ({changed}) s ON t.id = s.id AND t.p <=> s.p AND t.d = s.d "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    spark.sql("ALTER TABLE t ADD COLUMN added INT")
    spark.sql("UPDATE t SET added = id WHERE id % 13 = 5 AND p = 'p1'")
    return "t"


@ROTATED
def test_aggregates_from_footers_equal_those_from_rows(spark: SparkSession, table: str) -> None:
    names = [*STATED, "id", "d", "added"]
    bounds = ", ".join(f"min({c}), max({c}), count({c})" for c in names)
    counts = ", ".join(f"count({c})" for c in COUNTED if c != "ch")
    tails = ["", "GROUP BY p", "GROUP BY d, p", "GROUP BY d HAVING d > DATE '2026-01-30'"]
    tails += ["WHERE d = DATE '2026-01-31'", "WHERE d > DATE '2030-01-01'"]
    for asked in ("count(*)", f"count(*), {bounds}", f"{counts}, count(1), min(p), max(p)"):
        within = f"SELECT p, {asked} FROM t WHERE d IN (DATE '2026-01-31') GROUP BY p"
        hold(spark, *(f"SELECT {asked} FROM t {tail}" for tail in tails), within)
    with switched_off(spark):
        assert spark.sql("SELECT id FROM t WHERE d = DATE '2026-01-31'").collect()
    expression = "SELECT max(it) + count(*), min(it) FROM (SELECT it, d FROM t) GROUP BY d"
    hold(spark, expression, "SELECT DISTINCT d FROM t")


@ROTATED
def test_aggregates_that_footers_lack_are_computed_from_rows(
    spark: SparkSession, table: str
) -> None:
    hold(
        spark,
        *(f"SELECT min({name}), max({name}) FROM t" for name in COUNTED),
        *(f"SELECT count({name}) FROM t" for name in NESTED),
        "SELECT count(ro.a), min(ro.a) FROM t",
        "SELECT count(ch) FROM t",
        "SELECT count(*) FROM t WHERE it > 0",
        "SELECT count(*) FROM t WHERE d = DATE '2026-01-31' AND it > 0",
        "SELECT count(*) FROM t WHERE p IS NULL",  # where the empty text lies too
        "SELECT max(it) FROM t GROUP BY ti",
        "SELECT max(it) FROM t GROUP BY month(d)",
        "SELECT count(DISTINCT it) FROM t",
        "SELECT sum(it), avg(it) FROM t",
        "SELECT count(it, bi) FROM t",
        "SELECT count(*) FILTER (WHERE it > 0) FROM t",
        "SELECT max(it + 1) FROM t",
        "SELECT max(_hoodie_record_key), count(_hoodie_commit_time) FROM t",
        pushed=False,
    )


ASKED = "SELECT count(*), count(bi), min(it), max(it), min(da), max(bi) FROM t"


@ROTATED
def test_the_answers_are_pyarrows(spark: SparkSession, table: str, database: Path) -> None:
    slices = layout.latest_slices(database / "t")
    names = ["it", "bi", "da"]
    read = pa.concat_tables(pq.ParquetFile(of.path).read(columns=names) for of in slices)
    it, bi, da = ([v for v in read[name].to_pylist() if v is not None] for name in names)
    told = [read.num_rows, len(bi), min(it), max(it), min(da), max(bi)]
    assert list(spark.sql(ASKED).first()) == told


@ROTATED
def test_no_page_is_read(spark: SparkSession, table: str, database: Path) -> None:
    whole = spark.sql(ASKED).first()
    for found in layout.latest_slices(database / "t"):
        found.path.with_name(f".{found.path.name}.crc").unlink(missing_ok=True)
        footer = pq.ParquetFile(found.path).metadata
        groups = [footer.row_group(i) for i in range(footer.num_row_groups)]
        chunks = [g.column(c) for g in groups for c in range(g.num_columns)]
        with found.path.open("r+b") as file:
            file.seek(4)  # behind the magic bytes
            file.write(b"x" * sum(chunk.total_compressed_size for chunk in chunks))
    assert run_statement(spark, "SELECT * FROM t") is not None
    assert spark.sql(ASKED).first() == whole


def test_a_table_without_rows_has_none(spark: SparkSession, database: Path) -> None:
    spark.sql(
        "CREATE TABLE e (id INT, v INT, p INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)"
    )
    for emptied in (False, True):
        if emptied:
            spark.sql("INSERT INTO e VALUES (1, 2, 3)")
            spark.sql("DELETE FROM e WHERE v = 2")
        query = "SELECT count(*), count(v), min(v), max(p) FROM e"
        hold(spark, query, "SELECT p, count(*) FROM e GROUP BY p")
        assert list(spark.sql(query).first()) == [0, 0, None, None]
        assert spark.sql("SELECT p, count(*) FROM e GROUP BY p").collect() == []


VALUES: dict[str, list[int | None]] = {
    "whole": [3, None, 5],
    "silent": [-8, 7, None],
    "old": [19, None],
    "empty": [None, None],
}
OPTIONS: dict[str, dict[str, Any]] = {
    "silent": {"write_statistics": False},
    "old": {"use_deprecated_int96_timestamps": True},
}


@pytest.fixture
def source(spark: SparkSession, database: Path) -> Path:
    """Files that a table `a` adopts; one has no statistics, one times that have none."""
    folder = database / "source"
    for n, (name, found) in enumerate(VALUES.items()):
        (folder / f"p={n % 2}").mkdir(parents=True, exist_ok=True)
        rows = pa.table(
            {
                "id": [f"{name}{i}" for i in range(len(found))],
                "v": pa.array(found, pa.int32()),
                "at": pa.array(found, pa.timestamp("us", tz="UTC")),
            }
        )
        file = folder / f"p={n % 2}" / f"{name}.parquet"
        pq.write_table(rows, file, **OPTIONS.get(name, {}))
    spark.sql(f"CALL bootstrap(table => 'a', source => '{folder}', key => 'id')")
    return folder


@ROTATED
def test_aggregates_of_adopted_files_come_from_footers(spark: SparkSession, source: Path) -> None:
    query = "SELECT count(*), count(v), min(v), max(v), min(p), max(p) FROM a"
    found = [v for values in VALUES.values() for v in values]
    present = [v for v in found if v is not None]
    told = [len(found), len(present), min(present), max(present), 0, 1]
    assert list(spark.sql(query).first()) == told
    hold(
        spark,
        *(f"{query} {tail}" for tail in ("", "GROUP BY p", "WHERE p = 1", "WHERE p = 7")),
        "SELECT count(at), min(unix), max(unix) FROM (SELECT at, at unix FROM a)",
        "SELECT p, max(at) FROM a GROUP BY p",
    )
    spark.sql("UPDATE a SET v = 100 WHERE id = 'whole1'")
    assert list(spark.sql(query).first()) == [len(found), len(present) + 1, min(present), 100, 0, 1]


def fault(spark: SparkSession, query: str) -> str:
    found = run_statement(spark, query)
    assert found is not None, query
    return found.condition


@ROTATED
def test_a_changed_source_is_refused(spark: SparkSession, source: Path) -> None:
    file = source / "p=0" / "whole.parquet"
    pq.write_table(pa.table({"id": ["x"] * 4000, "v": pa.array([1] * 4000, pa.int32())}), file)
    for asked in ("count(*)", "max(v)"):
        assert fault(spark, f"SELECT {asked} FROM a") == "HUDILITE_SOURCE_CHANGED"


@ROTATED
def test_lost_and_damaged_files_have_the_names_of_a_scan(
    spark: SparkSession, table: str, database: Path
) -> None:
    file = layout.latest_slices(database / "t")[0].path
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    file.write_bytes(file.read_bytes()[:-9] + b"nopar1xyz")
    assert fault(spark, "SELECT count(*) FROM t") == "HUDILITE_CORRUPT_DATA_FILE"
    file.unlink()
    assert fault(spark, "SELECT max(it) FROM t") == "HUDILITE_MISSING_DATA_FILE"
