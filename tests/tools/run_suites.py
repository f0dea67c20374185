"""Runs the suites and says how they went.

Usage: run_suites.py [--tier quick|test|all|soak] [--floors] [SUITE ...]. Ends with a table, the lane
seconds (the sum of the suites, the build apart), the JVM starts, then `N passed, N failed, N skipped`.
Red when a command fails, a test fails or is skipped for a reason that is not allowed, a report is
missing, or a suite has fewer than nine tenths of the tests that tests/floors.json records.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import outcomes
import rotations
import touched
from files import ROOT
from jvms import JvmCounter
from outcomes import REPORTS, Floor, Outcome
from processes import Sessions, lock
from suites import NO_SUITES, SUITES, Suite, of_tier

LOGS = ROOT / ".build" / "logs"
CHANGED = ROOT / ".build" / "changed.txt"
LANES = 2  # a Spark session of two local cores is idle for half its time
FOREIGN = ("PYTEST_ADDOPTS", "PYTHONPATH", "SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS")
LEAST_DISK = 4 << 30  # what the environments, the jars and the tests' tables take
FULL_DISK = 100 << 20


@dataclass
class Run:
    """What the suites of one run share.

    Attributes:
        tier: quick, test, all or soak.
        rotation: The third of what is rotated, 0 to 2; None where all of it runs.
        changed: Paths from the root that the change touches; None where that is not known.
        floors: Of the suites, by name; empty in a tier that runs parts of them.
    """

    tier: str
    rotation: int | None
    changed: frozenset[str] | None
    sessions: Sessions
    counter: JvmCounter
    floors: Mapping[str, Floor]
    compiler: threading.Lock = field(default_factory=threading.Lock)


def main() -> int:
    """Build, run the suites that are asked for, print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tier", choices=("quick", "test", "all", "soak"), default="test")
    parser.add_argument("--floors", action="store_true", help="record this run's counts as floors")
    parser.add_argument("suites", nargs="*")
    asked = parser.parse_args()
    os.chdir(ROOT)
    unknown = set(asked.suites) - {suite.name for suite in SUITES}
    if unknown:
        names = " ".join(suite.name for suite in SUITES)
        parser.error(f"no suite {', '.join(sorted(unknown))}; there are: {names}")
    held = lock(ROOT / ".build" / "run.lock")
    free = shutil.disk_usage(ROOT).free
    if free < LEAST_DISK:
        raise SystemExit(f"{free >> 20} MiB are free on the disk: {LEAST_DISK >> 20} are needed")
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: os._exit(1))  # the guard of the sessions ends the suites
    with held:
        return run_tier(asked.tier, asked.suites, asked.floors)


def run_tier(tier: str, asked: Sequence[str], keep: bool) -> int:
    """Run the suites of a tier and report."""
    sessions = Sessions()
    run = Run(
        tier,
        rotations.rotation() if tier == "test" else None,
        touched.changed(),
        sessions,
        JvmCounter(sessions.name_of),
        outcomes.floors() if tier in ("test", "all") else {},
    )
    chosen, told = selection(run, asked)
    print("\n".join(told), flush=True)
    done = [execute(run, build(tier))]
    if done[0].faults:
        done += [Outcome(s.name, faults=["not run: the build failed"]) for s in chosen]
    else:
        done += run_all(run, chosen)
    if not asked:
        done[0].faults += stray_folders()
    if keep:
        outcomes.record(done)
    return outcomes.report(done, run.counter.total)


def selection(run: Run, asked: Sequence[str]) -> tuple[list[Suite], list[str]]:
    """The suites that run, and what a reader of the run must know of the choice."""
    chosen = of_tier(run.tier, asked)
    if run.tier != "test":
        return chosen, [f"tier {run.tier}: {len(chosen)} suites"]
    told = [
        f"rotation {run.rotation} of 0, 1, 2: what is rotated runs a third (ROTATION sets it)"
        if run.rotation is not None
        else "the history is not whole: what is rotated runs as a whole"
    ]
    if asked:
        return chosen, told
    idle = touched.left_out(run.changed, [suite.name for suite in chosen])
    told += [f"left out: {name} ({reason})" for name, reason in idle.items()]
    return [suite for suite in chosen if suite.name not in idle], told


def variables(run: Run) -> dict[str, str]:
    """The environment that tells each suite the tier, the rotation, the change and the seed."""
    CHANGED.write_text("\n".join(sorted(run.changed or ())), encoding="utf-8")
    return {
        "TZ": "UTC",
        "HUDILITE_TIER": run.tier,
        "HUDILITE_ROTATION": "" if run.rotation is None else str(run.rotation),
        "HUDILITE_CHANGED": str(CHANGED),
        "HUDILITE_SEED": rotations.seed(),
    }


def build(tier: str) -> Suite:
    """What must stand before any suite; it has no tests of its own."""
    more = {"quick": (), "test": ("stock", "peers", "sparks", "compiled-sqlglot")}
    every = (*more["test"], "java-21")
    # Two at a time: while pip and sbt work on one thing a core is idle.
    words = ("make", "-j2", "build", "classes", *more.get(tier, every))
    return Suite("build", words, (), minutes=20)


def run_all(run: Run, chosen: Sequence[Suite]) -> list[Outcome]:
    """Run suites LANES at a time, the longest first; one at a time of those that compile.

    Returns:
        Their outcomes in the order of the table of suites.
    """
    waiting = sorted(chosen, key=lambda s: -run.floors.get(s.name, Floor()).seconds)
    choosing = threading.Lock()
    done: dict[str, Outcome] = {}

    def take() -> tuple[Suite, bool] | None:
        with choosing:
            for suite in waiting:
                if not suite.compiles or run.compiler.acquire(blocking=False):
                    waiting.remove(suite)
                    return suite, suite.compiles
            return None

    def lane() -> None:
        while waiting:
            taken = take()
            if taken is None:
                time.sleep(1)
                continue
            suite, compiles = taken
            try:
                done[suite.name] = execute(run, suite)
            finally:
                if compiles:
                    run.compiler.release()

    with ThreadPoolExecutor(LANES) as lanes:
        for ended in [lanes.submit(lane) for _ in range(LANES)]:
            ended.result()
    return [done[suite.name] for suite in chosen]


def execute(run: Run, suite: Suite) -> Outcome:
    """Run one suite, its output in a log, and judge its reports."""
    print(f"{suite.name} ...", flush=True)
    for folder in (LOGS, REPORTS):
        folder.mkdir(parents=True, exist_ok=True)
    now, left = REPORTS / f"{suite.name}.now", outcomes.left_out_file(suite)
    for old in (*outcomes.found(suite), now, left):
        old.unlink(missing_ok=True)
    environment = {k: v for k, v in os.environ.items() if k not in FOREIGN and k[:4] != "MAKE"}
    environment |= variables(run) | suite.environment
    environment |= {"HUDILITE_NOW": str(now), "HUDILITE_LEFT_OUT": str(left)}
    if suite.axis:
        environment["HUDILITE_AXIS"] = "1"
    log = LOGS / f"{suite.name}.log"
    started = time.monotonic()
    code = run.sessions.run(suite.name, suite.command, log, environment, suite.minutes * 60)
    last = now.read_text(encoding="utf-8") if now.exists() else ""
    outcome = outcomes.judged(suite, code, last, run.floors.get(suite.name, Floor()))
    outcome.seconds = time.monotonic() - started
    outcome.jvms = None if run.counter.total is None else run.counter.counts[suite.name]
    if outcome.faults and shutil.disk_usage(ROOT).free < FULL_DISK:
        outcome.faults = ["the disk is full: make room, then run it again"]
    elif outcome.faults:
        text = log.read_text(encoding="utf-8", errors="replace").splitlines()
        print("\n".join([*text[-60:], *(f"  {suite.name}: {f}" for f in outcome.faults)]))
        print(f"  (all of it: {log.relative_to(ROOT)})", flush=True)
    return outcome


def stray_folders() -> list[str]:
    """Folders of tests/ that no suite runs."""
    used = {part for s in SUITES for part in s.command if part.startswith("tests/")}
    folders = {p.name for p in (ROOT / "tests").iterdir() if p.is_dir() and p.name[0] not in "._"}
    idle = folders - NO_SUITES - {part.split("/")[1] for part in used} - {"unit"}
    return [f"no suite runs tests/{name}" for name in sorted(idle)]


if __name__ == "__main__":
    sys.exit(main())
