"""What hudilite must reach: bounds on figures, and multiples of them that peers need."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.beside.mor_cases import AFTER_ALL, AFTER_ONE, BATCH
from bench.beside.systems import OUR_COUNTS, OUR_LOGS, OURS, SYSTEMS
from bench.beside.t1_cases import ALIKE, FIRST, LAST

LOAD, MERGE, ALL_JOINT = "load", "MERGE", "all joint"


@dataclass(frozen=True)
class Target:
    """A bound on one figure: of ours, or of a peer as a multiple of ours.

    Attributes:
        ours: Which of our systems.
    """

    case: str
    label: str
    figure: str
    bound: float
    peer: str = ""
    ours: str = OURS.name


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
    return [*(Target(*one) for one in below), *(Target(*one) for one in above), *targets_of_logs()]


def targets_of_logs() -> list[Target]:
    """What its merge-on-read tables must reach."""
    below = [
        ("1", MERGE, "merge", 0.5),
        ("2", MERGE, "opened", 0),
        ("2", MERGE, "bytes read", 0),
        ("grow", "64 x", "growth", 1.1),
        ("deep", "64 x", "growth", 1.1),
        ("logs", AFTER_ONE, "scan x first", 1.15),
        ("logs", AFTER_ALL, "scan x first", 1.25),
        ("logs", AFTER_ALL, "look-ups x first", 1.5),
        ("logs", AFTER_ALL, "opened", 0),
        ("logs", AFTER_ALL, "bytes read", 0),
        ("batches", BATCH, "slowest", 2.0),
    ]
    above = [
        ("1", MERGE, "merge", 4.0, "iceberg-mor"),
        ("2", MERGE, "merge", 3.5, "iceberg-mor"),
        ("2", MERGE, "merge", 3.5, "hudi-mor"),
        ("2", MERGE, "merge", 1.0, "duckdb"),
        ("2", MERGE, "merge", 1.0, "delta-rs"),
        ("logs", AFTER_ONE, "scan", 1.0, "iceberg-mor"),
        ("logs", AFTER_ALL, "scan", 1.0, "iceberg-mor"),
        ("logs", AFTER_ALL, "look-ups", 2.0, "iceberg-mor"),
        ("reading", MERGE, "merge", 1.5, "iceberg-mor"),
        *(("batches", BATCH, "all joint", 1.5, peer) for peer in SYSTEMS if _keeps_batches(peer)),
    ]
    targets = [*(Target(*one) for one in below), *(Target(*one) for one in above)]
    return [replace(target, ours=OUR_LOGS.name) for target in targets]


def _keeps_batches(name: str) -> bool:
    ours = (OUR_LOGS.name, OUR_COUNTS.name)
    return name not in ours and SYSTEMS[name].is_spark and not SYSTEMS[name].tree
