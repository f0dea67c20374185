"""INV by itself: it finds planted breaks, and none in a sound table."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import inv, layout
from tables import by_hand

OLD = [(i, "ab"[i % 2], "old") for i in range(12)]
NEW = [(100, "a", "new")]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    by_hand.write_table(tmp_path / "t", OLD, NEW)
    return tmp_path / "t"


def rewrite(base: Path, rows: list[by_hand.Row]) -> None:
    """Other rows in the newest base file, its commit told of them."""
    newest = next(s for s in layout.latest_slices(base) if s.instant == by_hand.SECOND)
    newest.path.unlink()
    for name in (f"{by_hand.SECOND}.commit", ".hudilite/commits/" + f"{2:020d}"):
        (base / ".hoodie" / name).unlink()
    path = by_hand.write_file(base, by_hand.SECOND, by_hand.place_of(NEW[0]), rows)
    by_hand.write_commit(base, by_hand.SECOND, [path])


def rows_beside(row: by_hand.Row) -> list[by_hand.Row]:
    place = by_hand.place_of(row)
    return [old for old in [*OLD, *NEW] if by_hand.place_of(old) == place]


def test_a_sound_table_has_no_breaks(base: Path) -> None:
    assert inv.breaks(base, [OLD + NEW]) == []
    assert inv.breaks(base, [OLD, OLD + NEW]) == []


def test_a_lost_row_is_found(base: Path) -> None:
    kept = rows_beside(NEW[0])
    lost = kept.pop(0)
    rewrite(base, kept)
    assert inv.breaks(base, [OLD, OLD + NEW]) == [f"a mixture of states: lost {[lost]}, surplus []"]


def test_the_state_before_is_not_the_state_after(base: Path) -> None:
    assert inv.breaks(base, [OLD]) == [f"a mixture of states: lost [], surplus {NEW}"]


def test_a_file_of_no_commit_that_counts_is_found(base: Path) -> None:
    """A base file with the name of a completed instant, equal rows and all, that none names."""
    other = next(row for row in OLD if by_hand.place_of(row) != by_hand.place_of(NEW[0]))
    rows = rows_beside(other)
    path = by_hand.write_file(base, by_hand.SECOND, by_hand.place_of(other), rows)
    assert inv.breaks(base, [OLD + NEW]) == [
        f"{path.name} is read, but commit {by_hand.SECOND} does not name it"
    ]


def test_a_file_of_a_pending_instant_does_not_count(base: Path) -> None:
    rows = [*rows_beside(NEW[0]), (102, "a", "pending")]
    by_hand.write_file(base, "20240103000000000", by_hand.place_of(NEW[0]), rows)
    assert inv.breaks(base, [OLD + NEW]) == []


def test_a_key_that_comes_twice_is_found(base: Path) -> None:
    rewrite(base, [*rows_beside(NEW[0]), NEW[0]])
    twice = [OLD + NEW + NEW]  # even where the rows are those that are expected
    place = (by_hand.place_of(NEW[0])[0], str(NEW[0][0]))
    assert f"keys come twice: {[place]}" in inv.breaks(base, twice)


def test_a_number_without_its_completed_file_counts(base: Path) -> None:
    """The commit point is the number: other readers see it once its file is put in place."""
    done = base / ".hoodie" / f"{by_hand.SECOND}.commit"
    text = done.read_bytes()
    done.unlink()
    assert inv.breaks(base, [OLD]) == []
    inv.complete(base)
    assert done.read_bytes() == text
    assert inv.breaks(base, [OLD + NEW]) == []


def test_a_number_that_was_rolled_back_does_not_count(base: Path) -> None:
    (base / ".hoodie" / f"{by_hand.SECOND}.commit").unlink()
    (base / ".hoodie" / f"{by_hand.SECOND}.inflight").unlink()
    inv.complete(base)
    assert inv.breaks(base, [OLD]) == []
