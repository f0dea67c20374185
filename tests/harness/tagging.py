"""The look-up of keys in tables without buckets, as Spark's event log tells of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def tagged_keys(events: Path) -> Iterator[tuple[float, dict[str, int]]]:
    """Of each statement that looked keys up: seconds to the end of it, and what it counted."""
    begun: dict[int, int] = {}
    execution: dict[int, int] = {}
    for log in sorted(path for path in events.iterdir() if path.suffix != ".crc"):
        for event in map(json.loads, log.read_text(encoding="utf-8").splitlines()):
            if event["Event"] == "SparkListenerJobStart":
                number = int(event["Properties"].get("spark.sql.execution.id", -1))
                begun.setdefault(number, event["Submission Time"])
                execution |= dict.fromkeys(event["Stage IDs"], number)
            elif event["Event"] == "SparkListenerStageCompleted":
                stage = event["Stage Info"]
                if any(rdd["Name"] == "KeyLookupRDD" for rdd in stage["RDD Info"]):
                    took = stage["Completion Time"] - begun[execution[stage["Stage ID"]]]
                    yield took / 1000, _counts(stage)


def _counts(stage: dict[str, Any]) -> dict[str, int]:
    known = ("files", "footers", "comparisons", "keys")
    of = {a["Name"]: a["Value"] for a in stage["Accumulables"] if a["Name"].startswith(known)}
    return {name: int(value) for name, value in of.items()}
