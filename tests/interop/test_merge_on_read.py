"""Merge-on-read tables of stock Hudi: hudilite returns the rows that stock returns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from harness import layout
from harness.adopted import stock_writes
from harness.canonical import assert_same_tables
from harness.changes import assert_changes_lead
from harness.merge_on_read import EVENT, ROWS, Case
from harness.merge_on_read import rows as rows_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from harness.stock import StockSpark

Table = tuple[Case, Path, pa.Table]


def test_hudilite_reads_the_rows_of_stocks_log_files(
    spark: SparkSession, stock: StockSpark, written: Table
) -> None:
    case, base, expected = written
    logs = list(base.rglob(".*.log.*"))
    assert len(logs) >= 3
    by_stock = stock.read(base)
    names = by_stock.column_names
    own = spark.sql(f"SELECT {', '.join(names)} FROM hudilite.`{base}`").toArrow()
    assert_same_tables(by_stock, own, names, "hudilite")
    assert_same_tables(expected, own, expected.column_names, "the writes")
    assert case.version == int(layout.properties(base)["hoodie.table.version"])


def test_columns_filters_and_counts_are_those_of_all_rows(
    spark: SparkSession, written: Table
) -> None:
    """Filters of event time are not pushed: a base row that fails one may beat a row of a log file."""
    _, base, expected = written
    table = f"hudilite.`{base}`"
    rows = expected.to_pylist()
    count, least, greatest = spark.sql(f"SELECT count(*), min(n), max(n) FROM {table}").first()
    numbers = [row["n"] for row in rows if row["n"] is not None]
    assert (count, least, greatest) == (len(rows), min(numbers), max(numbers))
    for condition, keeps in (
        ("v LIKE 'late%'", lambda row: (row["v"] or "").startswith("late")),
        ("ts = 5", lambda row: row["ts"] == 5),
        ("n BETWEEN 310 AND 320", lambda row: row["n"] is not None and 310 <= row["n"] <= 320),
        ("s.b[0] = 'two'", lambda row: row["s"]["b"][0] == "two"),
        ("id = 'k301' AND p = 'a'", lambda row: row["id"] == "k301"),
    ):
        found = spark.sql(f"SELECT id, s.a FROM {table} WHERE {condition}").toArrow()
        kept = [{"id": row["id"], "a": row["s"]["a"]} for row in rows if keeps(row)]
        schema = pa.schema([("id", pa.string()), ("a", found.schema.field("a").type)])
        assert_same_tables(pa.Table.from_pylist(kept, schema=schema), found, None, condition)


def test_a_read_optimized_query_reads_the_bases(
    spark: SparkSession, stock: StockSpark, written: Table
) -> None:
    _, base, expected = written
    option = {"hoodie.datasource.query.type": "read_optimized"}
    by_stock = stock.read(base, **option)
    own = spark.read.format("hudilite").options(**option).load(str(base))
    names = expected.column_names
    assert_same_tables(by_stock.select(names), own.select(*names).toArrow(), names)
    assert by_stock.num_rows != expected.num_rows


def test_each_state_is_read(spark: SparkSession, stock: StockSpark, written: Table) -> None:
    _, base, _ = written
    instants = sorted(layout.completed(base))
    assert len(instants) == 5
    for instant in instants:
        by_stock = stock.read(base, **{"as.of.instant": instant})
        own = spark.sql(f"SELECT * FROM hudilite.`{base}` VERSION AS OF '{instant}'").toArrow()
        assert_same_tables(by_stock.select(own.column_names), own, None, instant)


def test_changes_lead_from_each_state_to_the_next(spark: SparkSession, written: Table) -> None:
    _, base, expected = written
    assert_changes_lead(spark, base, expected.schema)


@pytest.mark.parametrize("version", [6, 9])
def test_a_late_deletion_after_a_delete_brings_no_row_back(
    spark: SparkSession, stock: StockSpark, tmp_path: Path, version: int
) -> None:
    case = Case(version, "avro", 2, EVENT)
    base = tmp_path / "late" / "t"

    def marked(numbers: range, ts: int, gone: bool) -> pa.Table:
        return rows_of(numbers, "one", ts).append_column(
            "_hoodie_is_deleted", pa.array([gone] * len(numbers))
        )

    stock_writes(stock, base, marked(range(ROWS), 10, False), case.options, "overwrite")
    deleting = case.options | {"hoodie.datasource.write.operation": "delete"}
    stock_writes(stock, base, marked(range(100, 200), 10, False), deleting)
    stock_writes(stock, base, marked(range(100, 300), 5, True), case.options)
    assert len(list(base.rglob(".*.log.*"))) >= 4
    by_stock = stock.read(base)
    own = spark.sql(f"SELECT * FROM hudilite.`{base}`").toArrow()
    assert own.num_rows == ROWS - 100
    assert_same_tables(by_stock.select(own.column_names), own, None, "stock")


def test_stock_reads_a_change_of_a_row_without_an_ordering_value(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    case = Case(6, "avro", 2, EVENT)
    base = database / "t"
    first = rows_of(range(ROWS), "one", 5)
    nulls = pa.array([None if n % 10 == 0 else 5 for n in range(ROWS)], pa.int64())
    first = first.set_column(first.column_names.index("ts"), "ts", nulls)
    inserting = case.options | {"hoodie.datasource.write.operation": "bulk_insert"}
    stock_writes(stock, base, first, inserting, "overwrite")
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 2 LOCATION '{base}'")
    spark.sql("UPDATE t SET ts = 7, v = 'new' WHERE n % 100 = 0")
    own = spark.sql(f"SELECT * FROM hudilite.`{base}`").toArrow()
    assert own.column("v").to_pylist().count("new") == len(
        [n for n in range(0, ROWS, 100) if n % 7 != 6]
    )
    assert_same_tables(stock.read(base).select(own.column_names), own, None, "stock")


def test_verify_finds_no_fault_and_no_orphan(spark: SparkSession, written: Table) -> None:
    _, base, _ = written
    assert spark.sql(f"CALL verify(table => '{base}', level => 'rows')").collect() == []
    assert spark.sql(f"CALL remove_orphans(table => 'hudilite.`{base}`')").collect() == []


def test_files_lists_the_log_files(spark: SparkSession, written: Table) -> None:
    _, base, _ = written
    rows = spark.sql(f"CALL show_files(table => 'hudilite.`{base}`', limit => 1000)").collect()
    logs = [row for row in rows if ".log." in row["path"]]
    assert logs
    assert all(row["rows"] is None for row in logs)
    assert {row["path"].rsplit("/", 1)[1] for row in logs} <= {
        path.name for path in base.rglob(".*.log.*")
    }
