"""Streaming queries that end by themselves, and some that die at the worst moment."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.errors import StreamingQueryException

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

OUTER = {"STREAM_FAILED", "FOREACH_BATCH_USER_FUNCTION_ERROR"}  # what Spark puts around a fault
CONDITION = re.compile(r"\[([A-Z][A-Z_.]+)\]")


def put(source: Path, rows: list[dict[str, Any]]) -> None:
    """One more file of JSON in the folder of a stream, whole at once."""
    source.mkdir(parents=True, exist_ok=True)
    file = source / f"{len(list(source.iterdir()))}.json"
    new = source.with_name(f"{source.name}.new")
    new.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    new.rename(file)


def writer(rows: DataFrame, checkpoint: Path, **options: str) -> DataStreamWriter:
    """A query into a hudilite table that takes what there is, in as many batches as its source says."""
    stream = rows.writeStream.format("hudilite").trigger(availableNow=True)
    return stream.option("checkpointLocation", str(checkpoint)).options(**options)


def ended(query: StreamingQuery) -> str | None:
    """Waits for a query's end; gives the condition that it died of, or the class of the error."""
    try:
        query.awaitTermination()
    except StreamingQueryException as e:
        told = [found for found in CONDITION.findall(str(e)) if found not in OUTER]
        return told[0] if told else type(e).__name__
    return None


class Trap:
    """Takes a checkpoint's folder of commits away while a batch runs: the batch is written to the
    table, and the query dies before it has noted that."""

    def __init__(self, checkpoint: Path) -> None:
        self.commits = checkpoint / "commits"
        self.away = checkpoint / "commits.away"
        self.armed = checkpoint.with_name(checkpoint.name + ".armed")

    def arm(self) -> None:
        self.armed.touch()

    def spring(self) -> Callable[[int], int]:
        """For a column of the batch, which one task computes."""
        armed, commits, away = self.armed, self.commits, self.away

        def same(value: int) -> int:
            if armed.exists():
                armed.unlink()
                commits.rename(away)
                commits.touch()
            return value

        return same

    def sprang(self) -> bool:
        """Whether it did; mends the checkpoint."""
        if not self.away.exists():
            return False
        self.commits.unlink()
        self.away.rename(self.commits)
        return True
