"""docs/reliability.md: each fault, the tests that show it, and how their last run went.

Usage: reliability.py [--record]. The page is made from the marks in the tests and from what is kept
in tests/faults (record.json, points.txt). --record takes those anew from the reports that `make
test`, `make faults` and the histories left in .build; it exits 1 when a marked test did not pass.
The names of the tests, and what each operation of `make faults` gave, are too long for the page: they
go to .build/fault-points.md.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from glob import glob
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import fault_points
import junit
import marks
from files import ROOT
from marks import Fault, Mark
from suites import SUITES

PAGE = ROOT / "docs" / "reliability.md"
POINTS = ROOT / ".build" / "fault-points.md"
RECORD = ROOT / "tests" / "faults" / "record.json"
BUILD = ROOT / ".build"
NOTE = "<!-- Written by tests/tools/reliability.py; see tests/faults/README.md. `make fmt` rewrites it. -->"
HEAD = """# Reliability

{note}

What happens to a table when a process dies, a disk is full, a file is damaged or two writers meet: {faults} faults, of which
{tested} are tested. After each of them, the table must be in the state before the statement or in the state after it, and a query
must return the rows of one of these states or fail with an error that names the fault. [Concurrent writers and
crashes](concurrency.md) says what this means for your programs.
"""
Record = dict[str, Any]
# What a run of `make faults` says besides its points.
SAID = {"minutes": r"in (\d+(?:\.\d+)?) minutes", "seed": r"HUDILITE_SEED=(\d+)"}


def render() -> str:
    """The whole page."""
    record = recorded()
    every = marks.marks()
    rows = [row(fault, every, record) for fault in marks.faults()]
    untested = sum("not tested" in row.rsplit("|", 2)[1].split(";")[0] for row in rows)
    head = HEAD.format(note=NOTE, tested=len(rows) - untested, faults=len(rows))
    parts = [head, *_ran(record), *rows, *_histories(record), *_enumeration(record)]
    return "\n".join(parts) + "\n"


def faults() -> Iterator[str]:
    """Marks that cannot be, and a page that is not what this module would write."""
    yield from marks.wrong()
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != render():
        yield "docs/reliability.md is stale: run make fmt"


def recorded() -> Record:
    """What the last runs gave."""
    found: Record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}
    return {"passed": [], "suites": {}, "points": {}, "histories": []} | found


def row(fault: Fault, every: Sequence[Mark], record: Record) -> str:
    shown = shown_by(fault, every, record)
    left = fault.left if shown else f"({fault.left})" if fault.left else ""
    result = ("passed; " if left else "passed") if shown else "not tested "
    files = dict.fromkeys(mark.file for mark in shown)
    tests = ", ".join(f"[{_file(file)}](../{file})" for file in files) or "-"
    return f"| {fault.number} | {fault.words} | {tests} | {(result + left).strip()} |"


def shown_by(fault: Fault, every: Sequence[Mark], record: Record) -> list[Mark]:
    """The tests of a fault that passed in their last run."""
    return [mark for mark in every if fault.number in mark.numbers and mark.key in record["passed"]]


def _file(path: str) -> str:
    return "/".join(Path(path).parts[1:]) if path.endswith(".sql") else Path(path).stem


def _ran(record: Record) -> Iterator[str]:
    suites = record["suites"]
    if suites:
        yield (
            f"Last run on record: `make test`, {suites['tests']:,} tests, {suites['failed']} failed, "
            f"{suites['skipped']} skipped, {suites['minutes']} minutes of suites, run two at a time.\n"
        )
    yield (
        "A fault is *passed* if the tests in its row passed in their last run, otherwise it is *not tested*. One run of "
        "`make test`\nleaves out some tests, which it runs at other commits.\n"
    )
    yield "| | fault | shown by | result |"
    yield "| --- | --- | --- | --- |"


def _histories(record: Record) -> Iterator[str]:
    yield "\n## Histories of several writers\n"
    yield from HISTORIES
    found = record["histories"]
    if not found:
        yield "No run on record."
        return
    keys = list(dict.fromkeys(key for history in found for key in history))
    yield f"| | {' | '.join(str(history.get('history', '-')) for history in found)} |"
    yield "| --- " * (len(found) + 1) + "|"
    for key in keys[1:]:
        yield f"| {key.replace('_', ' ')} | {' | '.join(_plain(h.get(key, '-')) for h in found)} |"


def _plain(value: object) -> str:
    """A value of a history: counts by name are a list."""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {count}" for name, count in value.items())
    return str(value)


def _enumeration(record: Record) -> Iterator[str]:
    rows = fault_points.recorded()
    yield "\n## Every operation of every statement, broken in every way\n"
    if not rows:
        yield "No whole run on record."
        return
    points = record["points"]
    yield (
        f"`make faults` breaks each file operation of each statement in each way: {len(rows):,} operations, "
        f"{points['runs']:,} runs in\n{points['minutes']} minutes, {points['breaks']} of them with a wrong "
        f"result (seed {points['seed']}).\n"
    )
    yield from MEANING
    yield from fault_points.summary(rows)


def points_of_run() -> str:
    """The tests of each fault, and what each operation gave, as a text of its own."""
    every, record, rows = marks.marks(), recorded(), fault_points.recorded()
    tests = [
        f"- {fault.number}: {mark.key}"
        for fault in marks.faults()
        for mark in shown_by(fault, every, record)
    ]
    head = ["\n# Every operation of every statement\n", *ABSORBED, *fault_points.reasons()]
    return "\n".join(["# Tests of each fault\n", *tests, *head, *fault_points.tables(rows)]) + "\n"


HISTORIES = (
    "Several processes write random statements to one table, and some of them are killed. Afterwards one order of the acknowledged",
    "statements must explain all rows that were read.\n",
)
MEANING = (
    "*Raised*: the statement failed, and the table was as before. *Raised, after*: it failed or died after its commit, and the table",
    "was as after. *Succeeded*: a response was lost, without effect. *Absorbed*: the operation did not take place and was not",
    "needed, such as a hint that is written again. `make reliability` writes each operation, and the tests of each fault, to",
    "`.build/fault-points.md`.\n",
)
ABSORBED = (
    "*Raised*: the statement failed, and the table was as before. *Raised, after*: it failed or died after",
    "its commit point, and the table was as after. *Succeeded*: an answer was lost and made no difference.",
    "`-`: the action does not apply to the operation; `kill` is run at every fifth. *Absorbed*: the",
    "operation did not take place and the statement succeeded, which these may, and why:\n",
)


def record_runs() -> list[str]:
    """Takes the record anew from .build; gives what is wrong with it."""
    cases, suites = _reports()
    record = recorded() | {"suites": suites}
    record["passed"], wrong = outcomes(marks.marks(), cases, record["passed"])
    histories = BUILD / "histories.txt"
    if histories.is_file():
        lines = histories.read_text(encoding="utf-8").splitlines()
        record["histories"] = [json.loads(line) for line in lines if line.strip()]
    wrong += _points(record)
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return wrong


def outcomes(
    every: Sequence[Mark], cases: Sequence[junit.Case], before: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The keys of the marks whose tests passed in their last run, and what is wrong with the others.

    Args:
        cases: Tests of this run, in which a mark that rotates may have none.
        before: The keys on record.
    """
    passed, wrong = [], []
    for mark in every:
        states = [(case.failure, case.skipped) for case in cases if mark.fits(case)]
        if all(state == (None, None) for state in states) if states else mark.key in before:
            passed.append(mark.key)
        else:
            wrong.append(f"{mark.key}: {'did not pass' if states else 'did not run'}")
    return sorted(passed), wrong


def _points(record: Record) -> Iterator[str]:
    """Takes over a whole run of `make faults`, if there is one; else the last one stays."""
    path = BUILD / "faults.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    rows = fault_points.of_run(lines)
    if not rows or fault_points.missing(rows):
        print("no whole run of make faults in .build/faults.txt: the one on record stays")
        return
    said = "\n".join(line for line in lines if not fault_points.POINT.fullmatch(line))
    words = [word for row in rows for word in row.words if word != fault_points.NONE]
    figures: Record = {"runs": len(words), "breaks": words.count("BROKEN")}
    for name, pattern in SAID.items():
        found = re.search(pattern, said)
        figures[name] = found[1] if found else "?"
    record["points"] = figures
    fault_points.write(rows)
    if figures["breaks"]:
        yield f".build/faults.txt: {figures['breaks']} points are broken"


def _reports() -> tuple[list[junit.Case], Record]:
    """The cases of the last `make test`, and their counts."""
    found = [Path(p) for s in SUITES for pattern in s.reports for p in sorted(glob(pattern))]
    cases = list(junit.read(found))
    roots = [ElementTree.parse(path).getroot() for path in found]
    seconds = sum(
        float(suite.get("time") or 0) for root in roots for suite in root.iter("testsuite")
    )
    return cases, {
        "tests": len(cases),
        "failed": sum(case.failure is not None for case in cases),
        "skipped": sum(case.skipped is not None for case in cases),
        "minutes": round(seconds / 60),
    }


def main() -> int:
    """Take the record if asked to, and write the page."""
    wrong = record_runs() if "--record" in sys.argv[1:] else []
    PAGE.write_text(render(), encoding="utf-8")
    POINTS.parent.mkdir(exist_ok=True)
    POINTS.write_text(points_of_run(), encoding="utf-8")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
