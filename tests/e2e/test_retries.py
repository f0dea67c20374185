"""A task that is retried, or runs twice, gives the same table as one that ran once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness import layout
from harness.children import ChildOutcome, run_child
from harness.cluster import two_hosts
from harness.events import Task, event_log_conf, executions
from harness.invariants import check_table, check_table_settled
from harness.java import short_lived
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    third=0, when=product("spark/write/NewDataFile.scala", "spark/exec/RunningWrite.scala")
)
CREATE = "CREATE TABLE t (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2"
INSERT = "INSERT INTO t SELECT id, 'old' FROM range(4000)"
SUM = "SELECT v, count(*), sum(id), min(id), max(id) FROM t GROUP BY v ORDER BY v"
COUNTS = {
    f"hudilite.metrics.{name}": value
    for name, value in {
        "numFileGroupsTouched": 2,
        "numFileGroups": 2,
        "numFilesOpened": 2,
        "numFilesWritten": 2,
        "numRowsCopied": 1000,
        "numRowsUpdated": 3000,
        "numRowsInserted": 1000,
        "numRowsDeleted": 0,
        "numSourceRowsSkipped": 0,
        "numRetries": 0,
        # 40 row groups before; new keys stand among those of four
        "numRowGroupsCopied": 4,
        "numRowGroupsPartlyCopied": 32,
        "numRowGroupsByColumns": 16,
    }.items()
}
EXPECTED = [["new", 4000, 11998000, 1000, 4999], ["old", 1000, 499500, 0, 999]]


def merge_sql(function: str, argument: str) -> str:
    return (
        "MERGE INTO t USING (SELECT id, 'new' v FROM range(1000, 5000, 1, 3)) s ON t.id = s.id "
        f"WHEN MATCHED THEN UPDATE SET v = {function}(s.v, {argument}) "
        "WHEN NOT MATCHED THEN INSERT *"
    )


def settings(folder: Path, functions: str) -> dict[str, str]:
    return event_log_conf(folder / "events") | {
        "spark.jars": functions,
        "spark.hudilite.write.rowGroupRows": "100",
        "spark.hudilite.write.pageRows": "20",
    }


def disturbed_steps(argument: str) -> list[dict[str, Any]]:
    return [
        {"label": "create", "sql": CREATE},
        {"label": "insert", "sql": INSERT},
        {"label": "merge", "sql": merge_sql("disturbed", argument)},
        {"label": "sum", "sql": SUM},
    ]


def merge_tasks(folder: Path) -> list[Task]:
    return [t for e in executions(folder / "events") if e.description == "merge" for t in e.tasks]


def assert_table(outcome: ChildOutcome, base: Path) -> None:
    assert outcome.rows("merge") == [[4000, 3000, 0, 1000]]
    assert outcome.rows("sum") == EXPECTED
    extra = layout.commit_metadata(base, max(layout.completed(base)))["extraMetadata"]
    counts = {k: int(v) for k, v in extra.items() if k.startswith("hudilite.metrics.num")}
    assert {name: count for name, count in counts.items() if count or name in COUNTS} == COUNTS
    assert check_table(base) == []
    assert len(layout.latest_slices(base)) == 2


@dataclass(frozen=True)
class Attempts:
    """What a process did whose tasks may fail, in its folder."""

    folder: Path
    outcome: ChildOutcome


@pytest.fixture(scope="module")
def attempts(tmp_path_factory: pytest.TempPathFactory, java_functions: str) -> Attempts:
    """Of a statement on `late` one task fails at once; the other, of another bucket, opens its file
    only after that, while the statements on `t` run."""
    late = (
        "MERGE INTO late t USING (SELECT id, 'new' v FROM range(7, 9)) s ON t.id = s.id "
        "WHEN NOT MATCHED AND s.id = 7 THEN INSERT (id, v) VALUES (s.id, slow(s.v, 4000)) "
        "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, raise_error('no'))"
    )
    steps = [
        {"label": "create late", "sql": CREATE.replace(" t ", " late ")},
        {"label": "late merge", "sql": late},
        *disturbed_steps("500"),
        {"label": "wait", "wait": 5},
        {"label": "late insert", "sql": "INSERT INTO late SELECT id, 'later' FROM range(20)"},
        {"label": "late sum", "sql": "SELECT v, count(*) FROM late GROUP BY v ORDER BY v"},
    ]
    folder = tmp_path_factory.mktemp("attempts")
    conf = settings(folder, java_functions) | {"spark.master": "local[2,4]"}
    functions = {"disturbed": "FailFirstAttempt", "slow": "Slow"}
    udfs = {name: f"hudilite.tests.{java_class}" for name, java_class in functions.items()}
    return Attempts(folder, run_child(folder, steps, conf, udfs))


@pytest.mark.fault("F13")
def test_a_retried_task_gives_the_same_table(attempts: Attempts) -> None:
    tasks = merge_tasks(attempts.folder)
    failed = [task for task in tasks if task.reason == "ExceptionFailure"]
    again = {(t.stage, t.index) for t in tasks if t.attempt > 0 and t.reason == "Success"}
    assert failed, "no task failed: nothing was tested"
    assert {(task.stage, task.index) for task in failed} <= again
    assert_table(attempts.outcome, attempts.folder / "wh" / "t")


@pytest.mark.fault("F14")
def test_a_speculative_task_gives_the_same_table(tmp_path: Path, java_functions: str) -> None:
    with two_hosts(tmp_path / "cluster") as master:
        conf = settings(tmp_path, java_functions) | {
            "spark.master": master,
            "spark.executor.extraJavaOptions": short_lived(),
            "spark.executor.memory": "800m",
            "spark.speculation": "true",
            "spark.speculation.interval": "200ms",
            "spark.speculation.multiplier": "1.1",
            "spark.speculation.quantile": "0.1",
            "spark.speculation.efficiency.enabled": "false",
            "spark.sql.shuffle.partitions": "2",
        }
        steps = disturbed_steps("CAST(s.id AS INT)")
        stalls = {"disturbed": "hudilite.tests.StallFirstAttempt"}
        outcome = run_child(tmp_path, steps, conf, stalls)
    tasks = merge_tasks(tmp_path)
    copies = [task for task in tasks if task.speculative and task.reason == "Success"]
    assert copies, "no speculative copy won: nothing was tested"
    assert_table(outcome, tmp_path / "wh" / "t")


@pytest.mark.fault("F13", "F16")
def test_a_task_that_outlives_its_statement_leaves_no_file(attempts: Attempts) -> None:
    failed = next(step for step in attempts.outcome.steps if step["label"] == "late merge")
    assert failed.get("error") == "USER_RAISED_EXCEPTION"
    assert attempts.outcome.rows("late sum") == [["later", 20]]
    assert check_table(attempts.folder / "wh" / "late") == []


def test_no_task_of_a_refused_statement_leaves_a_file(spark: SparkSession, database: Path) -> None:
    """The task of one bucket fails while that of the other opens, writes or closes its file."""
    spark.sql(CREATE)
    insert = "INSERT INTO t SELECT /*+ REPARTITION(3) */ * FROM VALUES {} AS q(id, v)"
    rows = ", ".join(f"({i}, 'v')" for i in range(20))
    for number in range(40):
        with pytest.raises(Exception, match="NULL_KEY"):
            spark.sql(insert.format(f"{rows}, (NULL, 'none {number}')"))
    assert check_table_settled(database / "t") == []
    spark.sql(insert.format(rows))
    assert spark.sql("SELECT count(*) FROM t").collect()[0][0] == 20
