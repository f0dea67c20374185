"""Writers in several processes, some of which are killed: one order of their statements explains all.

The checkers are tested in tests/selftest/test_histories.py. Each history leaves its figures, a line of
JSON, in .build/histories.txt.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from asked import LONG, SEED, rng_of

from harness.writers.history import History, places_in
from harness.writers.processes import Life
from harness.writers.workloads import BUCKETS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LEFT = Path(".build") / "histories.txt"
RUN = Life()
RNG = rng_of("histories")
pytestmark = pytest.mark.rotated(third=0)  # four JVMs and a minute
ORDERED = ("F18", "F19", "F20", "F23", "F25", "F26", "F28")  # what one order shows
LONG_ACKNOWLEDGED = 200


def dying() -> list[Life]:
    """Halted in its own commit, or killed, then alive."""
    halted, killed = Life(halt_at=RNG.randint(3, 6)), Life(kill_after=RNG.randint(8, 14))
    return [RNG.choice([halted, killed]), RNG.choice([killed, halted]), RUN]


@dataclass(frozen=True)
class Plan:
    """A history: tables, lives of each process, what must have happened, what the writers are told."""

    name: str
    tables: tuple[str, ...]
    lives: list[list[Life]]
    acknowledged: int = LONG_ACKNOWLEDGED
    buckets: dict[str, int] = field(default_factory=lambda: BUCKETS)
    happened: tuple[str, ...] = ("rollbacks", "kills_after_commit")
    more: dict[str, Any] = field(default_factory=dict)


MIXED = Plan(
    "mixed",
    ("counter", "lists", "uniques"),
    [[Life(halt_at=RNG.randint(3, 6)), RUN], [Life(kill_after=RNG.randint(8, 14)), RUN]],
    acknowledged=100,
)
HALTED = [Life(halt_at=8), RUN]  # so that a kill comes after a commit point in each
LONGER = [Plan(table, (table,), [dying(), dying(), HALTED]) for table in MIXED.tables]
EIGHT = Plan(
    "eight",
    ("counter",),
    [[RUN], [RUN]],
    buckets={"counter": 1},
    happened=(),
    more={"retries": ["20"] * 4, "rollback_after": "1d"},
)
PLANS = [
    pytest.param(MIXED, marks=pytest.mark.fault(*ORDERED), id=MIXED.name),
    *(pytest.param(p, marks=pytest.mark.fault(*ORDERED), id=p.name) for p in LONGER),
    pytest.param(EIGHT, marks=pytest.mark.fault("F26", "F33"), id=EIGHT.name),
]


@pytest.mark.timeout(3600 if LONG else 600)
@pytest.mark.parametrize("plan", PLANS if LONG else PLANS[:1])
def test_one_order_explains_a_history(
    spark: SparkSession, fault_conf: dict[str, str], tmp_path: Path, plan: Plan
) -> None:
    print(f"HUDILITE_SEED={SEED}")
    places = places_in(tmp_path / plan.name, plan.tables)
    history = History(spark, tmp_path, plan.name, places)
    history.create(plan.buckets)
    seconds = 1800 if LONG else 240
    history.run(fault_conf, plan.lives, plan.acknowledged, seconds, **plan.more)
    wrong = history.faults()
    gaps = [longest_gap(Path(place.location)) for place in places.values()]
    history.figures["longest_gap_seconds"] = max(gaps)
    leave(history.figures)
    assert wrong == []
    for name in ("conflicts", "retries", *plan.happened):
        assert history.figures[name] > 0, f"no {name}: nothing was tested"
    assert history.figures["acknowledged"] >= 100
    assert history.figures["processes"] >= 2
    if plan is EIGHT:
        check_progress(history.figures)


def longest_gap(folder: Path) -> float:
    """Seconds, at most, between a commit and the next; the first one is of the test."""
    numbers = (folder / ".hoodie" / ".hudilite" / "commits").glob("?" * 20)
    times = sorted(path.stat().st_mtime for path in numbers)[1:]
    return round(max(later - one for one, later in pairwise(times)), 1)


def check_progress(figures: dict[str, Any]) -> None:
    """Writers of one bucket get on, and few give up after their last retry."""
    assert figures["longest_gap_seconds"] <= 10
    assert max(figures["commits_by_retries"]) <= 20
    assert sum(figures["failed"].values()) * 10 <= figures["acknowledged"]


def leave(figures: dict[str, Any]) -> None:
    """Prints the figures, and leaves the newest of each history for the page on reliability."""
    print(json.dumps(figures))
    LEFT.parent.mkdir(exist_ok=True)
    lines = LEFT.read_text(encoding="utf-8").splitlines() if LEFT.exists() else []
    kept = [line for line in lines if json.loads(line)["history"] != figures["history"]]
    LEFT.write_text("\n".join([*kept, json.dumps(figures), ""]), encoding="utf-8")
