"""A disk that fills up, and one that turns read-only: small file systems in a name space."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Sizes in KiB: the first holds no table, the last all of the script.
SIZES = range(16, 1440, 16) if LONG else range(64, 1441, 688)
FREE = range(0, 68, 4) if LONG else (0, 8)  # KiB that a CALL rollback finds
# Each statement, and what it makes of a state.
SCRIPT: list[tuple[str, str, Callable[[Rows], Rows]]] = [
    ("insert", COMMITS[0], filled),
    ("update", COMMITS[1], twos),
    *((name, BY_NAME[name].sql, BY_NAME[name].after) for name in ("merge", "delete", "overwrite")),
]
REFUSED = ("insert", "merge", "delete", "update", "overwrite", "rollback")


def mounted(folder: Path, sizes: dict[Path, int], steps: list[dict[str, Any]]) -> ChildOutcome:
    """Steps in a process that sees a file system of some KiB at each place."""
    mounts = [f"mount -t tmpfs -o size={size}k tmpfs '{place}'" for place, size in sizes.items()]
    for place in sizes:
        place.mkdir(parents=True)
    script = " && ".join([*mounts, 'exec "$@"'])
    return run_child(folder, steps, prefix=["unshare", "-Urm", "sh", "-c", script, "sh"])


def kept(place: Path) -> Path:
    return place.with_name(f"{place.name}-kept")


@pytest.mark.fault("F55")
@pytest.mark.timeout(3600 if LONG else 600)
def test_a_full_disk_leaves_before_or_after(enumeration: Enumeration, tmp_path: Path) -> None:
    sizes = {tmp_path / f"disk-{size}": size for size in SIZES}
    steps: list[dict[str, Any]] = []
    for place in sizes:
        table = place / "t"
        sql = CREATE.format(name=f"full_{sizes[place]}", place=table)
        steps.append({"label": f"create {place.name}", "sql": sql})
        steps += [
            {"label": f"{label} {place.name}", "sql": text.format(t=by_path(table))}
            for label, text, _ in SCRIPT
        ]
        kept(place).mkdir()
        steps.append({"label": "keep", "swap": [str(place), str(kept(place))]})
    child = mounted(tmp_path / "child", sizes, steps)
    assert child.jvm_exit is None
    failed = {step["label"]: step["text"] for step in child.steps if "error" in step}
    assert any("No space left" in text for text in failed.values()), failed
    broken = [text for place in sizes for text in check_kept(enumeration, place, failed)]
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
def test_a_read_only_disk_is_read_and_not_written(
    enumeration: Enumeration, spark: SparkSession, tmp_path: Path
) -> None:
    """The highest number lacks its completed file, which a reader must not need to write."""
    place = tmp_path / "disk"
    table, source = place / "t", tmp_path / "source"
    inv.linked_copy(enumeration.place(BY_NAME["rollback"]), source)
    newest = max((source / ".hoodie").glob("*.commit"))
    newest.unlink()
    remount = ["mount", "-o", "remount,size=4m"]
    (kept(place)).mkdir()
    child = mounted(
        tmp_path / "child",
        {place: 4096},
        [
            {"label": "make", "run": ["cp", "-r", str(source), str(table)]},
            {"label": "ro", "run": [*remount, "-o", "ro", str(place)]},
            {"label": "read", "sql": f"SELECT id, p, v FROM {by_path(table)}"},
            *(
                {"label": name, "sql": BY_NAME[name].sql.format(t=by_path(table))}
                for name in REFUSED
            ),
            {"label": "read again", "sql": f"SELECT id, p, v FROM {by_path(table)}"},
            {"label": "rw", "run": [*remount, "-o", "rw", str(place)]},
            {"label": "merge again", "sql": FOLLOWING.format(t=by_path(table))},
            {"label": "keep", "swap": [str(place), str(kept(place))]},
        ],
    )
    for label in ("read", "read again"):
        assert {tuple(row) for row in child.rows(label)} == ORIGINAL
    refused = [step for step in child.steps if step["label"] in REFUSED]
    assert [name for name in refused if "Read-only file system" not in name["text"]] == []
    assert len(refused) == len(REFUSED)
    assert child.rows("merge again")
    assert enumeration.look(kept(place) / "t", [following(ORIGINAL)])[1] == []


@pytest.mark.fault("F08", "F55")
@pytest.mark.timeout(3600 if LONG else 600)
def test_a_rollback_on_a_full_disk_is_made_later(enumeration: Enumeration, tmp_path: Path) -> None:
    """The disk fills up at another step of it each time; once there is room it is finished."""
    rollback = BY_NAME["rollback"]
    source, disk = enumeration.place(rollback), tmp_path / "disk"
    steps: list[dict[str, Any]] = []
    for free in FREE:
        table, fill = disk / f"t{free}", disk / "fill"
        full = (
            f"cp -r {source} {table}; dd if=/dev/zero of={fill} bs=4k; truncate -s -{free}k {fill}"
        )
        steps += [
            {"label": f"fill {free}", "run": ["sh", "-c", full]},
            {"label": f"rollback {free}", "sql": rollback.sql.format(t=by_path(table))},
            {"label": f"room {free}", "run": ["rm", str(fill)]},
        ]
    kept(disk).mkdir()
    steps.append({"label": "keep", "swap": [str(disk), str(kept(disk))]})
    child = mounted(tmp_path / "child", {disk: 16384}, steps)
    failed = [step for step in child.steps if "error" in step]
    assert "No space left" in failed[0]["text"]
    assert {step["label"].split()[0] for step in failed} == {"rollback"}
    for free in FREE:
        table = kept(disk) / f"t{free}"
        assert enumeration.look(table, [ORIGINAL])[1] == []
        enumeration.spark.sql(rollback.sql.format(t=by_path(table)))
        enumeration.spark.sql(FOLLOWING.format(t=by_path(table)))
        assert [*left(table), *enumeration.look(table, [following(ORIGINAL)])[1]] == []
