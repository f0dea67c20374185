"""Merge-on-read tables of stock Hudi: hudilite returns the rows that stock returns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from harness import layout
from harness.canonical import assert_same_tables
from harness.changes import assert_changes_lead
from harness.merge_on_read import Case

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
