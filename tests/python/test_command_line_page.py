"""Of docs/command-line.md and docs/python.md what needs no JVM: every block runs as it stands."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from harness import fences
from hudilite import why
from hudilite.cli import main
from hudilite.launch import versions
from python import fake_spark
from python.hand_made_table import add_commit, add_instant, group_of, make_bucketed

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "command-line.md").read_text("utf-8")
PYTHON = (ROOT / "docs" / "python.md").read_text("utf-8")


@pytest.fixture(autouse=True)
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The table of the page, in the folder in which its blocks run; a package with a jar.

    Java is one that only tells its version.
    """
    base = make_bucketed(tmp_path / "lake" / "orders")
    add_commit(base, "20240101000000000", {"month=3": {group_of(0): 3}}, operation="INSERT")
    counts = {name: "1" for of in (why.ROW_GROUPS, why.PHASES) for name in of.values()}
    add_commit(
        base,
        "20240102000000000",
        {"month=3": {group_of(0): 4}, "month=4": {group_of(1): 1}},
        extra={f"hudilite.metrics.{name}": count for name, count in counts.items()},
    )
    add_instant(base, "20240103000000000", "commit", completed=False)
    jars = tmp_path / "jars"
    jars.mkdir()
    (jars / "hudilite-spark-4.1.jar").touch()
    monkeypatch.setattr(versions, "JAR_FOLDER", jars)
    program = fake_spark.java(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    return base


def commands() -> list[list[str]]:
    """Those that need no JVM; tests/docs runs the others."""
    lines = fences.shell_lines(fences.section(PAGE, "Tables without a JVM"))
    return [shlex.split(line)[1:] for line in lines]


def documents() -> dict[str, set[str]]:
    """The names of fields that the page tells of each command's JSON."""
    rows = re.findall(r"^\| `(\w+)` \| (`path`|`conditions`|`ok`)(.*) \|$", PAGE, re.MULTILINE)
    return {name: set(re.findall(r"`(\w+)`", first + rest)) for name, first, rest in rows}


def fields(value: Any) -> set[str]:
    if isinstance(value, list):
        return {name for item in value for name in fields(item)}
    if not isinstance(value, dict):
        return set()
    inner = {
        name for key in value if key not in ("metrics", "extra") for name in fields(value[key])
    }
    return set(value) | inner


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_a_command_of_the_page(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 0
    assert len(capsys.readouterr().out.splitlines()) > 1


@pytest.mark.parametrize("name", ["timeline", "files", "show", "top", "why", "errors", "doctor"])
def test_the_fields_of_a_document(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = [] if name in ("errors", "doctor") else ["lake/orders"]
    page = ["-o", "page.html"] if name == "show" else []
    main([name, *path, *page, "--json"])
    assert fields(json.loads(capsys.readouterr().out)) == documents()[name]


def run_block(heading: str) -> dict[str, Any]:
    """The names that the one block of a section leaves."""
    (block,) = fences.fences("docs/python.md", fences.section(PYTHON, heading))
    names: dict[str, Any] = {}
    exec(block.text, names)
    return names


def test_python_asks_the_doctor() -> None:
    report = run_block("When a session cannot start")["report"]
    assert {check.name for check in report.checks} >= {"java", "pyspark", "session"}
    assert report.ok is (not report.errors)


def test_python_without_a_jvm(lake: Path) -> None:
    names = run_block("Tables without a JVM")
    assert names["facts"].buckets == 4
    assert (len(names["now"]), len(names["before"])) == (2, 1)
    assert max(file.rows for file in names["now"]) == 4
