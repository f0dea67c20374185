"""What makes the figures of merge-on-read tables void: log files or opened files that a case does not allow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.beside import figures
from bench.beside.mor_cases import AFTER_ALL, AFTER_ONE, BATCH, UPSERTS
from bench.beside.systems import OUR_LOGS
from bench.beside.targets import Target, targets_of_logs


def without_peer(cases: dict[str, Any]) -> list[str]:
    """The targets of merge-on-read tables whose peer did not take part or failed."""
    judged_ones = {target for target, _, _ in figures.judged(cases)}
    return [
        f"case {target.case}, {target.label}: there is no {target.figure} of {target.peer}"
        for target in targets_of_logs()
        if target.peer and target not in judged_ones and _has_ours(cases, target)
    ]


def _has_ours(cases: dict[str, Any], target: Target) -> bool:
    return target.ours in cases.get(target.case, {}).get("systems", {})


def void(cases: dict[str, Any]) -> Iterator[str]:
    """What our merge-on-read tables did and must not do for the figures to count."""
    for case, told in cases.items():
        rounds = told.get("systems", {}).get(OUR_LOGS.name, {"rounds": []})["rounds"]
        for number, one in enumerate(rounds):
            yield from (f"case {case}, round {number}: {fault}" for fault in _faults(one))
        if any(one["label"] == BATCH for one in rounds):
            timed = [one["promoted"] for one in rounds if one["counts"]]
            never = set(rounds[-1]["bases"] if rounds else ()) - {
                name for one in timed for name in one
            }
            yield from (f"case {case}: {name} got no new base file" for name in sorted(never))


def _faults(one: dict[str, Any]) -> Iterator[str]:
    """Of a round: files that a blind MERGE read though it made no new base file, and a wrong number of logs."""
    if "opened" in one and one["opened"] != len(one["promoted"]):
        yield f"{one['opened']} files opened, {len(one['promoted'])} new base files"
    if "opened" in one and not one["promoted"] and one["bytes read"]:
        yield f"{one['bytes read']} bytes of the table read"
    expected = {AFTER_ONE: 1, AFTER_ALL: UPSERTS}.get(one["label"])
    found = (one["fewest logs"], one["most logs"])
    if expected is not None and found != (expected, expected):
        yield f"{found[0]} to {found[1]} log files in a bucket, not {expected}"
