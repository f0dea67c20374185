"""Tables of version 6 that hudilite and Hudi 0.15, the last release before 1.0, write in turns.

Each reads after each commit what the other has written, with columns of all types that both have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from harness import layout
from harness.adopted import merge, overlaid, stock_writes
from harness.canonical import assert_same_tables
from harness.merge_on_read import MERGE_ON_READ
from harness.rotation import product
from harness.stock import BUNDLE_0_15, StockSpark, running, writer_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    rare=True, by="test", when=product("spark/write/", "core/format/LogBlock.scala")
)
ROWS = 1200
KEY = ("p", "id")
SCHEMA = pa.schema(
    {
        "id": pa.string(),
        "ts": pa.int64(),
        "v": pa.string(),
        "n": pa.int32(),
        "flag": pa.bool_(),
        "x": pa.float64(),
        "y": pa.float32(),
        "small": pa.decimal128(9, 2),
        "middle": pa.decimal128(18, 4),
        "wide": pa.decimal128(30, 6),
        "day": pa.date32(),
        "at": pa.timestamp("us", "UTC"),
        "raw": pa.binary(),
        "s": pa.struct({"a": pa.int32(), "b": pa.decimal128(12, 3)}),
        "l": pa.list_(pa.string()),
        "m": pa.map_(pa.string(), pa.int32()),
        "p": pa.string(),
    }
)
COLUMNS = (
    "id STRING NOT NULL, ts BIGINT, v STRING, n INT, flag BOOLEAN, x DOUBLE, y FLOAT, small DECIMAL(9,2), "
    "middle DECIMAL(18,4), wide DECIMAL(30,6), day DATE, at TIMESTAMP, raw BINARY, "
    "s STRUCT<a: INT, b: DECIMAL(12,3)>, l ARRAY<STRING>, m MAP<STRING, INT>, p STRING"
)


@dataclass(frozen=True)
class Case:
    """A table.

    Attributes:
        maker: Who creates it.
        kind: cow or mor.
        buckets: None for a table with a bloom index.
        blocks: Form of the data blocks that Hudi writes.
    """

    maker: str
    kind: str
    buckets: int | None
    blocks: str

    @property
    def options(self) -> dict[str, str]:
        options = writer_options("t", self.buckets) | {
            "hoodie.metadata.enable": "false",
            "hoodie.logfile.data.block.format": self.blocks,
        }
        return options | (MERGE_ON_READ if self.kind == "mor" else {})


CASES = [
    Case("hudilite", "mor", 2, "parquet"),
    Case("hudilite", "cow", None, "parquet"),
    Case("0.15", "mor", 2, "avro"),
    Case("0.15", "mor", None, "parquet"),
]


def rows(numbers: range, word: str, ts: int) -> pa.Table:
    """Rows in two partitions; each seventh has NULL in all columns but key, partition and ordering field."""
    return pa.Table.from_pylist([row(n, word, ts) for n in numbers], schema=SCHEMA)


def row(n: int, word: str, ts: int) -> dict[str, object]:
    values = {
        "v": f"{word} {n}",
        "n": n,
        "flag": n % 2 == 0,
        "x": n / 3,
        "y": n / 4,
        "small": Decimal(n - 600).scaleb(-2),
        "middle": Decimal(n * 10**10 + ts).scaleb(-4),
        "wide": Decimal(n * 10**22 - ts).scaleb(-6),
        "day": date(2024, 1, 1) + timedelta(days=n),
        "at": datetime(2024, 1, 1, tzinfo=UTC) + timedelta(microseconds=n),
        "raw": f"{word} {n}".encode(),
        "s": {"a": n, "b": Decimal(n).scaleb(-3)},
        "l": [word, str(n)],
        "m": {word: n},
    }
    known = {} if n % 7 == 6 else values
    return {"id": f"k{n}", "p": "a" if n % 2 else "b", "ts": ts} | known


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StockSpark]:
    """One running Hudi 0.15."""
    yield from running(tmp_path_factory, bundle=BUNDLE_0_15)


@dataclass
class Turns:
    """A table that both write, with the rows that it must have."""

    spark: SparkSession
    older: StockSpark
    base: Path
    case: Case
    rows: pa.Table
    ts: int = 1

    def check(self, label: str) -> None:
        names = self.rows.column_names
        own = self.spark.sql("SELECT * FROM t").toArrow()
        assert_same_tables(self.rows, own, names, f"hudilite, {label}")
        assert_same_tables(self.rows, self.older.read(self.base), names, f"0.15, {label}")

    def source(self, numbers: range, word: str) -> pa.Table:
        self.ts += 1
        source = rows(numbers, word, self.ts)
        self.rows = overlaid(self.rows, source, KEY)
        return source

    def by_hudilite(self, numbers: range) -> None:
        """MERGE, then UPDATE and DELETE by a condition."""
        merge(self.spark, "t", self.source(numbers, "hudilite"), KEY)
        self.check("MERGE")
        self.spark.sql("UPDATE t SET small = small + 1, v = 'set' WHERE n % 10 = 4")
        self.spark.sql("DELETE FROM t WHERE n % 10 = 3")
        kept = [r for r in self.rows.to_pylist() if r["n"] is None or r["n"] % 10 != 3]
        for each in kept:
            if each["n"] is not None and each["n"] % 10 == 4:
                each |= {"small": each["small"] + 1, "v": "set"}
        self.rows = pa.Table.from_pylist(kept, schema=SCHEMA)
        self.check("UPDATE and DELETE")

    def by_older(self, numbers: range) -> None:
        stock_writes(self.older, self.base, self.source(numbers, "older"), self.case.options)
        self.check("upsert of 0.15")

    def compacted_by_older(self) -> None:
        for text in (
            "SET hoodie.metadata.enable=false",
            f"CALL run_compaction(op => 'schedule', path => '{self.base}')",
            f"CALL run_compaction(op => 'run', path => '{self.base}')",
        ):
            self.older.ask(op="sql", text=text)
        assert "commit" in layout.completed(self.base).values()
        self.check("compaction of 0.15")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_hudilite_and_0_15_write_in_turns(
    spark: SparkSession, older: StockSpark, database: Path, tmp_path: Path, case: Case
) -> None:
    base = tmp_path / "t"
    first = rows(range(ROWS), "one", 1)
    buckets = "" if case.buckets is None else f"WITH BUCKETS {case.buckets}"
    if case.maker == "hudilite":
        spark.sql(
            f"CREATE TABLE t ({COLUMNS}, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) {buckets} "
            f"LOCATION '{base}' TBLPROPERTIES (type = '{case.kind}', preCombineField = 'ts')"
        )
        spark.createDataFrame(first).createOrReplaceTempView("s")
        spark.sql("INSERT INTO t SELECT * FROM s")
    else:
        stock_writes(older, base, first, case.options, "overwrite")
        spark.sql(f"CREATE TABLE t USING hudilite {buckets} LOCATION '{base}'")
    turns = Turns(spark, older, base, case, first)
    turns.check("first commit")
    for step in (0, 1):
        turns.by_hudilite(range(100 + 50 * step, 700, 2))
        turns.by_older(range(300, ROWS + 60 * (step + 1), 3))
    if case.kind == "mor":
        assert list(base.rglob(".*.log.*"))
        turns.compacted_by_older()
        turns.by_hudilite(range(0, 400, 5))
        spark.sql("CALL compact(table => 't', min_log_files => 1)")
        turns.check("compaction of hudilite")
        turns.by_older(range(100, 200))
    faults = spark.sql("CALL verify(table => 't', level => 'rows')").collect()
    assert [row for row in faults if row.severity != "INFO"] == []
