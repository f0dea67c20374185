"""An executor that dies in the middle of a MERGE takes its shuffle files along; the rows are right."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import layout
from harness.children import run_child
from harness.events import event_log_conf, executions
from harness.invariants import check_table
from harness.java import short_lived

pytestmark = pytest.mark.rotated(third=0)
CREATE = "CREATE TABLE t (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2"
INSERT = "INSERT INTO t SELECT id, 'old' FROM range(600)"
MERGE = (
    "MERGE INTO t USING (SELECT id, concat('new', rand() < 2) v FROM range(300, 900)) s "
    "ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = slow(s.v, 8) WHEN NOT MATCHED THEN INSERT *"
)
SUM = "SELECT v, count(*), sum(id), min(id), max(id) FROM t GROUP BY v ORDER BY v"
EXPECTED = [["newtrue", 600, 359700, 300, 899], ["old", 300, 44850, 0, 299]]
# A block of an executor that is gone is given up after a second, not after a quarter of a minute.
SOON = {"spark.shuffle.io.maxRetries": "1", "spark.shuffle.io.retryWait": "1s"}
# The driver starts the executors, and the child the driver; a third file is a MERGE's.
KILL = (
    "driver=$(pgrep -P $PPID java); (for i in $(seq 600); do sleep 0.05; "
    "[ $(ls wh/t/*.parquet | wc -l) -gt 2 ] && kill -9 $(pgrep -P $driver java | head -1) && exit; "
    "done) >/dev/null 2>&1 &"
)


@pytest.mark.fault("F15")
def test_a_lost_executor_changes_nothing(tmp_path: Path, java_functions: str) -> None:
    conf = event_log_conf(tmp_path / "events") | {
        "spark.master": "local-cluster[2,1,600]",
        "spark.executor.memory": "600m",
        "spark.executor.extraJavaOptions": short_lived(),
        "spark.jars": java_functions,
        **SOON,
    }
    steps = [
        {"label": "create", "sql": CREATE},
        {"label": "insert", "sql": INSERT},
        {"label": "kill", "run": ["sh", "-c", KILL]},
        {"label": "merge", "sql": MERGE},
        {"label": "sum", "sql": SUM},
    ]
    outcome = run_child(tmp_path, steps, conf, {"slow": "hudilite.tests.Slow"})
    assert outcome.rows("merge") == [[600, 300, 0, 300]]
    assert outcome.rows("sum") == EXPECTED
    found = executions(tmp_path / "events")
    tasks = [task for e in found if e.description == "merge" for task in e.tasks]
    lost = [task for task in tasks if task.reason in ("ExecutorLostFailure", "FetchFailed")]
    assert lost, "no task was lost: nothing was tested"
    assert check_table(tmp_path / "wh" / "t") == []
    assert len(layout.latest_slices(tmp_path / "wh" / "t")) == 2
