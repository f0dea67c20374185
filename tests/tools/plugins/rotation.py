"""pytest plugin: which of the collected tests run in this tier and at this rotation.

The runner says it by environment variables; without them every test runs.

- HUDILITE_TIER: `test` runs a third of what is rotated.
- HUDILITE_ROTATION: 0, 1 or 2, the third that runs.
- HUDILITE_ROUND: 0, 1 or 2, of three commits in a row; a test that is rare runs in one of the three rounds.
- HUDILITE_AXIS: set for a suite that repeats files of another suite; all of it is rotated by file. With
  the value `rare` all of it is rare.
- HUDILITE_CHANGED: file with the paths from the root that the change touches, one a line; tests in
  them run.
- HUDILITE_LEFT_OUT: file that takes the names of the tests that another rotation runs.
- HUDILITE_NOW: file that takes the name of the test that runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from _pytest.junitxml import mangle_test_address

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from harness.rotation import ROOT, is_in_round, rotation, third_of

LEFT = pytest.StashKey[int]()  # tests that another rotation runs


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep what runs now. The others are left to another rotation, which is no deselection."""
    left = [item for item in items if not runs_now(item)]
    unwanted = set(left)
    config.stash[LEFT] = len(left)
    items[:] = [item for item in items if item not in unwanted]
    target = os.environ.get("HUDILITE_LEFT_OUT")
    if target:
        lines = "".join(f"{name_in_reports(item)}\n" for item in left)
        Path(target).write_text(lines, encoding="utf-8")
    if left:
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.write_line(f"rotation {rotation()}: {len(left)} tests run at another one")


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Refuse a file of tests in which there is none."""
    if report.passed and report.nodeid.endswith(".py") and not report.result:
        raise pytest.UsageError(f"{report.nodeid} has no test")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A suite of which another rotation runs every test has done what it is to do."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.stash.get(LEFT, 0):
        session.exitstatus = pytest.ExitCode.OK


def pytest_runtest_logstart(nodeid: str) -> None:
    """Note the test that begins, for the case that it never ends."""
    target = os.environ.get("HUDILITE_NOW")
    if target:
        Path(target).write_text(nodeid, encoding="utf-8")


def runs_now(item: pytest.Item) -> bool:
    """Whether a test runs at this rotation of `make test`, and in every other tier."""
    now, axis = rotation(), os.environ.get("HUDILITE_AXIS", "")
    mark = item.get_closest_marker("rotated")
    if now is None or (mark is None and not axis):
        return True
    told = mark.kwargs if mark else {}
    path = Path(os.path.relpath(item.path, ROOT)).as_posix()
    if touches((path, path.removesuffix(".sql") + ".out", *told.get("when", ()))):
        return True
    pinned = "third" in told
    if now != (told["third"] if pinned else third_of(_unit(item, path, told))):
        return False
    if not (told.get("rare") or axis == "rare"):
        return True
    return is_in_round(item.nodeid if pinned else _unit(item, path, told), told.get("round"))


def _unit(item: pytest.Item, path: str, told: Mapping[str, Any]) -> str:
    return item.nodeid if told.get("by") == "test" else path


def touches(places: Sequence[str]) -> bool:
    """Whether the change touches a file, or one in a folder whose path ends in a slash."""
    listed = os.environ.get("HUDILITE_CHANGED")
    changed = Path(listed).read_text(encoding="utf-8").splitlines() if listed else []
    return any(
        path == place or (place.endswith("/") and path.startswith(place))
        for path in changed
        for place in places
    )


def name_in_reports(item: pytest.Item) -> str:
    """The name of a test as JUnit reports have it: its class, a dot, its name."""
    return ".".join(mangle_test_address(item.nodeid)).strip(".")
