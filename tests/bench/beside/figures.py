"""What the rounds of a run come to: medians, and ratios to the limits, to peers and to targets."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bench.beside.systems import OURS
from bench.beside.t1_cases import ALIKE, FIRST, LAST

READS = ("scan", "look-ups")
MISCONFIGURED = {"iceberg": 1.8, "delta": 2.3, "hudi": 4.3}  # MERGE / L2 of case 2 when set up well
SLACK, FULL_SIZE = 1.25, 3_000_000
LOAD, MERGE = "load", "MERGE"


@dataclass(frozen=True)
class Target:
    """A bound on one figure: of ours, or of a peer as a multiple of ours."""

    case: str
    label: str
    figure: str
    bound: float
    peer: str = ""


def targets() -> list[Target]:
    """What hudilite must reach on two cores with three million rows."""
    below = [
        ("1", MERGE, "R2", 0.7),
        ("2", MERGE, "R2", 0.8),
        ("3", FIRST, "R2", 0.6),
        ("3", LAST, "R2", 0.6),
        ("3", LAST, "growth", 1.2),
        ("4", "1 %", "R2", 0.35),
        ("4", "25 %", "R2", 0.35),
        ("5", "25 %", "R2", 1.2),
        ("5", "100 %", "R2", 1.7),
        ("5", ALIKE, "R2", 1.2),
        ("8", "64 x", "growth", 1.15),
        ("tiny", MERGE, "merge", 0.5),
        ("load", LOAD, "scan ratio", 1.05),
        ("2", MERGE, "scan ratio", 1.05),
    ]
    above = [
        ("1", MERGE, "merge", 2.0, "iceberg"),
        ("2", MERGE, "merge", 2.0, "iceberg"),
        ("2", MERGE, "merge", 2.5, "delta"),
        ("2", MERGE, "merge", 4.0, "hudi"),
        ("3", LAST, "merge", 2.5, "iceberg"),
        ("3", LAST, "merge", 2.5, "delta"),
        ("4", "1 %", "merge", 4.0, "iceberg"),
        ("4", "25 %", "merge", 4.0, "iceberg"),
        ("2", MERGE, "look-ups", 1.5, "iceberg"),
        ("2", MERGE, "scan", 1.0, "iceberg"),
        ("load", LOAD, "load", 1.0, "iceberg"),
    ]
    return [*(Target(*one) for one in below), *(Target(*one) for one in above)]


Figures = dict[str, dict[str, dict[str, float]]]


def of_case(told: dict[str, Any]) -> Figures:
    """By label and system: medians over the rounds that count, and ratios of medians."""
    found: Figures = {}
    for name, system in told["systems"].items():
        first: dict[str, float] = {}
        for label in dict.fromkeys(one["label"] for one in system["rounds"]):
            rounds = [one for one in system["rounds"] if one["label"] == label and one["counts"]]
            medians = _medians(rounds)
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
        ours = found.get(OURS.name, {}).get(target.figure)
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
            ours = found.get(OURS.name, {})
            for figure in ("load", "merge", *READS, "joint", "all"):
                for peer, theirs in found.items():
                    if figure in ours and figure in theirs and theirs[figure] < ours[figure]:
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
    if "scan" in medians:
        found["scan ratio"] = medians["scan"] / medians["plain scan"]
    if "merge" in medians:
        if medians is not first and "merge" in first:
            found["growth"] = medians["merge"] / first["merge"]
        if "L2" in medians:
            found["R1"] = medians["merge"] / (medians["L1"] + medians["L0"])
            found["R2"] = medians["merge"] / medians["L2"]
    return found


def _cold(rounds: list[dict[str, Any]]) -> dict[str, float]:
    return next(({"cold": one["merge"]} for one in rounds if "merge" in one), {})


def _all(rounds: list[dict[str, Any]]) -> dict[str, float]:
    """What every batch that counts takes together."""
    return {"all": sum(one["merge"] for one in rounds if one["counts"])}


def _peak(system: dict[str, Any]) -> dict[str, float]:
    return {"peak": system["about"]["peak"]} if "about" in system else {}
