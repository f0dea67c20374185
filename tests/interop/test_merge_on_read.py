"""Merge-on-read tables of stock Hudi: hudilite returns the rows that stock returns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

from harness import layout
from harness.adopted import overlaid, stock_writes
from harness.canonical import assert_same_tables
from harness.rotation import product
from harness.stock import StockSpark, writer_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=2, when=product("core/view/", "core/format/", "spark/read/"))
MERGE_ON_READ = {
    "hoodie.datasource.write.table.type": "MERGE_ON_READ",
    "hoodie.metadata.enable": "false",
    "hoodie.compact.inline": "false",
}
ROWS = 1200


@dataclass(frozen=True)
class Case:
    """A table of stock Hudi.

    Attributes:
        version: Of the table.
        blocks: Form of the data blocks.
        buckets: None for a table with a bloom index.
        rule: COMMIT_TIME_ORDERING or EVENT_TIME_ORDERING.
    """

    version: int
    blocks: str
    buckets: int | None
    rule: str

    @property
    def options(self) -> dict[str, str]:
        options = writer_options("mor", self.buckets) | MERGE_ON_READ
        options |= {
            "hoodie.write.table.version": str(self.version),
            "hoodie.write.auto.upgrade": "false",
            "hoodie.logfile.data.block.format": self.blocks,
            # Else stock writes the columns alone that a MERGE assigns.
            "hoodie.spark.sql.merge.into.partial.updates": "false",
        }
        if self.rule == COMMIT:
            del options["hoodie.datasource.write.precombine.field"]
        return options


COMMIT, EVENT = "COMMIT_TIME_ORDERING", "EVENT_TIME_ORDERING"
CASES = [
    Case(6, "avro", 2, EVENT),
    Case(6, "parquet", None, COMMIT),
    Case(8, "avro", None, EVENT),
    Case(9, "parquet", 2, EVENT),
    Case(9, "avro", None, COMMIT),
]


def rows(numbers: range, word: str, ts: int) -> pa.Table:
    """Rows in two partitions; each seventh has NULL in its values."""
    return pa.table(
        {
            "id": [f"k{n}" for n in numbers],
            "p": ["a" if n % 2 else "b" for n in numbers],
            "ts": pa.array([ts] * len(numbers), pa.int64()),
            "v": [None if n % 7 == 6 else f"{word} {n}" for n in numbers],
            "n": pa.array([None if n % 7 == 6 else n for n in numbers], pa.int32()),
            "s": [{"a": n, "b": [word, str(n)]} for n in numbers],
        }
    )


@pytest.fixture(scope="module", params=CASES, ids=str)
def written(
    request: pytest.FixtureRequest, stock: StockSpark, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Case, Path, pa.Table]:
    """A table with a base and four deltacommits, and the rows that a fold of the writes leaves."""
    case: Case = request.param
    base = tmp_path_factory.mktemp("mor") / "t"
    first = rows(range(ROWS), "one", 5)
    stock_writes(stock, base, first, case.options, "overwrite")
    later = rows(range(100, 500), "two", 6)
    stock_writes(stock, base, later, case.options)
    late = rows(range(300, 700), "late", 4)
    stock_writes(stock, base, late, case.options)
    expected = overlaid(overlaid(first, later), late)
    if case.rule == EVENT:
        expected = overlaid(first, later)
    name = base.parent.name.replace("-", "_")
    for text in (
        "SET hoodie.write.auto.upgrade=false",
        f"SET hoodie.write.table.version={case.version}",
        f"CREATE TABLE {name} USING hudi LOCATION '{base}'",
        f"DELETE FROM {name} WHERE n % 10 = 3",
    ):
        stock.ask(op="sql", text=text)
    kept = [row for row in expected.to_pylist() if row["n"] is None or row["n"] % 10 != 3]
    again = rows(range(1190, 1260), "again", 9)
    stock_writes(stock, base, again, case.options)
    expected = overlaid(pa.Table.from_pylist(kept, schema=first.schema), again)
    return case, base, expected


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


def test_what_hudilite_does_not_do_is_refused_by_name(spark: SparkSession, written: Table) -> None:
    _, base, _ = written
    table = f"hudilite.`{base}`"
    for text, condition in (
        (f"DELETE FROM {table} WHERE n = 1", "HUDILITE_TABLE_READ_ONLY"),
        (f"INSERT INTO {table} SELECT * FROM {table} LIMIT 1", "HUDILITE_TABLE_READ_ONLY"),
        (f"CALL clean(table => '{table}')", "HUDILITE_TABLE_READ_ONLY"),
        (f"CALL verify(table => '{table}')", "HUDILITE_UNSUPPORTED_TABLE"),
        (f"CALL remove_orphans(table => '{table}')", "HUDILITE_UNSUPPORTED_TABLE"),
    ):
        with pytest.raises(PySparkException) as fault:
            spark.sql(text).collect()
        assert fault.value.getCondition() == condition, text


def test_files_lists_the_log_files(spark: SparkSession, written: Table) -> None:
    _, base, _ = written
    rows = spark.sql(f"CALL show_files(table => 'hudilite.`{base}`', limit => 1000)").collect()
    logs = [row for row in rows if ".log." in row["path"]]
    assert logs
    assert all(row["rows"] is None for row in logs)
    assert {row["path"].rsplit("/", 1)[1] for row in logs} <= {
        path.name for path in base.rglob(".*.log.*")
    }
