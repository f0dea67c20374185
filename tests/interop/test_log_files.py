"""Merge-on-read tables that hudilite makes: its log files are read, changed and compacted by stock Hudi."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

from harness import layout
from harness.adopted import stock_writes
from harness.canonical import assert_same_tables
from harness.merge_on_read import MERGE_ON_READ
from harness.rotation import product
from harness.rust import read_rust
from harness.stock import writer_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from harness.stock import StockSpark

pytestmark = pytest.mark.rotated(
    rare=True, by="test", when=product("spark/write/", "core/format/", "core/timeline/")
)
COLUMNS = (
    "id STRING NOT NULL, p STRING, ts BIGINT, v STRING, n INT, d DECIMAL(9,2), day DATE, "
    "at TIMESTAMP, s STRUCT<a: BIGINT, b: ARRAY<STRING>>, PRIMARY KEY (id)"
)
VALUES = (
    "concat('k', x) id, if(x % 2 = 0, 'b', 'a') p, {ts}L ts, if(x % 7 = 6, NULL, concat('{word} ', x)) v, "
    "if(x % 7 = 6, NULL, CAST(x AS INT)) n, CAST(x / 4 AS DECIMAL(9,2)) d, "
    "date_add(DATE'2020-01-01', CAST(x AS INT)) day, timestamp_micros(x * 1000003) at, "
    "named_struct('a', x, 'b', array('{word}', CAST(x AS STRING))) s"
)
LATER = range(1, 5)


def source(spark: SparkSession, numbers: str, word: str, ts: int) -> pa.Table:
    """Rows of some numbers, which are the view `s`, too."""
    rows = spark.sql(
        f"SELECT {VALUES.format(word=word, ts=ts)} FROM (SELECT id x FROM range({numbers}))"
    )
    rows.createOrReplaceTempView("s")
    return rows.toArrow()


def logs(base: Path) -> list[Path]:
    return sorted(base.rglob(".*.log.*"))


def folded(table: dict[str, dict[str, Any]], rows: pa.Table, ordered: bool) -> None:
    for row in rows.to_pylist():
        old = table.get(row["id"])
        if not ordered or old is None or row["ts"] >= old["ts"]:
            table[row["id"]] = row


def assert_all_read(
    spark: SparkSession, stock: StockSpark, base: Path, expected: dict[str, dict[str, Any]]
) -> None:
    by_stock = stock.read(base)
    names = by_stock.column_names
    own = spark.sql(f"SELECT {', '.join(names)} FROM t").toArrow()
    assert_same_tables(by_stock, own, names, "hudilite")
    plain = [name for name in names if not name.startswith("_hoodie_")]
    rows = pa.Table.from_pylist(list(expected.values()), schema=own.select(plain).schema)
    assert_same_tables(rows, own, plain, "the statements")
    flat = ["_hoodie_commit_time", "_hoodie_record_key", "id", "p", "ts", "v", "n", "d"]
    assert_same_tables(own.select(flat), read_rust(base).select(flat), flat, "hudi-rs")


@pytest.mark.parametrize("version", [6, 9])
@pytest.mark.parametrize("ordered", [False, True], ids=["commit_time", "event_time"])
def test_log_files_of_hudilite_are_those_of_hudi(
    spark: SparkSession, stock: StockSpark, database: Path, version: int, *, ordered: bool
) -> None:
    base = database / "t"
    ordering = "preCombineField = 'ts', " if ordered else ""
    spark.sql(
        f"CREATE TABLE t ({COLUMNS}) USING hudilite WITH BUCKETS 2 PARTITIONED BY (p) "
        f"TBLPROPERTIES ({ordering}type = 'mor', hoodie.table.version = '{version}')"
    )
    assert layout.properties(base)["hoodie.table.type"] == "MERGE_ON_READ"
    table: dict[str, dict[str, Any]] = {}
    folded(table, source(spark, "0, 1200", "one", 10), ordered)
    spark.sql("INSERT INTO t SELECT * FROM s")
    assert not logs(base)
    for n in LATER:
        rows = source(spark, f"{100 * n}, {100 * n + 300}, 3", f"merged {n}", 8 + n)
        folded(table, rows, ordered)
        spark.sql(
            "MERGE INTO t USING s ON t.p = s.p AND t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )
        spark.sql(f"DELETE FROM t WHERE n % 50 = {n}")
        for key in [k for k, row in table.items() if row["n"] is not None and row["n"] % 50 == n]:
            del table[key]
        assert_all_read(spark, stock, base, table)
    spark.sql("UPDATE t SET v = 'late', ts = 1 WHERE n % 40 = 7")
    for row in table.values():
        if row["n"] is not None and row["n"] % 40 == 7:
            row |= {"v": "late", "ts": 1}
    assert len(logs(base)) >= 4 * len(LATER) / (2 if ordered else 1)
    assert_all_read(spark, stock, base, table)
    added = source(spark, "100, 1400, 5", "stock", 20)
    options = writer_options("t", 2) | MERGE_ON_READ
    options |= {"hoodie.write.table.version": str(version), "hoodie.write.auto.upgrade": "false"}
    stock_writes(stock, base, added, options)
    folded(table, added, ordered)
    assert_all_read(spark, stock, base, table)
    spark.sql("DELETE FROM t WHERE n % 9 = 4")
    for key in [k for k, row in table.items() if row["n"] is not None and row["n"] % 9 == 4]:
        del table[key]
    assert_all_read(spark, stock, base, table)
    for instant in sorted(layout.completed(base)):
        by_stock = stock.read(base, **{"as.of.instant": instant})
        own = spark.sql(f"SELECT * FROM t VERSION AS OF '{instant}'").toArrow()
        assert_same_tables(by_stock.select(own.column_names), own, None, instant)


def garbled(base: Path) -> None:
    """Overwrites base and log files by bytes that are not theirs, of equal length."""
    for file in [*base.rglob("*.parquet"), *logs(base)]:
        file.write_bytes(b"x" * file.stat().st_size)
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)


def test_a_blind_merge_reads_no_file_of_the_table(spark: SparkSession, database: Path) -> None:
    base = database / "t"
    spark.sql(
        "CREATE TABLE t (id INT, v INT, gone BOOLEAN, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 "
        "TBLPROPERTIES (type = 'mor')"
    )
    spark.sql("INSERT INTO t SELECT id, 0, false FROM range(100)")
    merge = (
        "MERGE INTO t USING (SELECT CAST(id AS INT) id, {v} v, id % 3 = 0 gone FROM range({ids})) s "
        "ON t.id = s.id WHEN MATCHED AND s.gone THEN DELETE WHEN MATCHED{condition} THEN UPDATE SET * "
        "WHEN NOT MATCHED AND NOT s.gone THEN INSERT *"
    )
    blind = merge.format(v=1, ids="50, 150", condition="")
    assert "blind:" in spark.sql(f"EXPLAIN {blind}").first()[0]
    assert list(spark.sql(blind).first()) == [None, None, None, None]
    assert len(logs(base)) == 4
    expected = [(n, int(n >= 50)) for n in range(150) if n < 50 or n % 3]
    assert [tuple(r) for r in spark.sql("SELECT id, v FROM t ORDER BY id").collect()] == expected
    upsert = (
        "MERGE INTO t USING (SELECT 7 id, 2 v, false gone) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    assert list(spark.sql(upsert).first()) == [1, None, 0, None]
    twice = upsert.replace(
        "SELECT 7 id, 2 v, false gone", "SELECT 7 id, v, false gone FROM range(2) r(v)"
    )
    with pytest.raises(PySparkException) as fault:
        spark.sql(twice).collect()
    assert fault.value.getCondition() == "HUDILITE_MERGE_CARDINALITY"
    reading = merge.format(v=3, ids="10", condition=" AND t.v < s.v")
    assert "blind:" not in spark.sql(f"EXPLAIN {reading}").first()[0]
    garbled(base)
    assert list(spark.sql(upsert).first()) == [1, None, 0, None]
    with pytest.raises(PySparkException) as fault:
        spark.sql(reading).collect()
    assert fault.value.getCondition() == "HUDILITE_CORRUPT_DATA_FILE"


def test_a_bucket_gets_a_base_file_when_it_has_many_log_files(
    spark: SparkSession, database: Path
) -> None:
    base = database / "t"
    spark.sql(
        "CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 16 "
        "TBLPROPERTIES (type = 'mor')"
    )
    spark.sql("INSERT INTO t SELECT id, 0 FROM range(400)")
    count = dict.fromkeys((file.name.split("-")[0] for file in base.glob("*.parquet")), 0)
    promoted = dict.fromkeys(count, 0)
    assert len(count) == 16
    for n in range(1, 30):
        made = Counter[bool]()
        for bucket in count:
            turn = (n + int(bucket)) % 12 == 0  # n commits are there before
            makes = count[bucket] >= 16 or (count[bucket] >= 8 and turn)
            count[bucket] = 0 if makes else count[bucket] + 1
            promoted[bucket] += makes
            made[makes] += 1
        assert n < 21 or made[True] in {1, 2}, n
        spark.sql(
            f"MERGE INTO t USING (SELECT CAST(id AS INT) id, {n} v FROM range(400)) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )
        written = Counter(file.name.lstrip(".").split("-")[0] for file in logs(base))
        bases = Counter(file.name.split("-")[0] for file in base.glob("*.parquet"))
        for bucket, times in promoted.items():
            assert (written[bucket], bases[bucket]) == (n - times, 1 + times), (n, bucket)
        assert [row.asDict() for row in spark.sql("SELECT DISTINCT v FROM t").collect()] == [
            {"v": n}
        ]
    assert set(layout.completed(base).values()) == {"deltacommit"}


def test_with_an_ordering_field_neither(spark: SparkSession, database: Path) -> None:
    base = database / "t"
    spark.sql(
        "CREATE TABLE t (id INT, v INT, ts INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 "
        "TBLPROPERTIES (type = 'mor', preCombineField = 'ts')"
    )
    spark.sql("INSERT INTO t SELECT id, 0, 10 FROM range(100)")
    kept = {file: file.read_bytes() for file in base.rglob("*.parquet")}
    garbled(base)
    merge = (
        "MERGE INTO t USING (SELECT CAST(id AS INT) id, 1 v, if(id % 2 = 0, 11, 9) ts FROM range(50, 150)) s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    plan = spark.sql(f"EXPLAIN {merge}").first()[0]
    assert "blind" in plan
    assert list(spark.sql(merge).first()) == [None, None, 0, None]
    assert len(logs(base)) == len(kept) > 1
    for file, content in kept.items():
        file.write_bytes(content)
    found = {row.id: (row.v, row.ts) for row in spark.sql("SELECT * FROM t").collect()}
    for n in range(150):
        is_new = n >= 100 or (n >= 50 and n % 2 == 0)
        assert found[n] == ((1, 11 if n % 2 == 0 else 9) if is_new else (0, 10)), n
