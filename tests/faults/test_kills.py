"""A JVM that halts at a file operation of a statement leaves the table as before or as after."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ledger
import pytest
from asked import LONG, POINTS, SEED, points_of, rng_of
from points import Call, Point
from runs import Enumeration, Outcome
from script import BY_NAME, EMPTY, ORIGINAL

from harness.children import ChildOutcome, run_child
from harness.rotation import THIRDS

EVERY = 5  # the long profile halts at every fifth operation
KILLED = BY_NAME if LONG or POINTS else (
    "merge", "overwrite", "bootstrap-both", "promote_6", "merge_logs_9"
)  # fmt: skip
IMAGES = [
    pytest.param(name, marks=pytest.mark.rotated(third=n % THIRDS)) for n, name in enumerate(KILLED)
]


def chosen(made: list[Call], name: str) -> list[int]:
    """Where to halt: a seeded operation of each statement, or every fifth one."""
    if POINTS:
        return [point.k for point in points_of(name, "kill")]
    rng = rng_of(name, "kill")
    if LONG:
        return list(range(rng.randint(1, EVERY), len(made) + 1, EVERY))
    return [rng.randint(1, len(made))]


def commit_point(made: list[Call]) -> int:
    """Where the number is created; CREATE and a rollback change no rows."""
    found = [k for k, call in enumerate(made, 1) if str(call) == "driver createNew NUMBER"]
    return found[0] if found else len(made)


def sample(made: list[Call], name: str) -> list[int]:
    """The operations on either side of the commit point, and some before and after."""
    rng, point = rng_of(name, "image"), commit_point(made)
    near = {k for k in (point, point + 1) if k <= len(made)}
    for others, many in ((range(1, point), 4), (range(point + 2, len(made) + 1), 2)):
        near |= set(rng.sample(others, min(many, len(others))))
    return sorted(near)


def halt(place: Path, text: str, k: int, conf: dict[str, str]) -> ChildOutcome:
    """The statement in a JVM of its own that halts at its k-th operation."""
    steps = [
        {"label": "arm", "arm": [str(place), f"*:.*:{k}:halt"]},
        {"label": "statement", "sql": text},
    ]
    return run_child(child_of(place), steps, conf | {"spark.driver.memory": "800m"})


def child_of(place: Path) -> Path:
    """The child's own folder, whose name does not begin as the table's: its files do not count."""
    return place.with_name(f"child-{place.name}")


@pytest.mark.fault("F01", "F02", "F03", "F04", "F05", "F06", "F07", "F10", "F11")
@pytest.mark.timeout(3600 if LONG else 600)
@pytest.mark.parametrize("name", IMAGES)
def test_the_disk_before_each_operation_is_before_or_after(
    enumeration: Enumeration, name: str
) -> None:
    """What every halt leaves, from one run: a copy of the table at each operation.

    Up to the creation of the number it is the table as it was, from then on as it shall be.
    """
    print(f"HUDILITE_SEED={SEED}")
    statement = BY_NAME[name]
    made, images = enumeration.images(statement)
    able = range(1, len(made) + 1)
    chosen = able if LONG else sample(made, name)
    if POINTS:
        chosen = [point.k for point in points_of(name, "image")]
    wrong = []
    for k in chosen:
        outcome = Outcome(Point(name, k, "image"), str(made[k - 1]), "raised", "image", "")
        states = [EMPTY if statement.creates else ORIGINAL, statement.after(ORIGINAL)]
        enumeration.judge(outcome, statement, images / str(k), states, rust=k % 5 == 0)
        expected = "before" if k <= commit_point(made) else "after"
        if outcome.state != expected and states[0] != states[1]:
            outcome.broken.append(f"{outcome.state}, not {expected} the commit")
        print(outcome)
        wrong += ledger.note([outcome])
    shutil.rmtree(images)
    assert wrong == []


@pytest.mark.rotated(third=2)  # starts a JVM
@pytest.mark.fault("F01", "F02", "F03", "F04", "F05", "F06", "F07", "F10", "F11")
@pytest.mark.timeout(3600 if LONG else 600)
@pytest.mark.parametrize("name", KILLED if LONG or POINTS else ["merge"])
def test_a_halt_leaves_before_or_after(
    enumeration: Enumeration, fault_conf: dict[str, str], name: str
) -> None:
    print(f"HUDILITE_SEED={SEED}")
    statement = BY_NAME[name]
    made = enumeration.calls(name)
    wrong = []
    with ThreadPoolExecutor(max_workers=2) as pool:
        places = {k: enumeration.place(statement) for k in chosen(made, name)}
        runs = {
            k: pool.submit(halt, place, enumeration.text_of(statement, place), k, fault_conf)
            for k, place in places.items()
        }
        for k, place in places.items():
            child = runs[k].result()
            assert child.jvm_exit == 137, f"the JVM did not halt: {child.steps}"
            outcome = Outcome(Point(name, k, "kill"), str(made[k - 1]), "raised", "halt", "")
            states = [EMPTY if statement.creates else ORIGINAL, statement.after(ORIGINAL)]
            enumeration.judge(outcome, statement, place, states, rust=True)
            print(outcome)
            wrong += ledger.note([outcome])
            shutil.rmtree(child_of(place))
    assert wrong == []
