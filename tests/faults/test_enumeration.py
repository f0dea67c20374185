"""Every file operation of every statement fails in every way: the table is as before or as after.

The short profile takes HUDILITE_FAULT_EACH points of each statement and action by a seed
(HUDILITE_SEED); HUDILITE_FAULT_PROFILE=long takes all of them;
HUDILITE_FAULT_POINT=merge:37:applythrow takes one.
"""

from __future__ import annotations

import ledger
import pytest
from asked import EACH, LONG, POINTS, SEED, UPDATE, points_of, rng_of
from points import ACTIONS, WRITES, Call, Point
from runs import Enumeration
from script import BY_NAME, STATEMENTS

from harness.rotation import THIRDS

LEAST = {"merge": 60}
# Each statement with all that is done to it at one rotation of three: its operations are counted once.
ROTATED = [
    pytest.param(name, marks=pytest.mark.rotated(third=n % THIRDS))
    for n, name in enumerate(BY_NAME)
]
# Operations of an UPDATE around its commit point: the first of each kind, and what comes of it.
NAMED = [
    ("driver createNew INF", "throw", "raised Py4JJavaError before"),
    ("task write DATA", "partial", "raised Py4JJavaError before"),
    ("task close DATA", "throw", "raised Py4JJavaError before"),
    ("driver createNew NUMBER", "throw", "raised Py4JJavaError before"),
    ("driver createNew NUMBER", "applythrow", "succeeded after"),
    ("driver createNew DONE", "throw", "absorbed after"),
    ("driver createNew DONE", "applythrow", "succeeded after"),
]


def points(made: list[Call], name: str, action: str) -> list[Point]:
    """The points to break, in order; a few are of unlike operations."""
    if POINTS:
        return points_of(name, action)
    able = [k for k, c in enumerate(made, 1) if action != "partial" or c.operation in WRITES]
    if not LONG:
        rng, alike = rng_of(name, action), {}
        for k in able:
            alike.setdefault(str(made[k - 1]), []).append(k)
        chosen = rng.sample(sorted(alike), min(EACH, len(alike)))
        able = sorted(rng.choice(alike[call]) for call in chosen)
    return [Point(name, k, action) for k in able]


@pytest.mark.parametrize("name", ROTATED)
def test_the_operations_are_those_on_record(enumeration: Enumeration, name: str) -> None:
    made = enumeration.calls(name)
    if UPDATE:
        ledger.write_ops(enumeration.made)
    assert len(made) >= LEAST.get(name, 1)
    assert len(made) >= ledger.recorded().get(name, 1), "operations have gone: are they uncounted?"
    if name.startswith("promote"):
        of_old_buckets = {str(call) for call in made if "/p=c/" not in call.path}
        assert {"task create DATA", "task createNew LOG"} <= of_old_buckets
    if name.startswith("merge_adopted"):
        of_adopted = [call for call in made if "/p=c/" not in call.path]
        assert not [call for call in of_adopted if str(call) == "task create DATA"]
        assert [call for call in of_adopted if str(call) == "task createNew LOG"]
    assert not LONG or len(made) == ledger.recorded()[name], "HUDILITE_FAULT_UPDATE=1 records them"


@pytest.mark.fault("F01", "F02", "F03", "F04", "F05", "F06", "F07", "F09", "F10")
@pytest.mark.fault("F11", "F27", "F55")
@pytest.mark.timeout(3600 if LONG else 600)
@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("name", ROTATED)
def test_a_fault_leaves_before_or_after(enumeration: Enumeration, name: str, action: str) -> None:
    print(f"HUDILITE_SEED={SEED}")
    wrong: list[str] = []
    for point in points(enumeration.calls(name), name, action):
        outcome = enumeration.run(point, rust=point.k % 5 == 0)
        print(outcome)
        wrong += ledger.note([outcome])
    assert wrong == []


def test_the_list_of_absorbed_operations_has_no_idle_entry(enumeration: Enumeration) -> None:
    """In the long profile each entry must have been needed; in the short one, be well made."""
    entries = ledger.absorbed()
    if not LONG or POINTS:
        assert entries
        return
    taken = [outcome for outcome in ledger.OUTCOMES if outcome.result == "absorbed"]
    assert [e.pattern for e in entries if not any(e.fits(outcome) for outcome in taken)] == []


@pytest.mark.fault("F03", "F04", "F05", "F07", "F27")
@pytest.mark.parametrize(("call", "action", "expected"), NAMED, ids=lambda x: str(x))
def test_a_named_operation_fails_as_it_must(
    enumeration: Enumeration, call: str, action: str, expected: str
) -> None:
    made = [str(call) for call in enumeration.calls("update")]
    outcome = enumeration.run(Point("update", made.index(call) + 1, action))
    assert ledger.note([outcome]) == []
    assert f"{outcome.result} {outcome.condition} {outcome.state}".replace("  ", " ") == expected


def test_every_statement_is_enumerated() -> None:
    names = ["create", "insert", "merge", "delete", "update", "overwrite", "rollback"]
    names += ["savepoint", "delete_savepoint", "clean", "archive", "restore", "remove_orphans"]
    names += ["drop_column", "bootstrap", "bootstrap-both", "bootstrap-logs"]
    names += ["update_nine", "upgrade", "downgrade", "to_mor", "to_mor_nine"]
    names += ["update_kept", "clean_kept"]
    for version in ("6", "9"):
        names += [
            f"{what}_{version}"
            for what in (
                "merge_logs",
                "delete_logs",
                "promote",
                "compact",
                "to_cow",
                "merge_adopted",
            )
        ]
    assert [statement.name for statement in STATEMENTS] == [
        *names,
        "rescale",
        "rescale_end",
        "cluster",
        "replace",
    ]
