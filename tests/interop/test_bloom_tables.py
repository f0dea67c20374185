"""Tables with a bloom index are written in turns by hudilite and stock Hudi, and no key comes twice.

The numbers in the names are those of the compatibility assertions in docs/format.md.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import damage, layout
from harness.adopted import BUCKETS, assert_all_read, merge, overlaid, rows, stock_writes
from harness.damage import BLOOM as FILTER
from harness.damage import MAX_KEY, MIN_KEY
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.conf import RuntimeConfig

pytestmark = pytest.mark.rotated(third=1)
KIND = "hoodie.bloom.index.filter.type"
CODE = "hoodie_bloom_filter_type_code"
ENTRIES = "hoodie.index.bloom.num_entries"
MAX_SIZE = "hoodie.parquet.max.file.size"
GOLDEN = Path(__file__).resolve().parents[1] / "oracle" / "stock_blooms.json"
PREFIX = "é你😀"
SIZES = {"SIMPLE": (0, 1, 60_001), "DYNAMIC_V0": (0, 1, 100_001)}
KEYS = sum(sum(sizes) for sizes in SIZES.values())
# The last two stand in one order by their bytes, in the other by Java's characters.
BEGINNINGS = ("k", "é", "你好/", "a:b,c=", "\ufffd", "\U0001f600")
COLUMNS = "id STRING, d DOUBLE, v STRING, p STRING, ts BIGINT"


def spoken(first: int, last: int, word: str, step: int = 1) -> pa.Table:
    """The harness's rows, their keys in letters of many kinds."""
    table = rows(first, last, word, step)
    keys = [f"{BEGINNINGS[i // 2 % len(BEGINNINGS)]}{i:05d}" for i in range(first, last, step)]
    return table.set_column(0, "id", pa.array(keys))


def stock_options(base: Path) -> dict[str, str]:
    """Options of a BLOOM upsert by stock Hudi into a table that is there."""
    facts = layout.properties(base)
    return {
        "hoodie.table.name": facts["hoodie.table.name"],
        "hoodie.database.name": facts.get("hoodie.database.name", ""),
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.partitionpath.field": "p",
        "hoodie.datasource.write.operation": "upsert",
        "hoodie.index.type": "BLOOM",
    }


def written(base: Path) -> tuple[int, int]:
    """Rows that the newest commit counts as inserted and as updated."""
    metadata = layout.commit_metadata(base, max(layout.completed(base)))
    stats = [stat for of in metadata["partitionToWriteStats"].values() for stat in of]
    return sum(s["numInserts"] for s in stats), sum(s["numUpdateWrites"] for s in stats)


def footers(base: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Partition of each latest base file, and the pairs in its footer."""
    for found in layout.latest_slices(base):
        pairs = pq.ParquetFile(found.path).metadata.metadata
        yield found.partition, {key.decode(): value.decode() for key, value in pairs.items()}


@pytest.fixture
def settings(spark: SparkSession) -> Iterator[RuntimeConfig]:
    """Of the session, in which new base files become small; unset after the test."""
    spark.conf.set(MAX_SIZE, "12k")
    yield spark.conf
    spark.conf.unset(MAX_SIZE)
    spark.conf.unset(KIND)


def test_11_hudilites_table_is_upserted_by_stock_and_merged_again(
    spark: SparkSession, stock: StockSpark, database: Path, settings: RuntimeConfig
) -> None:
    base = database / "t"
    spark.sql(f"CREATE TABLE t ({COLUMNS}, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)")
    first, second = spoken(0, 1200, "one"), spoken(1000, 1500, "merged")
    settings.set(KIND, "SIMPLE")
    assert merge(spark, "t", first, ("id", "p")) == (1200, 0, 0, 1200)
    assert {pairs[CODE] for _, pairs in footers(base)} == {"SIMPLE"}
    settings.unset(KIND)
    assert merge(spark, "t", second, ("id", "p")) == (500, 200, 0, 300)
    expected = overlaid(first, second)
    assert_all_read(spark, stock, "t", base, expected)
    assert len(layout.latest_slices(base)) > 4
    theirs = spoken(0, 1700, "stock again")
    options = stock_options(base) | {ENTRIES: "1000"}
    stock_writes(stock, base, theirs, options)
    assert written(base) == (200, 1500), "stock found every key that was there, and no other"
    expected = overlaid(expected, theirs)
    last = spoken(0, 2000, "hudilite again", step=3)
    known = sum(i < 1700 for i in range(0, 2000, 3))
    assert merge(spark, "t", last, ("id", "p")) == (last.num_rows, known, 0, last.num_rows - known)
    expected = overlaid(expected, last)
    assert_all_read(spark, stock, "t", base, expected)
    slices = layout.latest_slices(base)
    for found in slices:  # stock Hudi does not find keys without a filter
        damage.rewrite(base, found, None, {FILTER: None})
    assert len(spark.sql("CALL rebuild_index('t')").collect()) == len(slices)
    stock_writes(stock, base, expected, options)
    assert written(base) == (0, expected.num_rows)


def test_11_stocks_table_is_adopted_merged_and_upserted_again(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base = database / "written"
    few = {
        MAX_SIZE: "100000",
        "hoodie.parquet.small.file.limit": "0",
        "hoodie.copyonwrite.record.size.estimate": "500",
        ENTRIES: "500",
    }
    options = BUCKETS | few | {"hoodie.index.type": "BLOOM"}
    first, second = spoken(0, 1200, "one"), spoken(1001, 1500, "stock", step=2)
    stock_writes(stock, base, first, options | {KIND: "SIMPLE"})
    stock_writes(stock, base, second, options)
    # Stock leaves the code of a SIMPLE filter out.
    assert {path: pairs.get(CODE) for path, pairs in footers(base)} == {
        "p=a": "DYNAMIC_V0",
        "p=b": None,
    }
    assert len(layout.latest_slices(base)) > 4
    spark.sql(
        f"CREATE TABLE t ({COLUMNS}) USING hudilite PARTITIONED BY (p) LOCATION '{base}' "
        "TBLPROPERTIES ('hoodie.index.type' = 'BLOOM')"
    )
    expected = overlaid(first, second)
    assert_all_read(spark, stock, "t", base, expected)
    ours = spoken(0, 1800, "merged", step=2)
    assert merge(spark, "t", ours, ("id", "p")) == (900, 600, 0, 300)
    expected = overlaid(expected, ours)
    theirs = overlaid(expected, spoken(1700, 1900, "stock again"))
    stock_writes(stock, base, theirs, options)
    assert written(base) == (theirs.num_rows - expected.num_rows, expected.num_rows)
    last = spoken(0, 2000, "hudilite again", step=5)
    merge(spark, "t", last, ("id", "p"))
    assert_all_read(spark, stock, "t", base, overlaid(theirs, last))


def source_of(kind: str) -> str:
    """A query for the rows of a partition of each size: the empty one's row is deleted later."""
    keys = " UNION ALL ".join(f"SELECT {n} n, id FROM range({max(n, 1)})" for n in SIZES[kind])
    return f"SELECT concat('{PREFIX}', id) id, id v, concat('{kind} ', n) p FROM ({keys})"


def test_12_filters_of_all_sizes_are_stocks_and_are_found_by_stock(
    spark: SparkSession, stock: StockSpark, database: Path, settings: RuntimeConfig
) -> None:
    base = database / "t"
    settings.unset(MAX_SIZE)
    spark.sql(
        "CREATE TABLE t (id STRING, v BIGINT, p STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p)"
    )
    for kind in SIZES:
        settings.set(KIND, kind)
        spark.sql(f"INSERT INTO t {source_of(kind)}")
    spark.sql(f"DELETE FROM t WHERE endswith(p, ' 0') AND id = '{PREFIX}0'")
    found = {path.removeprefix("p="): pairs for path, pairs in footers(base)}
    assert (len(found), len(layout.latest_slices(base))) == (6, 6)
    for kind, (nothing, one, many) in SIZES.items():
        empty = found[f"{kind} {nothing}"]
        assert (empty[CODE], MIN_KEY in empty, MAX_KEY in empty) == (kind, False, False)
        assert found[f"{kind} {one}"][CODE] == kind
        assert checksum(found[f"{kind} {many}"]) == golden(kind, many)
    whole = " UNION ALL ".join(source_of(kind) for kind in SIZES)
    stock_writes(stock, base, spark.sql(whole).toArrow(), stock_options(base))
    assert written(base) == (2, KEYS), "stock found every key but the deleted ones"
    # Stock's own filters are sized for 60,000 keys and have two rows here.
    answer = spark.sql(
        f"MERGE INTO t USING (SELECT * FROM ({whole}) WHERE v % 100 = 1) s "
        "ON t.id = s.id AND t.p = s.p "
        "WHEN MATCHED THEN UPDATE SET v = -1 WHEN NOT MATCHED THEN INSERT *"
    ).collect()
    assert [tuple(row) for row in answer] == [(1600, 1600, 0, 0)]
    told = spark.sql("SELECT count(*), count(DISTINCT id, p), count_if(v = -1) FROM t").first()
    assert told == (KEYS + 2, KEYS + 2, 1600)


def checksum(pairs: dict[str, str]) -> str:
    return hashlib.sha256(pairs[FILTER].encode()).hexdigest()


def golden(kind: str, keys: int) -> str:
    """Checksum of stock's filter of as many keys, sized for them."""
    found = json.loads(GOLDEN.read_text(encoding="utf-8"))
    wanted = {"typeCode": kind, "prefix": PREFIX, "entries": keys, "count": keys}
    (row,) = (row for row in found if wanted.items() <= row.items())
    return str(row["sha256"])
