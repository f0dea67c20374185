"""Costs of table versions 6 and 9: a MERGE of 1 %, a commit after many commits, upgrade, downgrade, a kept list of files.

Usage: python tests/bench/table_versions.py [--rows N] [--rounds N] [--commits N] [--parts merge,commits,change,kept]
                                            [--folder PATH]

merge: the two versions take turns with the same rows; ratio of medians, version 9 over 6.
commits: plan and commit of a one-row MERGE in a table with archival behind commits, whose files come from
--commits commits, against one whose files come from 10, in turns, for each version. The commits are generated
(tests/harness/padding.py), the longer history is archived by CALL archive.
change: seconds of upgrade_table and downgrade_table of a table with --commits active commits.
kept: a one-row MERGE in a table of version 9 that keeps the list of files in its metadata table, against one
without a metadata table, in turns; fewer than 48 --rounds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import layout
from harness.padding import Size, pad
from harness.session import open_session
from tables import kept, upgraded

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VERSIONS = (6, 9)
FEW, KEYS = 10, 1000
PARTITIONS, GROUPS = 2500, 4  # of the generated commits: a file each where there are 10,000
ARCHIVAL = "'hoodie.archive.automatic' = 'true'"
STEP = 99_991  # a prime: the changed keys of a round lie all over the table


def main() -> None:
    asked = _arguments()
    folder = Path(asked.folder or tempfile.mkdtemp(prefix="table_versions_"))
    spark = open_session("table versions", folder / "wh")
    spark.sparkContext.setLogLevel("ERROR")
    parts: dict[str, Callable[[], None]] = {
        "merge": lambda: _merges(spark, asked.rows, asked.rounds),
        "commits": lambda: _commits(spark, folder / "wh", asked.commits, asked.rounds),
        "change": lambda: _changes(spark, asked.commits),
        "kept": lambda: _kept(spark, folder / "wh", asked.rounds),
    }
    for part in asked.parts.split(","):
        parts[part]()
    spark.stop()


def _merges(spark: SparkSession, rows: int, rounds: int) -> None:
    for version in VERSIONS:
        name = f"merged_{version}"
        _create(spark, name, version, buckets=16)
        spark.sql(f"INSERT INTO {name} SELECT id, hash(id) v, 'p' p FROM range({rows})")
    taken: dict[int, list[float]] = {version: [] for version in VERSIONS}
    for i in range(rounds + 2):
        changed = f"SELECT (id * {STEP} + {i}) % {rows} id, {i} v, 'p' p FROM range({rows // 100})"
        for version in VERSIONS if i % 2 else reversed(VERSIONS):
            seconds = _timed(spark, f"merged_{version}", f"(SELECT DISTINCT * FROM ({changed}))")
            if i > 1:  # the first two warm up
                taken[version].append(seconds)
    _print_ratio(f"MERGE of 1 % of {rows} rows", "version 9", taken[9], "version 6", taken[6])


def _commits(spark: SparkSession, warehouse: Path, commits: int, rounds: int) -> None:
    def table(name: str, version: int, commits: int) -> None:
        _create(spark, name, 6, buckets=GROUPS, facts=ARCHIVAL)
        spark.sql(f"INSERT INTO {name} SELECT id, 0 v, 'p' p FROM range({KEYS})")
        pad(warehouse / name, Size(PARTITIONS, GROUPS, commits))
        if version != 6:
            spark.sql(f"CALL upgrade_table(table => '{name}', version => {version})").collect()

    for version in VERSIONS:
        table(f"many_{version}", version, commits)
        began = time.perf_counter()
        spark.sql(f"CALL archive(table => 'many_{version}')").collect()
        print(f"archive, {commits} commits: {time.perf_counter() - began:.1f} s", flush=True)
        taken: dict[str, list[float]] = {"few": [], "many": []}
        for i in range(rounds + 2):
            if i % FEW == 0:
                table(f"few_{version}", version, FEW)
            for name, seconds in taken.items():
                one = _one_row(spark, f"{name}_{version}", i)
                if i > 1:  # the first two warm up
                    seconds.append(one)
        words = f"one-row MERGE, version {version}"
        _print_ratio(words, f"{commits} commits", taken["many"], f"{FEW} commits", taken["few"])


def _changes(spark: SparkSession, commits: int) -> None:
    _create(spark, "changed", 6, buckets=4)
    spark.sql(f"INSERT INTO changed SELECT id, 0 v, 'p' p FROM range({KEYS})")
    for i in range(commits):
        _one_row(spark, "changed", i)
    for procedure, version in (("upgrade_table", 9), ("downgrade_table", 6)):
        began = time.perf_counter()
        spark.sql(f"CALL {procedure}(table => 'changed', version => {version})").collect()
        print(f"{procedure}, {commits} active commits: {time.perf_counter() - began:.2f} s")


def _kept(spark: SparkSession, warehouse: Path, rounds: int) -> None:
    for name in ("kept", "plain"):
        _create(spark, name, 9, buckets=16)
        spark.sql(f"INSERT INTO {name} SELECT id, 0 v, 'p' p FROM range({KEYS})")
    upgraded.make_metadata(warehouse / "kept")
    kept.keep(warehouse / "kept")
    spark.sql("REFRESH TABLE kept")
    taken: dict[str, list[float]] = {"kept": [], "plain": []}
    for i in range(rounds + 2):
        for name, seconds in taken.items():
            one = _one_row(spark, name, i)
            if i > 1:  # the first two warm up
                seconds.append(one)
    assert layout.properties(warehouse / "kept")[kept.PARTITIONS] == "files"
    assert kept.faults(warehouse / "kept") == []
    _print_ratio("one-row MERGE, version 9", "kept", taken["kept"], "plain", taken["plain"])


def _create(spark: SparkSession, name: str, version: int, buckets: int, facts: str = "") -> None:
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    told = ", ".join(filter(None, [f"'hoodie.write.table.version' = '{version}'", facts]))
    spark.sql(
        f"CREATE TABLE {name} (id BIGINT, v INT, p STRING, PRIMARY KEY (id)) USING hudilite "
        f"PARTITIONED BY (p) WITH BUCKETS {buckets} TBLPROPERTIES ({told})"
    )


def _one_row(spark: SparkSession, name: str, i: int) -> float:
    return _timed(spark, name, f"(SELECT {i % KEYS} id, {i} v, 'p' p)")


def _timed(spark: SparkSession, name: str, source: str) -> float:
    began = time.perf_counter()
    spark.sql(
        f"MERGE INTO {name} t USING {source} s ON t.id = s.id AND t.p = s.p "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    ).collect()
    return time.perf_counter() - began


def _print_ratio(
    what: str, one: str, seconds: list[float], other: str, others: list[float]
) -> None:
    first, second = statistics.median(seconds), statistics.median(others)
    print(
        f"{what}: {one} {first:.3f} s, {other} {second:.3f} s, medians of {len(seconds)} in turns, "
        f"ratio {first / second:.2f}",
        flush=True,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--commits", type=int, default=1000)
    parser.add_argument("--parts", default="merge,commits,change")
    parser.add_argument("--folder")
    return parser.parse_args()


if __name__ == "__main__":
    main()
