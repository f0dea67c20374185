"""Merge-on-read tables that stock Hudi writes, with log files of several deltacommits."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from harness.adopted import overlaid, stock_writes
from harness.stock import StockSpark, writer_options

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


def stock_makes(stock: StockSpark, base: Path, case: Case) -> pa.Table:
    """A table with a base and four deltacommits.

    Returns:
        The rows that a fold of the writes leaves.
    """
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
        "RESET hoodie.write.auto.upgrade",
        "RESET hoodie.write.table.version",
    ):
        stock.ask(op="sql", text=text)
    kept = [row for row in expected.to_pylist() if row["n"] is None or row["n"] % 10 != 3]
    again = rows(range(1190, 1260), "again", 9)
    stock_writes(stock, base, again, case.options)
    return overlaid(pa.Table.from_pylist(kept, schema=first.schema), again)


class LogTables:
    """Tables of `stock_makes`, made once; each test gets a copy, whose files name no place."""

    def __init__(self, stock: StockSpark, folder: Path) -> None:
        self.stock, self.folder = stock, folder
        self._made: dict[Case, tuple[Path, pa.Table]] = {}

    def copy(self, place: Path, case: Case) -> pa.Table:
        """A table at a place.

        Returns:
            The rows that a fold of the writes leaves.
        """
        if case not in self._made:
            base = self.folder / f"made_{len(self._made)}" / "t"
            self._made[case] = base, stock_makes(self.stock, base, case)
        base, rows_of = self._made[case]
        shutil.copytree(base, place)
        return rows_of
