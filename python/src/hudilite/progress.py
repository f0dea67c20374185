"""How far Spark's work is, in a terminal or a notebook: stage, tasks done of all, time left."""

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
    """A stage that runs.

    Attributes:
        number: Spark's, which the UI shows too.
        done: Tasks that are done.
        total: All tasks, 1 or more.
    """

    number: int
    done: int
    total: int


@contextmanager
def progress(spark: SparkSession, *, stream: TextIO | None = None) -> Iterator[None]:
    """Show, while statements run, how far they are; in a pipe nothing is shown.

    One line, written over and over and wiped in the end: of the newest stage that runs its number,
    a bar, tasks done of all, and what time the rest will take at the pace so far. Work of other
    threads of the session shows as well.

    Args:
        spark: The session, of this process or of Spark Connect.
        stream: For the line; stderr where nothing is said, in a notebook stdout.

    Examples:
        >>> with progress(spark):  # doctest: +SKIP
        ...     spark.sql("MERGE INTO orders USING changes ON ...")
    """
    # A notebook shows what goes to stderr as a fault.
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
    """The one line, which is written anew only where its text is another.

    Args:
        stream: A terminal, or the output of a notebook's cell.
    """

    def __init__(self, stream: TextIO) -> None:
        """Nothing is written yet."""
        self._stream = stream
        self._text = ""

    def write(self, text: str) -> None:
        """Put a text in the place of what is there; the empty one wipes it."""
        text = text[: shutil.get_terminal_size((_COLUMNS, 0)).columns - 1]
        if text == self._text:
            return
        # Blanks wipe where an escape sequence would be text, as in a notebook.
        blank = " " * (len(self._text) - len(text))
        self._stream.write(f"\r{text}{blank}" + ("\r" if not text else ""))
        self._stream.flush()
        self._text = text


class Pace:
    """What time the rest of a stage takes, by what it took so far.

    Args:
        clock: Gives seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """No stage was seen yet."""
        self._clock = clock
        self._first = Stage(-1, 0, 1)
        self._since = 0.0

    def told(self, stage: Stage) -> str:
        """The line for a stage.

        Examples:
            >>> pace = Pace(iter([0.0, 30.0]).__next__)
            >>> pace.told(Stage(3, 0, 40))
            'stage 3  [                    ]  0 of 40 tasks'
            >>> pace.told(Stage(3, 10, 40))
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
    """Whether a stream is the output of a notebook's cell, where a line can be written over."""
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
        except Exception:  # noqa: BLE001 (a JVM that is gone; the statement tells it)
            return
        newest = max(running, key=lambda stage: stage.number, default=None)
        line.write(pace.told(newest) if newest else "")


@contextmanager
def _stages(spark: SparkSession) -> Iterator[Callable[[], Iterable[Stage]]]:
    """What tells the stages that run."""
    if type(spark).__module__.startswith("pyspark.sql.connect"):
        told: list[Stage] = []

        def take(*, stages: Iterable[Any] | None, done: bool, **_: Any) -> None:
            told[:] = [
                Stage(one.stage_id, one.num_completed_tasks, one.num_tasks)
                for one in stages or ()
                if not (one.done or done)
            ]

        spark.registerProgressHandler(take)
        try:
            yield lambda: list(told)
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
