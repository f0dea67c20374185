"""Load and MERGE of one bucket of some gigabytes in an executor of two.

Usage: python tests/bench/large_bucket.py [--rows N] [--memory 2g] [--folder PATH]

Fails unless the rows are right after each step; prints the bytes of the base file and the seconds.
45 million rows are about 4 GB.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import layout
from harness.session import open_session
from tables import t1

UPSERT = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"


def main() -> None:
    asked = _arguments()
    rows = asked.rows
    folder = Path(asked.folder or tempfile.mkdtemp(prefix="large_bucket_"))
    conf = {
        "spark.master": "local-cluster[1,1,8192]",
        "spark.executor.memory": asked.memory,
        "spark.driver.memory": "1g",
        "spark.local.dir": str(folder / "local"),
    }
    spark = open_session("large bucket", folder / "wh", conf)
    spark.sparkContext.setLogLevel("ERROR")
    spark.sql(t1.create_sql("t", 1))
    hundredth = f"{t1.rows_sql(0, rows, salt=1)} WHERE id % 100 = 0"
    newest = f"{t1.rows_sql(0, rows, salt=2)} WHERE id % 100 = 0 AND id < 1000"
    for label, sql in {
        "load": f"INSERT INTO t {t1.rows_sql(0, rows)}",
        "MERGE of a hundredth": f"MERGE INTO t USING ({hundredth}) s ON t.k = s.k {UPSERT}",
        "MERGE of ten rows": f"MERGE INTO t USING ({newest}) s ON t.k = s.k {UPSERT}",
        "UPDATE of a column": "UPDATE t SET flag = 'late' WHERE l1 % 4 = 0",
    }.items():
        began = time.perf_counter()
        spark.sql(sql).collect()
        seconds = time.perf_counter() - began
        [file] = layout.latest_slices(folder / "wh" / "t")
        gigabytes = file.path.stat().st_size / 1e9
        read = spark.sql("SELECT count(*), sum(l1) FROM t").collect()
        assert [tuple(row) for row in read] == [(rows, rows * (rows - 1) // 2)], read
        print(f"{label}: {seconds:.1f} s, {gigabytes:.2f} GB", flush=True)
    spark.stop()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=45_000_000)
    parser.add_argument("--memory", default="2g")
    parser.add_argument("--folder")
    return parser.parse_args()


if __name__ == "__main__":
    main()
