"""A key column that is a field of a struct: rows are found by their stored record keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.adopted import assert_both_read, stock_writes
from harness.faults import run_statement
from harness.rotation import product
from harness.stock import StockSpark
from tables import stock_facts
from tables.stock_facts import KEY, SIX, WRITER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WRITES = product("core/format/", "spark/analyze/", "spark/locate/", "spark/plan/")
pytestmark = pytest.mark.rotated(rare=True, by="test", when=WRITES)
REFUSED = {
    "UPDATE t SET s.b = 99 WHERE id = 'k1'": "HUDILITE_UNSUPPORTED_CLAUSE",
    "MERGE INTO t USING (SELECT 'k1' id, named_struct('a', 'x', 'b', 7L) s) q ON t.id = q.id "
    "WHEN MATCHED THEN UPDATE SET s = q.s": "HUDILITE_UNSUPPORTED_CLAUSE",
    "INSERT INTO t SELECT * FROM t WHERE id = 'k1'": "HUDILITE_DUPLICATE_KEY",
    "INSERT INTO t SELECT id, n, v, p, q, ts, dt, day, NULL, rank FROM t": "HUDILITE_NULL_KEY",
    "MERGE INTO t USING (SELECT * FROM t WHERE id = 'k1') q ON t.id = concat(q.id, '!') "
    "WHEN NOT MATCHED THEN INSERT *": "HUDILITE_DUPLICATE_KEY",
    "ALTER TABLE t DROP COLUMN s": "HUDILITE_UNSUPPORTED_STATEMENT",
}


@pytest.mark.parametrize(("key", "stored"), [("s.b", "20"), ("id,s.b", "id:k20,s.b:20")])
def test_the_key_is_a_field_of_a_struct(
    spark: SparkSession, stock: StockSpark, database: Path, key: str, stored: str
) -> None:
    base = database / "written"
    expected = stock_facts.rows(0, 6, "one")
    stock_writes(stock, base, expected, WRITER | SIX | {KEY: key}, defaults=True)
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{base}'")
    before = layout.untouched_state(base)
    for statement, condition in REFUSED.items():
        fault = run_statement(spark, statement)
        assert fault is not None, statement
        assert fault.condition == condition, (statement, fault)
    assert [row.id for row in spark.table("t").collect()].count("k1") == 1
    found = {name for name in layout.untouched_state(base) if name.endswith(".parquet")}
    assert found == {name for name in before if name.endswith(".parquet")}
    spark.sql("UPDATE t SET s.a = 'changed' WHERE s.b IN (SELECT 1L)")
    spark.sql("DELETE FROM t WHERE id = 'k2'")
    spark.createDataFrame(stock_facts.rows(20, 21, "later")).createOrReplaceTempView("added")
    spark.sql("INSERT INTO t SELECT * FROM added")
    made = [row for row in expected.to_pylist() if row["id"] != "k2"]
    made[1] = made[1] | {"s": {"a": "changed", "b": 1}}
    expected = expected.from_pylist(
        made + stock_facts.rows(20, 21, "later").to_pylist(), schema=expected.schema
    )
    assert_both_read(spark, stock, "t", base, expected)
    keys = spark.sql("SELECT _hoodie_record_key FROM t WHERE id = 'k20'").collect()
    assert [tuple(row) for row in keys] == [(stored,)]
