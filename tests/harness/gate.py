"""Statements that run at once, and one that is held while others commit."""

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


def at_once(
    spark: SparkSession, statements: list[list[str]], conf: dict[str, str] | None = None
) -> list[Fault | None]:
    """Runs each list in a thread and a session of its own, under the settings given."""
    database = spark.catalog.currentDatabase()
    faults: list[Fault | None] = []

    def run(texts: list[str]) -> None:
        session = spark.newSession()
        session.sql(f"USE {database}")
        for key, value in (conf or {}).items():
            session.conf.set(key, value)
        faults.extend(run_statement(session, text) for text in texts)

    threads = [threading.Thread(target=run, args=(texts,)) for texts in statements]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return faults


def _begun(base: Path) -> int:
    return len([name for name in layout.instant_files(base) if name.endswith(".inflight")])
