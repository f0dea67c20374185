"""Each patch of tests/mutants breaks the product; its suite must notice.

Usage: mutants.py [--touched] [--rotated] [--lanes N] [NAME ...]. Tries N patches (2) at a time, each on a
copy of the tree under .build/mutants with an environment of its own. --touched takes the patches whose
files, or whose tests, the change against the remote's main branch touches; --rotated runs what `make
test` runs, one rotation after another until one notices. Lines above the diff of a patch say what must
turn red:

    Suite: sql                      a suite of tests/tools/suites.py
    Only: tests/sql/merge           optional: what to run of it (for unit, an sbt task)
    Breaks: one line on what the patch does

Red when a patch does not apply or does not build, or its suite stays green; a fixture that fails is no
notice.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import junit
import rotations
import touched
from files import ROOT, tracked
from suites import PYTEST, SBT, SUITES, Suite

MUTANTS = ROOT / "tests" / "mutants"
COPIES = ROOT / ".build" / "mutants"
LOGS = ROOT / ".build" / "logs"
UNIT = "unit"  # the suite whose tests sbt runs
# Targets of make for a mutant's suite; the default is a build with the jar of the main line alone. sbt
# compiles what it tests itself.
MAIN = ("build", "JARS=jar")
NEEDS = {
    UNIT: (".venv/.ready",),
    "dbt": (*MAIN, "dbt"),
    "thrift": (*MAIN, "clients"),
    "interop": (*MAIN, "stock"),
    "sql-named": (*MAIN, "peers"),
    "compat-peers": (*MAIN, "peers"),
    "stores": (*MAIN, "stores"),
    "spark-4.2": ("build", "sparks"),
    "compiled-sqlglot": (*MAIN, "compiled-sqlglot"),
    "install": ("build",),
}


@dataclass(frozen=True)
class Mutant:
    """A patch and what must turn red."""

    patch: Path
    suite: Suite
    only: tuple[str, ...]
    breaks: str

    @property
    def changes(self) -> set[str]:
        """Paths of the files that the patch changes."""
        text = self.patch.read_text(encoding="utf-8")
        return set(re.findall(r"^\+\+\+ b/(\S+)", text, re.MULTILINE))

    @property
    def command(self) -> tuple[str, ...]:
        """The suite's command, narrowed."""
        if self.suite.name == UNIT:
            return (*SBT, " ".join(self.only) or "test")
        if not self.only:
            return self.suite.command
        report = f"--junit-xml={self.suite.reports[0]}"
        return (*PYTEST, report, *self.only)


def main() -> int:
    """Try every patch that is asked for; print one line each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--touched", action="store_true")
    parser.add_argument("--rotated", action="store_true")
    parser.add_argument("--lanes", type=int, default=2)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    asked = set(options.names)
    patches = [p for p in sorted(MUTANTS.glob("*.patch")) if not asked or p.stem in asked]
    if not patches or asked - {p.stem for p in patches}:
        sys.exit(f"no patch {', '.join(sorted(asked - {p.stem for p in patches})) or 'at all'}")
    mutants = [parse(patch) for patch in patches]
    if options.touched:
        mutants = [mutant for mutant in mutants if is_touched(mutant, touched.changed())]
    rotated = rotations.ROTATIONS if options.rotated else [None]
    LOGS.mkdir(parents=True, exist_ok=True)
    lanes = max(1, min(options.lanes, len(mutants)))
    free: SimpleQueue[Copy] = SimpleQueue()
    for lane in range(lanes):
        free.put(Copy.made(lane))
    with ThreadPoolExecutor(lanes) as pool:
        verdicts = list(pool.map(lambda mutant: tried(mutant, free, rotated), mutants))
    bad = sum(not verdict.startswith("noticed") for verdict in verdicts)
    print(f"\n{len(mutants) - bad} noticed, {bad} not")
    return 1 if bad else 0


def tried(mutant: Mutant, free: SimpleQueue[Copy], rotated: Iterable[int | None]) -> str:
    """Try a patch on a free copy, and print the verdict."""
    copy = free.get()
    started = time.monotonic()
    try:
        verdict = copy.attempt(mutant, rotated)
        copy.refresh(set())
    finally:
        free.put(copy)
    seconds = time.monotonic() - started
    print(f"{mutant.patch.stem}: {verdict} ({seconds:.0f} s): {mutant.breaks}", flush=True)
    return verdict


def parse(patch: Path) -> Mutant:
    """Read the lines above the diff."""
    head = re.split(r"^(?:diff |--- )", patch.read_text(encoding="utf-8"), flags=re.MULTILINE)[0]
    said = dict(re.findall(r"^(\w+): *(.+)$", head, flags=re.MULTILINE))
    suite = next((s for s in SUITES if s.name == said.get("Suite")), None)
    if suite is None or "Breaks" not in said:
        sys.exit(f"{patch.name}: its head names no Suite of suites.py, or no Breaks line")
    only = said.get("Only", "")
    parts = (only,) if suite.name == UNIT and only else tuple(only.split())
    return Mutant(patch, suite, parts, said["Breaks"])


def is_touched(mutant: Mutant, paths: Collection[str] | None) -> bool:
    """Whether a change may decide what becomes of a patch; so it is where the change is not known."""
    places = {mutant.patch.relative_to(ROOT).as_posix(), *mutant.changes}
    tests = mutant.only if mutant.suite.name != UNIT else ()
    tests = tests or tuple(part for part in mutant.suite.command if part.startswith("tests/"))
    return paths is None or any(path in places or path.startswith(tests) for path in paths)


@dataclass(frozen=True)
class Copy:
    """A copy of the tree, with an environment and a repository of its own."""

    folder: Path

    @classmethod
    def made(cls, lane: int) -> Copy:
        """The copy of a lane, equal to the tree and built."""
        copy = cls(COPIES / ("tree" if lane == 0 else f"tree-{lane}"))
        copy.refresh(set())
        first = LOGS / f"mutants-{lane}.log"
        first.unlink(missing_ok=True)
        # The wheel needs the jars of both lines, of which a mutant builds one.
        if copy.done("build", ["make", "build"], first) != 0:
            sys.exit(f"the tree does not build without a patch ({first.relative_to(ROOT)})")
        return copy

    def attempt(self, mutant: Mutant, rotations: Iterable[int | None]) -> str:
        """Try a patch, and return the verdict.

        Args:
            mutant: The patch.
            rotations: Of `make test`, until one notices; None runs every test.
        """
        self.refresh(mutant.changes)
        log = LOGS / f"mutant-{mutant.patch.stem}.log"
        # The copy has a repository of its own: else git would patch the tree around it.
        if self.done("apply", ["git", "apply", "--whitespace=nowarn", str(mutant.patch)], log) != 0:
            return f"does not apply ({log.relative_to(ROOT)})"
        if self.done("build", ["make", *NEEDS.get(mutant.suite.name, MAIN)], log) != 0:
            return f"does not build ({log.relative_to(ROOT)})"
        ran = 0
        for rotation in rotations:
            cases = self.tested(mutant, log, rotation)
            failed = sum(case.failure is not None and not case.is_set_up for case in cases)
            ran += len(cases)
            if failed:
                where = "" if rotation is None else f" at rotation {rotation}"
                return f"noticed by {failed} of {len(cases)} tests of {mutant.suite.name}{where}"
        if not ran:
            return f"runs no test ({log.relative_to(ROOT)})"
        return f"NOT noticed by {ran} tests of {mutant.suite.name}"

    def tested(self, mutant: Mutant, log: Path, rotation: int | None) -> list[junit.Case]:
        """The tests of a mutant's suite in the copy, as they ended."""
        for pattern in mutant.suite.reports:
            for old in self.folder.glob(pattern):
                old.unlink()
        (self.folder / ".build" / "reports").mkdir(exist_ok=True)
        more = dict(mutant.suite.environment)
        if rotation is not None:
            more |= {"HUDILITE_TIER": "test", "HUDILITE_ROTATION": str(rotation)}
            more |= mutant.suite.axis_variable
        self.done("suite", list(mutant.command), log, more)
        reports = (p for pattern in mutant.suite.reports for p in self.folder.glob(pattern))
        return list(junit.read(reports))

    def refresh(self, changed: set[str]) -> None:
        """Make the copy equal the tree; files that are equal keep their time, so little is rebuilt."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / ".git").exists():
            subprocess.run(["git", "init", "--quiet"], cwd=self.folder, check=True)
        names = {path.relative_to(ROOT).as_posix() for path in tracked()}
        listing = ["git", "ls-files", "-o", "--exclude-standard", "-z"]
        there = subprocess.run(
            listing, cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout
        for name in set(there.split("\0")) - names - {""}:
            (self.folder / name).unlink()
        for name in names:
            source, target = ROOT / name, self.folder / name
            if name in changed or not target.exists() or source.read_bytes() != target.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)

    def done(
        self, step: str, command: list[str], log: Path, more: dict[str, str] | None = None
    ) -> int:
        """Exit code of a command in the copy; its output goes to the log."""
        environment = {k: v for k, v in os.environ.items() if k[:4] != "MAKE"}
        environment |= {"TZ": "UTC", "HUDILITE_MUTANT": "1"}
        with log.open("a" if step != "apply" else "w", encoding="utf-8") as sink:
            return subprocess.run(
                command,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                env=environment | (more or {}),
            ).returncode


if __name__ == "__main__":
    sys.exit(main())
