"""Progress of Spark's stages, as a bar in a terminal or a notebook."""

from __future__ import annotations

import shutil
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SECONDS = 0.25
_SIZE = {"dynamic_ncols": False, "ncols": 80, "nrows": 24}


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

    The progress is a bar of tqdm, which is erased at the end. It shows the newest running stage:
    its number, how many of its tasks are completed, and the time left at the pace so far. Stages of
    other threads of the session are also shown. In a pipe there is no bar. A notebook shows a
    widget if ipywidgets is installed, as by `pip install "hudilite[notebook]"`, and a line of text
    otherwise.

    Args:
        spark: Session, of this process or of Spark Connect.
        stream: Stream for the bar; by default stderr, in a notebook stdout.

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
        ended = threading.Event()
        thread = threading.Thread(target=_follow, args=(stages, shown, ended), daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


def _is_cell(stream: TextIO) -> bool:
    """Whether a stream is the output of a notebook cell, where a line can be overwritten."""
    return type(stream).__module__.startswith("ipykernel.")


def _follow(stages: Callable[[], Iterable[Stage]], stream: TextIO, ended: threading.Event) -> None:
    """Shows the newest stage in a bar, from the first stage on until the block ends."""
    bar, number = None, -1
    while not ended.wait(_SECONDS):
        try:
            running = [stage for stage in stages() if stage.total > 0]
        except Exception:  # noqa: BLE001 (a JVM that is gone; the statement reports it)
            break
        newest = max(running, key=lambda stage: stage.number, default=None)
        if newest is None:
            if bar is not None:
                bar.clear()
            continue
        bar = bar if bar is not None else _bar(stream)
        if newest.number != number:
            number = newest.number
            bar.reset(newest.total)
            bar.initial = newest.done  # the pace is that since the stage was first seen
            bar.set_description(f"stage {number}", refresh=False)
        bar.n = newest.done
        bar.refresh()
    if bar is not None:
        bar.close()


def _bar(stream: TextIO) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a notebook without ipywidgets gets a line of text
        from tqdm.auto import tqdm
    # In a terminal that does not say its size, tqdm would show nothing.
    size = {} if shutil.get_terminal_size((0, 0)).columns else _SIZE
    return tqdm(total=1, file=stream, leave=False, unit="task", **{"dynamic_ncols": True} | size)


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
