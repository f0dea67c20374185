"""`hudilite.progress` beside sessions that are not real: what it shows, where, and when it is gone."""

from __future__ import annotations

import io
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

import hudilite
from hudilite.launch.stage_progress import Line, Pace, Stage, progress

pytestmark = pytest.mark.rotated(by="test", when=("python/src/hudilite/",))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Cell(io.StringIO):
    """What a notebook's cell prints to."""

    __module__ = "ipykernel.iostream"


class Tracker:
    """Stages by number; None for one that has just ended."""

    def __init__(self, stages: dict[int, tuple[int, int] | None]) -> None:
        self.stages = stages
        self.asked = threading.Event()

    def getActiveStageIds(self) -> list[int]:
        self.asked.set()
        return list(self.stages)

    def getStageInfo(self, number: int) -> Any:
        found = self.stages[number]
        return found and SimpleNamespace(numCompletedTasks=found[0], numTasks=found[1])


def session(tracker: Any) -> Any:
    return SimpleNamespace(sparkContext=SimpleNamespace(statusTracker=lambda: tracker))


def shown(stream: io.StringIO, words: str) -> bool:
    """Whether words come up in time."""
    for _ in range(400):
        if words in stream.getvalue():
            return True
        time.sleep(0.02)
    return False


def screen(text: str) -> str:
    """What a terminal shows of a text without line feeds."""
    line: list[str] = []
    at = 0
    for character in text:
        if character == "\r":
            at = 0
        else:
            line[at : at + 1] = character
            at += 1
    return "".join(line).rstrip()


@pytest.fixture(params=[Terminal, Cell])
def stream(request: pytest.FixtureRequest) -> io.StringIO:
    made: io.StringIO = request.param()
    return made


def test_the_newest_stage_is_shown_and_wiped(stream: io.StringIO) -> None:
    tracker = Tracker({3: (1, 4), 7: (2, 10), 5: (0, 9), 9: None, 8: (0, 0)})
    with progress(session(tracker), stream=stream):
        assert shown(stream, "stage 7")
        assert screen(stream.getvalue()) == "stage 7  [====                ]  2 of 10 tasks"
        tracker.stages = {}
        for _ in range(400):
            if screen(stream.getvalue()) == "":
                break
            time.sleep(0.02)
        assert screen(stream.getvalue()) == ""
        tracker.stages = {11: (5, 5)}
        assert shown(stream, "stage 11  [====================]  5 of 5 tasks")
    assert screen(stream.getvalue()) == ""
    assert stream.getvalue().endswith("\r")


def test_the_line_is_gone_when_a_statement_fails(stream: io.StringIO) -> None:
    with (
        pytest.raises(ValueError, match="it failed"),
        progress(session(Tracker({1: (1, 2)})), stream=stream),
    ):
        assert shown(stream, "1 of 2")
        raise ValueError("it failed")
    assert screen(stream.getvalue()) == ""
    assert not [t for t in threading.enumerate() if "_follow" in t.name]


def test_nothing_is_asked_or_shown_in_a_pipe() -> None:
    stream, tracker = io.StringIO(), Tracker({1: (1, 2)})
    with progress(session(tracker), stream=stream):
        assert not tracker.asked.wait(0.6)
    assert stream.getvalue() == ""


def test_a_jvm_that_is_gone_does_not_disturb(stream: io.StringIO) -> None:
    asked = threading.Event()

    def gone() -> None:
        asked.set()
        raise ConnectionRefusedError

    with progress(session(SimpleNamespace(getActiveStageIds=gone)), stream=stream):
        assert asked.wait(10)
    assert stream.getvalue() == ""


def test_spark_connect_reports_progress_by_its_own_handler(stream: io.StringIO) -> None:
    handlers: list[Any] = []
    remote = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    remote.registerProgressHandler = handlers.append
    remote.removeProgressHandler = handlers.remove

    def stage(number: int, done: int, *, ended: bool = False) -> SimpleNamespace:
        return SimpleNamespace(stage_id=number, num_completed_tasks=done, num_tasks=8, done=ended)

    with progress(remote, stream=stream):
        (handler,) = handlers
        told = {"inflight_tasks": 2, "operation_id": "id"}  # the names that pyspark calls it by
        handler(stages=[stage(1, 8, ended=True), stage(0, 3)], done=False, **told)
        assert shown(stream, "stage 0  [=======             ]  3 of 8 tasks")
        handler(stages=None, done=True, **told)
    assert handlers == []
    assert screen(stream.getvalue()) == ""


def pace(*times: float) -> Pace:
    return Pace(iter(times).__next__)


@pytest.mark.parametrize(
    ("seconds", "done", "left"),
    [
        (10.0, 50, "0:10 left"),
        (1.0, 99, "0:00 left"),
        (3600.0, 1, "99:00:00 left"),
        (10.0, 100, "0:00 left"),
    ],
)
def test_the_time_left_is_by_the_pace_so_far(seconds: float, done: int, left: str) -> None:
    counted = pace(5.0, 5.0 + seconds)
    counted.text_of(Stage(1, 0, 100))
    assert counted.text_of(Stage(1, done, 100)).endswith(f"{done} of 100 tasks, {left}")


def test_a_stage_that_ran_before_counts_from_when_it_was_seen() -> None:
    counted = pace(0.0, 10.0)
    counted.text_of(Stage(1, 60, 100))
    assert counted.text_of(Stage(1, 80, 100)).endswith(", 0:10 left")


def test_another_stage_is_timed_from_its_start() -> None:
    counted = pace(0.0, 10.0, 20.0, 30.0)
    counted.text_of(Stage(1, 0, 4))
    assert counted.text_of(Stage(1, 2, 4)).endswith(", 0:10 left")
    assert counted.text_of(Stage(2, 0, 4)).endswith("0 of 4 tasks")
    assert counted.text_of(Stage(2, 1, 4)).endswith(", 0:30 left")


def test_a_line_is_no_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "12")
    stream = Terminal()
    line = Line(stream)
    line.write("a text of many words")
    assert screen(stream.getvalue()) == "a text of m"
    line.write("short")
    assert screen(stream.getvalue()) == "short"


def test_it_is_a_function_of_the_package() -> None:
    assert hudilite.progress is progress
