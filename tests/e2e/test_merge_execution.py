"""What one MERGE costs, seen by a listener: executions, jobs, shuffle, and its plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.children import run_beside
from harness.events import Execution, executions
from harness.rotation import product
from tables import t1

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=0, when=product("spark/exec/", "spark/merge/"))

ROWS = 60_000
SOURCE = t1.rows_sql(ROWS // 2, ROWS * 3 // 2, salt=1)
SMALL = t1.rows_sql(30_000, 30_100, salt=2)
MERGE = (
    "MERGE INTO t USING s ON t.k = s.k WHEN MATCHED AND s.d1 < 0 THEN DELETE "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)
TARGET_ABOVE = ("Exchange", "Sort", "Join")


@pytest.fixture(scope="module")
def merges(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Execution]]:
    folder = tmp_path_factory.mktemp("listened")
    steps = [
        {"label": "create", "sql": t1.create_sql("t", 8)},
        {"label": "insert", "sql": f"INSERT INTO t {t1.rows_sql(0, ROWS)}"},
        {
            "label": "source",
            "sql": f"CREATE TABLE s USING parquet AS {SOURCE}",
        },
        {
            "label": "limit",
            "sql": "CREATE TABLE r USING parquet AS SELECT /*+ REPARTITION(4, k) */ * FROM s",
        },
        {"label": "merge", "sql": MERGE},
        {
            "label": "small merge",
            "sql": MERGE.replace("USING s", f"USING ({SMALL}) s"),
        },
        {"label": "count", "sql": "SELECT count(*), sum(l1) FROM t"},
        {"label": "keys", "sql": "DELETE FROM t WHERE k IN (SELECT k FROM s WHERE l1 % 4 = 0)"},
    ]
    outcome = run_beside(spark, folder, steps, {"spark.sql.shuffle.partitions": "200"})
    assert outcome.rows("merge") == [[ROWS, ROWS // 2, 0, ROWS // 2]]
    assert outcome.rows("small merge") == [[100, 100, 0, 0]]
    assert outcome.rows("count") == [[ROWS * 3 // 2, sum(range(ROWS * 3 // 2))]]
    found = executions(folder / "events")
    return {
        label: [e for e in found if e.description == label] for label in [s["label"] for s in steps]
    }


@pytest.mark.parametrize("label", ["merge", "small merge"])
def test_a_merge_is_one_execution_of_at_most_three_jobs(merges, label: str) -> None:
    assert len(merges[label]) == 1
    assert 1 <= len(merges[label][0].jobs) <= 3


def test_a_merge_shuffles_at_most_its_source(merges) -> None:
    source = sum(execution.shuffle_bytes for execution in merges["limit"])
    assert source > 500_000
    assert 0 < merges["merge"][0].shuffle_bytes <= 1.2 * source


@pytest.mark.parametrize("label", ["merge", "small merge", "insert"])
def test_nothing_moves_the_target(merges, label: str) -> None:
    nodes = list(merges[label][0].nodes())
    names = [name for name, _ in nodes]
    for operator in ("CommitWrite", "MergeFileGroups", "TagRows"):
        assert sum(name.startswith(operator) for name in names) == 1, names
    above = next(a for name, a in nodes if name.startswith("MergeFileGroups"))
    assert not [name for name in above if any(word in name for word in TARGET_ABOVE)]
    scans = [
        (name, a) for name, a in nodes if "hudilite" in name.lower() or name.startswith("BatchScan")
    ]
    assert not scans, f"the target is read by a scan of the plan: {scans}"
    assert sum("Exchange" in name for name in names) <= 1, names


def test_a_small_source_is_not_exchanged(merges) -> None:
    assert merges["small merge"][0].shuffle_bytes == 0


def test_narrow_keys_still_give_every_core_file_groups_to_merge(merges) -> None:
    """The bytes of the source say nothing of the work: no tasks are joined on their account."""
    (deletion,) = merges["keys"]
    assert not [name for name, _ in deletion.nodes() if "BatchScan" in name or "Join" in name]
    last = max(task.stage for task in deletion.tasks)
    merging = {t.index for t in deletion.tasks if t.stage == last and t.reason == "Success"}
    assert merging == set(range(8))
