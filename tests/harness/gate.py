"""A statement that is held while it runs, so that others commit meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from harness import layout
from harness.faults import Fault, run_statement

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LONGEST = 120.0


@contextmanager
def held(
    spark: SparkSession, base: Path, statement: str, opened: Path
) -> Iterator[list[Fault | None]]:
    """Runs a statement that calls `gate(1)`; the block runs between its begin and its rows.

    `opened` is the path of a file that is not there yet. The list holds the statement's fault, or
    None, after the block.
    """

    def gate(value: int) -> int:
        ends = time.monotonic() + LONGEST
        while not opened.exists() and time.monotonic() < ends:
            time.sleep(0.1)
        return value

    spark.udf.register("gate", gate, "int")
    before = _begun(base)
    faults: list[Fault | None] = []
    waiting = threading.Thread(target=lambda: faults.append(run_statement(spark, statement)))
    waiting.start()
    try:
        while _begun(base) == before:
            assert waiting.is_alive(), faults
            time.sleep(0.1)
        yield faults
    finally:
        opened.touch()
        waiting.join()


def _begun(base: Path) -> int:
    return len([name for name in layout.instant_files(base) if name.endswith(".inflight")])
