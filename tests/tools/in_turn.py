"""Runs pytest suites one after the other in one process, whose Spark sessions share one JVM.

Usage: in_turn.py FILE, a JSON list of suites with name, arguments of pytest, environment and log. A JVM
that has run statements before runs those of the next suite sooner. Each suite has a session of its own.

For each suite that ended the file `.build/reports/<name>.ended` has its exit code and its seconds.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from files import ROOT

TESTS = ROOT / "tests"
REPORTS = ROOT / ".build" / "reports"


def main() -> int:
    """Run the suites that the file lists."""
    suites = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    return max([run(**suite) for suite in suites], default=0)


def run(name: str, arguments: Sequence[str], environment: Mapping[str, str], log: str) -> int:
    """Run one suite, with an environment and modules of its own.

    Args:
        name: Of the suite.
        arguments: Of pytest.
        environment: All variables.
        log: File that takes what is printed.

    Returns:
        The exit code of pytest.
    """
    started = time.monotonic()
    os.environ.clear()
    os.environ.update(environment)
    with Path(log).open("w", encoding="utf-8") as sink:
        for standard in (1, 2):
            os.dup2(sink.fileno(), standard)
    code = int(pytest.main(list(arguments)))
    sys.stdout.flush()
    forget_tests()
    ended: dict[str, Any] = {"code": code, "seconds": time.monotonic() - started}
    (REPORTS / f"{name}.ended").write_text(json.dumps(ended), encoding="utf-8")
    return code


def forget_tests() -> None:
    """Drop the modules of the tests, which ask for the environment when they are imported."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name != "__main__" and file and Path(file).is_relative_to(TESTS):
            del sys.modules[name]


if __name__ == "__main__":
    sys.exit(main())
