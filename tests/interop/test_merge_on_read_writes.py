"""Merge-on-read tables of stock Hudi that hudilite and stock Hudi write in turns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from harness import layout
from harness.adopted import merge, overlaid, stock_writes
from harness.canonical import assert_same_tables
from harness.merge_on_read import CASES, COMMIT, EVENT, ROWS, Case, LogTables, rows
from harness.rotation import product
from harness.rust import read_rust

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from harness.stock import StockSpark

pytestmark = pytest.mark.rotated(
    rare=True,
    by="test",
    when=product("core/view/", "core/commit/", "spark/merge/", "spark/locate/"),
)


def assert_all_read(
    spark: SparkSession, stock: StockSpark, base: Path, expected: pa.Table, case: Case
) -> None:
    """hudilite, stock Hudi and hudi-rs read these rows, and the meta columns alike."""
    by_stock = stock.read(base)
    names = by_stock.column_names
    own = spark.sql(f"SELECT {', '.join(names)} FROM t").toArrow()
    assert_same_tables(by_stock, own, names, "hudilite")
    assert_same_tables(expected, own, expected.column_names, "the statements")
    if case.blocks == "parquet":  # hudi-rs 0.5 does not read some of stock's Avro blocks
        flat = [name for name in expected.column_names if name != "s"]
        assert_same_tables(expected.select(flat), read_rust(base).select(flat), flat, "hudi-rs")


def of(table: pa.Table, kept: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(kept, schema=table.schema)


def hudilite_writes(spark: SparkSession, before: pa.Table, number: int) -> pa.Table:
    """MERGE, UPDATE, DELETE and INSERT on rows of bases and of log files.

    Returns:
        The rows of the table afterwards.
    """
    source = rows(range(250, ROWS + 100, 3), f"merged {number}", 20 * number)
    spark.createDataFrame(source).createOrReplaceTempView("s")
    spark.sql(
        "MERGE INTO t USING s ON t.p = s.p AND t.id = s.id "
        "WHEN MATCHED AND s.n % 5 = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET * "
        "WHEN NOT MATCHED THEN INSERT *"
    )
    known = {(row["p"], row["id"]) for row in before.to_pylist()}
    gone = {
        row["id"]
        for row in source.to_pylist()
        if (row["p"], row["id"]) in known and row["n"] is not None and row["n"] % 5 == 2
    }
    after = overlaid(before, source).to_pylist()
    after = [row for row in after if row["id"] not in gone]
    spark.sql("UPDATE t SET v = concat('set ', id), ts = ts + 1 WHERE n BETWEEN 400 AND 480")
    for row in after:
        if row["n"] is not None and 400 <= row["n"] <= 480:
            row |= {"v": f"set {row['id']}", "ts": row["ts"] + 1}
    spark.sql("DELETE FROM t WHERE n % 10 = 7")
    after = [row for row in after if row["n"] is None or row["n"] % 10 != 7]
    added = rows(range(5000 * number, 5000 * number + 60), "inserted", 3)
    spark.createDataFrame(added).createOrReplaceTempView("s")
    spark.sql("INSERT INTO t SELECT * FROM s")
    return of(before, after + added.to_pylist())


def stock_writes_again(stock: StockSpark, base: Path, before: pa.Table, case: Case) -> pa.Table:
    """An upsert of stock Hudi, some rows of which have a lower ordering value than those of the table.

    Returns:
        The rows of the table afterwards.
    """
    source = rows(range(200, 900, 2), "stock again", 15)
    stock_writes(stock, base, source, case.options)
    table = {(row["p"], row["id"]): row for row in before.to_pylist()}
    for row in source.to_pylist():
        old = table.get((row["p"], row["id"]))
        if case.rule != EVENT or old is None or row["ts"] >= old["ts"]:
            table[row["p"], row["id"]] = row
    return of(before, list(table.values()))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_hudilite_and_stock_write_in_turns(
    spark: SparkSession,
    stock: StockSpark,
    log_tables: LogTables,
    database: Path,
    tmp_path: Path,
    case: Case,
) -> None:
    base = tmp_path / "t"
    expected = log_tables.copy(base, case)
    before = layout.completed(base)
    buckets = "" if case.buckets is None else f"WITH BUCKETS {case.buckets}"
    spark.sql(f"CREATE TABLE t USING hudilite {buckets} LOCATION '{base}'")
    assert spark.sql("SHOW TBLPROPERTIES t ('type')").first()[1] == "mor"
    spark.conf.set("hoodie.datasource.write.table.type", "MERGE_ON_READ")
    expected = hudilite_writes(spark, expected, 1)
    spark.conf.unset("hoodie.datasource.write.table.type")
    assert_all_read(spark, stock, base, expected, case)
    ours = {time: action for time, action in layout.completed(base).items() if time not in before}
    assert list(ours.values()) == ["deltacommit"] * 4
    expected = stock_writes_again(stock, base, expected, case)
    assert_all_read(spark, stock, base, expected, case)
    expected = hudilite_writes(spark, expected, 2)
    assert_all_read(spark, stock, base, expected, case)
    assert case.version == int(layout.properties(base)["hoodie.table.version"])


def marked(numbers: range, word: str, ts: int, gone: int) -> pa.Table:
    """Rows, of four numbers in a row `gone` marked as deleted."""
    marks = pa.array([n % 4 < gone for n in numbers])
    return rows(numbers, word, ts).append_column("_hoodie_is_deleted", marks)


def without_marked(before: pa.Table, source: pa.Table) -> pa.Table:
    """The rows after an upsert: a row with a lower ordering value changes nothing."""
    table = {(row["p"], row["id"]): row for row in before.to_pylist()}
    for row in source.to_pylist():
        old = table.get((row["p"], row["id"]))
        if old is None or row["ts"] >= old["ts"]:
            table[row["p"], row["id"]] = row
            if row["_hoodie_is_deleted"]:
                del table[row["p"], row["id"]]
    return of(before, list(table.values()))


@pytest.mark.parametrize("kind", ["MERGE_ON_READ", "COPY_ON_WRITE"])
def test_both_delete_rows_that_are_marked(
    spark: SparkSession, stock: StockSpark, database: Path, tmp_path: Path, kind: str
) -> None:
    base = tmp_path / "t"
    case = Case(6, "parquet", 2, EVENT)
    options = case.options | {"hoodie.datasource.write.table.type": kind}
    expected = marked(range(ROWS), "one", 5, gone=0)
    stock_writes(stock, base, expected, options, "overwrite")
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS {case.buckets} LOCATION '{base}'")
    for source in (
        marked(range(100, ROWS + 100), "merged", 6, gone=2),
        marked(range(300), "late", 4, gone=3),
    ):
        merge(spark, "t", source, ("p", "id"))
        expected = without_marked(expected, source)
        assert_all_read(spark, stock, base, expected, case)
    source = marked(range(500, ROWS + 200), "stock", 7, gone=1)
    stock_writes(stock, base, source, options)
    expected = without_marked(expected, source)
    assert_all_read(spark, stock, base, expected, case)
    spark.sql("UPDATE t SET _hoodie_is_deleted = true WHERE n BETWEEN 700 AND 800")
    kept = [r for r in expected.to_pylist() if r["n"] is None or not 700 <= r["n"] <= 800]
    assert_all_read(spark, stock, base, of(expected, kept), case)


def test_rows_that_are_inserted_after_their_deletion_stay_one_row_to_stock(
    spark: SparkSession, stock: StockSpark, database: Path, tmp_path: Path
) -> None:
    """Stock's bloom index reads bases alone, where a row is until a compaction."""
    base = tmp_path / "t"
    case = Case(6, "parquet", None, COMMIT)
    first = rows(range(ROWS), "one", 5)
    stock_writes(stock, base, first, case.options, "overwrite")
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{base}'")
    spark.sql("DELETE FROM t WHERE n BETWEEN 200 AND 400")
    assert list(base.rglob(".*.log.*"))
    known = [row for row in rows(range(200, 401), "again", 6).to_pylist() if row["n"] is not None]
    again = of(first, known)
    spark.createDataFrame(again).createOrReplaceTempView("s")
    spark.conf.set("hoodie.parquet.small.file.limit", "0")
    spark.sql("INSERT INTO t SELECT * FROM s")
    spark.conf.unset("hoodie.parquet.small.file.limit")
    expected = overlaid(first, again)
    assert_all_read(spark, stock, base, expected, case)
    source = rows(range(150, 450), "stock", 7)
    stock_writes(stock, base, source, case.options)
    assert_all_read(spark, stock, base, overlaid(expected, source), case)


def test_rows_of_log_files_are_replaced_and_counted(
    spark: SparkSession, stock: StockSpark, log_tables: LogTables, database: Path, tmp_path: Path
) -> None:
    base = tmp_path / "t"
    case = CASES[0]
    expected = log_tables.copy(base, case)
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS {case.buckets} LOCATION '{base}'")
    new = rows(range(1, 60, 2), "whole", 1)
    spark.createDataFrame(new).createOrReplaceTempView("s")
    spark.sql("INSERT OVERWRITE t PARTITION (p = 'a') SELECT id, ts, v, n, s FROM s")
    kept = [row for row in expected.to_pylist() if row["p"] == "b"]
    expected = of(expected, kept + new.to_pylist())
    assert_all_read(spark, stock, base, expected, case)
    spark.sql("ALTER TABLE t ADD COLUMNS (more STRING)")
    spark.sql("UPDATE t SET more = 'x' WHERE p = 'b' AND n < 600")
    found = spark.sql("SELECT count(*) FROM t WHERE more = 'x'").first()[0]
    numbers = [row["n"] for row in kept if row["n"] is not None]
    assert found == sum(n < 600 for n in numbers)
    names = [name for name in stock.read(base).column_names if not name.startswith("_hoodie_")]
    assert_same_tables(stock.read(base).select(names), spark.table("t").toArrow(), names, "stock")


@pytest.mark.parametrize("version", [6, 9])
def test_readers_pass_over_a_temporary_file_that_is_left(
    spark: SparkSession, stock: StockSpark, database: Path, tmp_path: Path, version: int
) -> None:
    base, columns = tmp_path / "t", ["id", "v"]
    spark.sql(
        "CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 "
        f"LOCATION '{base}' TBLPROPERTIES (type = 'mor', 'hoodie.table.version' = '{version}')"
    )
    spark.sql("INSERT INTO t SELECT CAST(id AS INT), 'inserted' FROM range(1000)")
    for number in range(2):
        spark.sql(f"UPDATE t SET v = 'updated {number}' WHERE id % 10 = {number}")
    storage = getattr(spark._jvm.hudilite.io, "Storage$").__getattr__("MODULE$")
    for log in list(base.glob(".*.log.*")):
        path = spark._jvm.org.apache.hadoop.fs.Path(log.as_uri())
        left = Path(storage.temporary(path).toUri().getPath())
        left.write_bytes(log.read_bytes())
    assert len(list(base.glob(".*.hudilite-new"))) >= 4
    expected = spark.table("t").toArrow()
    assert_same_tables(expected, stock.read(base), columns, "stock")
    assert_same_tables(expected, read_rust(base), columns, "hudi-rs")
