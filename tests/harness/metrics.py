"""What the operators of the last statement have counted, as Spark's own store of plans tells, and its commit."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from harness import layout

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PREFIX = "hudilite.metrics."
UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def last_metrics(spark: SparkSession, operator: str, seconds: float = 20) -> dict[str, int]:
    """Metrics by their text of the newest execution that ran an operator; those not reported are 0.

    Args:
        operator: The operator's name as EXPLAIN prints it.
        seconds: How long the listener may take to tell.
    """
    store = spark._jsparkSession.sharedState().statusStore()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = _metrics(store, operator)
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"no finished execution ran {operator}")


def _metrics(store: object, operator: str) -> dict[str, int]:
    runs = store.executionsList()  # type: ignore[attr-defined]
    run = runs.apply(runs.size() - 1)
    if not run.completionTime().isDefined():
        return {}
    values = store.executionMetrics(run.executionId())  # type: ignore[attr-defined]
    nodes = store.planGraph(run.executionId()).allNodes()  # type: ignore[attr-defined]
    for i in range(nodes.size()):
        node = nodes.apply(i)
        if node.name() == operator:
            metrics = [node.metrics().apply(j) for j in range(node.metrics().size())]
            told = {m.name(): values.get(m.accumulatorId()) for m in metrics}
            texts = {name: v.get() if v.isDefined() else "0" for name, v in told.items()}
            return {name: _number(text) for name, text in texts.items()}
    return {}


def _number(text: str) -> int:
    """Of a sum its total: Spark writes it first, or on the line below the names of the figures. Of
    bytes it shows no more than a decimal."""
    number, _, unit = text.splitlines()[-1].split("(")[0].strip().replace(",", "").partition(" ")
    return round(float(number) * UNITS[unit]) if unit in UNITS else 0


def committed(base: Path) -> dict[str, int]:
    """What the newest commit of the table at `base` says of itself."""
    return metrics_of(base, max(layout.completed(base)))


def metrics_of(base: Path, instant: str) -> dict[str, int]:
    """What a completed commit of the table at `base` says of itself."""
    extra = layout.commit_metadata(base, instant)["extraMetadata"]
    return {k.removeprefix(PREFIX): int(v) for k, v in extra.items() if k.startswith(PREFIX)}
