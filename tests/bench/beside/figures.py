"""What the rounds of a run come to: medians, and ratios to the limits, to peers and to targets."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator
from typing import Any

from bench.beside.mor_cases import BATCH
from bench.beside.statement_cases import REFRESHED
from bench.beside.systems import BEFORE, OURS, OWN
from bench.beside.t1_cases import LAST
from bench.beside.targets import ALL_JOINT, MERGE, OWN_FILES, Target, targets

READS = ("scan", "look-ups")
SUMMED = (LAST, REFRESHED)  # labels that also tell what all writes before them took
MISCONFIGURED = {"iceberg": 1.8, "delta": 2.3, "hudi": 4.3}  # MERGE / L2 of case 2 when set up well
SLACK, FULL_SIZE = 1.25, 3_000_000
ROUNDS = RUNS = 3  # the last ones, of which a figure is the median


Figures = dict[str, dict[str, dict[str, float]]]


def of_case(told: dict[str, Any]) -> Figures:
    """By label and system the figures of a case: of several runs, medians of the last ones."""
    runs = [of_run(run) for run in told.get("runs", [told])[-RUNS:]]
    return {
        label: {
            system: _medians(run[label][system] for run in runs if system in run.get(label, {}))
            for system in found
        }
        for label, found in runs[-1].items()
    }


def of_run(told: dict[str, Any]) -> Figures:
    """By label and system: medians over the last rounds that count, of batches in a row over all, and
    ratios of medians.

    A system that failed has none, as its rows were not compared.
    """
    found: Figures = {}
    taking_part = ((n, one) for n, one in told["systems"].items() if "failed" not in one)
    for name, system in taking_part:
        first: dict[str, float] = {}
        for label in dict.fromkeys(one["label"] for one in system["rounds"]):
            rounds = [one for one in system["rounds"] if one["label"] == label and one["counts"]]
            medians = _medians(rounds if label == BATCH else rounds[-ROUNDS:])
            if "merge" in medians:
                medians["least"] = min(one["merge"] for one in rounds)
            if label == BATCH and rounds:
                medians |= _course(rounds)
            if medians:
                first = first or medians
                found.setdefault(label, {})[name] = medians | _ratios(medians, first)
        for label in SUMMED:
            if name in found.get(label, {}):
                found[label][name] |= _all(system["rounds"])
        for by_system in found.values():
            if name in by_system:
                by_system[name] |= _cold(system["rounds"]) | _peak(system)
    return found


def misconfigured(cases: dict[str, Any]) -> list[str]:
    """Peers that are further behind Spark's own read and write than they are when set up well."""
    found = of_case(cases["2"]).get(MERGE, {}) if "2" in cases else {}
    return [
        f"{name} is misconfigured: {found[name][OWN_FILES]:.2f} x L2, and {most} is usual"
        for name, most in MISCONFIGURED.items()
        if name in found and found[name].get(OWN_FILES, 0) > SLACK * most
    ]


def judged(cases: dict[str, Any]) -> Iterator[tuple[Target, float | None, bool]]:
    """Each target whose case our system took part in, its value, and whether it is met.

    One without a value is absent: what it compares was not measured, and it is not met. What another
    commit is compared with counts only where that commit took part.
    """
    known = {case: of_case(told) for case, told in cases.items() if "systems" in told}
    for target in targets():
        systems = cases.get(target.case, {}).get("systems", {})
        if target.ours in systems and (target.peer != BEFORE or BEFORE in systems):
            value = _value(target, known[target.case].get(target.label, {}))
            yield target, value, value is not None and target.meets(value)


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


def _value(target: Target, found: dict[str, dict[str, float]]) -> float | None:
    ours = found.get(target.ours, {}).get(target.figure)
    theirs = found.get(target.peer, {}).get(target.figure) if target.peer else 1.0
    return None if ours is None or theirs is None else target.value(ours, theirs)


def _medians(several: Iterable[dict[str, Any]]) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for one in several:
        for name, value in one.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                values.setdefault(name, []).append(float(value))
    return {name: statistics.median(found) for name, found in values.items()}


def _ratios(medians: dict[str, float], first: dict[str, float]) -> dict[str, float]:
    found = {}
    write = medians.get("merge", medians.get("load"))
    if write is not None and all(name in medians for name in READS):
        found["joint"] = write + sum(medians[name] for name in READS)
    if medians is not first:
        found |= {
            f"{name} x first": medians[name] / first[name]
            for name in ("load", *READS)
            if name in medians and name in first
        }
    found |= {
        figure: medians["scan"] / medians[of]
        for figure, of in (("scan / same files", "plain scan"), ("scan / plain", "plain"))
        if of in medians
    }
    if "merge" in medians:
        if medians is not first and "merge" in first:
            found["growth"] = medians["merge"] / first["merge"]
        if "L2" in medians:
            found["R1"] = medians["merge"] / (medians["L1"] + medians["L0"])
            found[OWN_FILES] = medians["merge"] / medians["L2"]
        if "plain L2" in medians:
            found["R2"] = medians["merge"] / medians["plain L2"]
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
    return {"all": sum(one.get("merge", 0) for one in rounds if one["counts"])}


def _peak(system: dict[str, Any]) -> dict[str, float]:
    return {"peak": system["about"]["peak"]} if "about" in system else {}
