"""A stream of upserts into a merge-on-read table: each key has the value of its last batch.

HUDILITE_STREAM_SECONDS says for how long a batch arrives every two seconds; `make test` takes some batches as
they come. In the long form the query must keep up, and its batches must not become slower.
"""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.rotated(
    third=0, when=product("spark/stream/", "spark/exec/BlindWrites.scala")
)
SECONDS = int(os.environ.get("HUDILITE_STREAM_SECONDS", "0"))
PERIOD = 2  # seconds from batch to batch
BATCHES = SECONDS // PERIOD or 12
ROWS, EACH = (3_000_000, 10_000) if SECONDS else (2_000, 400)
MERGE = (
    "MERGE INTO t USING feed s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)


def changed(frame: DataFrame) -> DataFrame:
    """The rows of a feed: spread over all keys, each key once in a batch, with the event as its value."""
    return frame.selectExpr(f"value * 7919 % {ROWS}L AS id", "value AS v", "'new' AS word")


@pytest.mark.timeout(SECONDS + 900)
@pytest.mark.parametrize("way", ["merge", "sink"])
def test_each_key_has_the_value_of_its_last_batch(
    spark: SparkSession, database: Path, tmp_path: Path, way: str
) -> None:
    spark.sql(
        "CREATE TABLE t (id BIGINT, v BIGINT, word STRING, PRIMARY KEY (id)) USING hudilite "
        f"WITH BUCKETS {16 if SECONDS else 2} TBLPROPERTIES (type = 'mor')"
    )
    spark.sql(f"INSERT INTO t SELECT id, -1L, 'old' FROM range({ROWS})")
    feed = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", EACH).load()

    def merge(batch: DataFrame, _: int) -> None:
        batch.createOrReplaceTempView("feed")
        batch.sparkSession.sql(MERGE).collect()

    stream = changed(feed).writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
    stream = stream.trigger(processingTime=f"{PERIOD if SECONDS else 0} seconds")
    spark.conf.set("spark.hudilite.insert.duplicates", "update")
    try:
        query = (
            stream.foreachBatch(merge).start()
            if way == "merge"
            else stream.format("hudilite").toTable("t")
        )
    finally:
        spark.conf.unset("spark.hudilite.insert.duplicates")
    took: dict[int, float] = {}
    until = time.monotonic() + SECONDS + 600
    while len(took) < BATCHES and query.isActive and time.monotonic() < until:
        time.sleep(0.2)
        for progress in query.recentProgress:
            if progress["numInputRows"]:
                took[progress["batchId"]] = progress["durationMs"]["triggerExecution"] / 1000
    query.stop()
    assert query.exception() is None
    assert len(took) >= BATCHES
    base = database / "t"
    done = layout.completed(base).values()
    written = len(done) - 1
    assert written >= len(took)
    assert set(done) == {"deltacommit"}
    assert list(base.rglob(".*.log.*"))
    events = spark.range(written * EACH).toDF("value")
    last = changed(events).groupBy("id").agg({"v": "max"}).toDF("id", "last")
    told = spark.table("t").join(last, "id", "full_outer")
    wrong = told.where(
        "v IS NULL OR v <> coalesce(last, -1L) OR word <> IF(last IS NULL, 'old', 'new')"
    )
    assert wrong.count() == 0
    assert spark.table("t").count() == ROWS
    if SECONDS:
        times = [took[number] for number in sorted(took)][5:]
        third = len(times) // 3
        first, later = (statistics.median(part) for part in (times[:third], times[-third:]))
        print(f"{way}: {len(took)} batches, median {statistics.median(times):.2f} s, "
              f"first third {first:.2f} s, last third {later:.2f} s, most {max(times):.2f} s")  # fmt: skip
        assert statistics.median(times) < PERIOD
        assert later < 1.5 * first
