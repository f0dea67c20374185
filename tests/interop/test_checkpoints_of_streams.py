"""Programs of stock Hudi that resume from a checkpoint in a commit, on a table that hudilite writes.

Stock looks for the latest commit with a checkpoint, behind those of others, on the active timeline
alone: so the commits of hudilite carry none, and its archival leaves that commit there.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.adopted import BUCKETS, assert_both_read, merge, overlaid, rows, stock_writes
from harness.rotation import product
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    rare=True,
    by="test",
    when=product("core/service/Archivable.scala", "core/timeline/StoredCheckpoints.scala"),
)
KEYS = {
    "6": "deltastreamer.checkpoint.key",
    "8": "streamer.checkpoint.key.v2",
    "9": "_hudi_streaming_sink_checkpoint",
}
ARCHIVE = "CALL archive(table => 't', keep_min => 1, keep_max => 2)"


@pytest.mark.parametrize("version", KEYS)
def test_a_program_of_stock_resumes_behind_our_commits(
    spark: SparkSession, stock: StockSpark, database: Path, version: str
) -> None:
    base, key = database / "written", KEYS[version]
    options = BUCKETS | {
        "hoodie.write.table.version": version,
        "hoodie.write.auto.upgrade": "false",
        "hoodie.datasource.write.commitmeta.key.prefix": key,
    }

    def checkpoint() -> str | None:
        answer = stock.ask(op="checkpoint", path=str(base), key=key, id="ours")
        found: str | None = answer["checkpoint"]
        return found

    stock_writes(stock, base, rows(0, 100, "one"), options | {key: '{"ours": "6"}'})
    stock_writes(stock, base, rows(0, 100, "one"), options | {key: '{"ours": "7"}'})
    expected = rows(0, 100, "one")
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    for n in range(4):
        ours = rows(n * 10, n * 10 + 50, "merged")
        merge(spark, "t", ours, ("id", "p"))
        expected = overlaid(expected, ours)
        assert checkpoint() == "7"
    row = spark.sql(ARCHIVE).collect()[0]
    assert row.commits_archived == 1
    assert " resumes from commit " in row.stopped_by
    assert checkpoint() == "7"
    assert_both_read(spark, stock, "t", base, expected)
    theirs = rows(200, 210, "stock again")
    stock_writes(stock, base, theirs, options | {key: '{"ours": "8"}'})
    assert spark.sql(ARCHIVE).collect()[0].stopped_by is None
    assert checkpoint() == "8"
    assert_both_read(spark, stock, "t", base, overlaid(expected, theirs))
