"""Each request about the lock of stock Hudi breaks in each way: the table is as before or as after, and later
statements work.

A run takes HUDILITE_LOCK_EACH of the cells of a beginning, by a seed (HUDILITE_SEED);
HUDILITE_LOCK_CELL=absent:2:drop_after takes one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from broken_locks import BEGINNINGS, Cell, Locked, cells

from harness import fault_proxy
from harness.fault_proxy import FAULTS, FaultProxy
from harness.impatient import impatient_session
from harness.rotation import THIRDS, product, rotation
from harness.seeds import asked_seed
from harness.stores import S3Store

SEED = asked_seed()
# In make test only some; a renewal takes half a minute to come.
SAMPLE = {"renewed": 1}
ONE = os.environ.get("HUDILITE_LOCK_CELL", "")
CONF = {"spark.hudilite.write.storeSeconds": "60", "spark.hudilite.write.lockSeconds": "20"}
LOCKS = product("core/lock/", "core/io/TaggedWrites.scala")
ROTATED = [
    pytest.param(beginning, id=beginning, marks=pytest.mark.rotated(third=n % THIRDS, when=LOCKS))
    for n, beginning in enumerate(BEGINNINGS)
]


@pytest.fixture(scope="module")
def locked(store: S3Store, proxy: FaultProxy, warehouse: Path) -> Iterator[Locked]:
    """The table, behind a proxy whose late requests are not very late."""
    with (
        impatient_session(store.through(proxy.port), warehouse, CONF) as session,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(fault_proxy, "LATE", 0.3)
        patch.setattr(fault_proxy, "HANG", 5.0)
        yield Locked(session, store, proxy)


def chosen(beginning: str, every: list[Cell]) -> list[Cell]:
    """The cells that this run takes."""
    if ONE:
        return [cell for cell in every if str(cell) == ONE]
    usual = len(every) if rotation() is None else SAMPLE.get(beginning, 6)
    return every[: int(os.environ.get("HUDILITE_LOCK_EACH", usual))]


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
    taken = chosen(beginning, every)
    print(f"HUDILITE_SEED={SEED}: {len(taken)} of {len(every)} cells of {beginning}")
    wrong = []
    for cell in taken:
        outcome = locked.run(cell)
        print(outcome, flush=True)
        wrong += [str(outcome)] if outcome.wrong else []
    assert wrong == []
