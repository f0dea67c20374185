"""Output of the demo: steps with their times, statements, and small tables."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_WIDTH = 112


class Report:
    """Writer of the demo's output, line by line.

    Args:
        out: Stream for the output; None for standard output.
        beat_seconds: Seconds between two progress messages of a long step. None means a message in
            place every second on a terminal, and a line every ten seconds elsewhere.
    """

    def __init__(self, out: TextIO | None = None, beat_seconds: float | None = None) -> None:
        """Starts before step 1."""
        self.out = out or sys.stdout
        self.in_place = self.out.isatty()
        self.beat_seconds = beat_seconds or (1.0 if self.in_place else 10.0)
        self.steps: list[tuple[str, float]] = []
        self.spark: SparkSession | None = None
        self._lock = threading.Lock()

    def line(self, text: str = "") -> None:
        """Writes one line, cut to the width of a wide terminal (112 characters)."""
        self._write((text if len(text) <= _WIDTH else text[: _WIDTH - 3] + "...") + "\n")

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Writes the numbered title of a step, and its time when the block ends."""
        self.line()
        self.line(f"{len(self.steps) + 1}. {title}")
        ended = threading.Event()
        begun = time.monotonic()
        beat = threading.Thread(target=self._beat, args=(ended, begun), daemon=True)
        beat.start()
        try:
            yield
        finally:
            ended.set()
            beat.join()
        seconds = time.monotonic() - begun
        self.steps.append((title, seconds))
        self.line(f"   [{seconds:.1f} s]")

    def sql(self, text: str) -> None:
        """Writes a statement in the form of a SQL shell."""
        for number, line in enumerate(text.splitlines()):
            self.line(f"   {'sql>' if number == 0 else '    '} {line}")

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Writes a table with right-aligned columns."""
        texts = [[_shown(cell) for cell in row] for row in rows]
        widths = [max(map(len, column)) for column in zip(heads, *texts, strict=True)]
        for row in [list(heads), *texts]:
            cells = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            self.line("   " + "  ".join(cells))

    def _beat(self, ended: threading.Event, begun: float) -> None:
        while not ended.wait(self.beat_seconds):
            seconds = time.monotonic() - begun
            text = f"   ... {seconds:.0f} s so far{_tasks(self.spark)}"
            self._write(text if self.in_place else f"{text}\n")

    def _write(self, text: str) -> None:
        """Writes a text over the progress line, if there is one."""
        with self._lock:
            self.out.write(f"\r{' ' * _WIDTH}\r{text}" if self.in_place else text)
            self.out.flush()


def _tasks(spark: SparkSession | None) -> str:
    """Returns the progress of the running stages."""
    if spark is None:
        return ""
    tracker = spark.sparkContext.statusTracker()
    infos = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    tasks = [(info.numCompletedTasks, info.numTasks) for info in infos if info]
    return "".join(f", {done} of {total} tasks done" for done, total in tasks)


def _shown(cell: object) -> str:
    if cell is None:
        return "-"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
