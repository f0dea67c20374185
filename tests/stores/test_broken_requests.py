"""Each request of each statement on S3 breaks in each way: the table is as before or as after.

A run takes HUDILITE_STORE_EACH of the cells of a statement, by a seed (HUDILITE_SEED); `make soak` all;
HUDILITE_STORE_CELL=merge:37:drop_after takes one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from broken import check_cells, chosen, hasty
from broken_requests import STATEMENTS, Matrix, Statement, cells

from harness.fault_proxy import FAULTS, FaultProxy
from harness.impatient import impatient_session
from harness.rotation import ninth, product, rotation
from harness.seeds import asked_seed
from harness.stores import S3Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEED = asked_seed()
USUAL = 40 if rotation() is None else 8
EACH = int(os.environ.get("HUDILITE_STORE_EACH", USUAL))
CONF = {
    "spark.hudilite.write.storeSeconds": "8",
    "spark.hudilite.write.rollbackAfter": "0s",
}
IO = product("core/io/")
ROTATED = [  # two share a session
    pytest.param(statement, id=statement.name, marks=ninth(n, when=IO))
    for statement, n in zip(STATEMENTS, (5, 5, 7, 7, 8, 8), strict=True)
]


@pytest.fixture(scope="module")
def session(store: S3Store, proxy: FaultProxy, warehouse: Path) -> Iterator[SparkSession]:
    """One session for all cells, with one core: its requests have an order."""
    with impatient_session(store.through(proxy.port), warehouse, CONF) as found:
        yield found


@pytest.fixture(scope="module")
def matrix(session: SparkSession, store: S3Store, proxy: FaultProxy) -> Iterator[Matrix]:
    """The original table, behind a proxy whose late requests are not very late."""
    with hasty(proxy):
        yield Matrix(session, store, proxy)


@pytest.mark.fault("F27")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("statement", ROTATED)
def test_a_broken_request_leaves_before_or_after(matrix: Matrix, statement: Statement) -> None:
    every = cells(statement.name, matrix.requests(statement), SEED)
    print(f"HUDILITE_SEED={SEED}")
    taken = chosen(every, EACH, "HUDILITE_STORE_CELL")
    check_cells(statement.name, every, taken, lambda cell: matrix.run(statement, cell))


@ninth(5, when=IO)
def test_every_statement_has_requests_and_every_fault_strikes_each(matrix: Matrix) -> None:
    made = matrix.requests(STATEMENTS[0])
    every = cells("create", made, SEED)
    assert len(made) >= 5
    assert len(every) == len(set(every)) == len(made) * len(FAULTS)
    assert {cell.fault for cell in every} == set(FAULTS)
