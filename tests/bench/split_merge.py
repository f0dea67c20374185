"""A MERGE into a table of which one bucket has half of the rows: that bucket by one task, and by several.

Usage: python tests/bench/split_merge.py [--rows N] [--rounds N] [--master M] [--limit BYTES] [--folder PATH]

Both kinds of run alternate in one session of four executors. Fails unless the tables are equal after each
round. Seconds depend on the machine and its cores: quote ratios.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import layout
from harness.session import SPLIT_ABOVE, open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# A key (g, k) whose bucket is that of g: every second row has g = 0.
COLUMNS = "g INT, k BIGINT, n BIGINT, d DOUBLE, s STRING, t STRING, flag STRING, PRIMARY KEY (g, k)"
ROWS = (
    "SELECT CAST(IF(id % 2 = 0, 0, 1 + id % 97) AS INT) g, id k, id * 31 + {salt} n, "
    "CAST(id AS DOUBLE) / 7 d, sha1(concat('{salt}', id)) s, concat('text ', id % 1000) t, "
    "IF(id % 3 = 0, 'open', 'done') flag FROM range({rows})"
)
SUMS = "SELECT count(*), sum(xxhash64(g, k, n, d, s, t, flag) & 4294967295) FROM {}"
MERGES = {"every row": "id >= 0", "a tenth of the rows": "id % 20 IN (0, 7)"}


def main() -> None:
    asked = _arguments()
    folder = Path(asked.folder or tempfile.mkdtemp(prefix="split_merge_"))
    conf = {
        "spark.master": asked.master,
        "spark.executor.memory": "1024m",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "8",
        "spark.local.dir": str(folder / "local"),
    }
    spark = open_session("split merge", folder / "wh", conf)
    spark.sparkContext.setLogLevel("ERROR")
    for table in ("whole", "split"):
        spark.sql(f"CREATE TABLE {table} ({COLUMNS}) USING hudilite WITH BUCKETS 8 ON (g)")
        spark.sql(f"INSERT INTO {table} {ROWS.format(salt=0, rows=asked.rows)}")
    sizes = [of.path.stat().st_size for of in layout.latest_slices(folder / "wh" / "split")]
    print(f"largest file: {max(sizes) / 1e6:.0f} MB of {sum(sizes) / 1e6:.0f}", flush=True)
    limits = {"whole": "1000g", "split": asked.limit or str(max(sizes) - 1)}
    for name, condition in MERGES.items():
        seconds: dict[str, list[float]] = {"whole": [], "split": []}
        for number in range(asked.rounds + 1):
            source = f"{ROWS.format(salt=number + 1, rows=asked.rows)} WHERE {condition}"
            for table, taken in seconds.items():
                spark.conf.set(SPLIT_ABOVE, limits[table])
                taken.append(_merge(spark, table, source))
            assert len({str(spark.sql(SUMS.format(of)).collect()) for of in seconds}) == 1
        whole, split = (statistics.median(taken[1:]) for taken in seconds.values())
        shown = {table: [round(s, 1) for s in taken[1:]] for table, taken in seconds.items()}
        print(f"{name}: {shown}, split / whole {split / whole:.2f}", flush=True)
    spark.stop()


def _merge(spark: SparkSession, table: str, source: str) -> float:
    began = time.perf_counter()
    spark.sql(
        f"MERGE INTO {table} t USING ({source}) s ON t.g = s.g AND t.k = s.k "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    ).collect()
    return time.perf_counter() - began


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--master", default="local-cluster[4,1,1024]")
    parser.add_argument("--limit", help="bytes; as a default just less than the largest file has")
    parser.add_argument("--folder")
    return parser.parse_args()


if __name__ == "__main__":
    main()
