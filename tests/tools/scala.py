"""Scala in one sbt: the tests, then formatters and linters, which leave a report of their own.

Usage: scala.py. Leaves ScalaTest's reports and .build/reports/scala-lint.xml. Where a test fails the
linters do not run.
"""

from __future__ import annotations

import os
import subprocess
import sys

import junit
from files import ROOT

SBT = ["sh", "tests/tools/sbt.sh"]
LINTS = "scalafmtSbtCheck; scalafmtCheckAll; scalafixAll --check"
REPORT = ".build/reports/scala-lint.xml"
TESTED = "[success] Total time"  # which sbt prints behind each task that ends well


def main() -> int:
    """Test and check; print what sbt prints."""
    os.chdir(ROOT)
    command = [*SBT, f"test; {LINTS}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout)
    _, tested, lints = done.stdout.partition(TESTED)
    if tested:
        junit.write(REPORT, "lint", {"scalafmt and scalafix": faults(done.returncode, lints)})
    return done.returncode


def faults(code: int, output: str) -> list[str]:
    """What the linters say, nothing where they ended well."""
    return [] if code == 0 else shown_lines(output)


def shown_lines(output: str) -> list[str]:
    """Lines of sbt worth showing: its warnings and errors."""
    lines = [line for line in output.splitlines() if line.strip()]
    loud = [
        line for line in lines if line.startswith(("[warn]", "[error]")) and "\tat " not in line
    ]
    return loud or lines or ["failed without a word"]


if __name__ == "__main__":
    sys.exit(main())
