"""Tables that CALL bootstrap made over Parquet files, and stock Hudi and hudi-rs with them.

The numbers in the names are those of the compatibility assertions in docs/format.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.adopted import (
    assert_all_read,
    assert_both_read,
    contents,
    merge,
    overlaid,
    rows,
    stock_writes,
)
from harness.canonical import assert_same_tables
from harness.rust import read_rust
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

pytestmark = pytest.mark.rotated(third=2)
ADOPTED, REWRITTEN = "00000000000001", "00000000000002"
FILES = 3
WRITERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "tiny": {"row_group_size": 10, "write_batch_size": 3, "data_page_size": 1},
}
UPSERT = {
    "hoodie.table.name": "t",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "p",
    "hoodie.datasource.write.operation": "upsert",
    "hoodie.index.type": "BLOOM",
}
FROM_SPARK = """
SELECT concat('k', id) id, id n, IF(id % 7 = 0, NULL, id / 3D) d, concat('one ', id) v,
  IF(id % 9 = 0, NULL, timestamp_micros(id * 1000001)) at,
  IF(id % 5 = 0, NULL, CAST(id * 1.01 AS DECIMAL(20, 2))) m,
  IF(id % 4 = 0, NULL, named_struct('a', IF(id % 6 = 1, NULL, id),
    'b', IF(id % 10 = 1, NULL, array('u', IF(id % 8 = 1, NULL, CAST(id AS STRING)))))) s,
  CASE id % 3 WHEN 0 THEN '01' WHEN 1 THEN '2' END p
FROM range(1500)
"""


def source_of(folder: Path, table: pa.Table, **options: Any) -> dict[str, bytes]:
    """Writes rows as several files of a partitioned folder, and gives the bytes of each."""
    for value in ("a", "b"):
        kept = table.filter(pc.equal(table["p"], value)).drop_columns(["p"])
        part = folder / f"p={value}"
        part.mkdir(parents=True)
        for i in range(FILES):
            share = kept.slice(i * kept.num_rows // FILES, kept.num_rows // FILES)
            pq.write_table(share, part / f"file-{i}.parquet", **options)
    return contents(folder)


def bootstrap(spark: SparkSession, source: Path, more: str = "") -> Row:
    """Makes table t of a folder."""
    (row,) = spark.sql(
        f"CALL bootstrap(table => 't', source => '{source}', key => 'id'{more})"
    ).collect()
    return row


def assert_rust_fails(base: Path) -> None:
    """hudi-rs knows no skeletons: it must say so, never give nulls."""
    with pytest.raises(Exception):  # noqa: B017 - any error is right
        read_rust(base)


@pytest.mark.parametrize("writer", WRITERS)
def test_22_to_24_stock_reads_and_upserts_what_bootstrap_made(
    spark: SparkSession, stock: StockSpark, database: Path, writer: str
) -> None:
    first = rows(0, 1800, "one")
    source, base = database / "source", database / "t"
    before = source_of(source, first, **WRITERS[writer])
    assert bootstrap(spark, source).files_adopted == 2 * FILES
    assert_rust_fails(base)
    assert_both_read(spark, stock, "t", base, first)
    named = spark.sql("SELECT _hoodie_file_name f, count(*) n FROM t GROUP BY 1").collect()
    assert {r.f: r.n for r in named} == {s.path.name: 300 for s in layout.latest_slices(base)}
    for columns in (["id", "v"], ["d"], ["p"], ["p", "_hoodie_record_key"]):
        by_stock = stock.rows_of(op="read", path=str(base), columns=columns)
        own = spark.sql(f"SELECT {', '.join(columns)} FROM t").toArrow()
        assert_same_tables(own, by_stock, label=str(columns))
    part = stock.rows_of(op="where", path=str(base), condition="p = 'a' AND id = 'k77'")
    assert part["v"].to_pylist() == ["one 77"]
    spark.sql("UPDATE t SET d = 0.5 WHERE id = 'k1'")
    assert_rust_fails(base)
    change = pa.table({"id": ["k1"], "d": [0.5], "v": ["one 1"], "p": ["a"], "ts": [0]})
    adopted, first = first, overlaid(first, change)
    theirs = rows(1700, 1900, "stock")
    stock_writes(stock, base, theirs, UPSERT)
    expected = overlaid(first, theirs)
    assert_both_read(spark, stock, "t", base, expected)
    ours = rows(0, 300, "merged", step=2)
    assert merge(spark, "t", ours, ("id", "p")) == (150, 150, 0, 0)
    expected = overlaid(expected, ours)
    assert_both_read(spark, stock, "t", base, expected)
    again = rows(1500, 1750, "stock again")
    stock_writes(stock, base, again, UPSERT)
    expected = overlaid(expected, again)
    assert_both_read(spark, stock, "t", base, expected)
    old = stock.read(base, **{"as.of.instant": ADOPTED})
    assert_same_tables(adopted, old, first.column_names, "time travel")
    assert contents(source) == before
    spark.sql("CALL materialize(table => 't')").collect()
    source.rename(database / "elsewhere")
    assert_all_read(spark, stock, "t", base, expected)


def test_22_sources_of_spark_are_read_by_stock(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    source, base = database / "source", database / "t"
    frame = spark.sql(FROM_SPARK).repartition(2)
    frame.write.partitionBy("p").option("parquet.block.size", 4096).parquet(str(source))
    assert {f.name for f in source.iterdir() if f.is_dir()} == {
        "p=01",
        "p=2",
        "p=__HIVE_DEFAULT_PARTITION__",
    }
    before = contents(source)
    physical = pq.ParquetFile(next(iter(before))).schema
    assert physical.column(physical.names.index("at")).physical_type == "INT96"
    assert bootstrap(spark, source).rows == 1500
    expected = spark.read.parquet(str(source)).toArrow()
    assert set(expected["p"].to_pylist()) == {1, 2, None}
    assert_both_read(spark, stock, "t", base, expected)
    changed = spark.sql(
        "MERGE INTO t USING (SELECT * FROM t WHERE n % 50 = 0 AND p = 1 UNION ALL "
        "SELECT 'new', n, d, v, at, m, s, p FROM t WHERE n IN (1, 2, 3)) s "
        "ON t.id = s.id AND t.p <=> s.p "
        "WHEN MATCHED THEN UPDATE SET v = 'two', at = t.at + INTERVAL 1 DAY "
        "WHEN NOT MATCHED THEN INSERT *"
    ).first()
    assert (changed.num_updated_rows, changed.num_inserted_rows) == (10, 3)
    after = (
        spark.read.parquet(str(source))
        .selectExpr(
            "id",
            "n",
            "d",
            "IF(n % 50 = 0 AND p <=> 1, 'two', v) v",
            "IF(n % 50 = 0 AND p <=> 1, at + INTERVAL 1 DAY, at) at",
            *["m", "s", "p"],
        )
        .unionAll(
            spark.read.parquet(str(source))
            .where("n IN (1, 2, 3)")
            .selectExpr("'new' id", *["n", "d", "v", "at", "m", "s", "p"])
        )
        .toArrow()
    )
    assert_both_read(spark, stock, "t", base, after)
    assert contents(source) == before


def test_22_both_parts_of_a_mixed_table_are_read(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    first = rows(0, 1200, "one")
    source, base = database / "source", database / "t"
    before = source_of(source, first)
    made = bootstrap(spark, source, ", full_partitions => \"p = 'b'\"")
    assert (made.files_adopted, made.files_rewritten) == (FILES, FILES)
    assert_both_read(spark, stock, "t", base, first)
    times = spark.sql("SELECT DISTINCT p, _hoodie_commit_time c FROM t").collect()
    assert {(r.p, r.c) for r in times} == {("a", ADOPTED), ("b", REWRITTEN)}
    ours = rows(0, 1300, "merged", step=5)
    assert merge(spark, "t", ours, ("id", "p")) == (260, 240, 0, 20)
    expected = overlaid(first, ours)
    assert_both_read(spark, stock, "t", base, expected)
    theirs = rows(1101, 1300, "stock again", step=2)
    stock_writes(stock, base, theirs, UPSERT)
    assert_both_read(spark, stock, "t", base, overlaid(expected, theirs))
    assert contents(source) == before


@pytest.mark.parametrize("more", ["", ", buckets => 4"])
def test_22_a_table_that_was_rewritten_is_read_by_all(
    spark: SparkSession, stock: StockSpark, database: Path, more: str
) -> None:
    first = rows(0, 1200, "one")
    source, base = database / "source", database / "t"
    source_of(source, first)
    made = bootstrap(spark, source, f", mode => 'full'{more}")
    assert (made.files_adopted, made.files_rewritten) == (0, 2 * FILES)
    source.rename(database / "elsewhere")
    assert_all_read(spark, stock, "t", base, first)
    index = {
        "hoodie.index.type": "BUCKET",
        "hoodie.bucket.index.num.buckets": "4",
        "hoodie.datasource.write.precombine.field": "ts",
    }
    theirs = rows(1100, 1300, "stock")
    stock_writes(stock, base, theirs, UPSERT | (index if more else {}))
    assert_all_read(spark, stock, "t", base, overlaid(first, theirs))
