"""Earlier versions as stock Hudi reads them, of tables that each has written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.adopted import BUCKETS, StockTables, merge, overlaid, rows, stock_writes
from harness.canonical import assert_same_tables
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=1)
WRITTEN = (0, 1200, "one")
FIRST = rows(*WRITTEN)
SECOND = rows(600, 1500, "stock")
THIRD = rows(900, 1600, "merged")


def test_each_version_is_the_same_to_both(
    spark: SparkSession, stock: StockSpark, stock_tables: StockTables, database: Path
) -> None:
    base = stock_tables.copy(database / "t", WRITTEN)
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    states = [FIRST, overlaid(FIRST, SECOND)]
    merge(spark, "t", SECOND, ("id", "p"))
    stock_writes(stock, base, THIRD, BUCKETS)
    states.append(overlaid(states[-1], THIRD))
    spark.sql("DELETE FROM t WHERE p = 'a' AND d > 100")
    states.append(spark.sql("SELECT id, d, v, p, ts FROM t").toArrow())
    instants = sorted(layout.completed(base))
    assert len(instants) == len(states)
    for instant, state in zip(instants, states, strict=True):
        by_stock = stock.read(base, **{"as.of.instant": instant})
        names = ", ".join(by_stock.column_names)
        own = spark.sql(f"SELECT {names} FROM t VERSION AS OF '{instant}'").toArrow()
        assert_same_tables(state, by_stock, state.column_names, "stock")
        assert_same_tables(by_stock, own, label="with meta columns")
        by_option = spark.read.format("hudilite").option("as.of.instant", instant).load(str(base))
        assert_same_tables(state, by_option.toArrow(), state.column_names, "by Hudi's option")


def test_14_incremental_queries_are_the_same_to_both(
    spark: SparkSession, stock: StockSpark, stock_tables: StockTables, database: Path
) -> None:
    base = stock_tables.copy(database / "t", WRITTEN)
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    merge(spark, "t", SECOND, ("id", "p"))
    stock_writes(stock, base, THIRD, BUCKETS)
    spark.sql("DELETE FROM t WHERE p = 'a' AND d > 100")
    merge(spark, "t", rows(0, 400, "stock again"), ("id", "p"))
    instants = sorted(layout.completed(base))
    pairs = [(begin, end) for begin in ["000", *instants] for end in [*instants, None]]
    told = 0
    for begin, end in pairs:
        if end is not None and begin >= end:
            continue
        options = {
            "hoodie.datasource.query.type": "incremental",
            "hoodie.datasource.read.begin.instanttime": begin,
        } | ({"hoodie.datasource.read.end.instanttime": end} if end else {})
        by_stock = stock.read(base, **options)
        own = spark.read.format("hudilite").options(**options).load(str(base)).toArrow()
        assert_same_tables(by_stock, own.select(by_stock.column_names), label=f"{begin} to {end}")
        told += own.num_rows
    assert told > 10_000
