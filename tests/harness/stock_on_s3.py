"""Stock Hudi-Spark on tables in an object store, at the same time as others, under its own lock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from harness.java import TESTS, compile_against
from harness.stock import StockFailed, StockSpark
from harness.stores import S3Store

SOURCES = TESTS / "stores" / "lock"
LOCK = "org.apache.hudi.client.transaction.lock.StorageBasedLockProvider"
# Options that the documentation asks stock Hudi's writers to set.
SHARED = {
    "hoodie.write.concurrency.mode": "optimistic_concurrency_control",
    "hoodie.write.lock.provider": LOCK,
    "hoodie.clean.failed.writes.policy": "LAZY",
    "hoodie.metadata.enable": "false",
}
# Instead of the last one, if hudilite keeps the list of files in the metadata table.
LISTED = SHARED | {
    "hoodie.metadata.enable": "true",
    "hoodie.metadata.index.column.stats.enable": "false",
}
# Options of a writer of stock Hudi that takes no lock.
ALONE = {"hoodie.clean.failed.writes.policy": "LAZY", "hoodie.metadata.enable": "false"}
TABLE = {
    "hoodie.table.name": "t",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "",
    "hoodie.datasource.write.keygenerator.class": "org.apache.hudi.keygen.NonpartitionedKeyGenerator",
    "hoodie.datasource.write.operation": "upsert",
    "hoodie.upsert.shuffle.parallelism": "1",
}


@contextmanager
def stock_on(store: S3Store, environment: tuple[Path, Path], folder: Path) -> Iterator[StockSpark]:
    """A running stock Hudi-Spark whose tables may be in a store.

    Its Spark brings an older Hadoop: the classes of hudilite's Spark, and the same connector, are before
    those.
    """
    import pyspark

    python, bundle = environment
    client = sorted((Path(pyspark.__file__).parent / "jars").glob("hadoop-client-*.jar"))
    spark = python.parents[1].glob("lib/python*/site-packages/pyspark/jars")
    jars = [str(jar) for jar in client] + store.jars()
    classes = folder / "classes"
    folder.mkdir(parents=True, exist_ok=True)
    known = ":".join([str(bundle), *jars, *(f"{jars_of}/*" for jars_of in spark)])
    compile_against(known, SOURCES, classes)
    conf = {f"spark.hadoop.{key}": value for key, value in store.settings().items()}
    stock = StockSpark(python, bundle, folder / "work", jars=[*jars, str(classes)], conf=conf)
    try:
        yield stock
    finally:
        stock.close()


def upsert(
    stock: StockSpark, url: str, rows: list[dict[str, Any]], options: dict[str, str]
) -> None:
    """One upsert by stock Hudi."""
    source = stock.work / "source.parquet"
    schema = pa.schema([pa.field("id", pa.int32(), nullable=False), pa.field("n", pa.int32())])
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), source)
    stock.ask(
        op="write", source=str(source), path=url, options=options, mode="append", defaults=True
    )


def is_conflict(failed: StockFailed) -> bool:
    """Whether another writer has changed the same file groups: stock Hudi leaves the retry to its user."""
    return "HoodieWriteConflictException" in str(failed)
