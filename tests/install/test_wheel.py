"""The wheel in an environment of its own, without a network; and the wheel that is built of the sdist."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from suites import may_leave_the_network

from harness import fences
from harness.java import short_lived

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "python"
CONSTRAINTS = PYTHON / "constraints.txt"
CONDITIONS = "sql-extension/core/src/main/resources/hudilite-conditions.json"
MOST_BYTES = 16 << 20  # of the wheel, with a jar for each Spark line
# What the sdist and its build are made of: a change of these is tested at once.
PACKAGING = (
    *("python/pyproject.toml", "python/one_jar.py", "python/constraints.txt", "python/README.md"),
    *("build.sbt", "project/"),
)
NO_NAMESPACES = "a namespace without a network needs rights that this machine does not give"
# Runs in a network that has nothing but itself, and even that is down at first.
SCRIPT = """
import fcntl, socket, struct, time

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
    fcntl.ioctl(own, 0x8914, struct.pack("16sh14x", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: up, running
try:
    socket.create_connection(("192.0.2.1", 80), timeout=5)
    raise SystemExit("there is a network")
except OSError:
    pass

started = time.monotonic()
{typed}
seconds = time.monotonic() - started
assert seconds < 60, f"the first MERGE came after {{seconds:.0f}} seconds"
print("rows", sorted((row.id, row.state) for row in spark.table("orders").select("id", "state").collect()))
"""


def ran(words: Sequence[object], cwd: Path, **environment: str) -> str:
    """What a command prints, which must not fail."""
    foreign = ("SPARK_", "PYSPARK_", "PYTHON")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=kept | {"SPARK_SUBMIT_OPTS": short_lived()} | environment,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-4000:])
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("installed")


@pytest.fixture(scope="module")
def sdist(folder: Path) -> Path:
    ran([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder], PYTHON)
    (made,) = folder.glob("*.tar.gz")
    return made


@pytest.fixture(scope="module")
def wheel(folder: Path, sdist: Path) -> Path:
    """Built of the sdist, by the tools that built the tree."""
    out = folder / "wheel"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    words = [*("pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", out), sdist]
    ran([sys.executable, "-m", *words], folder, PATH=path)
    (made,) = out.glob("*.whl")
    return made


def classes(wheel: Path, folder: Path) -> dict[tuple[str, str], int]:
    """The size of each entry of the jars in a wheel."""
    found = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in (name for name in archive.namelist() if name.endswith(".jar")):
            with zipfile.ZipFile(archive.extract(name, folder)) as inner:
                found |= {(name, entry.filename): entry.file_size for entry in inner.infolist()}
    return found


def test_the_sdist_has_sources_and_nothing_made(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"scala/build.sbt", "scala/project/plugins.sbt", "pyproject.toml", "one_jar.py"} <= names
    assert not [name for name in names if name.endswith((".jar", ".class")) or "/target/" in name]
    assert f"scala/{CONDITIONS}" in names


def test_the_wheel_has_the_texts_of_conditions() -> None:
    (wheel,) = (PYTHON / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read("hudilite/hudilite-conditions.json") == (ROOT / CONDITIONS).read_bytes()


@pytest.mark.rotated(third=-1, when=PACKAGING)
def test_the_wheel_of_the_sdist_is_that_of_the_tree(wheel: Path, folder: Path) -> None:
    (ours,) = (PYTHON / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(ours) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())
    found = classes(wheel, folder / "a")
    assert found == classes(ours, folder / "b")
    assert len({jar for jar, _ in found}) == 2
    assert wheel.stat().st_size < MOST_BYTES


@pytest.mark.rotated(third=2, when=(*PACKAGING, "README.md"))
def test_the_first_merge_takes_five_lines_and_no_network(folder: Path) -> None:
    """The lines of the README, in an environment that has the wheel and what it needs."""
    alone = ["unshare", "--map-root-user", "--net"]
    if not may_leave_the_network():
        pytest.skip(NO_NAMESPACES)
    (wheel,) = (PYTHON / "dist").glob("*.whl")
    environment = folder / "empty"
    ran([sys.executable, "-m", "venv", environment], folder)
    python = environment / "bin" / "python"
    words = ("-m", "pip", "install", "--quiet", "--use-pep517", "-c", CONSTRAINTS)
    ran([python, *words, f"{wheel}[spark]"], folder)
    script = folder / "session.py"
    section = fences.section((ROOT / "README.md").read_text(encoding="utf-8"), "Five lines")
    (block,) = fences.fences("README.md", section)
    assert len(block.text.splitlines()) == 5
    script.write_text(SCRIPT.format(typed=block.text), encoding="utf-8")
    told = ran([*alone, python, script], folder)
    assert told.splitlines()[-1] == "rows [(1, 'open'), (2, 'paid')]"
