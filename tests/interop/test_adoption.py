"""Tables that stock Hudi wrote become hudilite tables where they lie, and stay stock Hudi's.

The numbers in the names are those of the compatibility assertions in docs/format.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from harness import layout
from harness.adopted import (
    BUCKETS,
    StockTables,
    assert_all_read,
    merge,
    overlaid,
    rows,
    stock_writes,
)
from harness.faults import Fault, run_statement
from harness.merge_on_read import MERGE_ON_READ
from harness.rotation import JVM
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BLOOM = BUCKETS | {"hoodie.index.type": "BLOOM"}


@pytest.fixture
def base(database: Path, stock_tables: StockTables) -> Path:
    """A bucket table of stock Hudi: 1,100 rows, two partitions, two commits."""
    return stock_tables.copy(database / "written", (0, 1000, "one"), (900, 1100, "stock"))


def refusal(spark: SparkSession, text: str) -> Fault:
    fault = run_statement(spark, text)
    assert fault is not None, text
    return fault


@pytest.mark.rotated(third=2, when=JVM)
def test_09_10_stock_and_hudilite_take_turns_on_an_adopted_table(
    spark: SparkSession, stock: StockSpark, base: Path
) -> None:
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    expected = overlaid(rows(0, 1000, "one"), rows(900, 1100, "stock"))
    assert_all_read(spark, stock, "t", base, expected)
    ours = rows(1000, 1300, "merged")
    assert merge(spark, "t", ours, ("id", "p")) == (300, 100, 0, 200)
    expected = overlaid(expected, ours)
    assert_all_read(spark, stock, "t", base, expected)
    theirs = rows(1200, 1400, "stock again")
    stock_writes(stock, base, theirs, BUCKETS)
    expected = overlaid(expected, theirs)
    assert_all_read(spark, stock, "t", base, expected)
    last = rows(0, 1500, "hudilite again", step=5)
    counts = merge(spark, "t", last, ("id", "p"))
    assert counts[1] == sum(i < 1400 for i in range(0, 1500, 5))
    expected = overlaid(expected, last)
    assert_all_read(spark, stock, "t", base, expected)
    found = layout.latest_slices(base)
    assert len({(s.partition, s.bucket) for s in found}) == len(found) == 8


def test_adoption_keeps_what_it_learned_with_the_table(
    spark: SparkSession, stock: StockSpark, base: Path
) -> None:
    before = layout.properties(base)
    assert not any(key.startswith("hudilite.") for key in before)
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 ON (id) LOCATION '{base}'")
    after = layout.properties(base)
    learned = {key: value for key, value in after.items() if key.startswith("hudilite.")}
    assert learned.pop("hudilite.table.uuid")
    assert learned.pop(layout.OWN_CHECKSUM) == layout.facts_checksum(after)
    assert learned == {
        "hudilite.index": "BUCKET",
        "hudilite.bucket.count": "4",
        "hudilite.bucket.fields": "id",
        "hudilite.key.encoding": "PLAIN",
    }
    assert before == {key: after[key] for key in before}
    assert not (base / ".hoodie" / ".hoodie.properties.crc").exists()
    assert stock.read(base).num_rows == 1100
    stock_writes(stock, base, rows(0, 10, "stock"), BUCKETS)
    assert layout.properties(base)["hudilite.bucket.count"] == "4"
    # Known now: no clause is needed any more, and another count is refused.
    spark.sql(f"CREATE TABLE u USING hudilite LOCATION '{base}'")
    assert "WITH BUCKETS 4" in spark.sql("SHOW CREATE TABLE u").collect()[0][0]
    conflict = refusal(spark, f"CREATE TABLE v USING hudilite WITH BUCKETS 8 LOCATION '{base}'")
    assert conflict.condition == "HUDILITE_PROPERTY_CONFLICT"


@pytest.mark.fault("F87")
@pytest.mark.parametrize("clause", ["WITH BUCKETS 8", "WITH BUCKETS 3", "WITH BUCKETS 5"])
def test_a_wrong_bucket_count_is_refused_with_what_was_found(
    spark: SparkSession, base: Path, clause: str
) -> None:
    untouched = layout.untouched_state(base)
    fault = refusal(spark, f"CREATE TABLE t USING hudilite {clause} LOCATION '{base}'")
    assert fault.condition == "HUDILITE_BUCKET_COUNT_MISMATCH"
    assert fault.parameters["fit"] == "WITH BUCKETS 4 ON (id)"
    assert fault.parameters["asked"] == f"{clause} ON (id)"
    assert "bucket 3" in fault.parameters["found"] or "the key k" in fault.parameters["found"]
    assert layout.untouched_state(base) == untouched
    assert not spark.catalog.tableExists("t")


def test_a_wrong_bucket_count_of_log_files_alone_is_refused(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    """Slices without a base, as stock's in-memory index writes them, with the names of bucket files."""
    base = database / "logs"
    options = {key: value for key, value in BUCKETS.items() if "bucket" not in key} | MERGE_ON_READ
    source = rows(0, 1100, "one")
    stock_writes(stock, base, source, options | {"hoodie.index.type": "INMEMORY"}, "overwrite")
    for path in base.rglob(".*.crc"):
        path.unlink()
    logs = list(base.rglob(".*.log.*"))
    assert len(logs) == 2
    assert list(base.rglob("*.parquet")) == []
    for log in logs:
        found = log.name[1:].split("_")[0]
        named = f"{0:08d}{found[8:]}"
        log.rename(log.with_name(log.name.replace(found, named)))
        for file in (base / ".hoodie").glob("*.deltacommit*"):
            file.write_bytes(file.read_bytes().replace(found.encode(), named.encode()))
    fault = refusal(spark, f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{base}'")
    assert fault.condition == "HUDILITE_BUCKET_COUNT_MISMATCH"
    assert fault.parameters["fit"] == "WITH BUCKETS 1 ON (id)"
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 1 LOCATION '{base}'")
    assert_all_read(spark, stock, "t", base, source)


def test_a_stock_bucket_table_needs_its_count(spark: SparkSession, base: Path) -> None:
    fault = refusal(spark, f"CREATE TABLE t USING hudilite LOCATION '{base}'")
    assert fault.condition == "HUDILITE_BUCKET_COUNT_UNKNOWN"
    assert fault.parameters["highest"] == "3"
    assert fault.parameters["fit"] == "WITH BUCKETS 4 ON (id)"


def test_columns_and_properties_may_be_repeated(spark: SparkSession, base: Path) -> None:
    spark.sql(
        "CREATE TABLE t (id STRING, d DOUBLE COMMENT 'a third', v STRING, p STRING, ts BIGINT) "
        f"USING hudilite CLUSTERED BY (id) INTO 4 BUCKETS PARTITIONED BY (p) LOCATION '{base}' "
        "TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts', type = 'cow')"
    )
    assert spark.sql("SELECT count(*) FROM t").collect()[0][0] == 1100
    described = {row[0]: row[2] for row in spark.sql("DESCRIBE t").collect()}
    assert described["d"] == "a third"


@pytest.mark.rotated(third=0)
def test_a_bloom_table_is_adopted_as_one_and_read(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    path = database / "bloom"
    stock_writes(stock, path, rows(0, 1000, "one"), BLOOM)
    stock_writes(stock, path, rows(900, 1100, "stock"), BLOOM)
    asked = refusal(spark, f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{path}'")
    assert asked.condition == "HUDILITE_PROPERTY_CONFLICT"
    assert asked.parameters == {
        "key": "hoodie.index.type",
        "declared": "BLOOM",
        "asked": "BUCKET (4)",
    }
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{path}'")
    expected = overlaid(rows(0, 1000, "one"), rows(900, 1100, "stock"))
    assert_all_read(spark, stock, "t", path, expected)


@pytest.mark.rotated(third=0)
@pytest.mark.parametrize(
    "index", ["WITH BUCKETS 4", "TBLPROPERTIES ('hoodie.index.type' = 'BLOOM')"]
)
def test_an_empty_stock_table_is_written_once_it_declares_its_index(
    spark: SparkSession, stock: StockSpark, database: Path, index: str
) -> None:
    path = database / "empty"
    stock.ask(
        op="sql",
        text=f"CREATE TABLE made_by_stock (id INT, v STRING, p STRING) USING hudi PARTITIONED BY (p) "
        f"LOCATION '{path}' TBLPROPERTIES (primaryKey = 'id', type = 'cow', "
        "'hoodie.write.table.version' = '6', 'hoodie.metadata.enable' = 'false')",
    )
    try:
        spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{path}'")
        fault = run_statement(spark, "INSERT INTO t VALUES (1, 'a', 'x')")
        assert fault is not None
        assert (fault.condition, fault.parameters["fact"]) == (
            "HUDILITE_UNSUPPORTED_TABLE",
            "index",
        )
        assert "TBLPROPERTIES ('hoodie.index.type' = 'BLOOM')" in fault.parameters["fix"]
        spark.sql("DROP TABLE t")
        place = f"LOCATION '{path}'"
        clauses = f"{index} {place}" if index.startswith("WITH") else f"{place} {index}"
        spark.sql(f"CREATE TABLE t USING hudilite {clauses}")
        spark.sql("INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y')")
        read = stock.read(path).select(["id", "v", "p"]).sort_by("id").to_pydict()
        assert read == {"id": [1, 2], "v": ["a", "b"], "p": ["x", "y"]}
    finally:
        stock.ask(op="sql", text="DROP TABLE made_by_stock")


@pytest.mark.rotated(third=0)
@pytest.mark.parametrize("encoding", ["f:v", "v"])
def test_20_one_key_under_the_complex_generator_is_sniffed(
    spark: SparkSession, stock: StockSpark, database: Path, encoding: str
) -> None:
    path = database / "complex"
    options = BUCKETS | {
        "hoodie.datasource.write.partitionpath.field": "p,q",
        "hoodie.write.complex.keygen.validation.enable": "false",
        "hoodie.write.complex.keygen.new.encoding": str(encoding == "v").lower(),
    }

    def source(first: int, last: int, word: str) -> pa.Table:
        table = rows(first, last, word)
        return table.append_column("q", pa.array([f"q{i % 3}" for i in range(first, last)]))

    stock_writes(stock, path, source(0, 1000, "one"), options)
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{path}'")
    keys = spark.sql("SELECT _hoodie_record_key FROM t WHERE id = 'k5'").collect()
    assert [row[0] for row in keys] == ["id:k5" if encoding == "f:v" else "k5"]
    ours = source(900, 1100, "merged")
    assert merge(spark, "t", ours, ("id", "p", "q")) == (200, 100, 0, 100)
    expected = overlaid(source(0, 1000, "one"), ours, ("id", "p", "q"))
    assert_all_read(spark, stock, "t", path, expected)
    theirs = source(1050, 1200, "stock again")
    stock_writes(stock, path, theirs, options)
    expected = overlaid(expected, theirs, ("id", "p", "q"))
    assert_all_read(spark, stock, "t", path, expected)


@pytest.mark.rotated(third=0)
def test_20_composite_keys_with_placeholders_and_one_hashed_column(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    path = database / "composite"
    options = BUCKETS | {
        "hoodie.datasource.write.recordkey.field": "id,k",
        "hoodie.bucket.index.hash.field": "k",
    }

    def source(first: int, last: int, word: str) -> pa.Table:
        table = rows(first, last, word)
        texts = ["", "a:b", "x,y", "é", None] if word == "one" else ["", "a:b", "x,y", "é"]
        values = [texts[i % len(texts)] for i in range(first, last)]
        return table.append_column("k", pa.array(values, pa.string()))

    stock_writes(stock, path, source(0, 1000, "one"), options)
    assert (
        refusal(
            spark, f"CREATE TABLE t USING hudilite WITH BUCKETS 4 LOCATION '{path}'"
        ).parameters["fit"]
        == "WITH BUCKETS 4 ON (k)"
    )
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 4 ON (k) LOCATION '{path}'")
    ours = source(960, 1200, "merged")
    merge(spark, "t", ours, ("id", "k", "p"))
    expected = overlaid(source(0, 1000, "one"), ours, ("id", "k", "p"))
    assert_all_read(spark, stock, "t", path, expected)
    stock_writes(stock, path, source(1100, 1300, "stock again"), options)
    expected = overlaid(expected, source(1100, 1300, "stock again"), ("id", "k", "p"))
    assert_all_read(spark, stock, "t", path, expected)
