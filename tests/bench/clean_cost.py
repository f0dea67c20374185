"""What a clean costs: of tables with few and many commits, and what it deletes of each.

Usage: python tests/bench/clean_cost.py [--commits N]

One-row MERGEs make the commits; the clean keeps the last one alone. Seconds depend on the machine:
quote the ratio of seconds to files.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SHARE = 10  # of the commits, in the table with few
CLEAN = (
    "CALL clean(table => '{t}', retain_commits => 1, retain_hours => 0, "
    "allow_short_retention => true)"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=1000)
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="clean_cost_"))
    spark = open_session("clean cost", folder, {"spark.driver.memory": "2g"})
    spark.sparkContext.setLogLevel("ERROR")
    for name, commits in (("warm", 10), ("few", asked.commits // SHARE), ("many", asked.commits)):
        _make(spark, name, commits)
        began = time.perf_counter()
        row = spark.sql(CLEAN.format(t=name)).collect()[0]
        seconds = time.perf_counter() - began
        if name != "warm":
            each = 1000 * seconds / row.files_deleted
            print(
                f"{commits} commits: {row.files_deleted} files in {seconds:.2f} s, {each:.2f} ms a file",
                flush=True,
            )
    spark.stop()
    shutil.rmtree(folder)


def _make(spark: SparkSession, name: str, commits: int) -> None:
    spark.sql(
        f"CREATE TABLE {name} (id BIGINT, v BIGINT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4"
    )
    for n in range(commits):
        spark.sql(
            f"MERGE INTO {name} t USING (SELECT {n % 8}L AS id, {n}L AS v) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )


if __name__ == "__main__":
    main()
