"""Progress of Spark's stages, in a terminal or a notebook."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SECONDS = 0.25
_BAR = 20
_COLUMNS = 80


@dataclass(frozen=True)
class Stage:
    """Running stage.

    Attributes:
        number: Stage id, as Spark's UI shows it.
        done: Completed tasks.
        total: All tasks, 1 or more.
    """

    number: int
    done: int
    total: int


@contextmanager
def progress(spark: SparkSession, *, stream: TextIO | None = None) -> Iterator[None]:
    """Shows the progress of the statements that run inside the block.

    The progress is one line that is updated in place and erased at the end. It shows the newest
    running stage: its number, a bar, how many of its tasks are completed, and the time left at the
    pace so far. Stages of other threads of the session are also shown. In a pipe there is no line.

    Args:
        spark: Session, of this process or of Spark Connect.
        stream: Stream for the line; by default stderr, in a notebook stdout.

    Examples:
        >>> with progress(spark):  # doctest: +SKIP
        ...     spark.sql("MERGE INTO orders USING changes ON ...")
    """
    # A notebook shows output on stderr as an error.
    shown = stream or (sys.stdout if _is_cell(sys.stdout) else sys.stderr)
    if not (shown.isatty() or _is_cell(shown)):
        yield
        return
    with _stages(spark) as stages:
        line, ended = Line(shown), threading.Event()
        thread = threading.Thread(target=_follow, args=(stages, line, ended), daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            line.write("")


class Line:
    """Line that is updated in place, and only when its text changes.

    Args:
        stream: Terminal, or the output of a notebook cell.
    """

    def __init__(self, stream: TextIO) -> None:
        """Starts with an empty line."""
        self._stream = stream
        self._text = ""

    def write(self, text: str) -> None:
        """Replaces the text of the line; an empty text erases it."""
        text = text[: shutil.get_terminal_size((_COLUMNS, 0)).columns - 1]
        if text == self._text:
            return
        # Blanks erase the rest of the old text; a notebook would show an escape sequence as text.
        blank = " " * (len(self._text) - len(text))
        self._stream.write(f"\r{text}{blank}" + ("\r" if not text else ""))
        self._stream.flush()
        self._text = text


class Pace:
    """Estimate of the time left in a stage, from its pace so far.

    Args:
        clock: Function that returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Starts before the first stage."""
        self._clock = clock
        self._first = Stage(-1, 0, 1)
        self._since = 0.0

    def text_of(self, stage: Stage) -> str:
        """Returns the line for a stage.

        The time left is shown after a task has completed since the first call for the stage.

        Examples:
            >>> pace = Pace(iter([0.0, 30.0]).__next__)
            >>> pace.text_of(Stage(3, 0, 40))
            'stage 3  [                    ]  0 of 40 tasks'
            >>> pace.text_of(Stage(3, 10, 40))
            'stage 3  [=====               ]  10 of 40 tasks, 1:30 left'
        """
        now = self._clock()
        if stage.number != self._first.number:
            self._first, self._since = stage, now
        bar = "=" * (_BAR * stage.done // stage.total)
        text = f"stage {stage.number}  [{bar:{_BAR}}]  {stage.done} of {stage.total} tasks"
        done = stage.done - self._first.done
        if done <= 0:
            return text
        left = (stage.total - stage.done) * (now - self._since) / done
        return f"{text}, {_clock_text(round(left))} left"


def _is_cell(stream: TextIO) -> bool:
    """Whether a stream is the output of a notebook cell, where a line can be overwritten."""
    return type(stream).__module__.startswith("ipykernel.")


def _clock_text(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _follow(stages: Callable[[], Iterable[Stage]], line: Line, ended: threading.Event) -> None:
    pace = Pace()
    while not ended.wait(_SECONDS):
        try:
            running = [stage for stage in stages() if stage.total > 0]
        except Exception:  # noqa: BLE001 (a JVM that is gone; the statement reports it)
            return
        newest = max(running, key=lambda stage: stage.number, default=None)
        line.write(pace.text_of(newest) if newest else "")


@contextmanager
def _stages(spark: SparkSession) -> Iterator[Callable[[], Iterable[Stage]]]:
    """Yields a function that returns the running stages."""
    if type(spark).__module__.startswith("pyspark.sql.connect"):
        latest: list[Stage] = []

        def take(*, stages: Iterable[Any] | None, done: bool, **_: Any) -> None:
            latest[:] = [
                Stage(one.stage_id, one.num_completed_tasks, one.num_tasks)
                for one in stages or ()
                if not (one.done or done)
            ]

        spark.registerProgressHandler(take)
        try:
            yield lambda: list(latest)
        finally:
            spark.removeProgressHandler(take)
        return
    tracker = spark.sparkContext.statusTracker()

    def running() -> Iterator[Stage]:
        for number in tracker.getActiveStageIds():
            info = tracker.getStageInfo(number)
            if info is not None:
                yield Stage(number, info.numCompletedTasks, info.numTasks)

    yield running
