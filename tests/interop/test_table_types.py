"""Tables whose type hudilite changes: stock Hudi and hudi-rs read them, and all write on."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from harness import layout
from harness.adopted import assert_all_read, merge, overlaid, stock_writes
from harness.canonical import assert_same_tables
from harness.merge_on_read import EVENT, ROWS, Case, rows, stock_makes
from harness.rotation import ninth, product
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHANGES = product("core/service/", "core/commit/", "core/view/", "spark/repair/")
pytestmark = pytest.mark.rotated(rare=True, by="test", when=CHANGES)
KEY = ("p", "id")
TYPES = {"cow": "COPY_ON_WRITE", "mor": "MERGE_ON_READ"}
KINDS = {"6, buckets": (6, 2), "6, bloom": (6, None), "9, buckets": (9, 2), "9, bloom": (9, None)}


@dataclass
class Turns:
    """A table that both write, with the rows of each state."""

    spark: SparkSession
    stock: StockSpark
    base: Path
    case: Case
    rows: pa.Table
    word: int = 10
    states: dict[str, pa.Table] = field(default_factory=dict)

    def note(self, above: pa.Table) -> None:
        self.rows = overlaid(self.rows, above)
        self.states[max(layout.completed(self.base))] = self.rows

    def by_hudilite(self, numbers: range) -> None:
        self.word += 1
        source = rows(numbers, "hudilite", self.word)
        merge(self.spark, "t", source, KEY)
        self.note(source)

    def by_stock(self, numbers: range, kind: str) -> None:
        """An upsert with stock's own settings for the metadata table in version 9, where it has one."""
        self.word += 1
        source = rows(numbers, "stock", self.word)
        options = self.case.options | {
            "hoodie.table.name": layout.properties(self.base)["hoodie.table.name"],
            "hoodie.datasource.write.table.type": TYPES[kind],
        }
        if self.case.version == 9:
            options["hoodie.metadata.enable"] = "true"
        stock_writes(self.stock, self.base, source, options)
        self.note(source)

    def change(self, kind: str) -> int:
        answer = self.spark.sql(f"CALL set_table_type(table => 't', type => '{kind}')").first()
        assert answer is not None
        assert answer.to_type == kind
        assert answer.result == "changed"
        assert layout.properties(self.base)["hoodie.table.type"] == TYPES[kind]
        self.check()
        return int(answer.file_groups_compacted)

    def check(self) -> None:
        """Rows, meta columns and faults, for all three; then each earlier state."""
        flat = [name for name in self.rows.column_names if name != "s"]
        assert_all_read(self.spark, self.stock, "t", self.base, self.rows.select(flat))
        for instant, state in self.states.items():
            own = self.spark.sql(f"SELECT * FROM t VERSION AS OF '{instant}'").toArrow()
            assert_same_tables(state, own, state.column_names, f"as of {instant}")


def turns(turn: Turns, kind: str) -> None:
    """Two commits of each writer, in the type that the table has."""
    for step in (0, 1):
        turn.by_hudilite(range(100 + 50 * step, 500, 3))
        turn.by_stock(range(300, ROWS + 60 * (step + 1), 4), kind)
        turn.check()


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=ninth(n, when=CHANGES))
        for n, kind in zip((5, 6, 8, 0), KINDS, strict=True)
    ],
)
def test_all_read_and_write_after_each_change(
    spark: SparkSession, stock: StockSpark, database: Path, kind: str
) -> None:
    version, buckets = KINDS[kind]
    base = database / "t"
    clause = "" if buckets is None else f"WITH BUCKETS {buckets}"
    first = rows(range(ROWS), "one", 5)
    spark.sql(
        "CREATE TABLE t (id STRING, p STRING, ts BIGINT, v STRING, n INT, "
        "s STRUCT<a: BIGINT, b: ARRAY<STRING>>, PRIMARY KEY (id)) USING hudilite "
        f"PARTITIONED BY (p) {clause} LOCATION '{base}' TBLPROPERTIES (type = 'mor', "
        f"'preCombineField' = 'ts', 'hoodie.write.table.version' = '{version}')"
    )
    merge(spark, "t", first, KEY)
    turn = Turns(spark, stock, base, Case(version, "parquet", buckets, EVENT), first)
    turn.by_hudilite(range(100, 500, 2))
    assert set(layout.completed(base).values()) == {"deltacommit"}
    groups = {path.name.split("_")[0] for path in base.glob("p=*/*.parquet")}
    assert turn.change("cow") == len(groups), "no base file is of a commit"
    turns(turn, "cow")
    assert turn.change("mor") == 0
    turns(turn, "mor")
    assert turn.change("cow") > 0
    turns(turn, "cow")
    assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []


def test_a_table_of_stock_hudi_becomes_copy_on_write(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base = database / "t"
    case = Case(6, "parquet", 2, EVENT)
    turn = Turns(spark, stock, base, case, stock_makes(stock, base, case))
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 2 LOCATION '{base}'")
    assert turn.change("cow") > 0
    turns(turn, "cow")
