"""CALL rescale: other readers read the same rows in each state, and a stock write is right or leaves no file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from harness.adopted import assert_all_read, merge, overlaid, rows, stock_writes
from harness.merge_on_read import MERGE_ON_READ
from harness.rotation import product
from harness.stock import StockFailed, StockSpark, writer_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    by="test", when=product("procedures/TableRescale.scala", "core/timeline/BucketRules.scala")
)
COLUMNS = "id STRING, d DOUBLE, v STRING, p STRING, ts BIGINT"
KINDS = pytest.mark.parametrize(("kind", "version"), [("cow", 6), ("mor", 6), ("cow", 9)])


def make(spark: SparkSession, kind: str, version: int, buckets: int) -> pa.Table:
    spark.sql(
        f"CREATE TABLE t ({COLUMNS}, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) "
        f"WITH BUCKETS {buckets} TBLPROPERTIES (type = '{kind}', "
        f"hoodie.table.version = '{version}', preCombineField = 'ts')"
    )
    first = rows(0, 400, "one")
    merge(spark, "t", first, ("id", "p"))
    return first


def stock_options(kind: str, version: int, buckets: int) -> dict[str, str]:
    return (
        writer_options("t", buckets)
        | (MERGE_ON_READ if kind == "mor" else {})
        | {"hoodie.write.table.version": str(version), "hoodie.write.auto.upgrade": "false"}
    )


def files(base: Path) -> set[Path]:
    return {path for path in base.rglob("*") if path.is_file()}


@KINDS
@pytest.mark.parametrize("buckets", [(2, 4), (4, 2)])
def test_all_read_each_state_and_stock_writes_on_afterwards(
    spark: SparkSession,
    stock: StockSpark,
    database: Path,
    kind: str,
    version: int,
    buckets: tuple[int, int],
) -> None:
    base, (before, after) = database / "t", buckets
    expected = make(spark, kind, version, before)
    steps = 0
    while spark.sql(f"CALL rescale(table => 't', buckets => {after}, max_bytes => 1)").count():
        steps += 1
        if steps == 2:
            ours = rows(380, 420, "merged")
            merge(spark, "t", ours, ("id", "p"))
            expected = overlaid(expected, ours)
        assert_all_read(spark, stock, "t", base, expected)
    assert steps == 2 * min(before, after)
    theirs = rows(300, 500, "stock again")
    stock_writes(stock, base, theirs, stock_options(kind, version, after))
    expected = overlaid(expected, theirs)
    assert_all_read(spark, stock, "t", base, expected)
    ours = rows(0, 600, "hudilite again", step=3)
    merge(spark, "t", ours, ("id", "p"))
    assert_all_read(spark, stock, "t", base, overlaid(expected, ours))


@pytest.mark.parametrize("session", [2, 4])
def test_a_stock_write_leaves_no_file_until_the_end(
    spark: SparkSession, stock: StockSpark, database: Path, session: int
) -> None:
    base = database / "t"
    expected = make(spark, "cow", 6, 2)

    def write(place: str) -> pa.Table:
        theirs = rows(340, 440, "stock")
        theirs = theirs.filter(pc.equal(theirs["p"], "a" if place == "c" else place))
        theirs = theirs.set_column(3, "p", pa.array([place] * theirs.num_rows))
        stock_writes(stock, base, theirs, stock_options("cow", 6, session))
        return theirs

    for _ in range(3):
        spark.sql("CALL rescale(table => 't', buckets => 4, max_bytes => 1)").collect()
        for place in ("a", "b", "c"):  # c is new
            known = files(base)
            with pytest.raises(StockFailed, match="buckets cannot be negative"):
                write(place)
            assert files(base) == known
        assert_all_read(spark, stock, "t", base, expected)
    spark.sql(f"CALL rescale(table => 't', buckets => {session})").collect()  # the end, or undone
    for place in ("a", "b", "c"):
        expected = overlaid(expected, write(place))
    assert_all_read(spark, stock, "t", base, expected)
    ours = rows(0, 600, "hudilite again", step=3)
    merge(spark, "t", ours, ("id", "p"))
    assert_all_read(spark, stock, "t", base, overlaid(expected, ours))
