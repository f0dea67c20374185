"""Everything that judges the sources without running them.

Usage: lint.py [--fix | --scala]. --fix formats in place. What needs sbt to judge runs with the Scala
tests (scala.py), and here only with --scala.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

import junit
import scala
from files import ROOT
from house import CHECKS

PYTHON = ["python", "tests"]
TYPED = [
    "python/src/hudilite",
    *(f"tests/{n}" for n in ("bench", "harness", "model", "tables", "tools")),
]


def commands(with_scala: bool) -> dict[str, list[str]]:
    """What checks, by name."""
    typed = [folder for folder in TYPED if (ROOT / folder).is_dir()]
    return {
        "ruff format": [".venv/bin/ruff", "format", "--check", *PYTHON],
        "ruff check": [".venv/bin/ruff", "check", *PYTHON],
        "mypy": [".venv/bin/mypy", "--config-file", "python/pyproject.toml", *typed],
        "the site of the docs": [
            "env",
            "NO_MKDOCS_2_WARNING=1",
            ".venv/bin/mkdocs",
            "build",
        ],
    } | ({"scalafmt and scalafix": [*scala.SBT, scala.LINTS]} if with_scala else {})


def fixes() -> list[list[str]]:
    """What mends, in order."""
    return [
        [".venv/bin/ruff", "check", "--fix", "--quiet", *PYTHON],
        [".venv/bin/ruff", "format", "--quiet", *PYTHON],
        [".venv/bin/python", "tests/tools/errors_doc.py"],
        [".venv/bin/python", "tests/tools/packages.py"],
        [".venv/bin/python", "tests/tools/readme_chart.py"],
        [".venv/bin/python", "tests/tools/reliability.py"],
        [".venv/bin/python", "tests/tools/settings_doc.py"],
        [".venv/bin/python", "tests/tools/support_doc.py"],
        [*scala.SBT, "scalafixAll; scalafmtSbt; scalafmtAll"],
    ]


def main() -> int:
    """Check, or mend; print what is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--scala", action="store_true")
    asked = parser.parse_args()
    os.chdir(ROOT)
    if asked.fix:
        return max(subprocess.run(command).returncode for command in fixes())

    found = {name: list(check()) for name, check in CHECKS.items()}
    for name, command in commands(asked.scala).items():
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        found[name] = scala.faults(done.returncode, done.stdout)
    for name, faults in found.items():
        print(
            "\n".join([f"{name}:", *(f"  {fault}" for fault in faults)])
            if faults
            else f"{name}: ok"
        )
    junit.write(".build/reports/lint.xml", "lint", found)
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
