"""Stock Hudi-Spark for the whole run; skipped where it cannot run, by name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.adopted import StockTables
from harness.stock import StockSpark, running


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StockSpark]:
    """One running stock Hudi-Spark."""
    yield from running(tmp_path_factory)


@pytest.fixture(scope="session")
def stock_tables(stock: StockSpark, tmp_path_factory: pytest.TempPathFactory) -> StockTables:
    """Tables of stock Hudi that several tests begin with."""
    return StockTables(stock, tmp_path_factory.mktemp("by_stock"))
