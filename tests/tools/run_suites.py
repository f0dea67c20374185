"""Runs the suites and says how they went.

Usage: run_suites.py [--quick | --floors] [SUITE ...]. Ends with a table, then `N passed, N failed,
N skipped`. Red when a command fails, a test fails or is skipped for a reason that is not allowed, a
report is missing, or a suite runs fewer tests than its floor in tests/floors.json.
"""

from __future__ import annotations

import argparse
import contextlib
import glob
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import junit
from suites import NO_SUITES, SUITES, Suite, allowed_skips

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ROOT / "tests" / "floors.json"
LOGS = ROOT / ".build" / "logs"
RUNNING: list[subprocess.Popen[bytes]] = []
LANES = 2  # a Spark session of two local cores is idle for half its time
FOREIGN = ("PYTEST_ADDOPTS", "PYTHONPATH", "SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS")


@dataclass
class Outcome:
    """How one suite went; each fault counts as a failed test."""

    name: str
    passed: int = 0
    skipped: int = 0
    seconds: float = 0
    faults: list[str] = field(default_factory=list)

    @property
    def run(self) -> int:
        """Tests that ran."""
        return self.passed + len(self.faults)


def main() -> int:
    """Build, run the asked suites, print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--floors", action="store_true", help="record this run's counts as floors")
    parser.add_argument("suites", nargs="*")
    asked = parser.parse_args()
    os.chdir(ROOT)
    signal.signal(signal.SIGTERM, lambda *_: end_all())
    unknown = set(asked.suites) - {suite.name for suite in SUITES}
    if unknown:
        parser.error(f"no suite {', '.join(sorted(unknown))}; there are: {names()}")

    chosen = [s for s in SUITES if not asked.suites or s.name in asked.suites]
    if asked.quick:
        chosen = [replace(s, command=s.quick) for s in chosen if s.quick]
    outcomes = [run(build(asked.quick))]
    if outcomes[0].faults:
        outcomes += [Outcome(s.name, faults=["not run: the build failed"]) for s in chosen]
    else:
        floors = {} if asked.quick else json.loads(FLOORS.read_text(encoding="utf-8"))
        outcomes += run_all(chosen, floors)
    if not asked.suites:
        outcomes[0].faults += stray_folders()
    if asked.floors:
        record(outcomes)
    return report(outcomes)


def names() -> str:
    """All suites, for a message."""
    return " ".join(suite.name for suite in SUITES)


def build(quick: bool) -> Suite:
    """What must stand before any suite; it has no tests of its own."""
    stock = () if quick else ("stock", "peers", "sparks")
    return Suite("build", ("make", "build", "classes", *stock), (), minutes=20)


def run_all(chosen: list[Suite], floors: dict[str, int]) -> list[Outcome]:
    """Run suites LANES at a time; those that compile one after the other."""
    compiler = threading.Lock()

    def one(suite: Suite) -> Outcome:
        with compiler if suite.compiles else contextlib.nullcontext():
            return run(suite, floors.get(suite.name, 0))

    with ThreadPoolExecutor(LANES) as lanes:
        return list(lanes.map(one, chosen))


def run(suite: Suite, floor: int = 0) -> Outcome:
    """Run one suite, its output in a log, and judge its reports."""
    print(f"{suite.name} ...", flush=True)
    for old in found(suite):
        old.unlink()
    started = time.monotonic()
    code = execute(suite)
    outcome = Outcome(suite.name, seconds=time.monotonic() - started)
    for case in junit.read(found(suite)):
        judge(outcome, case)
    if code != 0 and not outcome.faults:
        outcome.faults.append(f"ended with {'a time-out' if code is None else f'code {code}'}")
    if suite.reports and not found(suite):
        outcome.faults.append("left no report")
    allowed = outcome.run + outcome.skipped
    if allowed < floor and not outcome.faults:
        outcome.faults.append(f"ran {allowed} tests, fewer than its floor of {floor}")
    if outcome.faults:
        log = LOGS / f"{suite.name}.log"
        text = log.read_text(encoding="utf-8", errors="replace").splitlines()
        print("\n".join([*text[-60:], *(f"  {suite.name}: {f}" for f in outcome.faults)]))
        print(f"  (all of it: {log.relative_to(ROOT)})", flush=True)
    return outcome


def execute(suite: Suite) -> int | None:
    """Exit code of the suite's command; None when it hung and was ended with all its children."""
    LOGS.mkdir(parents=True, exist_ok=True)
    (ROOT / ".build" / "reports").mkdir(exist_ok=True)
    environment = {k: v for k, v in os.environ.items() if k not in FOREIGN and k[:4] != "MAKE"}
    environment |= {"TZ": "UTC", **suite.environment}
    with (LOGS / f"{suite.name}.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            suite.command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
        RUNNING.append(process)
        try:
            return process.wait(timeout=suite.minutes * 60)
        except subprocess.TimeoutExpired:
            return None
        finally:
            end_group(process)


def end_all() -> None:
    """Leave at once, with nothing left running."""
    for process in RUNNING:
        if process.poll() is None:
            end_group(process)
    os._exit(1)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End what the command left running, as a hung JVM."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()


def found(suite: Suite) -> list[Path]:
    """Reports that are there."""
    return [Path(path) for pattern in suite.reports for path in sorted(glob.glob(pattern))]


def judge(outcome: Outcome, case: junit.Case) -> None:
    """Count one test."""
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


def stray_folders() -> list[str]:
    """Folders of tests/ that no suite runs."""
    used = {part for s in SUITES for part in s.command if part.startswith("tests/")}
    folders = {p.name for p in (ROOT / "tests").iterdir() if p.is_dir() and p.name[0] not in "._"}
    idle = folders - NO_SUITES - {Path(part).name for part in used} - {"unit"}
    return [f"no suite runs tests/{name}" for name in sorted(idle)]


def record(outcomes: list[Outcome]) -> None:
    """Write the counts of a green run as the new floors."""
    floors = json.loads(FLOORS.read_text(encoding="utf-8"))
    floors |= {o.name: o.passed + o.skipped for o in outcomes if o.name != "build" and not o.faults}
    FLOORS.write_text(json.dumps(floors, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def report(outcomes: list[Outcome]) -> int:
    """Print failures, the allowed reasons, the table and the last line."""
    faults = [f"{o.name}: {fault}" for o in outcomes for fault in o.faults]
    print("\n" + "\n".join(f"FAILED {fault}" for fault in faults) if faults else "")
    for skip in allowed_skips():
        state = "holds here" if skip.holds else "does not hold here"
        print(f"allowed reason to skip: {skip.reason} ({skip.why}; {state})")
    print(f"\n{'suite':<12} {'run':>6} {'failed':>6} {'skipped':>7} {'seconds':>7}")
    for o in outcomes:
        print(f"{o.name:<12} {o.run:>6} {len(o.faults):>6} {o.skipped:>7} {o.seconds:>7.0f}")
    passed, skipped = sum(o.passed for o in outcomes), sum(o.skipped for o in outcomes)
    print(f"\n{passed} passed, {len(faults)} failed, {skipped} skipped")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
