"""Each patch of tests/mutants breaks the product; its suite must notice.

Usage: mutants.py [NAME ...]. Works on a copy of the tree under .build/mutants, with an
environment of its own. Lines above the diff of a patch say what must turn red:

    Suite: sql                      a suite of tests/tools/suites.py
    Only: tests/sql/merge           optional: what to run of it (for unit, an sbt task)
    Breaks: one line on what the patch does

Red when a patch does not apply or does not build, or its suite stays green.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import junit
from files import ROOT, tracked
from suites import PYTEST, SBT, SUITES, Suite

MUTANTS = ROOT / "tests" / "mutants"
COPY = ROOT / ".build" / "mutants" / "tree"
LOGS = ROOT / ".build" / "logs"


@dataclass(frozen=True)
class Mutant:
    """A patch and what must turn red."""

    patch: Path
    suite: Suite
    only: tuple[str, ...]
    breaks: str

    @property
    def command(self) -> tuple[str, ...]:
        """The suite's command, narrowed."""
        if not self.only:
            return self.suite.command
        if self.suite.command[: len(SBT)] == SBT:
            return (*SBT, " ".join(self.only))
        report = f"--junit-xml={self.suite.reports[0]}"
        return (*PYTEST, report, *self.only)


def main() -> int:
    """Try every asked patch; print one line each."""
    asked = set(sys.argv[1:])
    patches = [p for p in sorted(MUTANTS.glob("*.patch")) if not asked or p.stem in asked]
    if not patches or asked - {p.stem for p in patches}:
        sys.exit(f"no patch {', '.join(sorted(asked - {p.stem for p in patches})) or 'at all'}")
    mutants = [parse(patch) for patch in patches]
    LOGS.mkdir(parents=True, exist_ok=True)
    bad = 0
    for mutant in mutants:
        started = time.monotonic()
        verdict = attempt(mutant)
        bad += not verdict.startswith("noticed")
        seconds = time.monotonic() - started
        print(f"{mutant.patch.stem}: {verdict} ({seconds:.0f} s): {mutant.breaks}", flush=True)
    refresh(set())
    print(f"\n{len(mutants) - bad} noticed, {bad} not")
    return 1 if bad else 0


def parse(patch: Path) -> Mutant:
    """Read the lines above the diff."""
    head = re.split(r"^(?:diff |--- )", patch.read_text(encoding="utf-8"), flags=re.MULTILINE)[0]
    said = dict(re.findall(r"^(\w+): *(.+)$", head, flags=re.MULTILINE))
    suite = next((s for s in SUITES if s.name == said.get("Suite")), None)
    if suite is None or "Breaks" not in said:
        sys.exit(f"{patch.name}: its head names no Suite of suites.py, or no Breaks line")
    only = said.get("Only", "")
    parts = (only,) if suite.command[: len(SBT)] == SBT and only else tuple(only.split())
    return Mutant(patch, suite, parts, said["Breaks"])


def attempt(mutant: Mutant) -> str:
    """What became of one patch."""
    changed = set(re.findall(r"^\+\+\+ b/(\S+)", mutant.patch.read_text("utf-8"), re.MULTILINE))
    refresh(changed)
    log = LOGS / f"mutant-{mutant.patch.stem}.log"
    # The copy has a repository of its own: else git would patch the tree around it.
    if done("apply", ["git", "apply", "--whitespace=nowarn", str(mutant.patch)], log) != 0:
        return f"does not apply ({log.relative_to(ROOT)})"
    stock = ["stock"] if mutant.suite.name == "interop" else []
    if done("build", ["make", "build", *stock], log) != 0:
        return f"does not build ({log.relative_to(ROOT)})"
    for pattern in mutant.suite.reports:
        for old in COPY.glob(pattern):
            old.unlink()
    (COPY / ".build" / "reports").mkdir(exist_ok=True)
    code = done("suite", list(mutant.command), log, mutant.suite.environment)
    cases = list(junit.read(p for pattern in mutant.suite.reports for p in COPY.glob(pattern)))
    failed = [case for case in cases if case.failure is not None]
    if code == 0 or not failed:
        return f"NOT noticed by {len(cases)} tests of {mutant.suite.name}"
    return f"noticed by {len(failed)} of {len(cases)} tests of {mutant.suite.name}"


def refresh(changed: set[str]) -> None:
    """Make the copy equal the tree; files that are equal keep their time, so little is rebuilt."""
    COPY.mkdir(parents=True, exist_ok=True)
    if not (COPY / ".git").exists():
        subprocess.run(["git", "init", "--quiet"], cwd=COPY, check=True)
    names = {path.relative_to(ROOT).as_posix() for path in tracked()}
    listing = ["git", "ls-files", "-o", "--exclude-standard", "-z"]
    there = subprocess.run(listing, cwd=COPY, check=True, capture_output=True, text=True).stdout
    for name in set(there.split("\0")) - names - {""}:
        (COPY / name).unlink()
    for name in names:
        source, target = ROOT / name, COPY / name
        if name in changed or not target.exists() or source.read_bytes() != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


def done(step: str, command: list[str], log: Path, more: dict[str, str] | None = None) -> int:
    """Exit code of a command in the copy; its output goes to the log."""
    environment = {k: v for k, v in os.environ.items() if k[:4] != "MAKE"} | {"TZ": "UTC"}
    with log.open("a" if step != "apply" else "w", encoding="utf-8") as sink:
        return subprocess.run(
            command,
            cwd=COPY,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env=environment | (more or {}),
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
