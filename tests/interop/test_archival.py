"""Stock Hudi and hudilite archive the timeline of a table in turns: assertion 32 of docs/format.md."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from harness import layout
from harness.adopted import assert_all_read, merge, overlaid, rows, stock_writes
from harness.rotation import product
from harness.stock import StockSpark, writer_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    rare=True,
    by="test",
    when=product("core/timeline/", "core/service/Archiver.scala", "core/service/Archivable.scala"),
)
KEY = ("p", "id")
TABLE = writer_options("t", buckets=2) | {"hoodie.metadata.enable": "false"}
ARCHIVING = {
    "hoodie.archive.automatic": "true",
    "hoodie.keep.min.commits": "3",
    "hoodie.keep.max.commits": "4",
    "hoodie.clean.automatic": "true",
    "hoodie.clean.commits.retained": "1",
}
ARCHIVE = "CALL archive(table => 't', keep_min => 2, keep_max => 3)"
CLEAN = (
    "CALL clean(table => 't', retain_commits => 1, retain_hours => 0, "
    "allow_short_retention => true)"
)


class Shared:
    """A table that both write, and what it must contain."""

    def __init__(self, spark: SparkSession, stock: StockSpark, base: Path, version: str) -> None:
        self.spark, self.stock, self.base, self.version = spark, stock, base, version
        self.expected = rows(0, 400, "one")
        spark.sql(
            "CREATE TABLE t (id STRING, d DOUBLE, v STRING, p STRING, ts BIGINT, PRIMARY KEY (id)) "
            "USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES "
            f"('preCombineField' = 'ts', 'hoodie.write.table.version' = '{version}')"
        )
        merge(spark, "t", self.expected, KEY)

    def write(self, times: int) -> None:
        for n in range(times):
            source = rows(n * 20, n * 20 + 200, "hudilite again")
            merge(self.spark, "t", source, KEY)
            self.expected = overlaid(self.expected, source)

    def stock_writes(self, times: int) -> None:
        """Commits of stock Hudi, which cleans and archives behind them."""
        for n in range(times):
            source = rows(n * 10 + 50, n * 10 + 150, "hudilite again")
            options = TABLE | ARCHIVING
            if self.version != "6":
                options |= {"hoodie.write.table.version": self.version}
            stock_writes(self.stock, self.base, source, options, defaults=self.version != "6")
            self.expected = overlaid(self.expected, source)

    def assert_read(self) -> None:
        assert_all_read(self.spark, self.stock, "t", self.base, self.expected)

    def archived_by_stocks_word(self) -> list[str]:
        """Instants of the archived commits that stock Hudi lists, each as often as it does."""
        self.stock.ask(op="sql", text=f"CREATE TABLE t USING hudi LOCATION '{self.base}'")
        try:
            text = "CALL show_archived_commits(table => 't', limit => 1000, start_ts => '2000', end_ts => '3')"
            found = self.stock.rows_of(op="sql", text=text)
        finally:
            self.stock.ask(op="sql", text="DROP TABLE t")
        times: list[str] = found["commit_time"].to_pylist()
        return sorted(times)


@pytest.mark.parametrize("version", ["6", "9"])
def test_32_stock_and_hudilite_archive_in_turns(
    spark: SparkSession, stock: StockSpark, database: Path, version: str
) -> None:
    shared = Shared(spark, stock, database / "t", version)
    shared.write(5)
    spark.sql("INSERT OVERWRITE t PARTITION (p = 'b') SELECT 'new', 1.5D, 'x', 9")
    kept = shared.expected.filter(pc.equal(shared.expected["p"], "a"))
    new = pa.table({"id": ["new"], "d": [1.5], "v": ["x"], "p": ["b"], "ts": [9]})
    shared.expected = pa.concat_tables([kept, new.cast(kept.schema)])
    shared.write(2)
    spark.sql(CLEAN)
    before = sorted(layout.completed(shared.base))
    row = spark.sql(ARCHIVE).collect()[0]
    assert (row.commits_archived, row.stopped_by) == (7, None)
    assert sorted(layout.completed(shared.base)) == before[7:]
    shared.assert_read()
    assert shared.archived_by_stocks_word() == before[:7]
    shared.stock_writes(5)
    left = sorted(layout.completed(shared.base))
    assert 3 <= len(left) <= 4
    shared.assert_read()
    shared.write(3)
    whole = sorted({*shared.archived_by_stocks_word(), *layout.completed(shared.base)})
    assert len(whole) == 17
    assert spark.sql(ARCHIVE).collect()[0].commits_archived > 0
    shared.assert_read()
    told = shared.archived_by_stocks_word()
    assert told == whole[: len(told)]
    assert len(told) + len(layout.completed(shared.base)) == 17
    shared.stock_writes(2)
    shared.assert_read()
