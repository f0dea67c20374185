"""A statement of which one request to a store breaks, as one cell of a matrix of requests and faults."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from harness import fault_proxy
from harness.fault_proxy import FaultProxy, Seen
from harness.faults import run_statement

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Cell:
    """The k-th request of a statement, or of what it begins with, and its fault: `merge:37:drop_after`."""

    of: str
    k: int
    fault: str

    def __str__(self) -> str:
        return f"{self.of}:{self.k}:{self.fault}"


@dataclass
class Outcome:
    """Effect of a fault: the request, the client's view (an error's condition, or ""), and each mistake."""

    cell: Cell
    request: str
    condition: str
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        told = f"{self.cell} {self.request}: {self.condition or 'succeeded'}"
        return " ".join([told, *(f"WRONG {text}" for text in self.wrong)])


def broken(
    spark: SparkSession,
    proxy: FaultProxy,
    sql: str,
    chance: Callable[[Seen], str],
    belongs: Callable[[Seen], bool],
) -> tuple[str, list[Seen]]:
    """Runs a statement behind a proxy that breaks requests.

    Args:
        chance: Gives the fault of a request, "" for none.
        belongs: Whether a request is one of those to return.

    Returns:
        The condition of the statement's failure, "" for success, and its requests.
    """
    proxy.arm()
    proxy.chance = chance
    try:
        failed = run_statement(spark, sql)
    finally:
        proxy.chance = lambda seen: ""
    made = [seen for seen in list(proxy.seen) if belongs(seen)]
    if any(seen.fault == "late" for seen in made):
        time.sleep(fault_proxy.LATE + 0.1)  # the store gets the late request, too
    return "" if failed is None else failed.condition, made


def not_struck(cell: Cell, made: Sequence[Seen]) -> list[str]:
    """The mistake that a fault has not struck exactly one request, if it is one."""
    if [seen.fault for seen in made if seen.fault] == [cell.fault]:
        return []
    return [f"the fault did not strike; there were {len(made)} requests"]


def check_cells(
    name: str, every: Sequence[Cell], taken: Sequence[Cell], run: Callable[[Cell], Outcome]
) -> None:
    """Runs some cells, prints the outcome of each, and fails if one is wrong."""
    print(f"{len(taken)} of {len(every)} cells of {name}")
    wrong = []
    for cell in taken:
        outcome = run(cell)
        print(outcome, flush=True)
        wrong += [str(outcome)] if outcome.wrong else []
    assert wrong == []


def chosen(every: Sequence[Cell], each: int, one: str) -> list[Cell]:
    """The first cells of a list, or the one that is named in an environment variable."""
    named = os.environ.get(one, "")
    return [cell for cell in every if str(cell) == named] if named else list(every[:each])


@contextmanager
def hasty(proxy: FaultProxy) -> Iterator[FaultProxy]:
    """A proxy whose late requests are not very late."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fault_proxy, "LATE", 0.3)
        patch.setattr(fault_proxy, "HANG", 5.0)
        yield proxy
