"""Stock Hudi-Spark for the whole run; skipped where it cannot run, by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from harness.adopted import StockTables
from harness.merge_on_read import CASES, Case, LogTables
from harness.rotation import ninth, product
from harness.stock import StockSpark, running

# Code that the tests of tables with log files by stock Hudi test.
WHEN = product(
    *("core/view/", "core/format/", "spark/read/", "spark/repair/", "spark/rewrite/"),
    "procedures/Compact.scala",
)


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StockSpark]:
    """One running stock Hudi-Spark."""
    yield from running(tmp_path_factory)


@pytest.fixture(scope="session")
def stock_tables(stock: StockSpark, tmp_path_factory: pytest.TempPathFactory) -> StockTables:
    """Tables of stock Hudi that several tests begin with."""
    return StockTables(stock, tmp_path_factory.mktemp("by_stock"))


@pytest.fixture(scope="session")
def log_tables(stock: StockSpark, tmp_path_factory: pytest.TempPathFactory) -> LogTables:
    """Merge-on-read tables of stock Hudi that several tests begin with."""
    return LogTables(stock, tmp_path_factory.mktemp("with_logs"))


@pytest.fixture(
    scope="session",
    params=[
        pytest.param(case, id=str(case), marks=ninth(n, when=WHEN))
        for n, case in zip((0, 2, 4, 6, 7), CASES, strict=True)
    ],
)
def written(
    request: pytest.FixtureRequest, log_tables: LogTables, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Case, Path, pa.Table]:
    """A merge-on-read table with log files, which no test changes, and its rows."""
    base = tmp_path_factory.mktemp("mor") / "t"
    return request.param, base, log_tables.copy(base, request.param)
