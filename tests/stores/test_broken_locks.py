"""Each request about the lock of stock Hudi breaks in each way: the table is as before or as after, and later
statements work.

A run takes HUDILITE_LOCK_EACH of the cells of a beginning, by a seed (HUDILITE_SEED); `make soak` all;
HUDILITE_LOCK_CELL=absent:2:drop_after takes one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from broken import check_cells, chosen, hasty
from broken_locks import BEGINNINGS, Locked, cells

from harness.fault_proxy import FAULTS, FaultProxy
from harness.impatient import impatient_session
from harness.rotation import ninth, product, rotation
from harness.seeds import asked_seed
from harness.stores import S3Store

SEED = asked_seed()
# Of make test, and of make test-all; a renewal takes half a minute to come.
SAMPLE = {"renewed": (1, 3)}
OTHER = (6, 12)
CONF = {"spark.hudilite.write.storeSeconds": "60", "spark.hudilite.write.lockSeconds": "20"}
LOCKS = product("core/lock/", "core/io/TaggedWrites.scala")
ROTATED = [
    pytest.param(beginning, id=beginning, marks=ninth(n, when=LOCKS))
    for n, beginning in zip((1, 1, 2, 2), BEGINNINGS, strict=True)
]


@pytest.fixture(scope="module")
def locked(store: S3Store, proxy: FaultProxy, warehouse: Path) -> Iterator[Locked]:
    """The table, behind a proxy whose late requests are not very late."""
    with (
        impatient_session(store.through(proxy.port), warehouse, CONF) as session,
        hasty(proxy),
    ):
        yield Locked(session, store, proxy)


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("beginning", ROTATED)
def test_a_broken_request_for_the_lock_leaves_before_or_after(
    locked: Locked, beginning: str
) -> None:
    made = locked.requests(beginning)
    every = cells(beginning, made, SEED)
    # It is taken and given back twice.
    assert sum(seen.method == "PUT" for seen in made) == (5 if beginning == "renewed" else 4)
    struck = 1 if beginning == "renewed" else len(made)
    assert len(every) == len(set(every)) == struck * len(FAULTS)
    usual = SAMPLE.get(beginning, OTHER)[rotation() is None]
    each = int(os.environ.get("HUDILITE_LOCK_EACH", usual))
    print(f"HUDILITE_SEED={SEED}")
    check_cells(beginning, every, chosen(every, each, "HUDILITE_LOCK_CELL"), locked.run)
