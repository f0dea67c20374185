"""A load, a bootstrap and MERGEs, run by one process or by executors: the tables must be the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.children import ChildOutcome, run_child
from harness.java import short_lived
from tables import t1

BUCKETS, FILES = 16, 8
CLAUSES = (
    "WHEN MATCHED AND s.l1 % 16 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET * "
    "WHEN NOT MATCHED THEN INSERT *"
)
SUMS = (
    "SELECT count(*), count(DISTINCT k), sum(xxhash64(k, l1, l2, l3, d1, d2, day, at, s1, s2, s3, "
    "flag) & 4294967295), count_if(_hoodie_record_key = k) FROM {}"
)
# With buckets, without, and over the files of a source.
TABLES = ("b", "plain", "adopted")
# The one process has as much heap as the executors together.
LOCAL = ("local[4]", {"spark.driver.memory": "8g"})
EXECUTORS = ("local-cluster[4,1,2048]", {"spark.executor.memory": "2048m"})


def run(folder: Path, setting: tuple[str, dict[str, str]], rows: int, seconds: int) -> ChildOutcome:
    """Makes the tables of `TABLES`.

    Args:
        folder: The tables lie in `child/wh`.
        setting: `LOCAL` or `EXECUTORS`.
        rows: Of each load; each MERGE has three sixteenths as many.
        seconds: After which the run counts as hung.

    Returns:
        for each table the rows of the steps `merge`, `sums` and `verify`
    """
    master, conf = setting
    conf = conf | {
        "spark.master": master,
        "spark.default.parallelism": "4",
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.leafNodeDefaultParallelism": "4",
        "spark.executor.extraJavaOptions": short_lived() if rows < 1_000_000 else "",
    }
    outcome = run_child(folder / "child", _steps(folder, rows), conf, timeout=seconds)
    for step in outcome.steps:
        assert "error" not in step, step
    return outcome


def _steps(folder: Path, rows: int) -> list[dict[str, Any]]:
    loaded = t1.rows_sql(0, rows)
    changes = f"{t1.rows_sql(rows // 2, rows + rows // 4, salt=1)} WHERE id % 4 = 0"
    source = folder / "source"
    made = {
        "create b": t1.create_sql("b", BUCKETS),
        "create plain": t1.create_sql("plain", BUCKETS).partition(" WITH BUCKETS")[0],
        "load b": f"INSERT INTO b {loaded}",
        "load plain": f"INSERT INTO plain {loaded}",
        "source": f"CREATE TABLE source USING parquet LOCATION '{source}' AS "
        f"SELECT /*+ REPARTITION({FILES}, l1) */ * FROM ({loaded})",
        "bootstrap": f"CALL bootstrap(table => 'adopted', source => '{source}', key => 'k')",
    }
    for table in TABLES:
        made |= {
            f"merge {table}": f"MERGE INTO {table} t USING ({changes}) s ON t.k = s.k {CLAUSES}",
            f"sums {table}": SUMS.format(table),
            f"verify {table}": f"CALL verify(table => '{table}', level => 'rows')",
        }
    return [{"label": label, "sql": sql} for label, sql in made.items()]
