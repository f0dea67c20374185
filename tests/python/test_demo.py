"""The whole demo, run as `make demo` runs it; a few minutes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hudilite.demo import adoption, flights, tour
from python.hand_made_table import alter

# Hundreds of thousands of rows, inserted, merged and adopted: what the suites check on small tables.
pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.rotated(third=0, when=("python/src/hudilite/demo/",)),
]


def demo(directory: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hudilite.demo", "--directory", str(directory), *arguments],
        cwd=directory.parent,
        env=dict(os.environ) | environment,
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """A finished demo: its directory, the home folder it ran with, and its output."""
    folder = tmp_path_factory.mktemp("demo")
    home = folder / "home"
    home.mkdir()
    done = demo(folder / ".demo", HOME=str(home))
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / ".demo", home, done.stdout


def test_demo_shows_its_steps(run: tuple[Path, Path, str]) -> None:
    output = run[2]
    for text in (
        "sql> CREATE TABLE flights",
        "sql> INSERT INTO flights",
        "sql> MERGE INTO flights",
        "MergeFileGroups",
        "To read: partitions 1 of 12, buckets 1 of 4, files 1 of 4",
        "sql> CALL bootstrap(",
        "sql> MERGE INTO flights_adopted",
        "0 of them with another SHA-256 than before",
        "all totals equal",
        "agree on every month",
    ):
        assert text in output
    assert len(re.findall(r"^   \[\d+\.\d s\]$", output, re.MULTILINE)) >= 8
    assert len(re.findall("the same$", output, re.MULTILINE)) == 12


def test_demo_counts_add_up(run: tuple[Path, Path, str]) -> None:
    numbers = {
        line.split()[0]: int(line.split()[1].replace(",", ""))
        for line in run[2].splitlines()
        if line.split()[:1] in (["before"], ["after"])
    }
    affected = re.search(r"num_affected_rows.*\n +([\d,]+) +([\d,]+) +([\d,]+) +([\d,]+)", run[2])
    assert affected is not None
    _, _, deleted, inserted = (int(text.replace(",", "")) for text in affected.groups())
    assert numbers["before"] == flights.ROWS
    assert numbers["after"] == flights.ROWS - deleted + inserted
    assert deleted > 0
    assert inserted > 0


def test_demo_bootstraps_files_that_stay_where_they_are(run: tuple[Path, Path, str]) -> None:
    directory, _, output = run
    told = re.search(r"files_adopted.*\n +([\d,]+) +(\d+) +(\d+) +([\d,]+)", output)
    assert told is not None
    adopted, rewritten, refused, rows = (int(text.replace(",", "")) for text in told.groups())
    sources = [
        directory / adoption.LAKE / name for name in adoption.hashes(directory / adoption.LAKE)
    ]
    assert (adopted, rewritten, refused, rows) == (len(sources), 0, 0, flights.ROWS)
    made = (directory / adoption.ADOPTED / ".hoodie" / "hoodie.properties").stat().st_mtime
    assert max(path.stat().st_mtime for path in sources) <= made


def test_demo_writes_in_its_directory_only(run: tuple[Path, Path, str]) -> None:
    directory, home, _ = run
    assert sorted(p.name for p in directory.parent.iterdir()) == [".demo", "home"]
    assert list(home.iterdir()) == []
    assert not list((directory / "tmp").glob("*"))


def test_one_altered_value_fails_the_check(run: tuple[Path, Path, str]) -> None:
    directory = run[0]
    assert demo(directory, "--check").returncode == 0
    file = max(
        (directory / tour.TABLE / "month=2").glob("*.parquet"), key=lambda f: f.stat().st_mtime
    )
    original = file.read_bytes()
    alter(file, "arr_delay", 99_999)
    try:
        done = demo(directory, "--check")
    finally:
        file.write_bytes(original)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "DIFFERS: hudi-rs, month 2: sum is " in done.stdout
