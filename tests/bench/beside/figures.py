"""What the rounds of a run come to: medians, and ratios to the limits, to peers and to targets."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any

from bench.beside.mor_cases import BATCH
from bench.beside.systems import OURS, OWN
from bench.beside.t1_cases import LAST
from bench.beside.targets import ALL_JOINT, MERGE, Target, targets

READS = ("scan", "look-ups")
MISCONFIGURED = {"iceberg": 1.8, "delta": 2.3, "hudi": 4.3}  # MERGE / L2 of case 2 when set up well
SLACK, FULL_SIZE = 1.25, 3_000_000


Figures = dict[str, dict[str, dict[str, float]]]


def of_case(told: dict[str, Any]) -> Figures:
    """By label and system: medians over the rounds that count, and ratios of medians."""
    found: Figures = {}
    for name, system in told["systems"].items():
        first: dict[str, float] = {}
        for label in dict.fromkeys(one["label"] for one in system["rounds"]):
            rounds = [one for one in system["rounds"] if one["label"] == label and one["counts"]]
            medians = _medians(rounds)
            if label == BATCH and rounds and "failed" not in system:
                medians |= _course(rounds)
            if medians:
                first = first or medians
                found.setdefault(label, {})[name] = medians | _ratios(medians, first)
        if name in found.get(LAST, {}):
            found[LAST][name] |= _all(system["rounds"])
        for by_system in found.values():
            if name in by_system:
                by_system[name] |= _cold(system["rounds"]) | _peak(system)
    return found


def misconfigured(cases: dict[str, Any]) -> list[str]:
    """Peers that are further behind Spark's own read and write than they are when set up well."""
    found = of_case(cases["2"]).get(MERGE, {}) if "2" in cases else {}
    return [
        f"{name} is misconfigured: {found[name]['R2']:.2f} x L2, and {most} is usual"
        for name, most in MISCONFIGURED.items()
        if name in found and found[name].get("R2", 0) > SLACK * most
    ]


def judged(cases: dict[str, Any]) -> Iterator[tuple[Target, float, bool]]:
    """Each target that the run has a figure for, the figure, and whether it is met."""
    for target in targets():
        found = of_case(cases[target.case]).get(target.label, {}) if target.case in cases else {}
        ours = found.get(target.ours, {}).get(target.figure)
        if ours is None:
            continue
        if not target.peer:
            yield target, ours, ours <= target.bound
        elif target.figure in found.get(target.peer, {}):
            times = found[target.peer][target.figure] / ours
            yield target, times, times >= target.bound


def lost(cases: dict[str, Any]) -> Iterator[tuple[str, str, str, str, float]]:
    """Where a peer needs less time: case, label, figure, peer, and its time over ours."""
    for case, told in cases.items():
        for label, found in of_case(told).items() if "systems" in told else ():
            ours = found.get(told.get("ours", OURS.name), {})
            for figure in ("load", "merge", *READS, "joint", "all", ALL_JOINT):
                for peer, theirs in found.items():
                    if (
                        peer not in OWN
                        and figure in ours
                        and figure in theirs
                        and theirs[figure] < ours[figure]
                    ):
                        yield case, label, figure, peer, theirs[figure] / ours[figure]


def _medians(rounds: list[dict[str, Any]]) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for one in rounds:
        for name, value in one.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                values.setdefault(name, []).append(float(value))
    found = {name: statistics.median(several) for name, several in values.items()}
    if "merge" in values:
        found["least"] = min(values["merge"])
    return found


def _ratios(medians: dict[str, float], first: dict[str, float]) -> dict[str, float]:
    found = {}
    write = medians.get("merge", medians.get("load"))
    if write is not None and all(name in medians for name in READS):
        found["joint"] = write + sum(medians[name] for name in READS)
    if medians is not first:
        found |= {
            f"{name} x first": medians[name] / first[name]
            for name in READS
            if name in medians and name in first
        }
    if "plain scan" in medians:
        found["scan ratio"] = medians["scan"] / medians["plain scan"]
    if "merge" in medians:
        if medians is not first and "merge" in first:
            found["growth"] = medians["merge"] / first["merge"]
        if "L2" in medians:
            found["R1"] = medians["merge"] / (medians["L1"] + medians["L0"])
            found["R2"] = medians["merge"] / medians["L2"]
    return found


def _course(rounds: list[dict[str, Any]]) -> dict[str, float]:
    """Of batches in a row: their time with the reads, and the slowest over the median, without and with."""
    writes = [one["merge"] for one in rounds]
    joint = [sum(one[name] for name in ("merge", *READS)) for one in rounds]
    return {
        ALL_JOINT: sum(joint),
        "slowest": max(writes) / statistics.median(writes),
        "slowest joint": max(joint) / statistics.median(joint),
    }


def _cold(rounds: list[dict[str, Any]]) -> dict[str, float]:
    return next(({"cold": one["merge"]} for one in rounds if "merge" in one), {})


def _all(rounds: list[dict[str, Any]]) -> dict[str, float]:
    """What every batch that counts takes together."""
    return {"all": sum(one["merge"] for one in rounds if one["counts"])}


def _peak(system: dict[str, Any]) -> dict[str, float]:
    return {"peak": system["about"]["peak"]} if "about" in system else {}
