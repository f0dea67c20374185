"""What statements cost in a table of a million files: seconds, storage calls, heap.

Usage: python tests/bench/table_size.py [--files N] [--partitions N] [--commits N] [--memory 512m]
                                        [--folder PATH]

The table consists of links and generated metadata (tests/harness/padding.py). Each statement runs twice
in a process that has not seen the table before: the first time it reads the commits. EXPLAIN of a MERGE
takes the time of its planning. The heap is the peak of the statement, garbage included, and what
is left after a collection; the process fails if it needs more than --memory. Seconds depend on the machine.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.java import FAULTS, LAYER, kept
from harness.padding import Size, pad
from harness.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = "SELECT id, concat('p', id % 3) p, 'v' v FROM range({})"
MERGE = (
    f"MERGE INTO {{}} t USING ({ROWS}) s ON t.id = s.id AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET v = 'w' WHEN NOT MATCHED THEN INSERT *"
)
COLUMNS = "(id BIGINT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)"
MEGABYTE = 1e6


def main() -> None:
    asked = _arguments()
    folder = Path(asked.folder or tempfile.mkdtemp(prefix="table_size_"))
    base = folder / "t"
    groups = asked.files // asked.partitions
    if not base.exists():
        spark = _session(folder, asked.memory)
        spark.sql(f"CREATE TABLE t {COLUMNS} WITH BUCKETS {groups} LOCATION '{base}'")
        spark.sql(f"INSERT INTO t {ROWS.format(3000)}")
        began = time.perf_counter()
        pad(base, Size(asked.partitions, groups, asked.commits))
        print(f"generated in {time.perf_counter() - began:.0f} s", flush=True)
        spark.stop()
    spark = _session(folder / "measured", asked.memory)
    _warm_up(spark)
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{base}'")
    for label, sql in _statements(base).items():
        for turn in ("first", "again"):
            _measure(spark, f"{label}, {turn}", sql)
    spark.stop()


def _statements(base: Path) -> dict[str, str]:
    count = "SELECT count(v), sum(id) FROM {} WHERE p = 'p1'"
    clean = "retain_commits => 1, retain_hours => 0, allow_short_retention => true, dry_run => true"
    return {
        "plan of a MERGE into one partition": f"EXPLAIN {MERGE.format('t', 1)}",
        "SELECT of one partition": count.format("t"),
        "SELECT of one partition by path": count.format(f"hudilite.`{base}`"),
        "MERGE into one partition": MERGE.format("t", 1),
        "MERGE into three partitions": MERGE.format("t", 300),
        "CALL show_timeline": "CALL show_timeline('t')",
        "CALL clean, dry run": f"CALL clean(table => 't', {clean})",
        "CALL verify of metadata": "CALL verify(table => 't', level => 'meta')",
        "CALL archive": "CALL archive(table => 't')",
        "plan of a MERGE after the archival": f"EXPLAIN {MERGE.format('t', 1)}",
        "MERGE after the archival": MERGE.format("t", 1),
    }


def _session(folder: Path, memory: str) -> SparkSession:
    os.environ["SPARK_DIST_CLASSPATH"] = str(kept(FAULTS))
    conf = {
        "spark.driver.memory": memory,
        "spark.driver.extraJavaOptions": f"-Duser.timezone=UTC {LAYER}",
        "spark.hadoop.fs.file.impl": "hudilite.tests.FaultFileSystem",
    }
    spark = open_session("table size", folder / "wh", conf)
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _warm_up(spark: SparkSession) -> None:
    """Runs the statements in a small table: no measured one is the first of its kind."""
    spark.sql(f"CREATE TABLE warm {COLUMNS} WITH BUCKETS 4")
    for _ in range(3):
        spark.sql(MERGE.format("warm", 300)).collect()
        spark.sql("SELECT count(v), sum(id) FROM warm WHERE p = 'p1'").collect()


def _measure(spark: SparkSession, label: str, sql: str) -> None:
    jvm: Any = spark._jvm
    beans: Any = jvm.java.lang.management.ManagementFactory
    pools = [p for p in beans.getMemoryPoolMXBeans() if str(p.getType()) == "Heap memory"]
    jvm.java.lang.System.gc()
    for pool in pools:
        pool.resetPeakUsage()
    jvm.hudilite.tests.FaultDoor.arm("/t/", "")
    began = time.perf_counter()
    spark.sql(sql).collect()
    seconds = time.perf_counter() - began
    peak = sum(pool.getPeakUsage().getUsed() for pool in pools) / MEGABYTE
    lines = jvm.hudilite.tests.FaultDoor.disarm().splitlines()
    calls = Counter(line.split("\t")[2] for line in lines)
    jvm.java.lang.System.gc()
    left = beans.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MEGABYTE
    shown = ", ".join(f"{name} {count}" for name, count in sorted(calls.items()))
    print(f"{label}: {seconds:.2f} s, heap {peak:.0f} MB ({left:.0f} left), {shown}", flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--partitions", type=int, default=10_000)
    parser.add_argument("--commits", type=int, default=100_000)
    parser.add_argument("--memory", default="512m")
    parser.add_argument("--folder")
    return parser.parse_args()


if __name__ == "__main__":
    main()
