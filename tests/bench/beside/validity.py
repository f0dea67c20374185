"""What makes a run fail: targets that are missed or absent, files of another codec, and log files or opened files that a case does not allow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.beside import figures
from bench.beside.mor_cases import AFTER_ALL, AFTER_ONE, BATCH, UPSERTS
from bench.beside.systems import COMMON, OUR_LOGS
from bench.beside.targets import Target

CODEC = COMMON["spark.sql.parquet.compression.codec"]


def missed(cases: dict[str, Any]) -> Iterator[str]:
    """The targets that are not met, or that lack a figure of ours or of the peer."""
    for target, value, met in figures.judged(cases):
        if not met:
            limit = f"{'at most' if target.at_most else 'at least'} {target.bound:g}"
            found = "was not measured" if value is None else f"is {value:.2f}"
            yield f"case {target.case}, {target.label}: {_compared(target)} {found}, not {limit}"


def other_codecs(cases: dict[str, Any]) -> Iterator[str]:
    """The systems whose files have another codec than those they are compared with."""
    for case, told in cases.items():
        for system, found in told.get("systems", {}).items():
            codec = found.get("written as", {}).get("codec", CODEC)
            if codec != CODEC:
                yield f"case {case}: {system} writes {codec}, not {CODEC}"


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


def _compared(target: Target) -> str:
    pair = (target.ours, target.peer) if target.most else (target.peer, target.ours)
    return " / ".join(name for name in pair if name) + f", {target.figure}"


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
