"""What hudilite must reach: bounds on figures, and multiples of them that peers need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bench.beside.mor_cases import AFTER_ALL, AFTER_ONE, BATCH
from bench.beside.shape_cases import EVEN, SKEWED
from bench.beside.statement_cases import DELETE, FRESH, OTHERS, REFRESHED, UPDATE
from bench.beside.systems import BEFORE, OUR_COUNTS, OUR_LOGS, OURS, SYSTEMS
from bench.beside.t1_cases import ALIKE, FIRST, LAST
from bench.beside.tpch import PAIR

LOAD, MERGE, ALL_JOINT = "load", "MERGE", "all joint"
ONE_IN_100, ONE_IN_4, ALL = "1 %", "25 %", "100 %"
OWN_FILES = "R2, own files"
READ = (
    *(("load", LOAD), ("1", MERGE), ("2", MERGE), ("3", FIRST), ("3", LAST)),
    *(("4", ONE_IN_100), ("4", ONE_IN_4), ("5", ONE_IN_4), ("5", ALL), ("5", ALIKE)),
    *(("tpch", PAIR), ("predicate", UPDATE), ("predicate", DELETE)),
    *(("appends", FRESH), ("appends", REFRESHED), ("skew", EVEN), ("skew", SKEWED)),
    *(("nested", MERGE), ("wide", MERGE)),
)


@dataclass(frozen=True)
class Target:
    """A bound on one figure: of ours, of a peer as a multiple of ours, or of ours as one of a peer.

    Attributes:
        ours: Which of our systems.
        most: With a peer, that ours may be at most so many times the peer's, not the peer's at
            least so many times ours.
    """

    case: str
    label: str
    figure: str
    bound: float
    peer: str = ""
    ours: str = OURS.name
    most: bool = False

    @property
    def at_most(self) -> bool:
        """Whether a smaller value is better."""
        return self.most or not self.peer

    def value(self, ours: float, theirs: float) -> float:
        """What is compared with the bound."""
        if not self.peer:
            return ours
        return ours / theirs if self.most else theirs / ours

    def meets(self, value: float) -> bool:
        """Whether a value is within the bound."""
        return value <= self.bound if self.at_most else value >= self.bound


def targets() -> list[Target]:
    """What hudilite must reach on two cores with three million rows."""
    below = [
        ("1", MERGE, OWN_FILES, 0.7),
        ("2", MERGE, OWN_FILES, 0.5),
        ("3", FIRST, OWN_FILES, 0.6),
        ("3", LAST, OWN_FILES, 0.6),
        ("3", LAST, "growth", 1.2),
        ("4", ONE_IN_100, "R2", 0.25),
        ("4", ONE_IN_4, "R2", 0.38),
        ("5", ONE_IN_4, "R2", 0.9),
        ("5", ALL, "R2", 1.4),
        ("5", ALIKE, "R2", 1.05),
        ("8", "64 x", "growth", 1.15),
        ("tiny", MERGE, "merge", 0.5),
        ("skew", SKEWED, "load x first", 1.3),
        ("skew", SKEWED, "growth", 1.3),
        ("skew", SKEWED, "scan x first", 1.3),
        ("appends", REFRESHED, "scan x first", 1.1),
        ("appends", REFRESHED, "look-ups x first", 1.1),
    ]
    above = [
        ("load", LOAD, "load", 1.0, "iceberg"),
        ("1", MERGE, "merge", 2.0, "iceberg"),
        ("2", MERGE, "merge", 2.8, "iceberg"),
        ("2", MERGE, "merge", 2.5, "delta"),
        ("2", MERGE, "merge", 4.0, "hudi"),
        ("3", LAST, "merge", 2.5, "iceberg"),
        ("3", LAST, "merge", 2.5, "delta"),
        ("4", ONE_IN_100, "merge", 4.0, "iceberg"),
        ("4", ONE_IN_4, "merge", 4.0, "iceberg"),
        ("tpch", PAIR, "merge", 1.5, "iceberg"),
        ("predicate", UPDATE, "merge", 2.0, "iceberg"),
        ("predicate", DELETE, "merge", 2.0, "iceberg"),
    ]
    return [
        *(Target(*one) for one in below),
        *(Target(*one) for one in above),
        Target("load", LOAD, "bytes", 1.17, "iceberg", most=True),
        Target("5", ONE_IN_4, "gc", 0.8, BEFORE, most=True),
        *targets_of_reads(),
        *targets_of_logs(),
    ]


def targets_of_reads() -> Iterator[Target]:
    """What each case in which the table is read must reach."""
    for case, label in READ:
        yield Target(case, label, "scan / same files", 1.0)
        yield Target(case, label, "scan / plain", 1.05)
        yield Target(case, label, "scan", 1.03, "iceberg", most=True)
        yield Target(case, label, "look-ups", 2.0, "iceberg")


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
        *((case, MERGE, "merge", 1.0, peer) for case in ("2", "others") for peer in OTHERS),
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
