"""Merge-on-read tables of stock Hudi without meta columns: a record key follows from the key columns.

hudilite reads the rows that stock reads, of each state. It writes no such table.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from harness import layout
from harness.adopted import overlaid, stock_writes
from harness.canonical import assert_same_tables
from harness.faults import WRITES, assert_refused, run_statement
from harness.rotation import ninth, product
from tables.stock_facts import HIVE_STYLE, KEY, NINE, OPERATION, ORDERING, PATH, SIX, WRITER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from harness.stock import StockSpark

READING = product("core/view/", "core/format/", "spark/read/")
NO_META = {
    "hoodie.populate.meta.fields": "false",
    "hoodie.index.type": "SIMPLE",
    "hoodie.datasource.write.table.type": "MERGE_ON_READ",
    "hoodie.compact.inline": "false",
}
FIRST_DAY = datetime.date(2024, 1, 15)


@dataclass(frozen=True)
class Case:
    """A table without meta columns.

    Attributes:
        version: Of the table.
        key: Its key columns.
        blocks: Form of the data blocks.
        has_ordering: Whether rows are compared by `ts`.
    """

    version: int
    key: tuple[str, ...]
    blocks: str
    has_ordering: bool

    @property
    def options(self) -> dict[str, str]:
        options = WRITER | (SIX if self.version == 6 else NINE) | HIVE_STYLE | NO_META
        options |= {KEY: ",".join(self.key), PATH: "p", ORDERING: "ts"}
        options |= {"hoodie.logfile.data.block.format": self.blocks}
        if not self.has_ordering:
            del options[ORDERING]
        return options


CASES = [
    Case(6, ("id",), "avro", has_ordering=True),
    Case(9, ("id",), "parquet", has_ordering=False),
    Case(9, ("id", "n"), "avro", has_ordering=True),
    Case(6, ("n",), "parquet", has_ordering=True),
]


def rows(numbers: range, word: str, ts: int) -> pa.Table:
    """Rows in two partitions, each with another number, text and day."""
    return pa.table(
        {
            "id": [f"k{n}" for n in numbers],
            "n": pa.array(list(numbers), pa.int32()),
            "day": [FIRST_DAY + datetime.timedelta(days=n) for n in numbers],
            "p": ["a" if n % 2 else "b" for n in numbers],
            "ts": pa.array([ts] * len(numbers), pa.int64()),
            "v": [None if n % 7 == 6 else f"{word} {n}" for n in numbers],
        }
    )


def make(stock: StockSpark, base: Path, case: Case) -> pa.Table:
    """A table with base files and log files of updates, deletions and late rows; the rows that it has."""
    first = rows(range(300), "one", 5)
    stock_writes(stock, base, first, case.options | {OPERATION: "bulk_insert"}, defaults=True)
    later = rows(range(100, 320), "two", 6)
    stock_writes(stock, base, later, case.options, defaults=True)
    late = rows(range(150, 200), "late", 4)
    stock_writes(stock, base, late, case.options, defaults=True)
    gone = rows(range(40, 130), "gone", 9)
    stock_writes(stock, base, gone, case.options | {OPERATION: "delete"}, defaults=True)
    again = rows(range(120, 125), "again", 10)
    stock_writes(stock, base, again, case.options, defaults=True)
    kept = overlaid(first, later)
    if not case.has_ordering:
        kept = overlaid(kept, late)
    left = [row for row in kept.to_pylist() if not 40 <= row["n"] < 130]
    return overlaid(pa.Table.from_pylist(left, schema=first.schema), again)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case, marks=ninth(turn, when=READING), id=f"{case.version}-{'-'.join(case.key)}"
        )
        for turn, case in enumerate(CASES, start=2)
    ],
)
def test_snapshots_are_those_of_stock_and_writes_are_refused(
    spark: SparkSession, stock: StockSpark, database: Path, case: Case
) -> None:
    base = database / "written"
    expected = make(stock, base, case)
    assert list(base.rglob(".*.log.*")), "no log files"
    columns = expected.column_names
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{base}'")
    own = spark.sql("SELECT * FROM t").toArrow()
    assert own.column_names == columns
    assert_same_tables(stock.read(base).select(columns), own, columns, "stock")
    assert_same_tables(expected, own, columns, "the writes")
    for condition in ("v LIKE 'two%'", "n BETWEEN 120 AND 140", "id = 'k121' AND p = 'a'"):
        found = spark.sql(f"SELECT v FROM t WHERE {condition}").toArrow()
        frame = spark.createDataFrame(expected).where(condition).select("v").toArrow()
        assert_same_tables(frame, found, ["v"], condition)
    assert spark.table("t").count() == expected.num_rows
    assert spark.sql("SELECT v FROM t").count() == expected.num_rows
    for instant in sorted(layout.completed(base)):
        by_stock = stock.read(base, **{"as.of.instant": instant}).select(columns)
        state = spark.sql(f"SELECT * FROM t VERSION AS OF '{instant}'").toArrow()
        assert_same_tables(by_stock, state, columns, instant)
    found = spark.sql("CALL verify(table => 't', level => 'rows')").collect()
    assert [row for row in found if row.code != "NOT_CHECKED"] == []
    before = layout.untouched_state(base)
    calls = ("CALL compact(table => 't')", "CALL set_table_type(table => 't', type => 'cow')")
    named = ("HUDILITE_TABLE_READ_ONLY", "hoodie.populate.meta.fields")
    assert_refused(spark, (*WRITES, *calls), *named)
    assert layout.untouched_state(base) == before


@pytest.mark.rotated(rare=True, by="test", when=READING)
def test_a_key_that_does_not_follow_from_columns_is_refused(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base = database / "written"
    # Stock Hudi does not find a row by its date either: it inserts what it should update.
    made = make(stock, base, Case(9, ("day",), "avro", has_ordering=True))
    fault = run_statement(spark, f"SELECT * FROM hudilite.`{base}`")
    assert fault is not None
    assert (fault.condition, fault.parameters["fact"]) == (
        "HUDILITE_UNSUPPORTED_TABLE",
        "hoodie.populate.meta.fields",
    )
    assert "read_optimized" in fault.parameters["fix"]
    reader = spark.read.format("hudilite").option("hoodie.datasource.query.type", "read_optimized")
    assert reader.load(str(base)).count() >= made.num_rows
