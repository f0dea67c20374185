"""Suites that share a process: each has its own environment, report and outcome."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import execution
import in_turn
import outcomes
import pytest
import suites

TOOLS = Path(in_turn.__file__).parent
TEST = """
import os
HERE = os.environ["HERE"]
def test_the_module_sees_its_own_environment():
    assert os.environ["HERE"] == HERE == {name!r}
def test_it_goes_on():
    {then}
"""


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folders of reports and logs, for this test alone."""
    for module in (outcomes, execution):
        monkeypatch.setattr(module, "REPORTS", tmp_path)
    monkeypatch.setattr(execution, "LOGS", tmp_path)
    monkeypatch.setattr(execution, "ROOT", tmp_path)
    return tmp_path


def test_a_process_that_ends_early_fails_its_suite_and_those_behind_it(reports: Path) -> None:
    group = [suite_of(reports, name, then) for name, then in CASES.items()]
    listed = [
        {
            "name": suite.name,
            "arguments": suite.command,
            "environment": os.environ | suite.environment,
            "log": str(reports / f"{suite.name}.log"),
        }
        for suite in group
    ]
    (reports / "suites.json").write_text(json.dumps(listed), encoding="utf-8")
    code = subprocess.run([sys.executable, "-c", RUN, TOOLS, reports]).returncode
    assert code == 7
    done = execution.judge_each(run_of(), group, code, reports / "process.log")
    assert [(o.name, o.passed) for o in done] == [
        ("first", 2),
        ("second", 1),
        ("third", 0),
        ("last", 0),
    ]
    assert [len(o.faults) for o in done] == [0, 1, 2, 1]  # a process that dies leaves no report
    assert done[0].seconds > 0
    assert "third" in done[3].faults[0]


CASES = {"first": "pass", "second": "assert False", "third": "os._exit(7)", "last": "pass"}
RUN = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import in_turn
in_turn.REPORTS = in_turn.TESTS = Path(sys.argv[2])
sys.argv[1:] = [str(in_turn.REPORTS / "suites.json")]
in_turn.main()
"""


def suite_of(folder: Path, name: str, then: str) -> suites.Suite:
    """A suite of one file, which has the name that the files of the others have."""
    place = folder / name
    place.mkdir()
    (place / "test_it.py").write_text(TEST.format(name=name, then=then), encoding="utf-8")
    report = str(folder / f"{name}.xml")
    alone = (f"--rootdir={place}", f"--confcutdir={place}")  # whatever lies above
    command = (f"--junit-xml={report}", "-c", os.devnull, *alone, str(place))
    return suites.Suite(name, command, (report,), environment={"HERE": name})


def run_of() -> execution.Run:
    """A run without floors, whose JVMs nobody counts."""

    class Nobody:
        total = None

    return execution.Run("all", None, None, None, Nobody(), {})  # type: ignore[arg-type]
