"""Tables without key columns, whose writers make up record keys: stock Hudi and hudilite write in turn."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from harness.adopted import assert_both_read, stock_writes
from harness.faults import run_statement
from harness.rotation import product
from harness.stock import StockSpark
from tables import stock_facts
from tables.stock_facts import HIVE_STYLE, KEY, NINE, OPERATION, ORDERING, PATH, SIX, WRITER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WRITES = product("core/format/", "spark/analyze/", "spark/locate/", "spark/merge/")
pytestmark = pytest.mark.rotated(rare=True, by="test", when=WRITES)
MADE = re.compile(r"\d{17}_\d+_\d+")


def rows(first: int, last: int, word: str) -> pa.Table:
    """Rows of the numbers [first, last), each twice, in two partitions."""
    numbers = [i for i in range(first, last) for _ in range(2)]
    return pa.table(
        {
            "id": [f"k{i}" for i in numbers],
            "n": pa.array(numbers, pa.int32()),
            "v": [f"{word} {i}" for i in numbers],
            "p": ["x" if i % 2 else "y" for i in numbers],
        }
    )


def writer(version: int) -> dict[str, str]:
    asked = WRITER | (SIX if version == 6 else NINE) | HIVE_STYLE
    asked |= {OPERATION: "insert", PATH: "p"}
    return {key: value for key, value in asked.items() if key not in (KEY, ORDERING)}


def changed(table: pa.Table, **by: Any) -> pa.Table:
    """The rows with other values of columns, each a function of a row."""
    found = [row | {name: of(row) for name, of in by.items()} for row in table.to_pylist()]
    return pa.Table.from_pylist(found, schema=table.schema)


@pytest.mark.parametrize("version", [6, 9])
def test_stock_and_hudilite_write_in_turn(
    spark: SparkSession, stock: StockSpark, database: Path, version: int
) -> None:
    base = database / "written"

    def by_stock(source: pa.Table) -> None:
        stock_writes(stock, base, source, writer(version), defaults=True)

    def check(expected: pa.Table) -> None:
        assert_both_read(spark, stock, "t", base, expected, unchecked=("text of record keys",))
        keys = [r[0] for r in spark.sql("SELECT _hoodie_record_key FROM t").collect()]
        assert all(MADE.fullmatch(key) for key in keys)
        assert [key for key, n in Counter(keys).items() if n > 1] == []

    expected = rows(0, 600, "one")
    by_stock(expected)
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{base}'")
    more = rows(500, 700, "inserted")  # equal rows are no duplicates
    spark.createDataFrame(more).createOrReplaceTempView("more")
    spark.sql("INSERT INTO t SELECT * FROM more")
    expected = pa.concat_tables([expected, more])
    check(expected)
    by_stock(rows(690, 720, "stock"))
    expected = pa.concat_tables([expected, rows(690, 720, "stock")])
    spark.sql("UPDATE t SET v = concat(v, '!') WHERE n % 10 = 3")
    expected = changed(expected, v=lambda r: r["v"] + "!" if r["n"] % 10 == 3 else r["v"])
    spark.sql("DELETE FROM t WHERE n % 50 = 7")
    expected = pa.Table.from_pylist(
        [row for row in expected.to_pylist() if row["n"] % 50 != 7], schema=expected.schema
    )
    check(expected)
    spark.sql("UPDATE t SET p = 'z' WHERE n BETWEEN 10 AND 19")
    expected = changed(expected, p=lambda r: "z" if 10 <= r["n"] <= 19 else r["p"])
    spark.sql("DELETE FROM t WHERE id IN (SELECT id FROM more WHERE n > 680)")
    expected = pa.Table.from_pylist(
        [r for r in expected.to_pylist() if not 680 < r["n"] < 700], schema=expected.schema
    )
    check(expected)
    source = "(SELECT concat('k', id) id, int(id) n, 'merged' v, 'x' p FROM range(100, 800)) s"
    counts = spark.sql(
        f"MERGE INTO t USING {source} ON t.id = s.id AND t.n < 300 "
        "WHEN MATCHED AND t.n = 150 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v, n = s.n "
        "WHEN NOT MATCHED AND s.n >= 790 THEN INSERT (id, n, v, p) VALUES (s.id, s.n, s.v, s.p) "
        "WHEN NOT MATCHED AND s.n >= 780 THEN INSERT *"
    ).collect()[0]
    merged = [
        row | {"v": "merged"} if 100 <= row["n"] < 300 else row
        for row in expected.to_pylist()
        if row["n"] != 150
    ]
    deleted = expected.num_rows - len(merged)
    updated = sum(row["v"] == "merged" for row in merged)
    merged += [{"id": f"k{n}", "n": n, "v": "merged", "p": "x"} for n in range(780, 800)]
    assert (counts.num_updated_rows, counts.num_deleted_rows) == (updated, deleted)
    assert counts.num_inserted_rows == 20
    expected = pa.Table.from_pylist(merged, schema=expected.schema)
    check(expected)
    by_stock(rows(900, 950, "stock again"))
    expected = pa.concat_tables([expected, rows(900, 950, "stock again")])
    spark.sql("INSERT OVERWRITE t PARTITION (p = 'y') SELECT id, n, 'over' FROM more WHERE n > 690")
    over = changed(rows(691, 700, "over"), p=lambda _: "y", v=lambda _: "over")
    expected = pa.concat_tables(
        [
            pa.Table.from_pylist(
                [r for r in expected.to_pylist() if r["p"] != "y"], expected.schema
            ),
            over,
        ]
    )
    check(expected)
    by_stock(rows(950, 960, "stock at the end"))
    check(pa.concat_tables([expected, rows(950, 960, "stock at the end")]))


def test_two_source_rows_for_one_row_and_buckets_are_errors(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base = database / "written"
    stock_writes(stock, base, stock_facts.rows(0, 4, "one"), writer(6) | {PATH: "q"}, defaults=True)
    fault = run_statement(spark, f"CREATE TABLE b USING hudilite WITH BUCKETS 2 LOCATION '{base}'")
    assert fault is not None
    assert fault.condition == "HUDILITE_PROPERTY_CONFLICT"
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{base}'")
    assert "PRIMARY KEY" not in spark.sql("SHOW CREATE TABLE t").collect()[0][0]
    twice = "(SELECT 'k1' id, 1 n UNION ALL SELECT 'k1', 2) s"
    fault = run_statement(
        spark, f"MERGE INTO t USING {twice} ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = s.n"
    )
    assert fault is not None
    assert fault.condition == "HUDILITE_MERGE_CARDINALITY"
    key = spark.sql("SELECT _hoodie_record_key FROM t WHERE id = 'k2'").collect()[0][0]
    spark.sql(
        f"MERGE INTO t USING (SELECT '{key}' k) s ON t._hoodie_record_key = s.k "
        "WHEN MATCHED THEN UPDATE SET v = 'by key'"
    )
    assert spark.sql("SELECT id FROM t WHERE v = 'by key'").collect() == [("k2",)]
