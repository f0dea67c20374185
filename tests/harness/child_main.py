"""The process behind harness.children: child_main.py <plan> <results>."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import streams
from harness.children import answer
from harness.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def main(plan: Path, results: Path) -> None:
    asked = json.loads(plan.read_text(encoding="utf-8"))
    spark = open_session("hudilite child", Path(asked["warehouse"]), asked["conf"])
    gateway: Any = spark.sparkContext._gateway
    process = gateway.proc
    for name, java_class in asked["udfs"].items():
        spark.udf.registerJavaFunction(name, java_class, "string")
    done: list[dict[str, Any]] = []
    told: dict[str, Any] = {"steps": done, "jvm_exit": None}
    for step in asked["steps"]:
        done.append({"label": step["label"], **_run(spark, step)})
        if "error" in done[-1] and not _answers(spark) and _has_ended(process):
            told["jvm_exit"] = process.returncode
            break
    results.write_text(json.dumps(told, default=str), encoding="utf-8")
    if told["jvm_exit"] is None:
        spark.stop()


def _run(spark: SparkSession, step: dict[str, Any]) -> dict[str, Any]:
    if "swap" in step:
        source, target = step["swap"]
        shutil.rmtree(target)
        shutil.copytree(source, target)
        return {"rows": []}
    if "arm" in step:
        jvm: Any = spark._jvm
        jvm.hudilite.tests.FaultDoor.arm(*step["arm"])
        return {"rows": []}
    if "disarm" in step:
        calls: Any = spark._jvm
        lines = calls.hudilite.tests.FaultDoor.disarm().splitlines()
        return {"rows": [line.split("\t") for line in lines]}
    if "freeze" in step:
        gate: Any = spark._jvm
        gate.hudilite.tests.FaultGate.freeze(step["freeze"])
        return {"rows": []}
    if "run" in step:
        subprocess.run(step["run"], check=True)
        return {"rows": []}
    if "stream" in step:
        return _stream(spark, *step["stream"])
    if "wait" in step:
        time.sleep(step["wait"])
        return {"rows": []}
    return answer(spark, step["label"], step["sql"])


def _stream(
    spark: SparkSession, schema: str, source: str, checkpoint: str, table: str
) -> dict[str, Any]:
    """Streams the JSON files of a folder into the table at a path."""
    rows = spark.readStream.schema(schema).json(source)
    fault = streams.ended(streams.writer(rows, Path(checkpoint)).start(table))
    return {"rows": []} if fault is None else {"error": fault}


def _answers(spark: SparkSession) -> bool:
    """Whether the JVM is there: it is not worth a wait for its end."""
    jvm: Any = spark._jvm
    try:
        return bool(jvm.java.lang.System.nanoTime())
    except Exception:  # noqa: BLE001 - a gateway that is gone fails in several ways
        return False


def _has_ended(process: Any) -> bool:
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        return False
    return True


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
