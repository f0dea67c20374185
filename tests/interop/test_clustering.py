"""CALL cluster: rows that are sorted into other files are the same for every reader, and stock Hudi writes on."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.adopted import assert_all_read, merge, overlaid, rows, stock_writes
from harness.canonical import assert_same_tables
from harness.merge_on_read import MERGE_ON_READ
from harness.rust import read_rust
from harness.stock import StockSpark, writer_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=2)
COLUMNS = "id STRING, d DOUBLE, v STRING, p STRING, ts BIGINT"
CLEANING = {
    "hoodie.archive.automatic": "true",
    "hoodie.keep.min.commits": "3",
    "hoodie.keep.max.commits": "4",
    "hoodie.clean.automatic": "true",
    "hoodie.clean.commits.retained": "1",
}
KEPT = "_hoodie_file_name"  # the only meta column that a clustering changes


def own(spark: SparkSession, columns: list[str], state: str = "") -> pa.Table:
    return spark.sql(f"SELECT {', '.join(columns)} FROM t {state}").toArrow()


def counted(base: Path) -> tuple[int, int]:
    """Rows that the newest commit counts as inserted and as updated."""
    metadata = layout.commit_metadata(base, max(layout.completed(base)))
    stats = [stat for of in metadata["partitionToWriteStats"].values() for stat in of]
    return sum(s["numInserts"] for s in stats), sum(s["numUpdateWrites"] for s in stats)


def stock_clusters(stock: StockSpark, base: Path, options: dict[str, str], column: str) -> None:
    """One clustering by stock Hudi, with the options of a writer."""
    for key, value in options.items():
        stock.ask(op="sql", text=f"SET {key}={value}")
    stock.ask(op="sql", text=f"CALL run_clustering(path => '{base}', order => '{column}')")
    for key in options:
        stock.ask(op="sql", text=f"RESET {key}")


def assert_rows(spark: SparkSession, stock: StockSpark, base: Path, expected: pa.Table) -> None:
    """All readers find these rows; stock's clustering leaves footers that `verify` warns of."""
    columns = expected.column_names
    for read in (own(spark, columns), stock.read(base), read_rust(base)):
        assert_same_tables(expected, read, columns)


def assert_sorted(base: Path, column: str) -> None:
    """The files of a partition have parts of the values, and each is in the order of the key."""
    ranges: dict[str, list[tuple[float, float]]] = {}
    for found in layout.latest_slices(base):
        data = pq.ParquetFile(found.path).read()
        keys = [key.encode() for key in data["_hoodie_record_key"].to_pylist()]
        assert keys == sorted(keys)
        bounds = pc.min_max(data[column]).as_py()
        if bounds["min"] is not None:  # a file may have nulls alone
            ranges.setdefault(found.partition, []).append((bounds["min"], bounds["max"]))
    for found_ranges in ranges.values():
        assert len(found_ranges) > 3
        for (_, high), (low, _) in itertools.pairwise(sorted(found_ranges)):
            assert high <= low


@pytest.mark.parametrize(("kind", "version"), [("cow", 6), ("mor", 6), ("cow", 9), ("mor", 9)])
def test_all_read_and_write_a_table_whose_rows_were_sorted(
    spark: SparkSession, stock: StockSpark, database: Path, kind: str, version: int
) -> None:
    base = database / "t"
    spark.sql(
        f"CREATE TABLE t ({COLUMNS}, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) "
        f"TBLPROPERTIES (type = '{kind}', hoodie.table.version = '{version}', "
        "'hoodie.parquet.small.file.limit' = '0')"
    )
    first, second = rows(0, 1200, "one"), rows(1000, 1500, "merged")
    merge(spark, "t", first, ("id", "p"))
    assert merge(spark, "t", second, ("id", "p"))[0] == 500
    expected = overlaid(first, second)
    before = stock.read(base)
    same = [name for name in before.column_names if name != KEPT]
    groups = {(s.partition, s.file_id) for s in layout.latest_slices(base)}
    last, times = max(layout.completed(base)), layout.completions(base)
    later = before.filter(pc.not_equal(before["_hoodie_commit_time"], min(layout.instants(base))))
    assert later.num_rows == 500

    told = spark.sql(
        "CALL cluster(table => 't', order_by => 'd', target_file_size => '4k')"
    ).collect()
    assert [row["partition"] for row in told] == ["p=a", "p=b"]
    assert sum(row["rows"] for row in told) == expected.num_rows
    steps = [done for done in sorted(layout.completed(base)) if done > last]
    assert [layout.completed(base)[done] for done in steps] == ["replacecommit"] * 2
    assert {layout.commit_metadata(base, done)["operationType"] for done in steps} == {"CLUSTER"}
    hidden = [layout.hidden(base, done) for done in steps]
    assert [list(of) for of in hidden] == [["p=a"], ["p=b"]]
    assert {(partition, i) for of in hidden for partition in of for i in of[partition]} == groups
    assert not [s for s in layout.states(base) if s.action == "clustering"]
    assert_sorted(base, "d")

    assert_all_read(spark, stock, "t", base, expected)
    after = own(spark, before.column_names)
    assert_same_tables(before, after, same, "after the clustering")
    for table in (
        own(spark, same, f"VERSION AS OF '{last}'"),
        stock.read(base, **{"as.of.instant": last}),
    ):
        assert_same_tables(before, table, same, "time travel")
    assert spark.sql(f"SELECT * FROM hudilite_changes('t', '{last}')").count() == 0
    assert stock.changes(base, times[-1]).num_rows == 0
    assert_same_tables(later, stock.changes(base, times[0]), same, "stock's incremental query")

    options = writer_options("t", None) | (MERGE_ON_READ if kind == "mor" else {})
    options |= {"hoodie.write.table.version": str(version), "hoodie.write.auto.upgrade": "false"}
    options["hoodie.index.type"] = "BLOOM"
    theirs = rows(0, 1700, "stock again")
    stock_writes(stock, base, theirs, options)
    expected = overlaid(expected, theirs)
    assert_all_read(spark, stock, "t", base, expected)
    if kind == "cow":
        assert counted(base) == (200, 1500), "stock found every key that was there, and no other"
    ours = rows(0, 2000, "hudilite again", step=3)
    known = sum(i < 1700 for i in range(0, 2000, 3))
    assert merge(spark, "t", ours, ("id", "p")) == (ours.num_rows, known, 0, ours.num_rows - known)
    expected = overlaid(expected, ours)
    assert_all_read(spark, stock, "t", base, expected)
    spark.sql("CALL cluster(table => 't', zorder => 'd, v', target_file_size => '4k')").collect()
    assert_all_read(spark, stock, "t", base, expected)


def test_a_clustering_of_stock_changes_no_rows(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    base = database / "t"
    first, options = rows(0, 1200, "one"), writer_options("t", None)
    stock_writes(stock, base, first, options)
    spark.sql(
        f"CREATE TABLE t ({COLUMNS}) USING hudilite PARTITIONED BY (p) LOCATION '{base}' "
        "TBLPROPERTIES ('hoodie.index.type' = 'BLOOM')"
    )
    last = max(layout.completed(base))
    stock_clusters(stock, base, options, "d")
    done = max(layout.completed(base))
    assert layout.commit_metadata(base, done)["operationType"] == "CLUSTER"
    assert done > last
    assert_rows(spark, stock, base, first)
    assert spark.sql(f"SELECT * FROM hudilite_changes('t', '{last}')").count() == 0
    assert spark.sql(
        "CALL cluster(table => 't', order_by => 'v', target_file_size => '4k')"
    ).count()
    assert_rows(spark, stock, base, first)
    assert spark.sql(f"SELECT * FROM hudilite_changes('t', '{last}')").count() == 0
    stock_clusters(stock, base, options, "d")
    assert layout.hidden(base, max(layout.completed(base)))
    assert_rows(spark, stock, base, first)


@pytest.mark.parametrize("version", [6, 9])
def test_stock_cleans_and_archives_a_clustering(
    spark: SparkSession, stock: StockSpark, database: Path, version: int
) -> None:
    base = database / "t"
    spark.sql(
        f"CREATE TABLE t ({COLUMNS}, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) "
        f"TBLPROPERTIES (preCombineField = 'ts', hoodie.table.version = '{version}')"
    )
    expected = rows(0, 1200, "one")
    merge(spark, "t", expected, ("id", "p"))
    old = [found.path for found in layout.latest_slices(base)]
    spark.sql("CALL cluster(table => 't', order_by => 'd', target_file_size => '4k')").collect()
    clustered = max(layout.completed(base))
    options = writer_options("t") | CLEANING
    options |= {"hoodie.write.table.version": str(version), "hoodie.write.auto.upgrade": "false"}
    for number in range(6):
        theirs = rows(number, 1300, "stock", step=5)
        stock_writes(stock, base, theirs, options)
        expected = overlaid(expected, theirs)
    assert clustered not in layout.completed(base)
    assert old
    assert not [path for path in old if path.exists()]
    assert_all_read(spark, stock, "t", base, expected)
