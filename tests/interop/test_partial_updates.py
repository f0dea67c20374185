"""Log blocks with the columns alone that a MERGE of stock Hudi assigns, its default in versions 8 and 9.

Stock Hudi, hudi-rs, hudilite and a plain fold of the statements agree on the rows: over bases, over other
partial updates, over whole rows and deletions, in both merge modes, and after writes of hudilite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from harness import layout
from harness.adopted import stock_writes
from harness.canonical import assert_same_tables
from harness.changes import assert_changes_lead
from harness.merge_on_read import COMMIT, EVENT, Case, rows
from harness.rotation import ninth, product
from harness.rust import read_rust

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from harness.stock import StockSpark

READING = product("core/view/", "core/format/", "spark/read/")
CASES = [
    Case(8, "avro", 2, EVENT),
    Case(9, "parquet", 2, EVENT),
    Case(9, "avro", 2, COMMIT),
    Case(9, "parquet", None, COMMIT),
]
FULL = "hoodie.spark.sql.merge.into.partial.updates"
Row = dict[str, Any]


class Model:
    """The rows that a table has, by their keys: those of bases, and what log files change.

    In event time a change is laid over what log files have for its key, or under it if its ordering value is
    smaller; then all of it over the row of the base, unless that has a greater one.
    """

    def __init__(self, rule: str) -> None:
        self.rule = rule
        self.bases: dict[str, Row] = {}
        self.logs: dict[str, Row] = {}

    def insert(self, whole: list[Row]) -> None:
        self.bases |= {row["id"]: row for row in whole}

    def write(self, changes: list[Row]) -> None:
        """Adds whole rows, and changes of rows that are there, to log files."""
        for change in changes:
            key = change["id"]
            if "p" in change or key in self.bases or key in self.logs:
                below = self.logs.get(key, {})
                self.logs[key] = below | change if self._wins(change, below) else change | below

    def _wins(self, row: Row, below: Row) -> bool:
        return self.rule == COMMIT or "ts" not in below or row["ts"] >= below["ts"]

    def delete(self, leaves: Callable[[Row], bool]) -> None:
        for row in self.rows():
            if leaves(row):
                self.bases.pop(row["id"], None)
                self.logs.pop(row["id"], None)

    def rows(self) -> list[Row]:
        rows = dict(self.bases)
        for key, row in self.logs.items():
            below = self.bases.get(key, {})
            rows[key] = below | row if self._wins(row, below) else below
        return list(rows.values())


def changes(first: int, last: int, ts: int, columns: list[str]) -> list[Row]:
    """The changes of [[merge]]."""
    every = rows(range(first, last), f"part{ts}", ts).to_pylist()
    return [{name: row[name] for name in ["id", *columns]} for row in every]


def merge(stock: StockSpark, name: str, first: int, last: int, ts: int, columns: list[str]) -> None:
    """A MERGE by stock that assigns these columns alone."""
    source = (
        f"SELECT concat('k', id) AS id, IF(id % 2 = 1, 'a', 'b') AS p, CAST({ts} AS BIGINT) AS ts,"
        f" IF(id % 7 = 6, NULL, concat('part{ts} ', id)) AS v, CAST(IF(id % 7 = 6, NULL, id) AS INT) AS n,"
        f" named_struct('a', id, 'b', array('part{ts}', CAST(id AS STRING))) AS s"
        f" FROM range({first}, {last})"
    )
    assigned = ", ".join(f"{column} = s.{column}" for column in columns)
    text = (
        f"MERGE INTO {name} t USING ({source}) s ON t.id = s.id AND t.p = s.p"
        f" WHEN MATCHED THEN UPDATE SET {assigned}"
    )
    stock.ask(op="sql", text=text)


@contextmanager
def table_of(stock: StockSpark, base: Path, case: Case) -> Iterator[str]:
    """The name of a table in stock's session, which writes it as the case says."""
    words = f"{base.parent.parent.name}_{base.parent.name}"
    name = "".join(c if c.isalnum() else "_" for c in words)
    settings = {
        "hoodie.write.auto.upgrade": "false",
        "hoodie.metadata.enable": "false",
        "hoodie.compact.inline": "false",
        "hoodie.write.table.version": str(case.version),
        "hoodie.logfile.data.block.format": case.blocks,
    }
    if case.buckets is not None:
        settings |= {
            "hoodie.index.type": "BUCKET",
            "hoodie.bucket.index.num.buckets": str(case.buckets),
        }
    for key, value in settings.items():
        stock.ask(op="sql", text=f"SET {key}={value}")
    stock.ask(op="sql", text=f"CREATE TABLE {name} USING hudi LOCATION '{base}'")
    yield name
    for key in settings:
        stock.ask(op="sql", text=f"RESET {key}")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(case, marks=ninth(n, when=READING), id=str(case))
        for n, case in zip((1, 3, 5, 8), CASES, strict=True)
    ],
)
def made(
    request: pytest.FixtureRequest, stock: StockSpark, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Case, Path, pa.Table]:
    case: Case = request.param
    base = tmp_path_factory.mktemp("partial") / "t"
    model = Model(case.rule)
    first = rows(range(1200), "one", 5)
    options = {key: value for key, value in case.options.items() if key != FULL}
    stock_writes(stock, base, first, options, "overwrite")
    model.insert(first.to_pylist())
    with table_of(stock, base, case) as name:

        def update(first: int, last: int, ts: int, columns: list[str]) -> None:
            merge(stock, name, first, last, ts, columns)
            model.write(changes(first, last, ts, columns))

        update(100, 500, 7, ["v", "ts"])
        update(300, 700, 8, ["n", "ts"])
        update(400, 800, 6, ["s", "ts"])
        update(420, 460, 7, ["s", "ts"])  # in event time, the columns before it stay
        update(0, 50, 4, ["v", "ts"])  # loses to the base in event time
        update(20, 40, 6, ["n", "ts"])  # does not, and brings what has lost with it
        if case.rule == COMMIT:
            update(450, 900, 0, ["v", "s"])
        stock.ask(op="sql", text=f"DELETE FROM {name} WHERE n % 10 = 3")
        model.delete(lambda row: row["n"] is not None and row["n"] % 10 == 3)
        whole = rows(range(1196, 1260), "whole", 9)
        stock_writes(stock, base, whole, options)
        model.write(whole.to_pylist())
        # Over the base and over whole rows of a log file. Deleted keys are not among them: stock would take
        # their rows from the base, and fails in commit time.
        update(1194, 1230, 10, ["v", "ts"])
    return case, base, pa.Table.from_pylist(model.rows(), schema=first.schema)


def test_all_readers_put_the_same_rows_together(
    spark: SparkSession, stock: StockSpark, made: tuple[Case, Path, pa.Table]
) -> None:
    case, base, expected = made
    logs = b"".join(path.read_bytes() for path in base.rglob(".*.log.*"))
    assert logs.count(b"\0\0\0\7\0\0\0\4true") >= 5, "no partial blocks"
    by_stock = stock.read(base)
    names = by_stock.column_names
    own = spark.sql(f"SELECT {', '.join(names)} FROM hudilite.`{base}`").toArrow()
    assert_same_tables(by_stock, own, names, "stock")
    assert_same_tables(expected, own, expected.column_names, "the statements")
    assert_same_tables(own, read_rust(base), names, "hudi-rs")
    assert case.version == int(layout.properties(base)["hoodie.table.version"])


def test_columns_filters_and_counts_are_those_of_all_rows(
    spark: SparkSession, made: tuple[Case, Path, pa.Table]
) -> None:
    """A base row that fails a filter may pass it with the values of a partial update."""
    _, base, expected = made
    table = f"hudilite.`{base}`"
    data = expected.to_pylist()
    numbers = [row["n"] for row in data if row["n"] is not None]
    found = spark.sql(f"SELECT count(*), min(n), max(ts) FROM {table}").first()
    assert found == (len(data), min(numbers), max(row["ts"] for row in data))
    for condition, keeps in (
        ("v LIKE 'part7%'", lambda row: (row["v"] or "").startswith("part7")),
        ("ts = 8", lambda row: row["ts"] == 8),
        ("s.b[0] = 'part6'", lambda row: row["s"]["b"][0] == "part6"),
        (
            "n BETWEEN 310 AND 320",
            lambda row: row["n"] is not None and 310 <= row["n"] <= 320,
        ),
        ("id = 'k1200' AND p = 'b'", lambda row: row["id"] == "k1200"),
    ):
        kept = sorted((row["v"] or "", row["s"]["a"]) for row in data if keeps(row))
        rows_found = spark.sql(f"SELECT v, s.a FROM {table} WHERE {condition}").collect()
        assert sorted((row.v or "", row.a) for row in rows_found) == kept, condition
        assert kept, condition


def test_a_row_put_together_is_in_the_file_of_its_base_or_of_a_log(
    spark: SparkSession, made: tuple[Case, Path, pa.Table]
) -> None:
    _, base, expected = made
    found = spark.sql(
        "SELECT v, _metadata.file_name, _metadata.row_index, _hoodie_file_name "
        f"FROM hudilite.`{base}`"
    ).collect()
    assert sorted(row.v or "" for row in found) == sorted(
        v or "" for v in expected["v"].to_pylist()
    )
    names = {path.name for path in base.rglob("*") if path.is_file()}
    assert {row.file_name for row in found} <= names
    for row in found:
        assert (row.row_index is None) == (".log." in row.file_name), row
    assert {row.row_index is None for row in found} == {True, False}


def test_each_state_is_read(
    spark: SparkSession, stock: StockSpark, made: tuple[Case, Path, pa.Table]
) -> None:
    _, base, _ = made
    for instant in sorted(layout.completed(base)):
        by_stock = stock.read(base, **{"as.of.instant": instant})
        own = spark.sql(f"SELECT * FROM hudilite.`{base}` VERSION AS OF '{instant}'").toArrow()
        assert_same_tables(by_stock.select(own.column_names), own, None, instant)


def test_changes_lead_from_each_state_to_the_next(
    spark: SparkSession, made: tuple[Case, Path, pa.Table]
) -> None:
    _, base, expected = made
    assert_changes_lead(spark, base, expected.schema)


def test_writes_see_the_rows_and_a_compaction_keeps_them(
    spark: SparkSession,
    stock: StockSpark,
    database: Path,
    made: tuple[Case, Path, pa.Table],
) -> None:
    del database  # which is made current
    case, base, expected = made
    table = "t"
    buckets = "" if case.buckets is None else f"WITH BUCKETS {case.buckets}"
    spark.sql(f"CREATE TABLE t USING hudilite {buckets} LOCATION '{base}'")
    assert spark.sql(f"CALL verify(table => '{base}', level => 'rows')").collect() == []
    spark.sql(f"UPDATE {table} SET n = n + 1, ts = 20 WHERE v LIKE 'part7%'")
    spark.sql(f"DELETE FROM {table} WHERE ts = 8")
    rows_left = [
        row | ({"n": row["n"] + 1, "ts": 20} if (row["v"] or "").startswith("part7") else {})
        for row in expected.to_pylist()
    ]
    left = pa.Table.from_pylist([r for r in rows_left if r["ts"] != 8], schema=expected.schema)
    assert 0 < left.num_rows < expected.num_rows

    def check(what: str) -> None:
        own = spark.sql(f"SELECT * FROM {table}").toArrow()
        assert_same_tables(left, own, left.column_names, what)
        assert_same_tables(stock.read(base), own, own.column_names, f"stock, {what}")
        assert spark.sql(f"CALL verify(table => '{base}', level => 'rows')").collect() == []

    check("after writes")
    assert spark.sql(f"CALL compact(table => '{table}')").count() > 0
    check("after a compaction")


@pytest.mark.parametrize(
    "blocks",
    [
        pytest.param("parquet", marks=ninth(2, when=READING)),
        pytest.param("avro", marks=ninth(4, when=READING)),
    ],
)
def test_a_sorted_base_gets_the_columns_that_a_partial_update_has_not(
    spark: SparkSession, stock: StockSpark, database: Path, blocks: str
) -> None:
    case = Case(9, blocks, 2, EVENT)
    spark.sql(
        "CREATE TABLE t (id STRING, p STRING, ts BIGINT, v STRING, n INT, s STRUCT<a: BIGINT, b: ARRAY<STRING>>,"
        " PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES"
        " (type = 'mor', preCombineField = 'ts', 'hoodie.write.table.version' = '9')"
    )
    model = Model(EVENT)
    first = rows(range(1200), "one", 5)
    spark.createDataFrame(first).createOrReplaceTempView("first")
    spark.sql("INSERT INTO t SELECT * FROM first")
    model.insert(first.to_pylist())
    place = database / "t"
    with table_of(stock, place, case) as name:
        merge(stock, name, 100, 500, 7, ["v", "ts"])
        merge(stock, name, 0, 200, 4, ["n", "ts"])
    model.write(changes(100, 500, 7, ["v", "ts"]))
    model.write(changes(0, 200, 4, ["n", "ts"]))

    def check(what: str) -> None:
        expected = pa.Table.from_pylist(model.rows(), schema=first.schema)
        own = spark.sql("SELECT * FROM t").toArrow()
        assert_same_tables(expected, own, expected.column_names, what)
        assert_same_tables(stock.read(place), own, own.column_names, f"stock, {what}")
        assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []

    check("before a write")
    spark.sql("UPDATE t SET n = n + 1, ts = 20 WHERE v LIKE 'part7%'")
    model.write(
        [
            row | {"n": row["n"] + 1, "ts": 20}
            for row in model.rows()
            if (row["v"] or "").startswith("part7")
        ]
    )
    check("after a write")
    spark.sql("CALL compact(table => 't')")
    check("after a compaction")
