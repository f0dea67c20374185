"""The history checkers by themselves: they find planted anomalies, and none in a sound history."""

from __future__ import annotations

import json
from dataclasses import replace

from harness.histories import Op, counter_faults, ops_of, unique_faults
from harness.serial import list_faults


def op(id_: str, kind: str, keys: tuple[int, ...], start: int, end: int, **more: object) -> Op:
    made = Op(id_, "t", kind, keys, start, end, "ok")
    return replace(made, **more)  # type: ignore[arg-type]


A = op("w1.1", "append", (1, 2), 0, 10)
B = op("w2.1", "append", (1, 2), 5, 15)
C = op("w3.1", "append", (1,), 20, 30)
LISTS = {1: ["w1.1", "w2.1", "w3.1"], 2: ["w1.1", "w2.1"]}
ADDS = [op("w1.1", "add", (1, 2), 0, 10), op("w2.1", "add", (1,), 0, 10)]
PUTS = [
    op("w1.1", "insert", (7,), 0, 10),
    op("w2.1", "insert", (7,), 5, 9, outcome="fail", condition="HUDILITE_DUPLICATE_KEY"),
]


def test_journals_become_operations() -> None:
    asked = {"event": "asked", "table": "t", "kind": "add", "keys": [1]}
    lines = [
        asked | {"id": "a.1", "at": 1},
        asked | {"id": "b.1", "at": 2},
        {"event": "ok", "id": "a.1", "at": 5},
        asked | {"id": "a.2", "at": 6},
        {"event": "fail", "id": "a.2", "at": 7, "condition": "X"},
        {"event": "info", "id": "b.1", "at": 8, "condition": "Y"},
    ]
    found = ops_of(json.dumps(line) for line in lines)
    assert [(o.id, o.outcome, o.end, o.condition, o.client) for o in found] == [
        ("a.1", "ok", 5, "", "a"),
        ("b.1", "info", 1 << 62, "Y", "b"),
        ("a.2", "fail", 7, "X", "a"),
    ]


def test_sound_histories_have_no_faults() -> None:
    seen = op("r.1", "read", (1, 2), 11, 19, seen={1: ["w1.1", "w2.1"], 2: ["w1.1", "w2.1"]})
    assert list_faults([A, B, C, seen], LISTS) == []
    count = op("r.1", "read", (1, 2), 5, 20, seen={1: 1, 2: 1})
    assert counter_faults([*ADDS, count], {1: 2, 2: 1}) == []
    assert unique_faults(PUTS, [(7, "w1.1")]) == []


def test_an_unknown_operation_may_be_either() -> None:
    lost = replace(ADDS[1], outcome="info", end=1 << 62)
    for value in (1, 2):
        assert counter_faults([ADDS[0], lost], {1: value, 2: 1}) == []
    unknown = replace(C, outcome="info", end=1 << 62)
    assert list_faults([A, B, unknown], LISTS) == []
    assert list_faults([A, B, unknown], {1: LISTS[2], 2: LISTS[2]}) == []
    assert unique_faults([replace(PUTS[0], outcome="info")], [(7, "w1.1")]) == []
    assert unique_faults([replace(PUTS[0], outcome="info")], []) == []


def test_lost_updates_are_found() -> None:
    assert counter_faults(ADDS, {1: 1, 2: 1}) == [
        "lost update: counter 1 is 1, and 2 were acknowledged"
    ]
    (fault,) = list_faults([A, B, C], {1: ["w1.1", "w3.1"], 2: ["w1.1", "w2.1"]})
    assert fault == "lost update: w2.1 was acknowledged, and of (1, 2) only [2] have it"
    assert unique_faults(PUTS[:1], []) == ["lost insert: key 7 of ['w1.1'] is None's"]


def test_effects_of_what_failed_or_came_twice_are_found() -> None:
    failed = replace(ADDS[1], outcome="fail")
    assert counter_faults([ADDS[0], failed], {1: 2, 2: 1}) == [
        "counter 1 is 2, and no more than 1 can be"
    ]
    assert "w3.1 failed, and [1] have it" in list_faults([A, B, replace(C, outcome="fail")], LISTS)
    twice = {1: [*LISTS[1], "w3.1"], 2: LISTS[2]}
    assert "list 1 has w3.1 2 times" in list_faults([A, B, C], twice)
    half = replace(B, outcome="info")
    (fault,) = list_faults([A, half], {1: ["w1.1"], 2: LISTS[2]})
    assert fault == "half a write: of (1, 2) only [2] have w2.1"
    assert "key 7 comes 2 times" in unique_faults(PUTS, [(7, "w1.1"), (7, "w1.1")])
    assert "key 7 is of w2.1, which failed" in unique_faults(PUTS[1:], [(7, "w2.1")])


def test_a_duplicate_ack_is_found() -> None:
    both = [PUTS[0], replace(PUTS[1], outcome="ok", condition="")]
    assert unique_faults(both, [(7, "w1.1")]) == [
        "duplicate ack: key 7 was acknowledged to ['w1.1', 'w2.1']"
    ]


def test_a_duplicate_of_nothing_is_found() -> None:
    assert unique_faults(PUTS[1:], []) == [
        "w2.1 was refused as a duplicate of a key that is not there"
    ]
    late = replace(PUTS[0], start=20, end=30)
    assert unique_faults([late, PUTS[1]], [(7, "w1.1")]) == [
        "w2.1 was refused as a duplicate before w1.1 was asked"
    ]


def test_fractured_and_impossible_reads_are_found() -> None:
    half = op("r.1", "read", (1, 2), 5, 19, seen={1: ["w1.1", "w2.1"], 2: ["w1.1"]})
    assert list_faults([A, B, C, half], LISTS) == [
        "fractured read: r.1 saw w2.1 in list 1, not in 2"
    ]
    other = op("r.1", "read", (1,), 5, 19, seen={1: ["w2.1"]})
    assert list_faults([A, B, C, other], LISTS) == [
        "read r.1 of list 1 is no beginning of it: ['w2.1']"
    ]


def test_stale_reads_are_found() -> None:
    stale = op("r.1", "read", (1,), 16, 19, seen={1: ["w1.1"]})
    assert list_faults([A, B, C, stale], LISTS) == ["cycle: r.1 -rw-> w2.1 -rt-> r.1"]
    count = op("r.1", "read", (1,), 11, 19, seen={1: 1})
    assert counter_faults([*ADDS, count], {1: 2, 2: 1}) == [
        "read r.1 saw 1 of counter 1, not 2 to 2"
    ]
    reads = [op(f"r.{n}", "read", (1,), n, 9, seen={1: 2 - n}) for n in (1, 2)]
    assert counter_faults([*ADDS, *reads], {1: 2, 2: 1}) == [
        "read r.2 went back from 1 to 0 of counter 1"
    ]


def test_cycles_of_every_kind_are_found() -> None:
    """Two orders of two writers; a commit before one that had been answered; write skew."""
    swapped = {1: ["w1.1", "w2.1", "w3.1"], 2: ["w2.1", "w1.1"]}
    assert list_faults([A, B, C], swapped) == ["cycle: w1.1 -ww-> w2.1 -ww-> w1.1"]
    early = {1: ["w3.1", "w1.1", "w2.1"], 2: LISTS[2]}
    assert list_faults([A, B, C], early) == ["cycle: w1.1 -rt-> w3.1 -ww-> w1.1"]
    skew = [op("w1.1", "cross", (1,), 0, 10), op("w2.1", "cross", (2,), 0, 10)]
    (fault,) = list_faults(skew, {1: ["w1.1/0"], 2: ["w2.1/0"]})
    assert fault == "cycle: w1.1 -rw-> w2.1 -rw-> w1.1"
    assert list_faults(skew, {1: ["w1.1/0"], 2: ["w2.1/1"]}) == []
    ahead = [op("w1.1", "cross", (1,), 0, 10), op("w2.1", "cross", (2,), 0, 10)]
    (fault,) = list_faults(ahead, {1: ["w1.1/1"], 2: ["w2.1/1"]})
    assert fault == "cycle: w1.1 -wr-> w2.1 -wr-> w1.1"
