"""Tables whose version hudilite changes: stock Hudi and hudi-rs read them, and all write on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.adopted import BUCKETS, assert_all_read, merge, overlaid, rows, stock_writes
from harness.rotation import product
from harness.stock import StockSpark

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

CHANGES = product("core/service/", "core/commit/", "core/timeline/", "core/format/")
pytestmark = pytest.mark.rotated(rare=True, by="test", when=CHANGES)
KEY = ("p", "id")
SIX = {
    "hoodie.write.table.version": "6",
    "hoodie.write.auto.upgrade": "false",
    "hoodie.datasource.write.hive_style_partitioning": "true",
}
NINE = {"hoodie.datasource.write.hive_style_partitioning": "true"}
FACTS = {
    "6": ("6", "1", None, "org.apache.hudi.common.model.DefaultHoodieRecordPayload"),
    "9": ("9", "2", "EVENT_TIME_ORDERING", None),
}


def assert_facts(base: Path, version: str) -> None:
    facts = layout.properties(base)
    found = (
        facts["hoodie.table.version"],
        facts["hoodie.timeline.layout.version"],
        facts.get("hoodie.record.merge.mode"),
        facts.get("hoodie.compaction.payload.class"),
    )
    assert found == FACTS[version]


@pytest.mark.parametrize("maker", ["hudilite", "stock"])
def test_stock_reads_and_writes_after_each_change(
    spark: SparkSession, stock: StockSpark, database: Path, maker: str
) -> None:
    base = database / "written"
    expected = rows(0, 1200, "one")

    def write(source: pa.Table, options: dict[str, str] | None) -> None:
        nonlocal expected
        if options is None:
            merge(spark, "t", source, KEY)
        else:
            named = {"hoodie.table.name": "written" if maker == "stock" else "t"}
            stock_writes(stock, base, source, BUCKETS | named | options, defaults=True)
        expected = overlaid(expected, source)
        assert_all_read(spark, stock, "t", base, expected)

    if maker == "stock":
        stock_writes(stock, base, expected, BUCKETS | SIX, defaults=True)
        stock_writes(stock, base, rows(100, 200, "stock"), BUCKETS | SIX, defaults=True)
        spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    else:
        spark.sql(
            "CREATE TABLE t (id STRING, d DOUBLE, v STRING, p STRING, ts BIGINT, "
            "PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 4 "
            f"LOCATION '{base}' TBLPROPERTIES ('preCombineField' = 'ts', "
            "'hoodie.write.table.version' = '6')"
        )
        merge(spark, "t", expected, KEY)
        merge(spark, "t", rows(100, 200, "stock"), KEY)
    expected = overlaid(expected, rows(100, 200, "stock"))
    for step, word in enumerate(("merged", "hudilite again")):
        spark.sql("CALL upgrade_table(table => 't')")
        assert_facts(base, "9")
        assert_all_read(spark, stock, "t", base, expected)
        write(rows(step, 700, word, 3), NINE)
        write(rows(300 + step, 1300, word, 2), None)
        spark.sql("CALL downgrade_table(table => 't')")
        assert_facts(base, "6")
        assert_all_read(spark, stock, "t", base, expected)
        write(rows(step, 900, word, 5), SIX)
        write(rows(50, 60 + step, word), None)
    assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []


def test_stock_upgrades_and_downgrades_what_hudilite_has_changed(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base = database / "written"
    expected = rows(0, 600, "one")
    stock_writes(stock, base, expected, BUCKETS | NINE, defaults=True)
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    merge(spark, "t", rows(100, 200, "merged"), KEY)
    expected = overlaid(expected, rows(100, 200, "merged"))
    spark.sql("CALL downgrade_table(table => 't')")
    assert_facts(base, "6")
    assert_all_read(spark, stock, "t", base, expected)
    stock_writes(stock, base, rows(150, 700, "stock again"), BUCKETS | NINE, defaults=True)
    expected = overlaid(expected, rows(150, 700, "stock again"))
    assert layout.properties(base)["hoodie.table.version"] == "9"
    assert_all_read(spark, stock, "t", base, expected)
    merge(spark, "t", rows(160, 800, "hudilite again"), KEY)
    expected = overlaid(expected, rows(160, 800, "hudilite again"))
    spark.sql("CALL downgrade_table(table => 't')")
    assert_all_read(spark, stock, "t", base, expected)
    spark.sql("CALL upgrade_table(table => 't')")
    assert_all_read(spark, stock, "t", base, expected)
    assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []
