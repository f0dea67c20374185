"""A MERGE of a quarter of a large table's rows through a driver of 2 GB.

Usage: python tests/bench/large_merge.py [--rows N] [--folder PATH]

Fails unless the counts and the sums after it are right; prints the seconds and the heap's peak.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.session import open_session
from tables import t1

BUCKETS = 32
MEMORY = "2g"


def main() -> None:
    asked = _arguments()
    rows = asked.rows
    folder = Path(asked.folder or tempfile.mkdtemp(prefix="large_merge_"))
    spark = open_session("large merge", folder / "wh", {"spark.driver.memory": MEMORY})
    spark.sparkContext.setLogLevel("ERROR")
    jvm: Any = spark.sparkContext._jvm
    heap = jvm.java.lang.Runtime.getRuntime().maxMemory()
    assert heap <= 2 * 1024**3, f"the heap has {heap} bytes, more than {MEMORY}"
    spark.sql(t1.create_sql("t", BUCKETS))
    spark.sql(f"INSERT INTO t {t1.rows_sql(0, rows)}")
    quarter = f"{t1.rows_sql(0, rows, salt=1)} WHERE id % 4 = 0"
    began = time.perf_counter()
    answer = spark.sql(
        f"MERGE INTO t USING ({quarter}) s ON t.k = s.k "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    ).collect()
    seconds = time.perf_counter() - began
    changed = (rows + 3) // 4
    assert [tuple(row) for row in answer] == [(changed, changed, 0, 0)], answer
    read = spark.sql("SELECT count(*), sum(l1) FROM t").collect()
    assert [tuple(row) for row in read] == [(rows, rows * (rows - 1) // 2)], read
    print(f"{rows} rows, {changed} merged in {seconds:.1f} s, heap {heap / 1024**3:.2f} GB at most")
    spark.stop()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=12_000_000)
    parser.add_argument("--folder")
    return parser.parse_args()


if __name__ == "__main__":
    main()
