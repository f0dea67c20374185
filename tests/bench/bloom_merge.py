"""A MERGE of 1 % into the newest 5 % of time-ordered keys: a bloom table against a bucket table.

Usage: python tests/bench/bloom_merge.py [--rows N] [--files N] [--rounds N]

Both tables hold the same rows in the same bytes; four in five changes are updates. The rounds take
turns. Seconds depend on the machine: quote the ratio.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import layout
from harness.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROW = (
    "SELECT lpad(CAST({n} AS STRING), 16, '0') id, id n, id % 7 x, md5(CAST(id AS STRING)) v, "
    "CAST(id AS DOUBLE) / 3 d FROM range({begin}, {end})"
)
MERGE = (
    "MERGE INTO {t} t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * "
    "WHEN NOT MATCHED THEN INSERT *"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="bloom_merge_"))
    spark = open_session("bloom merge", folder, {"spark.driver.memory": "6g"})
    spark.sparkContext.setLogLevel("ERROR")
    _tables(spark, folder, asked.rows, asked.files)
    took: dict[str, list[float]] = {"buckets": [], "blooms": []}
    for turn in range(asked.rounds + 1):
        _source(spark, asked.rows, turn)
        for table, seconds in took.items():
            began = time.perf_counter()
            spark.sql(MERGE.format(t=table)).collect()
            seconds.append(time.perf_counter() - began)
    counts = {t: spark.sql(f"SELECT count(*), sum(n) FROM {t}").collect()[0] for t in took}
    assert counts["buckets"] == counts["blooms"], counts
    spark.stop()
    shutil.rmtree(folder)
    buckets, blooms = (statistics.median(seconds[1:]) for seconds in took.values())
    print(f"{asked.rows} rows, {asked.files} files, 1 % in the newest 5 %, {asked.rounds} rounds")
    print(f"  bloom {blooms:.2f} s, buckets {buckets:.2f} s: {blooms / buckets:.2f} x buckets")


def _tables(spark: SparkSession, folder: Path, rows: int, files: int) -> None:
    columns = "(id STRING, n BIGINT, x BIGINT, v STRING, d DOUBLE, PRIMARY KEY (id)) USING hudilite"
    every = ROW.format(n="2 * id", begin=0, end=rows)
    spark.sql(f"CREATE TABLE buckets {columns} WITH BUCKETS {files}")
    spark.sql(f"INSERT INTO buckets {every}")
    sizes = [found.path.stat().st_size for found in layout.latest_slices(folder / "buckets")]
    spark.conf.set("hoodie.parquet.small.file.limit", "0")
    spark.conf.set("hoodie.parquet.max.file.size", str(sum(sizes) // files))
    spark.sql(f"CREATE TABLE blooms {columns}")
    spark.sql(f"INSERT INTO blooms {ROW.format(n='2 * id', begin=0, end=rows // files)}")
    spark.sql(f"INSERT INTO blooms {ROW.format(n='2 * id', begin=rows // files, end=rows)}")
    spark.conf.set("hoodie.parquet.small.file.limit", str(sum(sizes) // files // 2))


def _source(spark: SparkSession, rows: int, turn: int) -> None:
    """1 % of the rows: four in five among the newest 5 %, the others new."""
    count, begin = rows // 100, rows - rows // 20
    updated = ROW.format(n=f"(2 * ({begin} + id * 6))", begin=0, end=count * 4 // 5)
    new = ROW.format(
        n=f"(2 * ({begin} + id * 20 + {turn}) + 1)", begin=0, end=count - count * 4 // 5
    )
    spark.sql(f"CREATE OR REPLACE TEMP VIEW s AS {updated} UNION ALL {new}")


if __name__ == "__main__":
    main()
