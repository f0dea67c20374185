"""What a commit costs: a one-row MERGE with and without fsync, and after 10 and 1,000 commits.

Usage: python tests/bench/commit_cost.py [--commits N] [--rounds N] [--folder PATH]

Both kinds of run alternate in one session; ratios are of medians. Seconds depend on the machine and
its load: quote ratios.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.java import compiled
from harness.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVA = Path(__file__).parent / "java"
LAYER = "-Dhudilite.storage.layer=hudilite.tests.WithoutFsync"
FEW, KEYS = 10, 1000


def main() -> None:
    asked = _arguments()
    folder = Path(asked.folder or tempfile.mkdtemp(prefix="commit_cost_"))
    conf = {
        "spark.driver.extraClassPath": compiled(JAVA, folder / "classes"),
        "spark.driver.extraJavaOptions": f"-Duser.timezone=UTC {LAYER}",
    }
    spark = open_session("commit cost", folder / "wh", conf)
    spark.sparkContext.setLogLevel("ERROR")
    jvm: Any = spark._jvm
    layer = jvm.hudilite.tests.WithoutFsync
    for name in ("few", "many"):
        _make(spark, name)
    layer.turn(True)
    for i in range(FEW):
        _merge(spark, "few", i)
    for i in range(max(asked.commits - 2 * asked.rounds, FEW)):
        _merge(spark, "many", i)
    layer.turn(False)
    _print_commits(spark, asked.rounds)
    _print_fsync(spark, layer, asked.rounds)
    spark.stop()


def _print_commits(spark: SparkSession, rounds: int) -> None:
    """Each round goes back to as few commits as it was: the table with few is made anew."""
    taken: dict[str, list[float]] = {"few": [], "many": []}
    for i in range(rounds):
        if i % FEW == 0:
            _make(spark, "few")
            for j in range(FEW):
                _merge(spark, "few", j)
        for name in taken:
            taken[name].append(_merge(spark, name, i))
    numbers = spark.sql("CALL show_timeline('many', 100000)").count()
    for name, seconds in taken.items():
        print(
            f"one-row MERGE, {name} commits ({numbers if name == 'many' else FEW}): {_shown(seconds)}"
        )
    ratio = statistics.median(taken["many"]) / statistics.median(taken["few"])
    print(f"ratio of medians: {ratio:.2f}")


def _print_fsync(spark: SparkSession, layer: Any, rounds: int) -> None:
    _make(spark, "few")
    _merge(spark, "few", 0)
    taken: dict[bool, list[float]] = {True: [], False: []}
    layer.forced()
    for i in range(rounds):
        for without in (True, False) if i % 2 else (False, True):
            layer.turn(without)
            taken[without].append(_merge(spark, "few", i))
    layer.turn(False)
    print(f"one-row MERGE with {layer.forced() / rounds:.0f} fsyncs: {_shown(taken[False])}")
    print(f"the same without fsync: {_shown(taken[True])}")
    ratio = statistics.median(taken[False]) / statistics.median(taken[True])
    print(f"ratio of medians: {ratio:.2f}")


def _make(spark: SparkSession, name: str) -> None:
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    spark.sql(
        f"CREATE TABLE {name} (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4"
    )
    spark.sql(f"INSERT INTO {name} SELECT id, 0 FROM range({KEYS})")


def _merge(spark: SparkSession, name: str, i: int) -> float:
    began = time.perf_counter()
    spark.sql(
        f"MERGE INTO {name} t USING (SELECT {i % KEYS} id, {i} v) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    ).collect()
    return time.perf_counter() - began


def _shown(seconds: list[float]) -> str:
    return f"median {statistics.median(seconds):.3f} s, of {len(seconds)}, least {min(seconds):.3f}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--folder")
    return parser.parse_args()


if __name__ == "__main__":
    main()
