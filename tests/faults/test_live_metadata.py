"""Every statement on a table with a metadata table that readers use: it is detached before the commit.

Whatever operation a process dies at, no commit number is newer than the metadata table that the
properties name, and no file that it lists was cleaned.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from runs import METADATA, Enumeration
from script import BY_NAME, STATEMENTS

from harness import layout
from harness.rotation import ninth, product

WRITING = [s.name for s in STATEMENTS if not s.creates and not s.kept]
NUMBERLESS = {"savepoint", "delete_savepoint", "clean", "archive", "remove_orphans"}
ROTATED = [
    pytest.param(name, marks=ninth(n % 9, when=product("core/commit/", "core/timeline/")))
    for n, name in enumerate(WRITING)
]


@pytest.mark.fault("F43")
@pytest.mark.parametrize("name", ROTATED)
def test_no_number_is_newer_than_a_live_metadata_table(enumeration: Enumeration, name: str) -> None:
    made, images = enumeration.images(BY_NAME[name], live=True)
    states = [images / str(k) for k in range(1, len(made) + 1)]
    assert layout.properties(states[0])[METADATA] != ""
    first = numbers(states[0]), files(states[0])
    newer = [state for state in states if numbers(state) - first[0] or first[1] - files(state)]
    assert [state.name for state in newer if layout.properties(state)[METADATA] != ""] == []
    assert newer or name in NUMBERLESS
    shutil.rmtree(images)


def numbers(base: Path) -> set[str]:
    """The commit numbers that are taken."""
    taken = (base / ".hoodie" / ".hudilite" / "commits").iterdir()
    return {path.name for path in taken if path.name.isdigit()}


def files(base: Path) -> set[str]:
    """The base files of the commits."""
    stray = {"7-7-7", "9-9-9"}  # of no commit
    paths = {path.relative_to(base).as_posix() for path in base.rglob("*.parquet")}
    return {path for path in paths if ".hoodie" not in path and path.split("_")[-2] not in stray}
