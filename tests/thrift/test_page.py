"""The programs of docs/how-to/bi-tools.md print what the page says, on a real server."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from programs import PYTHON, class_path
from served import Served

from harness import clients
from harness.fences import section
from harness.java import short_lived

ROOT = Path(__file__).resolve().parents[2]
NAME = "docs/how-to/bi-tools.md"
PAGE = (ROOT / NAME).read_text(encoding="utf-8")
PROGRAMS = {
    "Java": ("java", "Stock.java", ["java", *shlex.split(short_lived()), "-cp", class_path()]),
    "PyHive": ("python", "stock.py", [str(PYTHON)]),
    "SQLAlchemy": ("python", "stock.py", [str(PYTHON)]),
}


def blocks(heading: str, language: str) -> list[str]:
    """The blocks of a language below a heading."""
    fence = re.compile(rf"^```{language}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    return fence.findall(section(PAGE, heading))


def rotated() -> list[ParameterSet]:
    """The programs: one runs where the server is there anyway, all where the page changes."""
    when = (NAME, "python/requirements-clients.txt")
    thirds = dict.fromkeys(PROGRAMS, -1) | {"Java": 0}
    return [
        pytest.param(name, marks=pytest.mark.rotated(by="test", third=third, when=when))
        for name, third in thirds.items()
    ]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("heading", rotated())
def test_a_program_of_the_page(heading: str, served: Served, tmp_path: Path) -> None:
    language, name, command = PROGRAMS[heading]
    (program,) = blocks(heading, language)
    here = re.sub(r"\b10000\b", str(served.port), program)
    (tmp_path / name).write_text(here, encoding="utf-8")
    done = subprocess.run(
        [*command, name],
        cwd=tmp_path,
        env=clients.environment(),
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split() == blocks(heading, "text")[-1].split()


def test_the_page_states_the_versions_of_the_tests() -> None:
    lines = (ROOT / "python/requirements-clients.txt").read_text(encoding="utf-8").splitlines()
    wanted = {line for line in lines if not line.startswith("#")}
    assert set(re.findall(r'"([\w-]+==[\d.]+)"', PAGE)) == wanted
