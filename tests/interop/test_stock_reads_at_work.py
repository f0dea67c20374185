"""Stock Hudi reads while hudilite upserts and makes new base files: what it reads is one state.

HUDILITE_READ_SECONDS says for how long; `make test` takes a few seconds.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.faults import fault_of
from harness.rotation import product
from harness.stock import StockFailed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from harness.stock import StockSpark

SECONDS = float(os.environ.get("HUDILITE_READ_SECONDS", "12"))
WHEN = product("spark/merge/", "core/commit/")
READS, COMMITS = 3, 20  # at least; file groups of 8 to 16 log files get a new base file
KEYS, TEAMS = 2000, 10
MERGE = (
    "MERGE INTO t USING (SELECT id, {n}L AS v, IF(id % 2 = 0, 'a', 'b') AS p FROM range({keys}) "
    "WHERE id % {teams} = {team}) s ON t.id = s.id AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)


@pytest.mark.timeout(SECONDS + 600)
@pytest.mark.parametrize(
    "version",
    [
        pytest.param(6, marks=pytest.mark.rotated(rare=True, third=1, when=WHEN)),
        pytest.param(9, marks=pytest.mark.rotated(rare=True, third=2, when=WHEN)),
    ],
)
def test_what_stock_reads_is_one_state(
    spark: SparkSession, stock: StockSpark, database: Path, version: int
) -> None:
    """All rows of a team change in one commit, in two partitions and all buckets of both."""
    spark.sql(
        "CREATE TABLE t (id BIGINT, v BIGINT, p STRING, PRIMARY KEY (id)) USING hudilite "
        "PARTITIONED BY (p) WITH BUCKETS 3 "
        f"TBLPROPERTIES (type = 'mor', 'hoodie.write.table.version' = '{version}')"
    )
    spark.sql(f"INSERT INTO t SELECT id, 0L, IF(id % 2 = 0, 'a', 'b') FROM range({KEYS})")
    base = database / "t"
    last: dict[int, int] = dict.fromkeys(range(TEAMS), 0)
    wrong: list[str] = []
    ended = threading.Event()

    def write() -> None:
        number = 0
        try:
            while not ended.is_set():
                number += 1
                team = number % TEAMS
                spark.sql(MERGE.format(n=number, keys=KEYS, teams=TEAMS, team=team)).collect()
                last[team] = number
        except Exception as error:  # noqa: BLE001 - each is an anomaly
            wrong.append(f"write: {fault_of(error).condition} {str(error)[:300]}")

    writer = threading.Thread(target=write)
    reads: Counter[str] = Counter()
    least = dict.fromkeys(range(TEAMS), 0)
    writer.start()
    until = time.monotonic() + SECONDS
    while not wrong and (
        time.monotonic() < until or reads["all"] < READS or max(last.values()) < COMMITS
    ):
        before = dict(last)
        try:
            rows = stock.read(base).to_pylist()
        except StockFailed as failed:
            wrong.append(f"read: {str(failed)[:500]}")
            break
        values = {team: {r["v"] for r in rows if r["id"] % TEAMS == team} for team in range(TEAMS)}
        if len(rows) != KEYS or any(len(of) != 1 for of in values.values()):
            wrong.append(f"a read saw {len(rows)} rows, {values}")
            break
        least = {team: of.pop() for team, of in values.items()}
        if any(least[team] < before[team] for team in range(TEAMS)):
            wrong.append(f"a read saw {least} after {before} was committed")
        reads["all"] += 1
    ended.set()
    writer.join()
    assert not wrong
    print(f"version {version}: {reads['all']} reads, {max(last.values())} commits")
    versions = Counter(path.name.split("_")[0] for path in base.rglob("*.parquet"))
    assert len(versions) == 6
    assert max(versions.values()) > 1, "no log files were merged into a new base file"
    assert set(layout.completed(base).values()) == {"deltacommit"}
