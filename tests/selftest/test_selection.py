"""What a run of the suites chooses: by tier, by rotation, by what a change touches."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import junit
import pytest
import rotations
import touched
from suites import PYTEST, SUITES, of_tier

import mutants
from harness import rotation

ROOT = Path(__file__).resolve().parents[2]
NAMES = [suite.name for suite in SUITES]
MARKED = """
import pytest

def test_always(): pass

@pytest.mark.rotated(by="test")
@pytest.mark.parametrize("n", range(30))
def test_by_test(n): pass

@pytest.mark.rotated(by="test", rare=True)
@pytest.mark.parametrize("n", range(60))
def test_rare(n): pass

@pytest.mark.rotated(by="test", rare=True, third=2, round=1)
@pytest.mark.parametrize("n", range(4))
def test_ninth(n): pass

@pytest.mark.rotated(third=1)
def test_pinned(): pass

@pytest.mark.rotated(third=1, when=("python/pyproject.toml", "project/"))
def test_of_files(): pass
"""
# Each runs pytest some times.
CHOOSING = pytest.mark.rotated(
    by="test", when=("tests/tools/", "tests/harness/rotation.py", "tests/pytest.ini")
)
RARE = {f"test_rare[{n}]" for n in range(60)}
NINTH = {f"test_ninth[{n}]" for n in range(4)}


def chosen(folder: Path, changed: tuple[str, ...] = (), **variables: str) -> tuple[set, set]:
    """The tests of the files in a folder that run, and those that are left to another rotation."""
    report, left, listed = folder / "report.xml", folder / "left", folder / "changed"
    listed.write_text("\n".join(changed), encoding="utf-8")
    told = {"HUDILITE_LEFT_OUT": str(left), "HUDILITE_CHANGED": str(listed)} | variables
    words = [*PYTEST[3:], f"--rootdir={folder}", "-s", f"--junit-xml={report}", str(folder)]
    said = folder / "said"
    child = os.fork()  # what pytest imports is there already
    if child == 0:
        run_pytest(words, said, told)
    _, status = os.waitpid(child, 0)
    assert status == 0, said.read_text(encoding="utf-8")
    ran = {case.name.rpartition(".")[2] for case in junit.read([report])}
    return ran, {name.rpartition("test_marked.")[2] for name in left.read_text().splitlines()}


def run_pytest(words: list[str], said: Path, variables: dict[str, str]) -> NoReturn:
    """Ends this process by a run of pytest, whose output goes to a file."""
    code = 1
    try:
        for name in [name for name in os.environ if name.startswith("HUDILITE_")]:
            del os.environ[name]
        os.environ.update(variables)
        os.chdir(ROOT)
        sys.stdout = sys.stderr = said.open("w", encoding="utf-8")
        code = pytest.main(words)
        sys.stdout.flush()
    finally:
        os._exit(code)


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    (tmp_path / "test_marked.py").write_text(MARKED, encoding="utf-8")
    return tmp_path


@CHOOSING
def test_three_rotations_run_everything_once_but_what_is_not_rotated(marked: Path) -> None:
    thirds = [chosen(marked, HUDILITE_TIER="test", HUDILITE_ROTATION=str(n)) for n in range(3)]
    every = (
        {f"test_by_test[{n}]" for n in range(30)} | {"test_pinned", "test_of_files"} | RARE | NINTH
    )
    assert all(ran | left == every | {"test_always"} for ran, left in thirds)
    assert all("test_always" in ran and not ran & left for ran, left in thirds)
    assert sum(len(ran - {"test_always"}) for ran, _ in thirds) == len(every)
    assert min(len(ran) for ran, _ in thirds) > 5
    assert ["test_pinned" in ran for ran, _ in thirds] == [False, True, False]


@CHOOSING
def test_nine_commits_in_a_row_run_each_rare_test_once(marked: Path) -> None:
    turns = [(str(n), str(m)) for n in range(3) for m in range(3)]
    runs = [
        chosen(marked, HUDILITE_TIER="test", HUDILITE_ROTATION=n, HUDILITE_ROUND=m)[0]
        for n, m in turns
    ]
    rare = [ran & RARE for ran in runs]
    assert set().union(*rare) == RARE
    assert sum(map(len, rare)) == len(RARE)
    assert min(map(len, rare)) > 0
    assert [n for n in range(9) if runs[n] & NINTH] == [turns.index(("2", "1"))]
    assert any(ran >= NINTH for ran in runs)
    usual = [ran - RARE - NINTH for ran in runs]
    assert [usual[3 * n] == usual[3 * n + 1] for n in range(3)] == [True] * 3


@pytest.mark.parametrize("count", [0, 4, 8, 1006])
def test_a_ninth_is_the_number_of_commits_modulo_nine(count: int) -> None:
    told = rotation.ninth(count, ("project/",)).kwargs
    assert (told["third"], told["round"]) == (count % 3, count // 3 % 3)
    assert told["rare"]
    assert told["when"] == ("project/",)


@CHOOSING
def test_a_rare_axis_runs_a_ninth_of_its_files(tmp_path: Path) -> None:
    for n in range(40):
        (tmp_path / f"test_f{n}.py").write_text(f"def test_a{n}(): pass\n", "utf-8")
    runs = [
        chosen(
            tmp_path,
            HUDILITE_TIER="test",
            HUDILITE_ROTATION=str(n),
            HUDILITE_ROUND=str(m),
            HUDILITE_AXIS="rare",
        )[0]
        for n in range(3)
        for m in range(3)
    ]
    assert sum(map(len, runs)) == 40
    assert max(map(len, runs)) < 12


@CHOOSING
def test_without_a_rotation_and_in_the_other_tiers_all_run(marked: Path) -> None:
    whole = chosen(marked, HUDILITE_TIER="test")
    assert whole == chosen(marked, HUDILITE_TIER="all", HUDILITE_ROTATION="0")
    assert len(whole[0]) == 97
    assert not whole[1]
    assert whole == chosen(marked, HUDILITE_TIER="soak", HUDILITE_ROTATION="")


@CHOOSING
def test_what_a_change_names_runs_at_every_rotation(marked: Path) -> None:
    turn = {"HUDILITE_TIER": "test", "HUDILITE_ROTATION": "0"}
    assert "test_of_files" not in chosen(marked, ("python/x.py", "project.txt"), **turn)[0]
    assert "test_of_files" in chosen(marked, ("project/PlainJar.scala",), **turn)[0]
    own = os.path.relpath(marked / "test_marked.py", ROOT)
    assert len(chosen(marked, (own,), **turn)[0]) == 97


@CHOOSING
def test_an_axis_rotates_by_file(tmp_path: Path) -> None:
    for n in range(12):
        (tmp_path / f"test_f{n}.py").write_text("def test_a(): pass\ndef test_b(): pass\n", "utf-8")
    turns = [
        chosen(tmp_path, HUDILITE_TIER="test", HUDILITE_ROTATION=str(n), HUDILITE_AXIS="1")
        for n in range(3)
    ]
    assert {len(left) + 24 - len(left) for _, left in turns} == {24}
    assert sum(24 - len(left) for _, left in turns) == 24


@CHOOSING
def test_a_suite_that_another_rotation_runs_has_done_its_part(tmp_path: Path) -> None:
    text = "import pytest\npytestmark = pytest.mark.rotated(third=1)\ndef test_a(): pass\n"
    (tmp_path / "test_marked.py").write_text(text, encoding="utf-8")
    turns = [chosen(tmp_path, HUDILITE_TIER="test", HUDILITE_ROTATION=str(n)) for n in range(3)]
    assert [len(ran) for ran, _ in turns] == [0, 1, 0]


def test_a_file_without_a_test_is_refused(tmp_path: Path) -> None:
    (tmp_path / "test_empty.py").write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="has no test"):
        chosen(tmp_path)


def test_a_rotation_is_asked_for_or_the_number_of_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROTATION", "2")
    assert rotations.rotation() == 2
    monkeypatch.setenv("ROTATION", "3")
    with pytest.raises(SystemExit):
        rotations.rotation()
    monkeypatch.delenv("ROTATION")
    words = ["git", "rev-list", "--count", "HEAD"]
    count = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert rotations.rotation() in (int(count) % 3, None)


@pytest.mark.parametrize(
    ("paths", "left"),
    [
        (None, set()),
        ((), set()),
        (("docs/format.md", "README.md"), set(NAMES) - touched.OF_DOCS),
        (("docs/format.md", "python/src/hudilite/table.py"), touched.NOT_OF_PYTHON),
        (("python/pyproject.toml",), set()),
        (("python/one_jar.py",), set()),
        (("python/src/hudilite/version.py",), set()),
        (("docs/format.md", "sql-extension/core/src/main/scala/x.scala"), set()),
        (("tests/sql/merge/x.sql",), set()),
        (("Makefile",), set()),
    ],
)
def test_what_a_change_leaves_out(paths: tuple[str, ...] | None, left: set[str]) -> None:
    assert set(touched.left_out(paths, NAMES)) == left


def test_the_change_of_each_mutant_selects_its_suite() -> None:
    parsed = [mutants.parse(patch) for patch in sorted(mutants.MUTANTS.glob("*.patch"))]
    assert len(parsed) > 100
    for mutant in parsed:
        assert mutant.changes, mutant.patch
        assert mutant.suite.name not in touched.left_out(mutant.changes, NAMES), mutant.patch


def test_each_mutant_fits_the_sources() -> None:
    check = ["git", "apply", "--check", "--whitespace=nowarn"]
    patches = sorted(mutants.MUTANTS.glob("*.patch"))
    told = {p.name: subprocess.run([*check, str(p)], cwd=ROOT, check=False) for p in patches}
    assert [name for name, done in told.items() if done.returncode != 0] == []


def test_a_tier_has_the_suites_of_the_table() -> None:
    names = {tier: {s.name for s in of_tier(tier)} for tier in ("quick", "test", "all", "soak")}
    assert names["all"] == set(NAMES)
    assert names["all"] - names["test"] == {s.name for s in SUITES if s.only_all}
    assert names["quick"] < names["test"]
    assert names["soak"] < names["all"]
    assert [s.name for s in of_tier("test", ["sql"])] == ["sql"]


def test_the_whole_of_tests_is_collected_by_one_process() -> None:
    """No two files of tests are one module to Python."""
    found = [path for path in (ROOT / "tests").rglob("test_*.py") if "mutants" not in path.parts]
    packages = [path for path in found if (path.parent / "__init__.py").exists()]
    names = [path.stem for path in found if path not in packages]
    assert len(set(names)) == len(names) > 100, sorted({n for n in names if names.count(n) > 1})
