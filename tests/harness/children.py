"""Statements in a Spark of their own: a fresh process, with its own JVM settings, or a session beside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.events import logged
from harness.faults import fault_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tests" / "harness" / "child_main.py"


@dataclass(frozen=True)
class ChildOutcome:
    """What a child did: one entry a step, and the JVM's exit code if it died on the way."""

    steps: list[dict[str, Any]]
    jvm_exit: int | None
    log: str

    def rows(self, label: str) -> list[list[Any]]:
        """The rows of a labelled step; fails when the step did."""
        step = next(step for step in self.steps if step["label"] == label)
        assert "error" not in step, step
        rows: list[list[Any]] = step["rows"]
        return rows


def run_child(
    folder: Path,
    steps: list[dict[str, Any]],
    conf: dict[str, str] | None = None,
    udfs: dict[str, str] | None = None,
    zone: str = "UTC",
    timeout: float = 600,
    prefix: Sequence[str] = (),
) -> ChildOutcome:
    """Runs steps one after another in a new process.

    Args:
        folder: Of the child; its warehouse, its plan and its results lie there.
        steps: Each {"label", "sql"}, or {"label", "swap": [from, to]} to replace a folder, or
            {"label", "wait": seconds}, {"label", "arm": [root, plan]} for FaultDoor,
            {"label", "disarm": True}, whose rows are the lines of its log, or
            {"label", "freeze": steps} for FaultGate, which stops the JVM in the next statement, or
            {"label", "run": command}, or {"label", "stream": [schema, folder of JSON files,
            checkpoint, path of a table]}.
        conf: Spark settings over the usual ones.
        udfs: SQL function name -> Java class with a (STRING, INT) -> STRING `call`.
        zone: Time zone of the process and its JVM.
        timeout: Seconds after which the child counts as hung.
        prefix: Command that runs the child, as one that makes a name space.
    """
    folder.mkdir(parents=True, exist_ok=True)
    plan, results, log = folder / "plan.json", folder / "results.json", folder / "child.log"
    asked = {
        "steps": steps,
        "conf": conf or {},
        "udfs": udfs or {},
        "warehouse": str(folder / "wh"),
    }
    plan.write_text(json.dumps(asked), encoding="utf-8")
    with log.open("w") as sink:
        subprocess.run(
            [*prefix, sys.executable, str(SCRIPT), str(plan), str(results)],
            stdout=sink,
            stderr=subprocess.STDOUT,
            timeout=timeout,
            check=False,
            cwd=folder,
            env=os.environ | {"TZ": zone},
        )
    text = log.read_text(encoding="utf-8", errors="replace")
    assert results.exists(), f"the child told nothing:\n{text[-3000:]}"
    told = json.loads(results.read_text(encoding="utf-8"))
    return ChildOutcome(told["steps"], told["jvm_exit"], text)


def run_beside(
    spark: SparkSession, folder: Path, steps: list[dict[str, str]], conf: dict[str, str]
) -> ChildOutcome:
    """Runs statements as a child would, in a new session of a JVM that is there.

    Args:
        spark: A session of that JVM.
        folder: Its tables lie in `wh`, the event log of the statements in `events`.
        steps: Each {"label", "sql"}.
        conf: Settings of the new session.
    """
    session = spark.newSession()
    for key, value in conf.items():
        session.conf.set(key, value)
    session.sql(f"CREATE DATABASE {folder.name} LOCATION '{folder / 'wh'}'")
    session.sql(f"USE {folder.name}")
    with logged(session, folder / "events"):
        return run_here(session, steps)


def run_here(spark: SparkSession, steps: list[dict[str, Any]]) -> ChildOutcome:
    """Runs statements as a child would, in a session of this process.

    Args:
        spark: The session.
        steps: Each {"label", "sql"}.
    """
    done = [{"label": step["label"], **answer(spark, **step)} for step in steps]
    return ChildOutcome(done, None, "")


def answer(spark: SparkSession, label: str, sql: str) -> dict[str, Any]:
    """The rows of a statement, or its fault; its jobs have the label for a description."""
    try:
        spark.sparkContext.setJobDescription(label)
        frame = spark.sql(sql)
        spark.sparkContext.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]
        return {"rows": [list(row) for row in frame.collect()]}
    except Exception as error:  # noqa: BLE001 - every fault goes back to the asking test
        return {"error": fault_of(error).condition, "text": str(error)[:2000]}
