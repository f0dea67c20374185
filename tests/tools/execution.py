"""Runs the suites of one process and judges each."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import memory
import outcomes
import rotations
from files import ROOT
from jvms import JvmCounter
from outcomes import REPORTS, Floor, Outcome, notes
from processes import Sessions
from suites import PYTEST, Suite

LOGS = ROOT / ".build" / "logs"
CHANGED = ROOT / ".build" / "changed.txt"
FOREIGN = ("PYTEST_ADDOPTS", "PYTHONPATH", "SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS")
FULL_DISK = 100 << 20
NOTES = ("now", "left", "ended")  # the test that runs, those of other rotations, code and seconds


@dataclass
class Run:
    """What the suites of one run share.

    Attributes:
        tier: quick, test, all or soak.
        rotation: The third of what is rotated, 0 to 2; None where all of it runs.
        changed: Paths from the root that the change touches; None where that is not known.
        floors: Of the suites, by name; empty in a tier that runs parts of them.
        memory: Folder in memory for the tables of the tests; None where they lie on the disk.
    """

    tier: str
    rotation: int | None
    changed: frozenset[str] | None
    sessions: Sessions
    counter: JvmCounter
    floors: Mapping[str, Floor]
    memory: Path | None = None
    compiler: threading.Lock = field(default_factory=threading.Lock)


def execute(run: Run, group: Sequence[Suite]) -> list[Outcome]:
    """Run the suites of one process, the output of each in a log, and judge their reports."""
    first = group[0]
    print(f"{' '.join(suite.name for suite in group)} ...", flush=True)
    for folder in (LOGS, REPORTS):
        folder.mkdir(parents=True, exist_ok=True)
    for suite in group:
        for old in (*outcomes.found(suite), log_of(suite), *(notes(suite, n) for n in NOTES)):
            old.unlink(missing_ok=True)
    alone = len(group) == 1
    place = in_memory(run, first)
    if place is not None:
        place.mkdir()
    log = log_of(first) if alone else LOGS / f"{first.name}.process.log"
    command = first.command if alone else together(run, group)
    seconds = 60 * sum(suite.minutes for suite in group)
    started = time.monotonic()
    code = run.sessions.run(first.name, command, log, environment(run, first), seconds)
    took = time.monotonic() - started
    done = [judge(run, first, code, took)] if alone else judge_each(run, group, code, log)
    done[0].jvms = None if run.counter.total is None else run.counter.counts[first.name]
    if place is not None and (is_full(place) or not any(outcome.faults for outcome in done)):
        shutil.rmtree(place)
    return done


def is_full(folder: Path) -> bool:
    """Whether a file system has no room for another file of a usual size."""
    return shutil.disk_usage(folder).free < FULL_DISK


def in_memory(run: Run, suite: Suite) -> Path | None:
    """Folder in memory for the tables of a suite and of those in its process, which a success removes."""
    if run.memory is None or suite.on_disk:
        return None
    return run.memory / (suite.behind or suite.name)


def together(run: Run, group: Sequence[Suite]) -> tuple[str, ...]:
    """The command that runs suites of pytest in one process."""
    suites = [
        {
            "name": suite.name,
            "arguments": suite.command[PYTEST.index("pytest") + 1 :],
            "environment": environment(run, suite),
            "log": str(log_of(suite)),
        }
        for suite in group
    ]
    target = REPORTS / f"{group[0].name}.process.json"
    target.write_text(json.dumps(suites), encoding="utf-8")
    return (PYTEST[0], "tests/tools/in_turn.py", str(target))


def environment(run: Run, suite: Suite) -> dict[str, str]:
    """All variables of a suite."""
    every = {k: v for k, v in os.environ.items() if k not in FOREIGN and k[:4] != "MAKE"}
    every |= variables(run) | suite.environment
    every |= {"HUDILITE_NOW": str(notes(suite, "now"))}
    every |= {"HUDILITE_LEFT_OUT": str(notes(suite, "left"))}
    place = in_memory(run, suite)
    if place is not None:
        every |= {memory.GIVEN: str(place)}
    return every | suite.axis_variable


def variables(run: Run) -> dict[str, str]:
    """The environment that tells each suite the tier, rotation and round, the change and the seed."""
    CHANGED.write_text("\n".join(sorted(run.changed or ())), encoding="utf-8")
    return {
        "TZ": "UTC",
        "HUDILITE_TIER": run.tier,
        "HUDILITE_ROTATION": "" if run.rotation is None else str(run.rotation),
        "HUDILITE_ROUND": rotations.commits_round(),
        "HUDILITE_CHANGED": str(CHANGED),
        "HUDILITE_SEED": rotations.seed(),
    }


def judge_each(run: Run, group: Sequence[Suite], code: int | None, log: Path) -> list[Outcome]:
    """The outcomes of the suites of a process, which may have ended before the last one.

    Args:
        run: That they belong to.
        group: The suites in the order in which they ran.
        code: Exit code of the process, None where it hung.
        log: What the process printed outside the suites.
    """
    done: list[Outcome] = []
    broken = ""
    for suite in group:
        file = notes(suite, "ended")
        if file.exists():
            ended = json.loads(file.read_text(encoding="utf-8"))
            done.append(judge(run, suite, ended["code"], ended["seconds"]))
        elif broken:
            done.append(Outcome(suite.name, faults=[f"not run: {broken} ended the process"]))
        else:
            broken = suite.name
            done.append(judge(run, suite, None if code is None else code or 1, 0))
            print(f"  (the process: {log.relative_to(ROOT)})", flush=True)
        done[-1].jvms = None if run.counter.total is None else 0
    return done


def judge(run: Run, suite: Suite, code: int | None, seconds: float) -> Outcome:
    """The outcome of a suite that ended; where it failed, the end of its log is printed."""
    now, log = notes(suite, "now"), log_of(suite)
    last = now.read_text(encoding="utf-8") if now.exists() else ""
    outcome = outcomes.judged(suite, code, last, run.floors.get(suite.name, Floor()))
    outcome.seconds = seconds
    if outcome.faults and is_full(ROOT):
        outcome.faults = ["the disk is full: make room, then run it again"]
    elif outcome.faults and run.memory is not None and is_full(run.memory):
        outcome.faults = [
            f"{memory.SHARED} is full: make room there, "
            f"or set {memory.GIVEN} to a folder on the disk, then run it again"
        ]
    elif outcome.faults:
        exists = log.exists()
        text = log.read_text(encoding="utf-8", errors="replace").splitlines() if exists else []
        print("\n".join([*text[-60:], *(f"  {suite.name}: {f}" for f in outcome.faults)]))
        print(f"  (all of it: {log.relative_to(ROOT)})", flush=True)
    return outcome


def log_of(suite: Suite) -> Path:
    """What a suite prints."""
    return LOGS / f"{suite.name}.log"
