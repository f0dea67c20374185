"""One program for Hudi's DataFrame writer, run by stock Hudi and by hudilite: the same rows and facts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from harness import layout
from harness.adopted import stock_writes
from harness.canonical import assert_same_tables
from harness.rotation import product
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHANGES = product("spark/analyze/", "spark/catalog/")
pytestmark = pytest.mark.rotated(rare=True, by="test", when=CHANGES)
WRITE = "hoodie.datasource.write"
PROGRAM = {
    "hoodie.table.name": "parcels",
    f"{WRITE}.table.name": "parcels",
    f"{WRITE}.recordkey.field": "parcel",
    f"{WRITE}.partitionpath.field": "town",
    f"{WRITE}.precombine.field": "at",
    f"{WRITE}.hive_style_partitioning": "true",
    f"{WRITE}.keygenerator.class": "org.apache.hudi.keygen.SimpleKeyGenerator",
    "hoodie.write.table.version": "6",
    "hoodie.write.auto.upgrade": "false",
    "hoodie.metadata.enable": "false",
    "hoodie.upsert.shuffle.parallelism": "2",
    "hoodie.insert.shuffle.parallelism": "2",
}
INDEXES = {
    "bucket": {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "2"},
    "bloom": {"hoodie.index.type": "BLOOM"},
}
# hudilite also stores the names of Hudi 0.x for ordering field and key generator.
FACTS = (
    "hoodie.table.name",
    "hoodie.table.type",
    "hoodie.table.version",
    "hoodie.table.recordkey.fields",
    "hoodie.table.partition.fields",
    "hoodie.table.ordering.fields",
    "hoodie.table.keygenerator.type",
    "hoodie.table.base.file.format",
    f"{WRITE}.hive_style_partitioning",
    "hoodie.populate.meta.fields",
    "hoodie.table.checksum",
)
SCHEMA = pa.schema(
    [("parcel", pa.string()), ("at", pa.int64()), ("fee", pa.float64()), ("town", pa.string())]
)


def parcels(numbers: range, at: int, fee: float) -> pa.Table:
    towns = ("bonn", "kiel", "ulm")
    rows = [{"parcel": f"p-{n}", "at": at, "fee": fee + n, "town": towns[n % 3]} for n in numbers]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


# Rows, mode, and what the writer is asked beside the program's options.
STEPS: tuple[tuple[pa.Table, str, dict[str, str]], ...] = (
    (parcels(range(30), 10, 1.0), "overwrite", {}),
    (parcels(range(20, 40), 11, 2.0), "append", {}),
    (parcels(range(5), 9, -1.0), "append", {f"{WRITE}.operation": "upsert"}),
    (parcels(range(40, 46), 5, 3.0), "append", {f"{WRITE}.operation": "insert"}),
    (parcels(range(3, 9), 11, 0.0), "append", {f"{WRITE}.operation": "delete"}),
    (
        parcels(range(60, 70, 3), 5, 3.0),
        "append",
        {f"{WRITE}.operation": "insert_overwrite"},
    ),
    (
        parcels(range(60, 61), 5, 3.0),
        "append",
        {
            f"{WRITE}.operation": "delete_partition",
            f"{WRITE}.partitions.to.delete": "town=kiel",
        },
    ),
    (
        parcels(range(12), 20, 5.0),
        "overwrite",
        {f"{WRITE}.operation": "insert_overwrite_table"},
    ),
    (parcels(range(6, 18), 21, 7.0), "append", {}),
)


@pytest.mark.parametrize("index", list(INDEXES))
@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_both_run_the_program(
    spark: SparkSession, stock: StockSpark, tmp_path: Path, kind: str, index: str
) -> None:
    options = PROGRAM | INDEXES[index] | {f"{WRITE}.table.type": kind}
    own, theirs = tmp_path / "own", tmp_path / "theirs"
    spark.conf.set("spark.hudilite.provider.hudi", "true")
    try:
        for step, (rows, mode, more) in enumerate(STEPS):
            stock_writes(stock, theirs, rows, options | more, mode, defaults=True)
            frame = spark.createDataFrame(rows)
            write = frame.write.format("hudi").options(**options).options(**more)
            write.mode(mode).save(str(own))
            expected = stock.read(theirs)
            by_us = spark.read.format("hudi").load(str(own)).toArrow()
            assert_same_tables(expected, by_us, SCHEMA.names, f"hudilite after step {step}")
            keys = ["_hoodie_record_key", "_hoodie_partition_path", *SCHEMA.names]
            assert_same_tables(expected, stock.read(own), keys, f"stock after step {step}")
            of_stock = spark.read.format("hudi").load(str(theirs)).toArrow()
            assert_same_tables(expected, of_stock, SCHEMA.names, f"stock's own after step {step}")
        facts = layout.properties(own), layout.properties(theirs)
        assert {f: facts[0].get(f) for f in FACTS} == {f: facts[1].get(f) for f in FACTS}
        turns = parcels(range(10, 30), 30, 9.0)
        stock_writes(stock, own, turns, options, "append", defaults=True)
        stock_writes(stock, theirs, turns, options, "append", defaults=True)
        by_us = spark.read.format("hudi").load(str(own)).toArrow()
        assert_same_tables(stock.read(theirs), by_us, SCHEMA.names, "after a write of stock")
    finally:
        spark.conf.unset("spark.hudilite.provider.hudi")
