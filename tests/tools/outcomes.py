"""How the suites went: counts, faults, floors, and the table that ends a run."""

from __future__ import annotations

import glob
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import junit
from files import ROOT
from suites import Suite, allowed_skips

FLOORS = ROOT / "tests" / "floors.json"
REPORTS = ROOT / ".build" / "reports"
LEAST = 0.9  # of a suite's recorded tests


@dataclass
class Outcome:
    """How one suite went; each fault counts as a failed test.

    Attributes:
        left: Tests that another rotation runs.
        jvms: JVMs that it started, None where that is not seen.
    """

    name: str
    passed: int = 0
    skipped: int = 0
    left: int = 0
    seconds: float = 0
    jvms: int | None = None
    faults: list[str] = field(default_factory=list)

    @property
    def run(self) -> int:
        """Tests that ran."""
        return self.passed + len(self.faults)

    @property
    def known(self) -> int:
        """Tests that the suite has."""
        return self.run + self.skipped + self.left


@dataclass(frozen=True)
class Floor:
    """What a suite had when it was recorded.

    Attributes:
        seconds: In `make test`.
        whole: Seconds in `make test-all`.
    """

    tests: int = 0
    seconds: float = 0
    whole: float = 0


def floors() -> dict[str, Floor]:
    """What is recorded, by suite."""
    told = json.loads(FLOORS.read_text(encoding="utf-8"))
    return {name: Floor(**values) for name, values in told.items()}


def record(outcomes: Sequence[Outcome], tier: str) -> None:
    """Keeps the counts, and the seconds in a tier, of the suites that had no fault."""
    kept = json.loads(FLOORS.read_text(encoding="utf-8"))
    timed = "whole" if tier == "all" else "seconds"
    for outcome in outcomes:
        if outcome.known and not outcome.faults:
            told = {"tests": outcome.known, timed: round(outcome.seconds)}
            kept[outcome.name] = kept.get(outcome.name, {}) | told
    FLOORS.write_text(json.dumps(kept, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def notes(suite: Suite, kind: str) -> Path:
    """A file of notes that a suite writes, such as `left`, the tests that other rotations run."""
    return REPORTS / f"{suite.name}.{kind}"


def found(suite: Suite) -> list[Path]:
    """Reports that are there."""
    return [Path(path) for pattern in suite.reports for path in sorted(glob.glob(pattern))]


def judged(suite: Suite, code: int | None, last: str, floor: Floor) -> Outcome:
    """The outcome of a suite's command.

    Args:
        suite: That ran.
        code: Exit code, None where it hung.
        last: The test that began last, "" where that is not known.
        floor: What the suite had when it was recorded.
    """
    outcome = Outcome(suite.name)
    for case in junit.read(found(suite)):
        judge(outcome, case)
    left = notes(suite, "left")
    outcome.left = len(left.read_text(encoding="utf-8").splitlines()) if left.exists() else 0
    if code is None:
        outcome.faults.append(f"hung in {last}" if last else "hung")
    elif code != 0 and not outcome.faults:
        outcome.faults.append(f"ended with code {code}")
    if suite.reports and not found(suite):
        outcome.faults.append("left no report")
    if outcome.known < LEAST * floor.tests and not outcome.faults:
        outcome.faults.append(f"has {outcome.known} tests, it had {floor.tests}")
    return outcome


def judge(outcome: Outcome, case: junit.Case) -> None:
    """Counts one test."""
    if case.failure is not None:
        outcome.faults.append(f"{case.name}: {case.failure.splitlines()[0][:300]}")
    elif case.skipped is None:
        outcome.passed += 1
    elif any(skip.holds and skip.reason in case.skipped for skip in allowed_skips()):
        outcome.skipped += 1
    else:
        outcome.faults.append(
            f"{case.name}: skipped, and not for an allowed reason: {case.skipped}"
        )


def report(outcomes: Sequence[Outcome], jvms: int | None) -> int:
    """Prints failures, the allowed reasons, the table and the last lines.

    Returns:
        The exit code of the run.
    """
    faults = [f"{o.name}: {fault}" for o in outcomes for fault in o.faults]
    print("\n" + "\n".join(f"FAILED {fault}" for fault in faults) if faults else "")
    for skip in allowed_skips():
        state = "holds here" if skip.holds else "does not hold here"
        print(f"allowed reason to skip: {skip.reason} ({skip.why}; {state})")
    print("\n" + "\n".join(table(outcomes)))
    suites = [o for o in outcomes if o.name != "build"]
    print(f"\nlane seconds: {sum(o.seconds for o in suites):.0f}")
    print(f"JVM starts: {'not seen on this system' if jvms is None else jvms}")
    passed, skipped = sum(o.passed for o in outcomes), sum(o.skipped for o in outcomes)
    print(f"{passed} passed, {len(faults)} failed, {skipped} skipped")
    return 1 if faults else 0


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """A line for each suite: `left` are tests of other rotations, `jvms` the JVMs that it started."""
    heads = ("suite", "run", "failed", "skipped", "left", "jvms", "seconds")
    rows = [
        (o.name, o.run, len(o.faults), o.skipped, o.left, o.jvms, round(o.seconds))
        for o in outcomes
    ]
    return [
        f"{row[0]:<13}" + "".join(f"{'-' if v is None else v:>8}" for v in row[1:])
        for row in (heads, *rows)
    ]
