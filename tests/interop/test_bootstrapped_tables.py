"""Tables that stock Hudi bootstrapped over Parquet files that stay where they are.

The numbers in the names are those of the compatibility assertions in docs/format.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException

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
from harness.bootstrapped import adopt
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=1)
ADOPT = (
    "CREATE TABLE t USING hudilite LOCATION '{base}' TBLPROPERTIES ('hoodie.index.type' = 'BLOOM')"
)
OPTIONS = {
    "hoodie.table.name": "written",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "p",
    "hoodie.index.type": "BLOOM",
    "hoodie.bootstrap.parallelism": "2",
}
FILES = 3


def source_of(folder: Path, table: pa.Table, group: int) -> dict[str, bytes]:
    """Writes rows as several files of a partitioned directory, and gives the bytes of each."""
    for value in ("a", "b"):
        kept = table.filter(pa.compute.equal(table["p"], value)).drop_columns(["p"])
        part = folder / f"p={value}"
        part.mkdir(parents=True)
        for i in range(FILES):
            share = kept.slice(i * kept.num_rows // FILES, kept.num_rows // FILES)
            pq.write_table(share, part / f"file-{i}.parquet", row_group_size=group)
    return contents(folder)


def bootstrapped(stock: StockSpark, database: Path, table: pa.Table, group: int) -> Path:
    """A table of stock Hudi over the rows' files."""
    source_of(database / "source", table, group)
    base = database / "written"
    options = OPTIONS | {
        "hoodie.datasource.write.operation": "bootstrap",
        "hoodie.bootstrap.base.path": str(database / "source"),
    }
    stock_writes(stock, base, table.slice(0, 1), options, mode="overwrite")
    return base


@pytest.mark.parametrize("group", [10, 1000])
def test_22_and_23_stocks_bootstrap_is_read_merged_and_upserted(
    spark: SparkSession, stock: StockSpark, database: Path, group: int
) -> None:
    first = rows(0, 1800, "one")
    base = bootstrapped(stock, database, first, group)
    before = contents(database / "source")
    spark.sql(ADOPT.format(base=base))
    assert_both_read(spark, stock, "t", base, first)
    mapped = spark.sql("CALL show_bootstrap_mapping(table => 't')").collect()
    assert {(row.source_file, row.source_bytes, row.current) for row in mapped} == {
        (f"file:{path}", len(data), True) for path, data in before.items()
    }
    assert sorted(mapped, key=lambda row: (row.partition, row.file_id)) == mapped
    assert {row.source_base_path.removeprefix("file:") for row in mapped} == {
        str(database / "source")
    }
    ours = rows(0, 300, "merged", step=2)
    assert merge(spark, "t", ours, ("id", "p")) == (150, 150, 0, 0)
    expected = overlaid(first, ours)
    skeletons = [s for s in layout.latest_slices(base) if s.instant == "00000000000001"]
    assert len(skeletons) == 2 * FILES - 1, "one file group was touched, no other was rewritten"
    assert_both_read(spark, stock, "t", base, expected)
    theirs = rows(1700, 1900, "stock again")
    upsert = {"hoodie.datasource.write.operation": "upsert"}
    stock_writes(stock, base, theirs, OPTIONS | upsert)
    expected = overlaid(expected, theirs)
    assert_both_read(spark, stock, "t", base, expected)
    spark.sql("UPDATE t SET v = 'all'")
    column = expected.column_names.index("v")
    expected = expected.set_column(column, "v", pa.array(["all"] * expected.num_rows))
    assert_both_read(spark, stock, "t", base, expected)
    assert contents(database / "source") == before


def test_22_a_source_that_changed_or_went_is_named(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base = bootstrapped(stock, database, rows(0, 1200, "one"), 100)
    spark.sql(ADOPT.format(base=base))
    file = database / "source" / "p=a" / "file-1.parquet"
    whole = file.read_bytes()
    for columns in ("*", "_hoodie_record_key, v"):
        pq.write_table(pq.ParquetFile(file).read().slice(0, 50), file)
        with pytest.raises(PySparkException) as changed:
            spark.sql(f"SELECT {columns} FROM t").collect()
        assert changed.value.getCondition() == "HUDILITE_SOURCE_CHANGED"
        assert file.name in str(changed.value)
        file.unlink()
        with pytest.raises(PySparkException) as gone:
            spark.sql(f"SELECT {columns} FROM t").collect()
        assert gone.value.getCondition() == "HUDILITE_MISSING_DATA_FILE"
        assert file.name in str(gone.value)
        file.write_bytes(whole)
        assert len(spark.sql(f"SELECT {columns} FROM t").collect()) == 1200


def test_22_and_23_an_index_with_hashes_of_footers_is_stocks_too(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    first = rows(0, 1800, "one")
    base = database / "written"
    spark.createDataFrame(first).createOrReplaceTempView("first")
    spark.sql(
        "CREATE TABLE t (id STRING, d DOUBLE, v STRING, p STRING, ts BIGINT, PRIMARY KEY (id)) "
        f"USING hudilite PARTITIONED BY (p) LOCATION '{base}'"
    )
    spark.sql("INSERT INTO t SELECT * FROM first")
    adopt(base, database / "source", groups=(100, 70))
    spark.sql("REFRESH TABLE t")
    (index,) = (base / ".hoodie" / ".aux" / ".bootstrap" / ".partitions").glob("*.hfile")
    assert b"hudiliteFooter" in index.read_bytes()
    before = contents(database / "source")
    assert_both_read(spark, stock, "t", base, first)
    theirs = rows(1700, 1900, "stock again")
    upsert = {"hoodie.table.name": "t", "hoodie.datasource.write.operation": "upsert"}
    stock_writes(stock, base, theirs, OPTIONS | upsert)
    assert_both_read(spark, stock, "t", base, overlaid(first, theirs))
    assert contents(database / "source") == before


def test_22_a_materialized_table_is_read_by_all_without_its_source(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    first = rows(0, 1200, "one")
    base = bootstrapped(stock, database, first, 100)
    spark.sql(ADOPT.format(base=base))
    (done,) = spark.sql("CALL materialize('t', 'p = ''a''', 1)").collect()
    assert done.partition == "p=a"
    assert_both_read(spark, stock, "t", base, first)
    assert len(spark.sql("CALL materialize(table => 't')").collect()) == 2 * FILES - 1
    (database / "source").rename(database / "elsewhere")
    assert_all_read(spark, stock, "t", base, first)
    theirs = rows(1100, 1300, "stock again")
    upsert = {"hoodie.datasource.write.operation": "upsert"}
    stock_writes(stock, base, theirs, OPTIONS | upsert)
    assert_all_read(spark, stock, "t", base, overlaid(first, theirs))
