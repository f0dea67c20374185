"""Compares the tables that two trees write by the same statements, byte by byte.

Usage: compare_bytes.py BASE [--all] [--keep] | --folders BASE HEAD. BASE is a commit, or the folder of a
built tree, which is used as it is. The other side is this tree, with all changes. --folders compares what
two runs left, as .build/bytes/base-small and .build/bytes/head-small.

A commit is built in a git worktree of its own. Then the statements of tests/bytes/statements.py run on
both sides, with the normal geometry and with the small one (3 rows a page, 10 rows a row group, 4
tasks): the statements of the fault suite, the golden files that write, every type, streams, repairs.
Both sides run the statements of this tree, and use the jar and the Python package of their own.

Two runs of one version give equal bytes because nothing that varies is left:

- A Java agent (tests/bytes/java) gives hudilite's classes a clock, random ids and task numbers that
  depend only on the statement. So instants, UUIDs and write tokens are equal, and with them
  everything that contains them: file names, meta columns in compressed pages, footers, metadata. The
  agent also sorts the encodings in a footer, which Parquet takes from a set of enums.
- Each run has one task at a time, and the same folder: a run's folder is moved away when it ends.

So files are compared as they are, without decoding. Two things are not compared: checkpoints of
commits, which are summaries that may be missing, except that two of the same name must agree; and
the names of temporary files, which are gone when a statement ends.

--all takes every golden file that writes, and not only those with forms that the other lists lack. A
side then runs for 16 minutes instead of 4.

Prints a line for each statement, and the first differences with file, offset and part of the file.
Exits 1 if there is one. The golden results (tests/sql/**/*.out) that differ are listed, for review
only: each tree's own tests run against its own. --keep leaves the worktree of a commit for the next
comparison with it; the folders of the tables stay under .build/bytes in any case.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import byte_differences
from byte_differences import Comparison
from files import ROOT, git

sys.path.append(str(ROOT / "tests"))

from harness.java import compile_against

WORK = ROOT / ".build" / "bytes"
TREE = WORK / "tree"
SIDE = ROOT / "tests" / "bytes" / "side_main.py"
AGENT_SOURCES = ROOT / "tests" / "bytes" / "java"
JAR = "python/src/hudilite/jars/hudilite-spark-4.1.jar"
GEOMETRIES = ("normal", "small")
MINUTES = 60  # after which a side counts as hung


def main(words: list[str]) -> int:
    """Build BASE, run both sides, compare."""
    parser = argparse.ArgumentParser()
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("base", nargs="?")
    what.add_argument("--folders", nargs=2, type=Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args(words)
    if asked.all:
        os.environ["HUDILITE_BYTES"] = "all"
    if asked.folders:
        return told(byte_differences.by_statement(*asked.folders))
    if Path(asked.base).is_dir():
        return of_tree(Path(asked.base).resolve())
    commit = git("rev-parse", "--verify", f"{asked.base}^{{commit}}")
    if commit is None:
        sys.exit(f"{asked.base} is no commit and no folder; say BASE=<commit or folder>")
    try:
        build(commit)
        return of_tree(TREE)
    finally:
        if not asked.keep:
            git("worktree", "remove", "--force", str(TREE))


def told(found: Mapping[str, Comparison]) -> int:
    """Print what was found; gives the exit code."""
    print("\n".join(byte_differences.table(found)))
    different = list(byte_differences.differences(found))
    files, size = sum(of.files for of in found.values()), sum(of.bytes for of in found.values())
    print("\n".join(["", *different, f"{len(found)} statements, {files:,} files, {size:,} bytes"]))
    return 0 if found and not different else 1


def of_tree(base: Path) -> int:
    """Run the statements in a tree and in this one, and compare."""
    if not (base / JAR).is_file():
        sys.exit(f"{base} is not built; run `make build` there")
    WORK.mkdir(parents=True, exist_ok=True)
    agent = packed_agent(WORK / "agent")
    found: dict[str, Comparison] = {}
    for geometry in GEOMETRIES:
        sides = (run(tree, geometry, agent) for tree in (base, ROOT))
        compared = byte_differences.by_statement(*sides)
        found |= {f"{geometry}: {name}": of for name, of in compared.items()}
    exit_code = told(found)
    print("\n".join(byte_differences.golden_results(base, ROOT)))
    return exit_code


def packed_agent(folder: Path) -> Path:
    """Compiles the Java agent and packs it into a jar."""
    import pyspark

    shutil.rmtree(folder, ignore_errors=True)
    classes = folder / "classes"
    classes.mkdir(parents=True)
    compile_against(f"{Path(pyspark.__file__).parent / 'jars'}/*", AGENT_SOURCES, classes)
    jar = folder / "agent.jar"
    with zipfile.ZipFile(jar, "w") as packed:
        packed.writestr("META-INF/MANIFEST.MF", "Premain-Class: hudilite.tests.PinningAgent\n")
        for path in sorted(classes.rglob("*.class")):
            packed.write(path, path.relative_to(classes))
    return jar


def build(commit: str) -> None:
    """Leaves a worktree of a commit, with an environment and a jar of its own. Its Python package runs
    from the sources: a wheel would take the jars of both lines of Spark."""
    WORK.mkdir(parents=True, exist_ok=True)
    if (TREE / ".git").exists():
        command(["git", "checkout", "--quiet", "--force", "--detach", commit], TREE, "checkout")
    else:
        git("worktree", "prune")
        add = ["git", "worktree", "add", "--quiet", "--detach", str(TREE), commit]
        command(add, ROOT, "checkout")
    command(["make", JAR, "JARS=jar"], TREE, "build")


def run(tree: Path, geometry: str, agent: Path) -> Path:
    """Runs the statements with what is installed in a tree.

    Returns:
        The folder of the tables. While they run it is the same for each side.
    """
    name = f"{'head' if tree == ROOT else 'base'}-{geometry}"
    place, kept = WORK / "run", WORK / name
    for old in (place, kept):
        shutil.rmtree(old, ignore_errors=True)
    place.mkdir()
    python = tree / ".venv" / "bin" / "python"
    settings = {"HUDILITE_GEOMETRY": geometry}
    if tree != ROOT:
        settings["PYTHONPATH"] = str(tree / "python" / "src")
    if geometry == "small":
        settings["HUDILITE_EXPRESSIONS"] = "interpreted"
    words = [str(python), str(SIDE), str(agent), str(place), str(tree)]
    command(words, place, name, settings)
    return place.rename(kept)


def command(
    words: list[str], folder: Path, name: str, settings: Mapping[str, str] | None = None
) -> None:
    """Runs a command; its output goes to a log, whose end is shown if it fails.

    Args:
        settings: More variables of its environment.
    """
    kept = {key: value for key, value in os.environ.items() if key[:4] != "MAKE"} | {"TZ": "UTC"}
    log = WORK / f"{name}.log"
    with log.open("w", encoding="utf-8") as sink:
        done = subprocess.run(
            words,
            cwd=folder,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env=kept | dict(settings or {}),
            timeout=60 * MINUTES,
        )
    if done.returncode != 0:
        end = log.read_text(encoding="utf-8", errors="replace")[-2000:]
        sys.exit(f"{name} failed ({log}):\n{end}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
