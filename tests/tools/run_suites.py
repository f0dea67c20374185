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
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import memory
import outcomes
import rotations
import touched
from execution import Run, execute
from files import ROOT
from jvms import JvmCounter
from outcomes import Floor, Outcome
from processes import Sessions, lock
from suites import NO_SUITES, SUITES, Suite, in_turn, of_tier

LANES = 2  # a Spark session of two local cores is idle for half its time
LANES_OF_ALL = 3  # more suites of `make test-all` wait for servers and for processes
LEAST_DISK = 4 << 30  # what the environments, the jars and the tests' tables take


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
    with held, memory.folder(asked.tier) as place:
        return run_tier(asked.tier, asked.suites, asked.floors, place)


def run_tier(tier: str, asked: Sequence[str], keep: bool, place: Path | None) -> int:
    """Run the suites of a tier, with tables in a folder in memory if there is one, and report."""
    sessions = Sessions(place)
    run = Run(
        tier,
        rotations.rotation() if tier == "test" else None,
        touched.changed(),
        sessions,
        JvmCounter(sessions.name_of),
        outcomes.floors() if tier in ("test", "all") else {},
        place,
    )
    chosen, told = selection(run, asked)
    told.append(f"the tables of the tests lie {'on the disk' if place is None else f'in {place}'}")
    print("\n".join(told), flush=True)
    done = execute(run, [build(tier)])
    if done[0].faults:
        done += [Outcome(s.name, faults=["not run: the build failed"]) for s in chosen]
    else:
        done += run_all(run, chosen)
    if not asked:
        done[0].faults += stray_places()
    if keep:
        outcomes.record(done, tier)
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


def build(tier: str) -> Suite:
    """What must stand before any suite; it has no tests of its own."""
    more = {
        "quick": (),
        "test": ("stock", "peers", "sparks", "compiled-sqlglot", "dbt", "clients", "stores"),
    }
    every = (*more["test"], "java-21")
    # Two at a time: while pip and sbt work on one thing a core is idle.
    words = ("make", "-j2", "build", "classes", *more.get(tier, every))
    return Suite("build", words, (), minutes=20)


def run_all(run: Run, chosen: Sequence[Suite]) -> list[Outcome]:
    """Run some processes of suites at a time, the longest first; one at a time of those that compile.

    Returns:
        The outcomes of the suites in the order of the table of suites.
    """
    waiting = sorted(in_turn(chosen), key=lambda group: -expected_seconds(run, group))
    choosing = threading.Lock()
    done: list[Outcome] = []

    def take() -> tuple[list[Suite], bool] | None:
        with choosing:
            for group in waiting:
                compiles = any(suite.compiles for suite in group)
                if not compiles or run.compiler.acquire(blocking=False):
                    waiting.remove(group)
                    return group, compiles
            return None

    def lane() -> None:
        while waiting:
            taken = take()
            if taken is None:
                time.sleep(1)
                continue
            group, compiles = taken
            try:
                done.extend(execute(run, group))
            finally:
                if compiles:
                    run.compiler.release()

    count = LANES_OF_ALL if run.tier == "all" else LANES
    with ThreadPoolExecutor(count) as lanes:
        for ended in [lanes.submit(lane) for _ in range(count)]:
            ended.result()
    order = [suite.name for suite in chosen]
    return sorted(done, key=lambda outcome: order.index(outcome.name))


def expected_seconds(run: Run, group: Sequence[Suite]) -> float:
    """How long the suites of a process took in the tier when they were recorded."""
    known = [run.floors.get(suite.name, Floor()) for suite in group]
    return sum(
        floor.whole or floor.seconds if run.tier == "all" else floor.seconds for floor in known
    )


def stray_places() -> list[str]:
    """Folders of tests/, and files of tests in pytest's folders, that no suite runs."""
    used = {part for s in SUITES for part in s.command if part.startswith("tests/")}
    folders = {p.name for p in (ROOT / "tests").iterdir() if p.is_dir() and p.name[0] not in "._"}
    idle = folders - NO_SUITES - {part.split("/")[1] for part in used} - {"unit"}
    files = {p.relative_to(ROOT).as_posix() for p in (ROOT / "tests").rglob("test_*.py")}
    strays = {f for f in files if f.split("/")[1] not in NO_SUITES | idle} - used
    strays = {f for f in strays if not any(f.startswith(f"{place}/") for place in used)}
    return [f"no suite runs {name}" for name in sorted({f"tests/{n}" for n in idle} | strays)]


if __name__ == "__main__":
    sys.exit(main())
