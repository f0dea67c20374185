"""Tables without key columns, whose writers make up record keys: stock Hudi and hudilite write in turn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from harness import layout
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


def made_keys(spark: SparkSession) -> set[str]:
    """The record keys of the table `t`: each row has another one, in the form that stock makes."""
    keys = [r[0] for r in spark.sql("SELECT _hoodie_record_key FROM t").collect()]
    assert all(MADE.fullmatch(key) for key in keys)
    assert [key for key, n in Counter(keys).items() if n > 1] == []
    return set(keys)


@contextmanager
def settings_of(stock: StockSpark, version: int) -> Iterator[None]:
    """Settings with which stock's SQL writes a table of this version."""
    settings = {
        "hoodie.write.table.version": str(version),
        "hoodie.write.auto.upgrade": "false",
        "hoodie.metadata.enable": "false",
        "hoodie.compact.inline": "false",
    }
    for key, value in settings.items():
        stock.ask(op="sql", text=f"SET {key}={value}")
    yield
    for key in settings:
        stock.ask(op="sql", text=f"RESET {key}")


def kept(table: pa.Table, of: Callable[[dict[str, Any]], bool]) -> pa.Table:
    return pa.Table.from_pylist([r for r in table.to_pylist() if of(r)], schema=table.schema)


def changes(table: str, word: str, tail: int) -> list[tuple[str, Callable[[pa.Table], pa.Table]]]:
    """Statements that each side runs, with the rows that they leave.

    SET names all columns: in some merge-on-read tables, stock's MERGE loses the others.
    """
    new = {"id": f"new {word}", "n": 2000 + tail, "v": word, "p": "x"}
    values = f"('k21', 21, 'x'), ('k22', 22, 'y'), ('new {word}', {2000 + tail}, 'x')"
    source = f"SELECT id, n, '{word}' v, p FROM VALUES {values} AS q(id, n, p)"

    def merged(below: pa.Table) -> pa.Table:
        same = changed(below, v=lambda r: word if r["id"] in ("k21", "k22") else r["v"])
        return pa.Table.from_pylist([*same.to_pylist(), new], schema=below.schema)

    return [
        (
            f"UPDATE {table} SET v = concat(v, ' {word}') WHERE n % 10 = {tail}",
            lambda t: changed(t, v=lambda r: f"{r['v']} {word}" if r["n"] % 10 == tail else r["v"]),
        ),
        (
            f"MERGE INTO {table} t USING ({source}) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
            merged,
        ),
        (
            f"DELETE FROM {table} WHERE n % 50 = {tail + 1}",
            lambda t: kept(t, lambda r: r["n"] % 50 != tail + 1),
        ),
    ]


@pytest.mark.parametrize("kind", ["cow", "mor"])
@pytest.mark.parametrize("version", [6, 9])
def test_stock_writes_a_table_of_hudilite(
    spark: SparkSession, stock: StockSpark, database: Path, version: int, kind: str
) -> None:
    base = database / "t"
    spark.sql(
        "CREATE TABLE t (id STRING, n INT, v STRING, p STRING) USING hudilite PARTITIONED BY (p) "
        f"TBLPROPERTIES (type = '{kind}', 'hoodie.write.table.version' = '{version}')"
    )
    facts = layout.properties(base)
    assert "hoodie.table.recordkey.fields" not in facts
    assert facts["hoodie.table.keygenerator.type"] == "SIMPLE"
    expected = rows(0, 600, "one")
    for more in (expected, rows(590, 620, "one")):
        spark.createDataFrame(more).createOrReplaceTempView("more")
        spark.sql("INSERT INTO t SELECT * FROM more")
    expected = pa.concat_tables([expected, more])
    assert_both_read(spark, stock, "t", base, expected)
    keys = made_keys(spark)
    name = f"{facts['hoodie.database.name']}.t"
    with settings_of(stock, version):
        stock.ask(op="sql", text=f"CREATE DATABASE {facts['hoodie.database.name']}")
        stock.ask(op="sql", text=f"CREATE TABLE {name} USING hudi LOCATION '{base}'")
        for text, effect in changes(name, "stock", 3):
            stock.ask(op="sql", text=text)
            expected = effect(expected)
        stock.ask(
            op="sql", text=f"INSERT INTO {name} SELECT id, n, 'again', p FROM {name} WHERE n < 20"
        )
        again = changed(kept(expected, lambda r: r["n"] < 20), v=lambda _: "again")
        expected = pa.concat_tables([expected, again])
        assert_both_read(spark, stock, "t", base, expected)
        # Rows that stay keep their record keys; deleted ones take theirs away, new ones get others.
        now = made_keys(spark)
        assert (
            len(now & keys)
            == kept(expected, lambda r: r["v"] != "again" and r["n"] < 2000).num_rows
        )
        for text, effect in changes("t", "hudilite", 5):
            spark.sql(text)
            expected = effect(expected)
        assert_both_read(spark, stock, "t", base, expected)
        stock.ask(op="sql", text=f"DELETE FROM {name} WHERE p = 'y'")
    assert_both_read(spark, stock, "t", base, kept(expected, lambda r: r["p"] != "y"))


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_hudilite_writes_the_first_table_of_the_quick_start(
    spark: SparkSession, stock: StockSpark, database: Path, kind: str
) -> None:
    base = database / "written"
    stock.ask(
        op="sql",
        text=f"CREATE TABLE first_{kind} (id STRING, n INT, v STRING, p STRING) USING HUDI "
        f"PARTITIONED BY (p) TBLPROPERTIES (type = '{kind}') LOCATION '{base}'",
    )
    expected = rows(0, 600, "one")
    for first, last in ((0, 500), (500, 600)):
        stock.ask(
            op="sql",
            text=f"INSERT INTO first_{kind} SELECT concat('k', n), n, concat('one ', n), "
            "IF(n % 2 = 1, 'x', 'y') "
            f"FROM (SELECT explode(array(int(id), int(id))) n FROM range({first}, {last}))",
        )
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{base}'")
    assert spark.table("t").count() == expected.num_rows
    for text, effect in changes("t", "hudilite", 3):
        spark.sql(text)
        expected = effect(expected)
    assert_both_read(spark, stock, "t", base, expected)
    with settings_of(stock, 9):
        for text, effect in changes(f"first_{kind}", "stock", 7):
            stock.ask(op="sql", text=text)
            expected = effect(expected)
    assert_both_read(spark, stock, "t", base, expected)
    made_keys(spark)


@pytest.mark.parametrize("version", [6, 9])
def test_stock_and_hudilite_write_in_turn(
    spark: SparkSession, stock: StockSpark, database: Path, version: int
) -> None:
    base = database / "written"

    def by_stock(source: pa.Table) -> None:
        stock_writes(stock, base, source, writer(version), defaults=True)

    def check(expected: pa.Table) -> None:
        assert_both_read(spark, stock, "t", base, expected)
        made_keys(spark)

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
