"""A table whose commits are archived: the files are equal with and without a checkpoint."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.opens import opened_files
from harness.rotation import product
from hudilite import files
from hudilite.format.commit_checkpoint import table_uuid
from python.hand_made_table import (
    add_checkpoint,
    add_commit,
    add_number,
    group_of,
    make_bucketed,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    by="test", when=("python/src/hudilite/", *product("core/timeline/"))
)


NUMBERS, ACTIVE = 30, 3
ABORTED = {4, 23}
COVERED = 20
COMMITS = Path(".hoodie/.hudilite/commits")
Found = set[tuple[str, str]]


def instant(number: int) -> str:
    return f"202401{number:02d}000000000"


def read(base: Path) -> tuple[Found, list[str]]:
    """The files of a table, and the names of the files that were opened to find its commits."""
    with opened_files([base / COMMITS]) as opened:
        found = {(file.group, file.instant) for file in files.read(base)}
    return found, sorted({path.name for path in opened})


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A table of 30 numbers, of which two abort, and three are active; each has a base file."""
    base = make_bucketed(tmp_path / "t", NUMBERS + 1)
    for number in range(1, NUMBERS + 1):
        add_commit(base, instant(number), {"p=a": {group_of(number): 1}})
        kind = "abort" if number in ABORTED else "commit"
        time = instant(number)
        add_number(base, number, time, kind=kind, instant=time, action="commit")
    for number in range(1, NUMBERS - ACTIVE + 1):
        for file in (base / ".hoodie").glob(f"{instant(number)}.*"):
            file.unlink()
    return base


def numbers(first: int, last: int) -> list[str]:
    return [f"{number:020d}" for number in range(first, last + 1)]


def test_a_checkpoint_stands_for_the_numbers_that_it_covers(base: Path) -> None:
    without, opened = read(base)
    assert {time for _, time in without} == {
        instant(number) for number in range(1, NUMBERS + 1) if number not in ABORTED
    }
    assert opened == numbers(1, NUMBERS - ACTIVE)
    checkpoint = add_checkpoint(base, COVERED, instant(COVERED), [instant(4)])
    found, opened = read(base)
    assert found == without
    assert opened == sorted([checkpoint.name, *numbers(COVERED + 1, NUMBERS - ACTIVE)])


def test_an_aborted_instant_of_a_checkpoint_takes_its_files_away(base: Path) -> None:
    without, _ = read(base)
    add_checkpoint(base, COVERED, instant(COVERED), [instant(4), instant(7)])
    assert read(base)[0] == {(group, time) for group, time in without if time != instant(7)}


def test_an_aborted_instant_that_is_on_the_timeline_counts(base: Path) -> None:
    without, _ = read(base)
    add_checkpoint(base, COVERED, instant(COVERED), [instant(4), instant(NUMBERS)])
    assert read(base)[0] == without


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def altered(file: Path) -> None:
    file.write_text(file.read_text().replace(instant(4), instant(5)))


def without_a_checksum(file: Path) -> None:
    kept = json.loads(file.read_text())
    del kept["hudilite.checksum"]
    file.write_text(json.dumps(kept))


def under_another_number(file: Path) -> None:
    file.rename(file.with_name(f"{COVERED + 1:020d}.checkpoint"))


DAMAGES = (cut, emptied, altered, without_a_checksum, under_another_number)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_checkpoint_is_passed_over(base: Path, damage: Callable[[Path], None]) -> None:
    times = [instant(4)]
    assert_passed_over(base, lambda: damage(add_checkpoint(base, COVERED, instant(COVERED), times)))


OTHERS = {
    "table": "00000000-1111-2222-3333-444444444444",
    "instant": instant(1),
    "number": COVERED + 1,
    "version": 2,
    "aborted": None,
}


@pytest.mark.parametrize("field", OTHERS)
def test_a_checkpoint_that_does_not_fit_is_passed_over(base: Path, field: str) -> None:
    other = {field: OTHERS[field]}
    assert_passed_over(
        base, lambda: add_checkpoint(base, COVERED, instant(COVERED), [instant(7)], **other)
    )


def test_a_checkpoint_ahead_of_the_numbers_is_passed_over(base: Path) -> None:
    ahead = NUMBERS + 10
    without, opened = read(base)
    add_checkpoint(base, ahead, instant(NUMBERS), [instant(7)])
    assert read(base) == (without, opened)


def assert_passed_over(base: Path, store: Callable[[], object]) -> None:
    """Files are as without it, and an older checkpoint that fits counts."""
    without, opened = read(base)
    store()
    (name,) = (path.name for path in (base / COMMITS).glob("*.checkpoint"))
    assert read(base) == (without, sorted([*opened, name]))
    older = add_checkpoint(base, 10, instant(10), [instant(4)])
    assert read(base) == (without, sorted([older.name, name, *numbers(11, NUMBERS - ACTIVE)]))


def test_a_table_without_archived_commits_opens_no_checkpoint(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    for number in (1, 2):
        time = instant(number)
        add_commit(base, time, {"p=a": {group_of(number): 1}})
        add_number(base, number, time, kind="commit", instant=time, action="commit")
    add_checkpoint(base, 2, instant(2), [])
    assert read(base)[1] == []


SCHEMA = json.dumps(
    {
        "type": "record",
        "name": "t_record",
        "fields": [{"name": "id", "type": "int"}, {"name": "p", "type": ["null", "string"]}],
    }
)


@pytest.mark.parametrize("has_uuid", [True, False])
def test_a_checkpoint_of_the_engine_counts(
    spark: SparkSession, tmp_path: Path, has_uuid: bool
) -> None:
    base, name = tmp_path / "t", f"checkpointed_{has_uuid}"
    if not has_uuid:
        make_bucketed(base, hoodie__table__create__schema=SCHEMA)
    spark.sql(
        f"CREATE TABLE {name} (id INT, p STRING, PRIMARY KEY (id)) USING hudilite "
        f"PARTITIONED BY (p) {'WITH BUCKETS 4' if has_uuid else ''} LOCATION '{base}'"
    )
    for number in range(1, 12):
        spark.sql(f"INSERT INTO {name} VALUES ({number}, 'a')")
    for time in sorted(layout.completed(base))[:9]:
        for file in (base / ".hoodie").glob(f"{time}.*"):
            file.unlink()
    facts = layout.properties(base)
    assert ("hudilite.table.uuid" in facts) == has_uuid
    (checkpoint,) = (base / COMMITS).glob("*.checkpoint")
    assert json.loads(checkpoint.read_text())["table"] == table_uuid(facts)
    found, opened = read(base)
    assert opened == [checkpoint.name]
    checkpoint.unlink()
    assert read(base) == (found, numbers(1, 9))
