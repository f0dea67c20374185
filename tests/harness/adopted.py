"""Tables that stock Hudi writes for the tests of adoption, and the plain rows they must hold."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from harness.canonical import assert_same_tables
from harness.rust import read_rust
from harness.stock import StockSpark, writer_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WORDS = ("one", "stock", "merged", "stock again", "hudilite again")
BUCKETS = writer_options("written", buckets=4)


def rows(first: int, last: int, word: str, step: int = 1) -> pa.Table:
    """Rows of the numbers [first, last), in partitions a and b; a later word orders later."""
    numbers = list(range(first, last, step))
    return pa.table(
        {
            "id": [f"k{i}" for i in numbers],
            "d": [None if i % 7 == 0 else i / 3 for i in numbers],
            "v": [f"{word} {i}" for i in numbers],
            "p": ["a" if i % 2 else "b" for i in numbers],
            "ts": [WORDS.index(word) for _ in numbers],
        }
    )


def overlaid(below: pa.Table, above: pa.Table, key: tuple[str, ...] = ("p", "id")) -> pa.Table:
    """The rows of both; where a key is in both, those of `above`."""
    merged = {}
    for table in (below, above):
        for row in table.to_pylist():
            merged[tuple(row[name] for name in key)] = row
    return pa.Table.from_pylist(list(merged.values()), schema=above.schema)


def stock_writes(
    stock: StockSpark,
    base: Path,
    source: pa.Table,
    options: dict[str, str],
    mode: str = "append",
    *,
    defaults: bool = False,
) -> None:
    """One commit by stock Hudi.

    Args:
        defaults: Whether nothing but these options is set. Otherwise the table has version 6, hive style
            partitions and no metadata table.
    """
    file = base.parent / f"{base.name}-source.parquet"
    base.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(source, file)
    stock.ask(
        op="write",
        source=str(file),
        path=str(base),
        options=options,
        mode=mode,
        defaults=defaults,
    )


class StockTables:
    """Bucket tables that stock Hudi writes once; each test gets a copy, whose files name no place."""

    def __init__(self, stock: StockSpark, folder: Path) -> None:
        self.stock, self.folder = stock, folder
        self._made: dict[tuple[tuple[int, int, str], ...], Path] = {}

    def copy(self, place: Path, *commits: tuple[int, int, str]) -> Path:
        """A table of some commits, each of them `rows` of these numbers and this word."""
        shutil.copytree(self._original(commits), place)
        return place

    def _original(self, commits: tuple[tuple[int, int, str], ...]) -> Path:
        if commits not in self._made:
            below = self._original(commits[:-1]) if commits[1:] else None
            place = self.folder / str(len(self._made)) / "written"
            if below is not None:
                shutil.copytree(below, place)
            stock_writes(self.stock, place, rows(*commits[-1]), BUCKETS)
            self._made[commits] = place
        return self._made[commits]


def merge(
    spark: SparkSession, table: str, source: pa.Table, on: tuple[str, ...]
) -> tuple[int, ...]:
    """MERGE of all the columns; the counts that it answers with."""
    spark.createDataFrame(source).createOrReplaceTempView("merge_source")
    condition = " AND ".join(f"t.{name} = s.{name}" for name in on)
    answer = spark.sql(
        f"MERGE INTO {table} t USING merge_source s ON {condition} "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    ).collect()
    return tuple(answer[0])


def contents(folder: Path) -> dict[str, bytes]:
    """Bytes of each Parquet file below a folder."""
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*.parquet"))}


def assert_both_read(
    spark: SparkSession,
    stock: StockSpark,
    table: str,
    base: Path,
    expected: pa.Table,
    *,
    unchecked: tuple[str, ...] = (),
) -> pa.Table:
    """hudilite and stock read these rows and the same meta columns; verify finds no fault.

    Args:
        unchecked: Beginnings of what verify says that it cannot check in this table.

    Returns:
        what stock has read
    """
    names = expected.column_names
    by_stock = stock.read(base)
    own = spark.sql(f"SELECT {', '.join(by_stock.column_names)} FROM {table}").toArrow()
    alone = spark.sql(f"SELECT * FROM {table}").toArrow()
    for read, label in ((own, "hudilite"), (alone, "without meta columns"), (by_stock, "stock")):
        assert_same_tables(expected, read, names, label)
    assert_same_tables(by_stock, own, label="meta columns by hudilite")
    found = spark.sql(f"CALL verify(table => '{table}', level => 'rows')").collect()
    faults = [row for row in found if row.severity != "INFO"]
    assert [row.code for row in faults] == ["NOT_CHECKED"] * len(unchecked), faults
    assert all(any(text in str(row) for row in faults) for text in unchecked), faults
    return by_stock


def assert_all_read(
    spark: SparkSession, stock: StockSpark, table: str, base: Path, expected: pa.Table
) -> None:
    """hudilite, stock and hudi-rs read these rows and the same meta columns; verify finds no fault.

    What a dead writer left is no fault.
    """
    by_stock = assert_both_read(spark, stock, table, base, expected)
    assert_same_tables(by_stock, read_rust(base), label="hudi-rs")
