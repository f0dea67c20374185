"""The stock environment itself: a table that stock wrote, and an altered value that is seen."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.canonical import RowsDiffer, assert_same_tables
from harness.rust import read_files, read_rust
from harness.stock import StockSpark, writer_options

OPTIONS = writer_options("written_by_stock", buckets=4)


def rows(first: int, last: int, word: str) -> pa.Table:
    numbers = list(range(first, last))
    return pa.table(
        {
            "id": [f"k{i}" for i in numbers],
            "d": [None if i % 7 == 0 else i / 3 for i in numbers],
            "v": [f"{word} {i}" for i in numbers],
            "p": ["a" if i % 2 else "b" for i in numbers],
            "ts": [1 if word == "one" else 2 for _ in numbers],
        }
    )


@pytest.fixture(scope="module")
def written(stock: StockSpark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("by_stock")
    for ordinal, source in enumerate([rows(0, 1000, "one"), rows(900, 1100, "two")]):
        file = folder / f"source{ordinal}.parquet"
        pq.write_table(source, file)
        table = str(folder / "table")
        stock.ask(op="write", source=str(file), path=table, options=OPTIONS, mode="append")
    return folder / "table"


@pytest.fixture(scope="module")
def read(stock: StockSpark, written: Path) -> pa.Table:
    """Its rows as stock reads them."""
    return stock.read(written)


def test_stock_reads_back_what_it_wrote(read: pa.Table, written: Path) -> None:
    expected = pa.concat_tables([rows(0, 900, "one"), rows(900, 1100, "two")])
    assert_same_tables(expected, read, expected.column_names, "stock")
    assert_same_tables(read, read_rust(written), label="hudi-rs")
    latest = [found.path for found in layout.latest_slices(written)]
    assert_same_tables(read, read_files(latest), label="pyarrow")


def test_layout_agrees_with_stock_on_the_latest_files(read: pa.Table, written: Path) -> None:
    named = set(read.column("_hoodie_file_name").to_pylist())
    assert named == {found.path.name for found in layout.latest_slices(written)}
    assert len(layout.base_files(written)) > len(named)
    assert {found.bucket for found in layout.latest_slices(written)} == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("column", "value"), [("v", "altered"), ("d", -0.0), ("ts", None), ("_hoodie_commit_time", "1")]
)
def test_one_altered_value_is_seen(read: pa.Table, column: str, value) -> None:
    position = read.column_names.index(column)
    altered = pa.array(
        [value, *read.column(column).to_pylist()[1:]], read.schema.field(column).type
    )
    with pytest.raises(RowsDiffer):
        assert_same_tables(read, read.set_column(position, column, altered))


def test_a_lost_and_a_doubled_row_are_seen(read: pa.Table) -> None:
    with pytest.raises(RowsDiffer):
        assert_same_tables(read, read.slice(1))
    with pytest.raises(RowsDiffer):
        assert_same_tables(read, pa.concat_tables([read, read.slice(5, 1)]))
