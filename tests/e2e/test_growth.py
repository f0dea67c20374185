"""What a MERGE costs, in counts that hold on any machine, and that it does not grow with the table.

The laws: files opened = file groups touched; listings = twice the partitions touched, because executors
look for file slices and the driver for files of lost attempts; jobs <= 3; bytes shuffled <= 1.2 x the
serialized source; tasks <= file groups touched + tasks of the source. Calls are counted by the file system
and the storage of the tests, the rest by Spark's event log.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest

from harness.children import run_child
from harness.events import Execution, event_log_conf, executions
from harness.java import LAYER
from harness.rotation import product

pytestmark = pytest.mark.rotated(third=2, when=product("core/view/", "spark/exec/", "spark/merge/"))
EACH = 8000  # rows a partition
SIZES = {"1x": 2, "8x": 16}  # partitions
KINDS = {"buckets": "WITH BUCKETS 4", "bloom": ""}
COLUMNS = "(id BIGINT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)"
ROWS = f"SELECT id, concat('p', id div {EACH}) p, sha(CAST(id AS STRING)) v FROM range"
MERGE = (
    "MERGE INTO {} t USING {} s ON t.id = s.id AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)
# Rows of two partitions; few rows of one, as only a run tells; few rows, as the plan tells.
SOURCES = {
    "many": "many",
    "few": "few",
    "limited": f"({ROWS}(0, {EACH}) ORDER BY id LIMIT 100)",
}


@dataclass(frozen=True)
class Cost:
    """What one MERGE costs.

    Args:
        opened: Base files.
        opens: How often each of them is opened.
        partitions: Of the table, that are listed.
        listings: Of them.
        jobs: Of Spark.
        tasks: Of each stage.
    """

    opened: int
    opens: set[int]
    partitions: int
    listings: int
    jobs: int
    tasks: list[int]


# Where a law is missed the number stands beside it. Where keys are looked up a file is opened for that,
# and once more to be merged.
COSTS = {
    ("buckets", "many"): Cost(8, {1}, 2, listings=4, jobs=2, tasks=[2, 8]),
    # tasks: one more, that hands the exchanged rows to the driver
    ("buckets", "few"): Cost(3, {1}, 1, listings=2, jobs=3, tasks=[2, 1, 3]),
    ("buckets", "limited"): Cost(4, {1}, 1, listings=2, jobs=2, tasks=[2, 1, 4]),
    # jobs, tasks: the look-up is jobs of its own
    ("bloom", "many"): Cost(2, {2}, 2, listings=4, jobs=5, tasks=[2, 8, 1, 8, 8, 8]),
    ("bloom", "few"): Cost(1, {2}, 1, listings=2, jobs=6, tasks=[2, 1, 1, 1, 1, 1, 1]),
    ("bloom", "limited"): Cost(1, {2}, 1, listings=2, jobs=5, tasks=[2, 1, 1, 1, 1, 1, 1]),
}


@dataclass(frozen=True)
class Seen:
    """What one MERGE did."""

    execution: Execution
    calls: list[list[str]]

    def of(self, operation: str, *where: str) -> Counter[str]:
        """How often each path that holds the texts met an operation."""
        called = (path for _, _, name, path, *_ in self.calls if name == operation)
        return Counter(path for path in called if all(text in path for text in where))

    @property
    def cost(self) -> Cost:
        made = self.of("create", ".parquet")
        opened = Counter({p: n for p, n in self.of("open", ".parquet").items() if p not in made})
        listed = self.of("list", "/p=p")
        tasks = Counter(t.stage for t in self.execution.tasks if t.reason == "Success")
        return Cost(
            len(opened),
            set(opened.values()),
            len(listed),
            sum(listed.values()),
            len(self.execution.jobs),
            [tasks[stage] for stage in sorted(tasks)],
        )

    @property
    def operations(self) -> Counter[tuple[str, bool]]:
        """How often the driver, and tasks, have called what."""
        return Counter((call[2], call[1].startswith("Executor task")) for call in self.calls)


@dataclass(frozen=True)
class Run:
    """Every MERGE by kind, source and size, and the source's bytes."""

    merges: dict[tuple[str, str, str], Seen]
    source_bytes: int


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, fault_classes: str) -> Run:
    folder = tmp_path_factory.mktemp("growth")
    several = f"CREATE TABLE many USING parquet AS {ROWS}(0, {2 * EACH}) WHERE id % 4 > 0"
    texts = {
        "many": several,
        "few": f"CREATE TABLE few USING parquet AS {ROWS}(1, 4)",
        "source": "CREATE TABLE r USING parquet AS SELECT /*+ REPARTITION(4, id) */ * FROM many",
    }
    steps = [{"label": label, "sql": sql} for label, sql in texts.items()]
    keys = []
    for kind, clause in KINDS.items():
        for size, partitions in SIZES.items():
            name = f"{kind}_{size}"
            steps += [
                {"label": "create", "sql": f"CREATE TABLE {name} {COLUMNS} {clause}"},
                {"label": "insert", "sql": f"INSERT INTO {name} {ROWS}({partitions * EACH})"},
            ]
            for source, rows in SOURCES.items():
                keys.append((kind, source, size))
                label = " ".join(keys[-1])
                steps += [
                    {"label": "arm", "arm": [f"/wh/{name}/", ""]},  # type: ignore[dict-item]
                    {"label": label, "sql": MERGE.format(name, rows)},
                    {"label": f"calls of {label}", "disarm": True},  # type: ignore[dict-item]
                ]
    conf = event_log_conf(folder / "events") | {
        "spark.driver.extraJavaOptions": f"-Duser.timezone=UTC {LAYER}",
        "spark.hadoop.fs.file.impl": "hudilite.tests.FaultFileSystem",
        "spark.sql.shuffle.partitions": "8",
    }
    outcome = run_child(folder, steps, conf)
    found = {e.description: e for e in executions(folder / "events")}
    merges = {
        key: Seen(found[" ".join(key)], outcome.rows(f"calls of {' '.join(key)}")) for key in keys
    }
    return Run(merges, found["source"].shuffle_bytes)


@pytest.mark.parametrize(("kind", "source"), COSTS)
def test_a_merge_costs_what_it_touches(run: Run, kind: str, source: str) -> None:
    assert run.merges[kind, source, "1x"].cost == COSTS[kind, source]


@pytest.mark.parametrize(("kind", "source"), COSTS)
def test_no_cost_grows_with_the_table(run: Run, kind: str, source: str) -> None:
    small, large = (run.merges[kind, source, size] for size in SIZES)
    assert small.cost == large.cost
    assert small.operations == large.operations
    shuffled = small.execution.shuffle_bytes
    assert large.execution.shuffle_bytes == pytest.approx(shuffled, rel=0.01)


def test_a_merge_by_buckets_shuffles_the_source_and_no_more(run: Run) -> None:
    assert run.source_bytes > 500_000
    shuffled = run.merges["buckets", "many", "1x"].execution.shuffle_bytes
    assert 0.8 < shuffled / run.source_bytes <= 1.2


def test_a_merge_by_bloom_filters_shuffles_the_source_twice_with_its_keys(run: Run) -> None:
    """Misses the law: once to look keys up, once more by file group."""
    shuffled = run.merges["bloom", "many", "1x"].execution.shuffle_bytes
    assert 2 < shuffled / run.source_bytes <= 2.5
