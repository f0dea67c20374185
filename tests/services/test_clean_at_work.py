"""A reader, a cleaner and two writers at once: whatever is read is one state, and nothing is lost.

HUDILITE_CLEAN_SECONDS says for how long; `make test` takes a quarter of a minute.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.faults import fault_of
from harness.rotation import product
from harness.seeds import asked_seed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=1, when=product("procedures/Clean.scala", "core/service/"))
SECONDS = float(os.environ.get("HUDILITE_CLEAN_SECONDS", "15"))
KEYS = 40
MOVE = (
    "MERGE INTO t USING (SELECT {one}L AS id, 1L AS d UNION ALL SELECT {other}L, -1L) s "
    "ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = t.v + s.d, n = t.n + 1"
)
CLEAN = (
    "CALL clean(table => 't', retain_commits => 12, retain_hours => 0, "
    "allow_short_retention => true)"
)


@pytest.mark.fault("F29", "F30")
@pytest.mark.timeout(SECONDS + 300)
def test_reads_are_whole_while_others_write_and_clean(spark: SparkSession, database: Path) -> None:
    chosen = asked_seed()
    print(f"HUDILITE_SEED={chosen}")
    spark.sql(
        "CREATE TABLE t (id BIGINT, v BIGINT, n BIGINT, PRIMARY KEY (id)) "
        "USING hudilite WITH BUCKETS 4"
    )
    spark.sql(f"INSERT INTO t SELECT id, 0, 0 FROM range({KEYS})")
    name = spark.catalog.currentDatabase()
    done: Counter[str] = Counter()
    wrong: list[str] = []
    until = time.monotonic() + SECONDS

    def worker(kind: str, step: Callable[[SparkSession, random.Random], None]) -> threading.Thread:
        def work() -> None:
            session = spark.newSession()
            session.sql(f"USE {name}")
            rng = random.Random(f"{chosen} {kind}")
            while time.monotonic() < until and not wrong:
                try:
                    step(session, rng)
                    done[kind] += 1
                except Exception as error:  # noqa: BLE001 - each is an anomaly
                    wrong.append(f"{kind}: {fault_of(error).condition} {str(error)[:300]}")

        return threading.Thread(target=work)

    def write(session: SparkSession, rng: random.Random) -> None:
        one, other = rng.sample(range(KEYS), 2)
        session.sql(MOVE.format(one=one, other=other)).collect()

    def read(session: SparkSession, rng: random.Random) -> None:
        row = session.sql("SELECT count(*), sum(v), sum(n) % 2 FROM t").collect()[0]
        if tuple(row) != (KEYS, 0, 0):
            wrong.append(f"a read saw {tuple(row)}")

    def clean(session: SparkSession, rng: random.Random) -> None:
        done["files"] += session.sql(CLEAN).collect()[0].files_deleted
        time.sleep(rng.random() / 2)

    kinds = {"writer 1": write, "writer 2": write, "reader": read, "cleaner": clean}
    threads = [worker(kind, step) for kind, step in kinds.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(dict(done))
    assert wrong == []
    assert all(done[kind] for kind in kinds)
    moves = done["writer 1"] + done["writer 2"]
    assert spark.sql("SELECT sum(n) FROM t").collect()[0][0] == 2 * moves
    assert moves < 30 or done["files"] > 0
    assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []
