"""Two writers, each stopped at each phase of its commit: as if one had come after the other.

A runs to a phase, B to another, B ends, A ends: 7 x 7 x 4 pairs of statements. The short profile takes
some by the seed. The order is that of the numbers: B is first unless A had its number when it was stopped.
"""

from __future__ import annotations

import itertools
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from asked import LONG, SEED, rng_of
from pairs import CREATE, FOLLOWING, INSERT, ORIGINAL, PAIRS, Pair, Result, State, Step

from harness import inv, layout
from harness.faults import fault_of
from harness.invariants import check_table
from harness.phases import CLEAN_STEPS, PHASES, ROLLBACK_STEPS
from harness.rotation import third

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EACH = 3  # cases of each pair in the short profile
COMMITTED = ("AFTER_NUMBER", "AFTER_DONE")
CLEAN = (
    "CALL clean(table => 'hudilite.`{place}`', retain_commits => 1, retain_hours => 0, "
    "allow_short_retention => true)"
)
ROLLBACK = "CALL rollback('hudilite.`{place}`', '{instant}')"


class Writer:
    """A session with a thread of its own, which a gate can stop."""

    def __init__(self, spark: SparkSession) -> None:
        self.session, self.pool = spark.newSession(), ThreadPoolExecutor(max_workers=1)
        self.gate: Any = None
        self.told: Future[Result] = Future()

    def start(self, text: str, steps: str) -> bool:
        """Runs to a gate; false when the statement ended before."""
        jvm: Any = self.session._jvm
        self.gate = self.pool.submit(jvm.hudilite.tests.FaultGate.stop, steps).result()
        self.told = self.pool.submit(self._run, text)
        while not self.gate.isReached() and not self.told.done():
            time.sleep(0.002)
        return bool(self.gate.isReached())

    def end(self) -> Result:
        self.gate.release()
        return self.told.result(timeout=60)

    def run(self, text: str) -> Result:
        """The whole of a statement."""
        assert self.start(text, "never:$") is False
        return self.end()

    def _run(self, text: str) -> Result:
        try:
            rows = self.session.sql(text).collect()
        except Exception as error:  # noqa: BLE001 - every failure is held against the model
            return fault_of(error).condition
        return rows[0][0] if rows else 0


class Interleavings:
    """A table, a copy of which meets each pair of statements, and the two writers."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder = spark, folder
        self.a, self.b, self.c = Writer(spark), Writer(spark), Writer(spark)
        self.original = folder / "pairs"
        spark.sql(CREATE.format(name="pairs", place=self.original))
        spark.sql(INSERT.format(t=f"hudilite.`{self.original}`"))

    def run(self, pair: Pair, i: str, j: str) -> list[str]:
        """What is wrong after A stopped at phase i and B at j."""
        place = self.place(f"{pair.name}-{i}-{j}")
        a_is_first = i in COMMITTED
        one, both, *told = pair.outcome(a_is_first)
        wrong = [] if self.a.start(at(pair.a, place), PHASES[i]) else [f"A never came to {i}"]
        reached = self.b.start(at(pair.b, place), PHASES[j])
        answer_b = self.b.end()
        seen = self.read(place)
        if seen != (both if a_is_first else one):
            wrong.append(f"while A waits hudilite reads {seen}")
        answers = [self.a.end(), answer_b]
        if answers != told:
            wrong.append(f"the answers are {answers}, not {told}")
        if not reached and answer_b not in (0, "HUDILITE_DUPLICATE_KEY"):
            wrong.append(f"B never came to {j}")
        if retries(place) != (0 if a_is_first else pair.retries):
            wrong.append(f"{retries(place)} retries")
        wrong += self.look(place, both)
        return [f"{pair.name} A at {i}, B at {j}: {text}" for text in wrong]

    def place(self, name: str) -> Path:
        """A copy of the table."""
        place = self.folder / name
        inv.linked_copy(self.original, place)
        return place

    def read(self, place: Path) -> State:
        """The rows that a query sees; each key once."""
        rows = self.spark.sql(f"SELECT id, v FROM hudilite.`{place}`").collect()
        found = dict(map(tuple, rows))
        assert len(found) == len(rows), rows
        return found

    def look(self, place: Path, state: State) -> list[str]:
        """INV now, with nothing left behind, and after a next write."""
        wrong = [*inv.breaks(place, [state.items()]), *check_table(place)]
        following, _ = FOLLOWING.apply(state)
        self.spark.sql(at(FOLLOWING, place))
        if self.read(place) != following:
            wrong.append(f"after the next write hudilite reads {self.read(place)}")
        wrong += inv.breaks(place, [following.items()])
        shutil.rmtree(place)
        return wrong


def at(step: Step, place: Path) -> str:
    return step.sql.format(t=f"hudilite.`{place}`")


def retries(place: Path) -> int:
    """How often the commits of a table were overtaken."""
    found = (layout.commit_metadata(place, instant) for instant in layout.completed(place))
    return sum(int(told["extraMetadata"].get("hudilite.metrics.numRetries", 0)) for told in found)


@pytest.fixture(scope="module")
def interleavings(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Interleavings]:
    made = Interleavings(spark, tmp_path_factory.mktemp("pairs"))
    assert made.read(made.original) == ORIGINAL
    yield made
    for writer in (made.a, made.b, made.c):
        writer.pool.shutdown()


@pytest.mark.fault("F18", "F19", "F23", "F28")
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_two_stopped_writers_are_as_one_after_the_other(
    interleavings: Interleavings, pair: Pair
) -> None:
    print(f"HUDILITE_SEED={SEED}")
    cases = list(itertools.product(PHASES, PHASES))
    chosen = cases if LONG else third(rng_of("pairs", pair.name).sample(cases, EACH))
    started = time.monotonic()
    wrong = [text for i, j in chosen for text in interleavings.run(pair, i, j)]
    print(f"{pair.name}: {len(chosen)} cases in {time.monotonic() - started:.1f} s")
    assert wrong == []


@pytest.mark.rotated(by="test")
@pytest.mark.fault("F24")
@pytest.mark.parametrize("phase", [phase for phase in PHASES if phase != "PLAN"])
def test_a_stopped_writer_that_is_rolled_back_fails(
    interleavings: Interleavings, phase: str
) -> None:
    """Unless it has its number: then the rollback is refused."""
    made, pair = interleavings, PAIRS[0]
    place = made.place(f"rollback-{phase}")
    before = layout.instants(place)
    assert made.a.start(at(pair.a, place), PHASES[phase])
    (instant,) = layout.instants(place) - before
    told = made.b.run(ROLLBACK.format(place=place, instant=instant))
    after, count = pair.a.apply(ORIGINAL)
    if phase in COMMITTED:
        assert (told, made.a.end()) == ("HUDILITE_ARGUMENT_INVALID", count)
    else:
        assert (told, made.a.end()) == (instant, "HUDILITE_WRITE_ROLLED_BACK")
    assert made.look(place, after if phase in COMMITTED else ORIGINAL) == []


@pytest.mark.rotated(by="test")
@pytest.mark.fault("F24", "F30")
@pytest.mark.parametrize("step", ROLLBACK_STEPS)
def test_two_rollbacks_at_once_are_as_one(interleavings: Interleavings, step: str) -> None:
    """The first stops at a step, the second runs to its end, the first goes on; their writer wakes."""
    made, pair = interleavings, PAIRS[0]
    place = made.place(f"rollbacks-{ROLLBACK_STEPS.index(step)}")
    before = layout.instants(place)
    assert made.a.start(at(pair.a, place), PHASES["BEFORE_NUMBER"])
    (instant,) = layout.instants(place) - before
    text = ROLLBACK.format(place=place, instant=instant)
    assert made.b.start(text, step)
    assert made.c.run(text) == instant
    assert made.b.end() == instant
    assert made.a.end() == "HUDILITE_WRITE_ROLLED_BACK"
    assert made.look(place, ORIGINAL) == []


@pytest.mark.rotated(by="test")
@pytest.mark.fault("F30")
@pytest.mark.parametrize("step", CLEAN_STEPS)
def test_two_cleans_at_once_are_as_one(interleavings: Interleavings, step: str) -> None:
    """The first stops at a step, the second runs to its end, the first goes on."""
    made = interleavings
    place = made.place(f"cleans-{CLEAN_STEPS.index(step)}")
    for _ in range(2):
        made.spark.sql(f"UPDATE hudilite.`{place}` SET v = ''")
    latest = {found.path for found in layout.latest_slices(place)}
    assert len(layout.base_files(place)) == 3 * len(latest)
    text = CLEAN.format(place=place)
    assert made.b.start(text, step)
    answers = [made.c.run(text), made.b.end()]
    assert not [told for told in answers if str(told).startswith("HUDILITE_")], answers
    assert {found.path for found in layout.base_files(place)} == latest
    assert made.look(place, ORIGINAL) == []


@pytest.mark.rotated(by="test")
@pytest.mark.fault("F18")
def test_a_write_that_a_step_of_a_rescale_may_not_have_seen_waits(
    interleavings: Interleavings,
) -> None:
    """The step is announced after the write has looked for one, and before it is pending."""
    made, pair = interleavings, PAIRS[0]
    place = made.place("rescaled")
    step = place / ".hoodie" / ".hudilite-rescale" / "step"
    made.spark.sql(f"CALL rescale(table => 'hudilite.`{place}`', buckets => 8, max_bytes => 1)")
    before = layout.instants(place)
    assert made.a.start(at(pair.a, place), PHASES["PLAN"])
    step.touch()
    made.a.gate.release()
    until = time.monotonic() + 30
    while not list(step.parent.glob("waits-*")) and time.monotonic() < until:
        step.touch()  # as a rescale repeats it
        time.sleep(0.02)
    assert len(list(step.parent.glob("waits-*"))) == 1
    assert layout.instants(place) == before
    step.unlink()
    after, count = pair.a.apply(ORIGINAL)
    assert made.a.end() == count
    assert list(step.parent.iterdir()) == []
    assert (made.read(place), retries(place)) == (after, 0)
    assert check_table(place) == []
    shutil.rmtree(place)
