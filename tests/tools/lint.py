"""Everything that judges the sources without running them.

Usage: lint.py [--quick | --fix]. --quick leaves out what starts sbt; --fix formats in place.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

import junit
from files import ROOT
from house import CHECKS

PYTHON = ["python", "tests"]
TYPED = [
    "python/src/hudilite",
    *(f"tests/{n}" for n in ("bench", "harness", "model", "tables", "tools")),
]
SBT = ["sh", "tests/tools/sbt.sh"]


def commands() -> dict[str, list[str]]:
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
        "scalafmt and scalafix": [*SBT, "scalafmtSbtCheck; scalafmtCheckAll; scalafixAll --check"],
    }


def fixes() -> list[list[str]]:
    """What mends, in order."""
    return [
        [".venv/bin/ruff", "check", "--fix", "--quiet", *PYTHON],
        [".venv/bin/ruff", "format", "--quiet", *PYTHON],
        [".venv/bin/python", "tests/tools/errors_doc.py"],
        [".venv/bin/python", "tests/tools/reliability.py"],
        [".venv/bin/python", "tests/tools/settings_doc.py"],
        [*SBT, "scalafixAll; scalafmtSbt; scalafmtAll"],
    ]


def main() -> int:
    """Check, or mend; print what is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--fix", action="store_true")
    asked = parser.parse_args()
    os.chdir(ROOT)
    if asked.fix:
        return max(subprocess.run(command).returncode for command in fixes())

    found = {name: list(check()) for name, check in CHECKS.items()}
    for name, command in commands().items():
        if asked.quick and command[0] == "sh":
            continue
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        found[name] = [] if done.returncode == 0 else told(done.stdout)
    for name, faults in found.items():
        print(
            "\n".join([f"{name}:", *(f"  {fault}" for fault in faults)])
            if faults
            else f"{name}: ok"
        )
    junit.write(".build/reports/lint.xml", "lint", found)
    return 1 if any(found.values()) else 0


def told(output: str) -> list[str]:
    """Lines worth showing; of sbt's only its warnings and errors."""
    lines = [line for line in output.splitlines() if line.strip()]
    loud = [
        line for line in lines if line.startswith(("[warn]", "[error]")) and "\tat " not in line
    ]
    return loud or lines or ["failed without a word"]


if __name__ == "__main__":
    sys.exit(main())
