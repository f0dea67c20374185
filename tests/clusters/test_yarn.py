"""A user's program on YARN, submitted by the commands of docs/how-to/clusters.md."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from uuid import uuid4

import pytest

from harness.hdfs import Hdfs
from harness.invariants import check_table
from harness.java import TESTS
from harness.session import JAR
from harness.yarn import Yarn

PAGE = TESTS.parent / "docs" / "how-to" / "clusters.md"
COMMAND = re.compile(r"^```sh\nspark-submit (.*?)^```", re.MULTILINE | re.DOTALL)
PROGRAM = Path(__file__).with_name("yarn_program.py")
ROWS = [["new", 20, 390], ["old", 10, 45]]


def commands() -> dict[str, str]:
    """Arguments of the page's commands, by the mode in which the driver runs."""
    found = COMMAND.findall(PAGE.read_text(encoding="utf-8").replace("\\\n", ""))
    return {re.findall(r"--deploy-mode (\w+)", text)[0]: text for text in found}


@pytest.mark.parametrize("mode", ["client", "cluster"])
def test_a_program_runs_as_the_page_says(mode: str, yarn: Yarn, hdfs: Hdfs, tmp_path: Path) -> None:
    place, told = f"{hdfs.uri}/tables/{uuid4()}", tmp_path / "told.json"
    text = commands()[mode].replace("/path/to/hudilite-spark-4.1.jar", str(JAR))
    words = shlex.split(text.replace("program.py", str(PROGRAM)))
    yarn.submit([*words, place, str(told)], tmp_path)
    seen = json.loads(told.read_text(encoding="utf-8"))
    assert seen["merged"] == [[20, 10, 0, 10]]
    assert seen["by name"] == seen["by path"] == ROWS
    assert len(seen["files"]) == 2
    assert seen["faults"] == []
    assert check_table(hdfs.fetched(place, tmp_path / "copy")) == []
    check_containers(mode, seen["application"], seen["driver"], seen["containers"])


def check_containers(
    mode: str, application: str, driver: str | None, containers: list[list[str]]
) -> None:
    """Whether rows of each statement were computed in containers, and the driver ran where it should."""
    number = application.removeprefix("application_")
    executors = {name for _, name in containers}
    assert {v for v, _ in containers} == {"old", "new"}
    assert all(re.match(rf"container_(e\d+_)?{number}_", name) for name in executors)
    if mode == "client":
        assert driver is None
    else:
        assert driver is not None
        assert number in driver
        assert driver not in executors
