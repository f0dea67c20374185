"""A writing process of a history: main.py <plan>.

Its threads run one statement after another, each in a session of its own, and tell each before it is
asked and after it is answered, in a journal that outlives the JVM.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from harness.faults import fault_of
from harness.phases import AFTER_NUMBER
from harness.session import open_session
from harness.writers.workloads import Statement, choose

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# After these nothing was written: what the messages of the conditions promise.
CLEAN = {
    "HUDILITE_CONCURRENT_WRITE",
    "HUDILITE_WRITE_ROLLED_BACK",
    "HUDILITE_DUPLICATE_KEY",
}


class Journal:
    """Lines of JSON, each on its way to the disk before the next step."""

    def __init__(self, path: Path) -> None:
        self._file, self._lock = path.open("a", encoding="utf-8"), threading.Lock()

    def note(self, event: str, **facts: Any) -> None:
        line = json.dumps({"event": event, "at": time.monotonic_ns(), **facts})
        with self._lock:
            self._file.write(line + "\n")
            self._file.flush()


class Writer:
    """A session that runs statements until it is told to stop, or its JVM is dead."""

    def __init__(self, spark: SparkSession, asked: dict[str, Any], number: int) -> None:
        self.asked, self.number = asked, number
        self.session = spark.newSession()
        self.session.conf.set("spark.hudilite.write.maxRetries", asked["retries"][number])
        self.session.conf.set("spark.hudilite.write.rollbackAfter", asked["rollback_after"])
        gateway: Any = spark.sparkContext._gateway
        self.process = gateway.proc
        self.rng = random.Random(f"{asked['seed']} {asked['name']} {number}")

    def run(self, journal: Journal) -> None:
        ordinal, stop = 0, Path(self.asked["stop"])
        while not stop.exists() and self.process.poll() is None:
            ordinal += 1
            if ordinal == self.asked["halt_at"] and self.number == 0:
                jvm: Any = self.session._jvm
                jvm.hudilite.tests.FaultGate.halt(AFTER_NUMBER)
            id_ = f"{self.asked['name']}.{self.number}.{ordinal}"
            window = (time.monotonic_ns() - self.asked["since"]) // self.asked["window"]
            self._ask(journal, id_, choose(self.rng, self.asked["places"], id_, window))

    def _ask(self, journal: Journal, id_: str, told: Statement) -> None:
        journal.note("asked", id=id_, table=told.table, kind=told.kind, keys=told.keys)
        try:
            rows = self.session.sql(told.sql).collect()
        except Exception as error:  # noqa: BLE001 - the checker judges every kind of failure
            condition = fault_of(error).condition
            event = "fail" if condition in CLEAN else "info"
            if event == "info":
                print(f"{id_}: {error}", file=sys.stderr, flush=True)
            journal.note(event, id=id_, condition="" if self._is_dead(event) else condition)
        else:
            journal.note("ok", id=id_, seen=told.seen(rows))

    def _is_dead(self, event: str) -> bool:
        """Whether there is nobody who could have answered."""
        if event == "info":
            try:
                self.process.wait(timeout=1)
            except subprocess.TimeoutExpired:
                return False
        return event == "info"


def main(plan: Path) -> None:
    asked = json.loads(plan.read_text(encoding="utf-8"))
    spark = open_session("hudilite writer", Path(asked["warehouse"]), asked["conf"])
    spark.sparkContext.setLogLevel("OFF")
    journal = Journal(Path(asked["journal"]))
    writers = [Writer(spark, asked, number) for number in range(len(asked["retries"]))]
    process = writers[0].process
    journal.note("started", pid=process.pid)
    threads = [threading.Thread(target=writer.run, args=(journal,)) for writer in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if process.poll() is None:
        spark.stop()
    journal.note("ended", exit=process.poll())
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
