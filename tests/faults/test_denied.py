"""Folders and files without permission: a user without the powers of root, in a name space."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from asked import LONG, SEED, rng_of
from damaged import newest_base_file
from runs import Enumeration, by_path, left
from script import BY_NAME, FOLLOWING, ORIGINAL, following

from harness import layout
from harness.children import ChildOutcome, run_child

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=0)  # a JVM of its own
WRITES = ("insert", "merge", "delete", "update", "overwrite", "rollback")
FOLDERS = (".hoodie", ".hoodie/.hudilite/commits", "p=a")
POWERLESS = ["unshare", "-Ur", "setpriv", "--bounding-set", "-all", "--inh-caps", "-all"]

# As Hadoop, Java and HUDILITE_STORAGE_FAILED say it.
DENIED = ("ermission denied", "AccessDeniedException", "this user has no right to do this")


def chosen() -> list[tuple[str, str]]:
    """Statement and folder that it may not write to: each folder, with a statement by the seed."""
    if LONG:
        return [(name, folder) for name in WRITES for folder in FOLDERS]
    rng = rng_of("denied")
    return [(rng.choice(WRITES), folder) for folder in FOLDERS]


def steps_of(name: str, place: Path, folder: str) -> list[dict[str, Any]]:
    label = f"{name} {folder}"
    return [
        {"label": "deny", "run": ["chmod", "555", str(place / folder)]},
        {"label": label, "sql": BY_NAME[name].sql.format(t=by_path(place))},
        {"label": f"read {label}", "sql": f"SELECT id, p, v FROM {by_path(place)}"},
        {"label": "allow", "run": ["chmod", "755", str(place / folder)]},
    ]


@pytest.mark.fault("F56", "F57")
@pytest.mark.timeout(3600 if LONG else 600)
def test_what_may_not_be_written_or_read(
    enumeration: Enumeration, spark: SparkSession, tmp_path: Path
) -> None:
    """The statement fails and says so, readers go on, and the next write needs no help.

    Where .hoodie cannot be written, no file has come or gone. What cannot be read is named.
    """
    print(f"HUDILITE_SEED={SEED}")
    places = {case: enumeration.place(BY_NAME[case[0]]) for case in chosen()}
    before = {case: files_of(case[0], place) for case, place in places.items()}
    steps = [step for case, place in places.items() for step in steps_of(case[0], place, case[1])]
    file, more = unreadable(enumeration, tmp_path / "unreadable")
    child = run_child(tmp_path / "child", [*steps, *more], prefix=POWERLESS)
    told = {step["label"]: step for step in child.steps}
    broken = [*check_unreadable(child, file), *healed(enumeration, tmp_path / "unreadable")]
    for (name, folder), place in places.items():
        label = f"{name} {folder}"
        if not any(words in told[label].get("text", "") for words in DENIED):
            broken.append(f"{label}: {told[label]}")
        if {tuple(row) for row in child.rows(f"read {label}")} != ORIGINAL:
            broken.append(f"{label}: other rows are read")
        if folder == ".hoodie" and files_of(name, place) != before[(name, folder)]:
            broken.append(f"{label}: files have come or gone")
        broken += [f"{label}: {text}" for text in healed(enumeration, place)]
    assert broken == []


def files_of(name: str, place: Path) -> dict[str, tuple[int, int]]:
    """What may not change where .hoodie cannot be written. A rollback takes its number, in a folder that
    can be written, before it plans anything: the number says no more than that it was asked for."""
    found = layout.untouched_state(place)
    numbers = ".hoodie/.hudilite/commits/"
    return {k: v for k, v in found.items() if name != "rollback" or not k.startswith(numbers)}


def healed(enumeration: Enumeration, place: Path) -> list[str]:
    """What is broken of a table that may be written again, before and after the next write."""
    broken = enumeration.look(place, [ORIGINAL])[1]
    enumeration.spark.sql(FOLLOWING.format(t=by_path(place)))
    return [*broken, *enumeration.look(place, [following(ORIGINAL)])[1], *left(place)]


def unreadable(enumeration: Enumeration, place: Path) -> tuple[Path, list[dict[str, Any]]]:
    """A base file that may not be read, folders that may not be listed, and what meets them."""
    file = newest_base_file(enumeration.original).relative_to(enumeration.original)
    shutil.copytree(enumeration.original, place)  # files of their own: a mode is not of a name
    read = f"SELECT id, p, v FROM {by_path(place)}"
    steps = [
        {"label": "deny file", "run": ["chmod", "000", str(place / file)]},
        {"label": f"read {file.name}", "sql": read},
        {"label": "other", "sql": f"{read} WHERE p <> '{file.parts[0][2:]}'"},
        {"label": f"merge {file.name}", "sql": BY_NAME["merge"].sql.format(t=by_path(place))},
        {"label": "allow file", "run": ["chmod", "644", str(place / file)]},
    ]
    for folder in FOLDERS:
        steps += [
            {"label": "hide", "run": ["chmod", "311", str(place / folder)]},
            {"label": f"read {folder}", "sql": read},
            {"label": "show", "run": ["chmod", "755", str(place / folder)]},
        ]
    return file, steps


def check_unreadable(child: ChildOutcome, file: Path) -> list[str]:
    """Rows of other partitions are read; the file or folder is named, and what hinders."""
    told = {step["label"]: step for step in child.steps}
    wrong = [
        f"{label}: {told[label]}"
        for label in (f"read {file.name}", f"merge {file.name}", *(f"read {f}" for f in FOLDERS))
        if told[label].get("error") != "HUDILITE_PATH_INVALID"
        or label.split()[1] not in told[label]["text"]
        or not any(words in told[label]["text"] for words in DENIED)
    ]
    others = {row for row in ORIGINAL if f"p={row[1]}" != file.parts[0]}
    if {tuple(row) for row in child.rows("other")} != others:
        wrong.append("other rows are read of the other partition")
    return wrong
