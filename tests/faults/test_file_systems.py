"""A disk that fills up, and one that turns read-only: small file systems in a name space."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from asked import LONG
from runs import Enumeration, by_path, left
from script import (
    BY_NAME,
    COMMITS,
    CREATE,
    EMPTY,
    FOLLOWING,
    ORIGINAL,
    Rows,
    filled,
    following,
    twos,
)

from harness import inv
from harness.children import ChildOutcome, run_child

# Sizes in KiB: the first holds no table, the last all of the script.
SIZES = range(16, 1440, 16) if LONG else range(64, 1441, 688)
FREE = range(0, 68, 4) if LONG else (0, 8)  # KiB that a CALL rollback finds
# Each statement, and what it makes of a state.
SCRIPT: list[tuple[str, str, Callable[[Rows], Rows]]] = [
    ("insert", COMMITS[0], filled),
    ("update", COMMITS[1], twos),
    *((name, BY_NAME[name].sql, BY_NAME[name].after) for name in ("merge", "delete", "overwrite")),
]
ROLLBACK = BY_NAME["rollback"]
REFUSED = ("insert", "merge", "delete", "update", "overwrite", "rollback")
Steps = list[dict[str, Any]]
pytestmark = pytest.mark.rotated(third=1)  # a JVM, which meets more than thirty broken statements


def kept(place: Path) -> Path:
    return place.with_name(f"{place.name}-kept")


def full(place: Path) -> Steps:
    """A table that is written until its disk is full."""
    table = place / "t"
    create = CREATE.format(name=place.name.replace("-", "_"), place=table)
    texts = {"create": create} | {name: text.format(t=by_path(table)) for name, text, _ in SCRIPT}
    return [{"label": f"{label} {place.name}", "sql": text} for label, text in texts.items()]


def read_only(source: Path, place: Path) -> Steps:
    """A table that is copied to a disk, which then is read-only for a while."""
    table, remount = place / "t", ["mount", "-o", "remount,size=4m"]
    texts = {name: BY_NAME[name].sql.format(t=by_path(table)) for name in REFUSED}
    read = f"SELECT id, p, v FROM {by_path(table)}"
    return [
        {"label": "make", "run": ["cp", "-r", str(source), str(table)]},
        {"label": "ro", "run": [*remount, "-o", "ro", str(place)]},
        {"label": "read", "sql": read},
        *({"label": name, "sql": text} for name, text in texts.items()),
        {"label": "read again", "sql": read},
        {"label": "rw", "run": [*remount, "-o", "rw", str(place)]},
        {"label": "merge again", "sql": FOLLOWING.format(t=by_path(table))},
    ]


def rolled_back(source: Path, disk: Path) -> Steps:
    """A rollback of each copy of a table on a disk that has a little room."""
    steps: Steps = []
    for free in FREE:
        table, fill = disk / f"t{free}", disk / "fill"
        copied = (
            f"cp -r {source} {table}; dd if=/dev/zero of={fill} bs=4k; truncate -s -{free}k {fill}"
        )
        steps += [
            {"label": f"fill {free}", "run": ["sh", "-c", copied]},
            {"label": f"rollback {free}", "sql": ROLLBACK.sql.format(t=by_path(table))},
            {"label": f"room {free}", "run": ["rm", str(fill)]},
        ]
    return steps


@dataclass(frozen=True)
class Disks:
    """Small file systems of one process, and what it was told on each; all were copied when it ended."""

    full: dict[Path, Steps]
    read_only: tuple[Path, Steps]
    rolled_back: tuple[Path, Steps]


@pytest.fixture(scope="module")
def disks(enumeration: Enumeration, tmp_path_factory: pytest.TempPathFactory) -> Disks:
    folder = tmp_path_factory.mktemp("file_systems")
    sizes = {folder / f"disk-{size}": size for size in SIZES} | {
        folder / "read-only": 4096,
        folder / "rolled-back": 16384,
    }
    *fulls, still, back = sizes
    source = folder / "source"
    inv.linked_copy(enumeration.place(ROLLBACK), source)
    max((source / ".hoodie").glob("*.commit")).unlink()
    steps = {place: full(place) for place in fulls}
    steps[still] = read_only(source, still)
    steps[back] = rolled_back(enumeration.place(ROLLBACK), back)
    for place in sizes:
        place.mkdir()
        kept(place).mkdir()
        steps[place].append({"label": "keep", "swap": [str(place), str(kept(place))]})
    child = mounted(folder / "child", sizes, [step for of in steps.values() for step in of])
    assert child.jvm_exit is None
    told = iter(child.steps)
    answers = {place: [next(told) for _ in of] for place, of in steps.items()}
    return Disks(
        {place: answers[place] for place in fulls},
        (kept(still) / "t", answers[still]),
        (kept(back), answers[back]),
    )


def mounted(folder: Path, sizes: dict[Path, int], steps: Steps) -> ChildOutcome:
    """Steps in a process that sees a file system of some KiB at each place."""
    mounts = [f"mount -t tmpfs -o size={size}k tmpfs '{place}'" for place, size in sizes.items()]
    script = " && ".join([*mounts, 'exec "$@"'])
    return run_child(folder, steps, prefix=["unshare", "-Urm", "sh", "-c", script, "sh"])


@pytest.mark.fault("F55")
@pytest.mark.timeout(3600 if LONG else 600)
def test_a_full_disk_leaves_before_or_after(enumeration: Enumeration, disks: Disks) -> None:
    told = [step for steps in disks.full.values() for step in steps]
    failed = {step["label"]: step["text"] for step in told if "error" in step}
    assert any("No space left" in text for text in failed.values()), failed
    broken = [text for place in disks.full for text in check_kept(enumeration, place, failed)]
    assert broken == []
    first, last = f"disk-{min(SIZES)}", f"disk-{max(SIZES)}"
    assert any(first in label.split() for label in failed), "the smallest disk never filled up"
    assert not any(last in label.split() for label in failed), "the largest disk filled up"


def check_kept(enumeration: Enumeration, place: Path, failed: dict[str, str]) -> list[str]:
    """What is broken of a table that was kept from a small disk."""
    table = kept(place) / "t"
    states = {EMPTY}
    for label, _, after in SCRIPT:
        changed = {after(state) for state in states}
        states = states | changed if f"{label} {place.name}" in failed else changed
    if not (table / ".hoodie" / "hoodie.properties").exists():
        return [] if f"create {place.name}" in failed else [f"{place.name}: no table"]
    found, broken = enumeration.look(table, states)
    enumeration.spark.sql(FOLLOWING.format(t=by_path(table)))
    broken += enumeration.look(table, [following(found)])[1]
    shutil.rmtree(kept(place))
    return [f"{place.name}: {text}" for text in broken]


@pytest.mark.fault("F56")
def test_a_read_only_disk_is_read_and_not_written(enumeration: Enumeration, disks: Disks) -> None:
    """The highest number lacks its completed file, which a reader must not need to write."""
    table, steps = disks.read_only
    told = {step["label"]: step for step in steps}
    for label in ("read", "read again"):
        assert {tuple(row) for row in told[label].get("rows", [])} == ORIGINAL, told[label]
    refused = [told[name] for name in REFUSED]
    assert [step for step in refused if "Read-only file system" not in step.get("text", "")] == []
    assert told["merge again"].get("rows"), told["merge again"]
    assert enumeration.look(table, [following(ORIGINAL)])[1] == []


@pytest.mark.fault("F08", "F55")
@pytest.mark.timeout(3600 if LONG else 600)
def test_a_rollback_on_a_full_disk_is_made_later(enumeration: Enumeration, disks: Disks) -> None:
    """The disk fills up at another step of it each time; once there is room it is finished."""
    disk, steps = disks.rolled_back
    failed = [step for step in steps if "error" in step]
    assert "No space left" in failed[0]["text"]
    assert {step["label"].split()[0] for step in failed} == {"rollback"}
    for free in FREE:
        table = disk / f"t{free}"
        assert enumeration.look(table, [ORIGINAL])[1] == []
        enumeration.spark.sql(ROLLBACK.sql.format(t=by_path(table)))
        enumeration.spark.sql(FOLLOWING.format(t=by_path(table)))
        assert [*left(table), *enumeration.look(table, [following(ORIGINAL)])[1]] == []
