"""`hudilite.progress` beside sessions that are not real: what it shows, where, and when it is gone."""

from __future__ import annotations

import io
import re
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

import hudilite
from hudilite.launch.stage_progress import progress

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
        assert re.match(r"stage 7: +20%\|.*\| 2/10 \[", screen(stream.getvalue()))
        tracker.stages = {}
        for _ in range(400):
            if screen(stream.getvalue()) == "":
                break
            time.sleep(0.02)
        assert screen(stream.getvalue()) == ""
        tracker.stages = {11: (5, 5)}
        assert shown(stream, "stage 11")
        assert re.match(r"stage 11: +100%\|.*\| 5/5 \[", screen(stream.getvalue()))
    assert screen(stream.getvalue()) == ""
    assert stream.getvalue().endswith("\r")


def test_the_line_is_gone_when_a_statement_fails(stream: io.StringIO) -> None:
    with (
        pytest.raises(ValueError, match="it failed"),
        progress(session(Tracker({1: (1, 2)})), stream=stream),
    ):
        assert shown(stream, "1/2")
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
        assert shown(stream, "stage 0")
        assert "3/8" in screen(stream.getvalue())
        handler(stages=None, done=True, **told)
    assert handlers == []
    assert screen(stream.getvalue()) == ""


def test_the_time_left_is_by_the_pace_since_a_stage_was_seen() -> None:
    stream, tracker = Terminal(), Tracker({1: (60, 100)})
    with progress(session(tracker), stream=stream):
        assert shown(stream, "60/100")
        assert "<?" in screen(stream.getvalue())
        time.sleep(1)
        tracker.stages = {1: (99, 100)}
        assert shown(stream, "99/100")
        assert "<00:00" in screen(stream.getvalue())
        tracker.stages = {2: (0, 100)}
        assert shown(stream, "stage 2")
        assert "<?" in screen(stream.getvalue())


def test_it_is_a_function_of_the_package() -> None:
    assert hudilite.progress is progress
