"""A MERGE on two executors, one of which gets SIGKILL while both write data files."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from harness.children import ChildOutcome, run_child
from harness.events import Task, event_log_conf, executions
from harness.java import short_lived
from harness.remote import Place

CREATE = (
    "CREATE TABLE t (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 "
    "LOCATION '{}'"
)
INSERT = "INSERT INTO t SELECT id, 'old' FROM range(600)"
MERGE = (
    "MERGE INTO t USING (SELECT id, concat('new', rand() < 2) v FROM range(300, 900)) s "
    "ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = slow(s.v, 8) WHEN NOT MATCHED THEN INSERT *"
)
SUM = "SELECT v, count(*), sum(id), min(id), max(id) FROM t GROUP BY v ORDER BY v"
MERGED = [[600, 300, 0, 300]]
EXPECTED = [["newtrue", 600, 359700, 300, 899], ["old", 300, 44850, 0, 299]]
VERIFY = "CALL verify(table => 't', level => 'rows')"
# A data file is marked before its first row is written, and so until the statement commits.
MARKED = ".hoodie/.temp/*/*.marker.*"
# A block of an executor that is gone is given up after a second, not after a quarter of a minute.
SOON = {"spark.shuffle.io.maxRetries": "1", "spark.shuffle.io.retryWait": "1s"}


def merge_with_a_lost_executor(place: Place, folder: Path, functions: str) -> ChildOutcome:
    """Creates a table, fills it, and merges into it while an executor dies.

    Args:
        place: Of the table.
        folder: Of the process; the event log lies in `events`.
        functions: Jar with the function `slow`.

    Returns:
        the rows of the statements, labelled merge, sum and verify
    """
    driver = folder / "driver"
    driver_is = f"pgrep -P $PPID java >{driver}.new && mv {driver}.new {driver}"
    steps: list[dict[str, Any]] = [
        {"label": "create", "sql": CREATE.format(place.location)},
        {"label": "insert", "sql": INSERT},
        {"label": "driver", "run": ["sh", "-c", driver_is]},
        {"label": "merge", "sql": MERGE},
        {"label": "sum", "sql": SUM},
        {"label": "verify", "sql": VERIFY},
    ]
    jars = filter(None, (place.conf.get("spark.jars"), functions))
    conf = place.conf | event_log_conf(folder / "events") | SOON
    conf |= {
        "spark.master": "local-cluster[2,1,600]",
        "spark.executor.memory": "600m",
        "spark.executor.extraJavaOptions": short_lived(),
        "spark.jars": ",".join(jars),
    }
    ended = threading.Event()
    with ThreadPoolExecutor(1) as side:
        killing = side.submit(_kill, driver, place, ended)
        try:
            outcome = run_child(folder, steps, conf, {"slow": "hudilite.tests.Slow"})
        finally:
            ended.set()
        killing.result()
    return outcome


def lost_tasks(folder: Path) -> list[Task]:
    """Tasks of the MERGE that were lost with their executor, by the event log in a folder."""
    merges = [one for one in executions(folder) if one.description == "merge"]
    tasks = [task for one in merges for task in one.tasks]
    return [task for task in tasks if task.reason in ("ExecutorLostFailure", "FetchFailed")]


def _kill(driver: Path, place: Place, ended: threading.Event) -> None:
    """Kills an executor, a child of the driver, when the first data file of the MERGE is marked."""
    while not ended.is_set():
        if driver.exists() and place.count(MARKED) > 0:
            parent = driver.read_text(encoding="utf-8").strip()
            found = subprocess.run(
                ["pgrep", "-P", parent, "java"], capture_output=True, text=True, check=True
            )
            os.kill(int(found.stdout.split()[0]), signal.SIGKILL)
            return
        time.sleep(0.05)
