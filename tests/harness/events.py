"""Spark's event log: what really ran, by SQL execution."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXECUTION_START = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"
ADAPTIVE_UPDATE = "org.apache.spark.sql.execution.ui.SparkListenerSQLAdaptiveExecutionUpdate"


def event_log_conf(folder: Path) -> dict[str, str]:
    """Settings that make a session write one plain event log into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": folder.as_uri(),
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.buffer.kb": "1k",
    }


@contextmanager
def logged(spark: SparkSession, folder: Path) -> Iterator[None]:
    """Writes what the block runs into an event log of its own, of a session that writes none.

    Of a session whose driver is this machine's own process.
    """
    conf = event_log_conf(folder)
    jvm: Any = spark._jvm
    context: Any = spark.sparkContext._jsc.sc()
    settings = context.getConf()
    for key, value in conf.items():
        settings.set(key, value)
    listener = jvm.org.apache.spark.scheduler.EventLoggingListener(
        folder.parent.name,
        jvm.scala.Option.empty(),
        jvm.java.net.URI.create(folder.as_uri()),
        settings,
        context.hadoopConfiguration(),
    )
    listener.start()
    context.addSparkListener(listener)
    try:
        yield
        context.listenerBus().waitUntilEmpty()
    finally:
        context.removeSparkListener(listener)
        listener.stop()


@dataclass
class Task:
    """One attempt of a task."""

    stage: int
    index: int
    attempt: int
    speculative: bool
    reason: str
    shuffle_bytes_written: int
    input_rows: int


@dataclass
class Execution:
    """One SQL execution: the plan it started with, its jobs and its task attempts."""

    number: int
    description: str
    plan: dict[str, Any]
    plan_text: str
    jobs: list[int] = field(default_factory=list)
    stages: set[int] = field(default_factory=set)
    tasks: list[Task] = field(default_factory=list)

    @property
    def shuffle_bytes(self) -> int:
        return sum(task.shuffle_bytes_written for task in self.tasks if task.reason == "Success")

    def nodes(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each node of the plan with the names of the nodes above it."""
        return _walk(self.plan, ())


def executions(folder: Path) -> list[Execution]:
    """The SQL executions recorded in a folder's event logs, in the order they began."""
    found: dict[int, Execution] = {}
    for event in _events(folder):
        _take(event, found)
    return [found[number] for number in sorted(found)]


def _events(folder: Path) -> Iterator[dict[str, Any]]:
    logs = sorted(path for path in folder.iterdir() if path.is_file() and path.suffix != ".crc")
    for log in logs:
        with log.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines)


def _take(event: dict[str, Any], found: dict[int, Execution]) -> None:
    kind = event["Event"]
    if kind == EXECUTION_START:
        number = event["executionId"]
        found[number] = Execution(
            number, event["description"], event["sparkPlanInfo"], event["physicalPlanDescription"]
        )
    elif kind == ADAPTIVE_UPDATE and event["executionId"] in found:
        found[event["executionId"]].plan = event["sparkPlanInfo"]
    elif kind == "SparkListenerJobStart":
        number = int(event.get("Properties", {}).get("spark.sql.execution.id", -1))
        if number in found:
            found[number].jobs.append(event["Job ID"])
            found[number].stages.update(event["Stage IDs"])
    elif kind == "SparkListenerTaskEnd":
        for execution in found.values():
            if event["Stage ID"] in execution.stages:
                execution.tasks.append(_task(event))


def _task(event: dict[str, Any]) -> Task:
    metrics = event.get("Task Metrics") or {}
    return Task(
        stage=event["Stage ID"],
        index=event["Task Info"]["Index"],
        attempt=event["Task Info"]["Attempt"],
        speculative=event["Task Info"]["Speculative"],
        reason=event["Task End Reason"]["Reason"],
        shuffle_bytes_written=metrics.get("Shuffle Write Metrics", {}).get(
            "Shuffle Bytes Written", 0
        ),
        input_rows=metrics.get("Input Metrics", {}).get("Records Read", 0),
    )


def _walk(node: dict[str, Any], above: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield node["nodeName"], above
    for child in node["children"]:
        yield from _walk(child, (*above, node["nodeName"]))
