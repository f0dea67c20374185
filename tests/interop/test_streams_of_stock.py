"""Streams from tables that only stock Hudi writes: they have no uuid that hudilite has stored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import streams
from harness.adopted import BUCKETS, rows, stock_writes
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from harness.stock import StockSpark

pytestmark = pytest.mark.rotated(rare=True, by="test", when=product("spark/stream/"))


def test_a_stream_goes_on_when_stock_renames_the_table_and_ends_when_it_is_replaced(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base, name = database / "written", f"streamed_{database.parent.name}"
    heard: list[str] = []

    def take(batch: DataFrame, _: int) -> None:
        heard.extend(row.v for row in batch.orderBy("id").collect())

    def run() -> str | None:
        frame = spark.readStream.format("hudilite").load(str(base))
        writer = frame.writeStream.foreachBatch(take).trigger(availableNow=True)
        checkpoint = str(database / "checkpoint")
        return streams.ended(writer.option("checkpointLocation", checkpoint).start())

    stock_writes(stock, base, rows(0, 2, "one"), BUCKETS)
    assert run() is None
    stock.ask(op="sql", text=f"CREATE TABLE {name} USING hudi LOCATION '{base}'")
    stock.ask(op="sql", text=f"ALTER TABLE {name} RENAME TO {name}_2")
    properties = (base / ".hoodie/hoodie.properties").read_text(encoding="utf-8")
    assert f"hoodie.table.name={name}_2" in properties
    stock_writes(stock, base, rows(2, 4, "stock"), BUCKETS | {"hoodie.table.name": f"{name}_2"})
    assert run() is None
    assert heard == ["one 0", "one 1", "stock 2", "stock 3"]
    stock.ask(op="sql", text=f"DROP TABLE {name}_2")
    stock_writes(stock, base, rows(0, 2, "one"), BUCKETS, mode="overwrite")
    assert run() == "HUDILITE_STREAM_STOPPED"
