"""Tables of the tests lie in memory where there is room, and a run leaves there only what a failure needs."""

from __future__ import annotations

from pathlib import Path

import execution
import memory
import pytest
from suites import SUITES, Suite, in_turn

FACTS = "MemTotal:       16000000 kB\nMemAvailable:   {} kB\n"
ENOUGH = memory.AVAILABLE >> 10


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for the file system in memory."""
    monkeypatch.delenv(memory.GIVEN, raising=False)
    monkeypatch.setattr(memory, "SHARED", tmp_path)
    monkeypatch.setattr(memory, "has_room", lambda shared, facts: True)
    return tmp_path


@pytest.mark.parametrize(
    ("room", "text", "expected"),
    [
        (0, FACTS.format(ENOUGH), True),
        (0, FACTS.format(ENOUGH - 1), False),
        (1 << 60, FACTS.format(ENOUGH), False),
        (0, "no facts", False),
    ],
)
def test_room_is_what_is_free_and_available(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, text: str, expected: bool
) -> None:
    monkeypatch.setattr(memory, "ROOM", room)
    facts = tmp_path / "facts"
    facts.write_text(text, encoding="utf-8")
    assert memory.has_room(tmp_path, facts) == expected


def test_without_such_a_file_system_there_is_no_room(tmp_path: Path) -> None:
    facts = tmp_path / "facts"
    assert not memory.has_room(tmp_path, facts)
    facts.write_text(FACTS.format(ENOUGH), encoding="utf-8")
    assert not memory.has_room(tmp_path / "absent", facts)


def test_a_run_removes_what_an_earlier_one_left_and_leaves_what_failed(shared: Path) -> None:
    with memory.folder("test") as first:
        assert first is not None
        (first / "sql").mkdir()
    assert (first / "sql").exists()
    with memory.folder("all") as second:
        assert second == first
        assert list(second.iterdir()) == []
    assert list(shared.iterdir()) == []


def test_large_tables_and_those_of_a_named_folder_do_not_lie_there(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with memory.folder("soak") as place:
        assert place is None
    monkeypatch.setenv(memory.GIVEN, str(shared))
    with memory.folder("test") as place:
        assert place is None


def test_suites_of_one_process_share_a_folder_and_servers_have_none(tmp_path: Path) -> None:
    run = execution.Run("all", None, None, None, None, {}, tmp_path)  # type: ignore[arg-type]
    found = {suite.name: execution.in_memory(run, suite) for suite in SUITES}
    assert found["sql"] == found["sql-nine"] == tmp_path / "sql"
    assert found["interop"] == tmp_path / "interop"
    assert {found[name] for name in ("stores", "stores-faults", "clusters", "docs")} == {None}
    for group in in_turn(SUITES):
        assert len({suite.on_disk for suite in group}) == 1


class Failing:
    """Sessions whose commands fail, and a counter of nothing."""

    total = None

    def run(self, *words: object) -> int:
        return 1


@pytest.mark.parametrize("full", [False, True])
def test_a_full_memory_is_one_line_and_is_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: bool
) -> None:
    for folder in ("LOGS", "REPORTS", "ROOT"):
        monkeypatch.setattr(execution, folder, tmp_path)
    place = tmp_path / "memory"
    place.mkdir()
    monkeypatch.setattr(execution, "is_full", lambda folder: full and folder != tmp_path)
    run = execution.Run("all", None, None, Failing(), Failing(), {}, place)  # type: ignore[arg-type]
    (outcome,) = execution.execute(run, [Suite("failing", ("false",), ())])
    told = "/dev/shm is full: make room there, or set PYTEST_DEBUG_TEMPROOT to a folder on the disk"
    assert outcome.faults == [f"{told}, then run it again" if full else "ended with code 1"]
    assert (place / "failing").exists() == (not full)
