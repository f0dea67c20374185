"""Tables with `hudilite.metadata = keep-files`, which stock Hudi, with its defaults, and hudilite write.

A write of hudilite adds its files to the metadata table of stock Hudi instead of removing that. After
each of them, stock Hudi's list of files is the content of the folders, and all readers see all rows.
"""

from __future__ import annotations

import os
import re
import shutil
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from harness import layout
from harness.adopted import assert_all_read, merge, overlaid, rows, stock_writes
from harness.canonical import assert_same_tables
from harness.rotation import product
from harness.rust import read_rust
from harness.stock import StockSpark, writer_options
from hudilite import files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KEEPS = product("core/commit/", "core/timeline/", "core/format/", "core/service/Cleaner.scala")
pytestmark = pytest.mark.rotated(rare=True, by="test", when=KEEPS)
METADATA = "hoodie.table.metadata.partitions"
TABLE = writer_options("written", buckets=2)
EIGHT = {"hoodie.write.table.version": "8", "hoodie.write.auto.upgrade": "false"}
KEY = ("p", "id")
FIRST = rows(0, 1000, "one")
KEPT = "TBLPROPERTIES ('hudilite.metadata' = 'keep-files')"
SHORT = "retain_commits => 1, retain_hours => 0, allow_short_retention => true"


def blocks(spark: SparkSession) -> tuple[bool, int]:
    """Whether the metadata table is kept, and the number of our blocks in it."""
    row = spark.sql("CALL metadata_table(table => 't')").collect()[0]
    return row.kept, row.blocks


def assert_listed(stock: StockSpark, base: Path) -> None:
    """Stock Hudi's metadata table lists the base files that are in the folders, and their lengths."""
    assert layout.properties(base)[METADATA] == "files"
    assert sorted(path.name for path in (base / ".hoodie" / "metadata").iterdir()) == [
        ".hoodie",
        "files",
    ]
    found: dict[str, dict[str, int]] = {}
    for file in layout.base_files(base):
        found.setdefault(file.partition, {})[file.path.name] = file.path.stat().st_size
    assert stock.listing(base) == found
    with warnings.catch_warnings():  # of a metadata table that contradicts
        warnings.simplefilter("error")
        assert files.read(base)


def assert_seen(spark: SparkSession, stock: StockSpark, base: Path, expected: pa.Table) -> None:
    assert_listed(stock, base)
    assert_all_read(spark, stock, "t", base, expected)


@pytest.mark.parametrize("version", [{}, EIGHT], ids=["9", "8"])
def test_stock_lists_our_files_after_each_commit(
    spark: SparkSession, stock: StockSpark, database: Path, version: dict[str, str]
) -> None:
    base = database / "written"
    options = TABLE | version
    expected = rows(0, 1200, "one")
    stock_writes(stock, base, expected, options, defaults=True)
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 2 LOCATION '{base}' {KEPT}")
    for number in range(4):
        ours = rows(100 * number, 100 * number + 150, "merged")
        merge(spark, "t", ours, KEY)
        expected = overlaid(expected, ours)
        assert_seen(spark, stock, base, expected)
        assert blocks(spark) == (True, number + 1)
    assert spark.sql(f"CALL clean(table => 't', {SHORT})").collect()[0].files_deleted > 0
    assert_seen(spark, stock, base, expected)
    spark.sql("INSERT OVERWRITE t PARTITION (p = 'b') SELECT 'new', 1.5D, 'x', 9")
    new = pa.table(
        {"id": ["new"], "d": [1.5], "v": ["x"], "p": ["b"], "ts": [9]}, schema=expected.schema
    )
    expected = pa.concat_tables([expected.filter(pc.equal(expected["p"], "a")), new])
    assert_seen(spark, stock, base, expected)
    assert blocks(spark) == (True, 6)
    stock_writes(stock, base, rows(1, 700, "stock again"), options, defaults=True)
    expected = overlaid(expected, rows(1, 700, "stock again"))
    assert "files" in layout.properties(base)[METADATA].split(",")
    assert_all_read(spark, stock, "t", base, expected)
    merge(spark, "t", rows(50, 960, "hudilite again", 3), KEY)
    expected = overlaid(expected, rows(50, 960, "hudilite again", 3))
    assert_seen(spark, stock, base, expected)


@pytest.fixture(scope="module")
def by_stock(stock: StockSpark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of stock Hudi with a metadata table, which no test changes."""
    base = tmp_path_factory.mktemp("by_stock") / "written"
    stock_writes(stock, base, FIRST, TABLE, defaults=True)
    return base


@pytest.fixture
def base(spark: SparkSession, by_stock: Path, database: Path) -> Path:
    """The location of a copy as the table `t`, which keeps the metadata table."""
    base = Path(shutil.copytree(by_stock, database / "written"))
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 2 LOCATION '{base}' {KEPT}")
    return base


@pytest.mark.timeout(3600)
def test_the_fiftieth_commit_removes_the_metadata_table(
    spark: SparkSession, stock: StockSpark, base: Path
) -> None:
    expected = FIRST
    most = 6 if os.environ.get("HUDILITE_TIER") == "test" else 49
    for number in range(most):
        ours = rows(number, number + 5, "merged")
        merge(spark, "t", ours, KEY)
        expected = overlaid(expected, ours)
        assert_listed(stock, base)
        if number % 10 == 9:
            assert_seen(spark, stock, base, expected)
    assert blocks(spark) == (True, most)
    assert_seen(spark, stock, base, expected)
    if most < 49:
        return
    merge(spark, "t", rows(100, 105, "merged"), KEY)
    expected = overlaid(expected, rows(100, 105, "merged"))
    assert layout.properties(base)[METADATA] == ""
    assert not (base / ".hoodie" / "metadata").exists()
    assert blocks(spark) == (False, 0)
    assert_all_read(spark, stock, "t", base, expected)


def test_stock_compacts_our_blocks_and_both_write_on(
    spark: SparkSession, stock: StockSpark, base: Path
) -> None:
    expected = FIRST
    for turn in range(2):
        for number in range(12):
            ours = rows(30 * number, 30 * number + 40, "merged" if turn == 0 else "hudilite again")
            merge(spark, "t", ours, KEY)
            expected = overlaid(expected, ours)
        assert_seen(spark, stock, base, expected)
        before = {path.name for path in (base / ".hoodie/metadata/files").glob("*.hfile")}
        stocks = rows(100 * turn, 100 * turn + 150, "hudilite again")
        stock_writes(stock, base, stocks, TABLE, defaults=True)
        expected = overlaid(expected, stocks)
        after = {path.name for path in (base / ".hoodie/metadata/files").glob("*.hfile")}
        assert after - before, "stock Hudi has compacted the list of files"
        assert_all_read(spark, stock, "t", base, expected)
        merge(spark, "t", rows(5, 25, "hudilite again"), KEY)
        expected = overlaid(expected, rows(5, 25, "hudilite again"))
        assert_seen(spark, stock, base, expected)
        assert blocks(spark)[0]
        assert blocks(spark)[1] < 12


def test_services_and_a_table_without_partitions(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    spark.sql(
        "CREATE TABLE t (id STRING, d DOUBLE, v STRING, p STRING, ts BIGINT, PRIMARY KEY (id)) "
        "USING hudilite TBLPROPERTIES ('preCombineField' = 'ts', 'hoodie.write.table.version' = '9', "
        "'hudilite.metadata' = 'keep-files')"
    )
    base = database / "t"
    expected = rows(0, 1000, "one")
    merge(spark, "t", expected, ("id",))
    assert METADATA not in layout.properties(base)
    options = {key: value for key, value in TABLE.items() if "partition" not in key}
    options = {key: value for key, value in options.items() if "index" not in key}
    stock_writes(
        stock, base, rows(100, 300, "stock"), options | {"hoodie.table.name": "t"}, defaults=True
    )
    expected = overlaid(expected, rows(100, 300, "stock"), ("id",))
    spark.catalog.refreshTable("t")
    merge(spark, "t", rows(200, 1100, "merged"), ("id",))
    expected = overlaid(expected, rows(200, 1100, "merged"), ("id",))
    assert_seen(spark, stock, base, expected)
    spark.sql("ALTER TABLE t ADD COLUMN more INT")
    expected = expected.append_column("more", pa.nulls(expected.num_rows, pa.int32()))
    assert_seen(spark, stock, base, expected)
    for number in range(6):
        spark.sql(f"UPDATE t SET more = {number} WHERE id = 'k{number}'")
    changed = [int(key[1:]) if int(key[1:]) < 6 else None for key in expected["id"].to_pylist()]
    place = expected.column_names.index("more")
    expected = expected.set_column(place, "more", pa.array(changed, pa.int32()))
    assert_seen(spark, stock, base, expected)
    saved = max(layout.completed(base))
    spark.sql("CALL savepoint(table => 't')")
    spark.sql(f"CALL clean(table => 't', {SHORT})")
    assert spark.sql("CALL archive(table => 't', keep_min => 2, keep_max => 3)").collect()
    assert_seen(spark, stock, base, expected)
    spark.sql("DELETE FROM t WHERE id >= 'k5'")
    left = expected.filter(pc.less(expected["id"], "k5"))
    assert_seen(spark, stock, base, left)
    spark.sql(f"CALL restore(table => 't', instant => '{saved}')")
    assert layout.properties(base)[METADATA] == ""
    assert_all_read(spark, stock, "t", base, expected)


def files_of(base: Path) -> list[str]:
    return [path.relative_to(base).as_posix() for path in base.rglob("*") if path.is_file()]


def test_stock_reads_each_image_of_a_crash_right(
    spark: SparkSession, stock: StockSpark, base: Path, tmp_path: Path
) -> None:
    merge(spark, "t", rows(10, 200, "merged"), KEY)
    before = overlaid(FIRST, rows(10, 200, "merged"))
    known = set(files_of(base))
    merge(spark, "t", rows(150, 400, "merged"), KEY)
    after = overlaid(before, rows(150, 400, "merged"))
    time = max(layout.completed(base))
    ends = (
        f"/{time}.deltacommit.requested",
        f"/{time}.deltacommit.inflight",
        f"_{time}.log.1_0-1-0",
        ".deltacommit",
        ".commit",
    )
    new = [
        next(f for f in files_of(base) if f not in known and f.endswith(end) and time in f)
        for end in ends
    ]
    for made in range(len(new) + 1):
        image = tmp_path / f"image{made}" / "written"
        shutil.copytree(base, image)
        for name in new[made:]:
            (image / name).unlink()
        seen = after if made == len(new) else before
        found = stock.read(image)
        assert_same_tables(seen, found, seen.column_names, f"stock, {made} files")
        rust = read_rust(image)
        assert_same_tables(seen, rust, seen.column_names, f"hudi-rs, {made} files")
        ours = rows(390, 420, "merged")
        merge(spark, f"hudilite.`{image}`", ours, KEY)
        last = overlaid(after, ours)
        assert_listed(stock, image)
        for read, label in ((stock.read(image), "stock"), (read_rust(image), "hudi-rs")):
            assert_same_tables(last, read, last.column_names, f"{label} after {made} files")


def test_stock_reads_right_before_the_other_partitions_are_gone(
    spark: SparkSession, stock: StockSpark, base: Path
) -> None:
    expected = FIRST
    file = base / ".hoodie" / "hoodie.properties"
    text = file.read_text(encoding="utf-8")
    kept = re.sub(rf"(?m)^{re.escape(METADATA)}=.*$", f"{METADATA}=files", text)
    assert kept != text
    file.write_text(kept, encoding="utf-8")
    (base / ".hoodie" / ".hoodie.properties.crc").unlink(missing_ok=True)
    assert (base / ".hoodie/metadata/column_stats").exists()
    assert_all_read(spark, stock, "t", base, expected)
    merge(spark, "t", rows(10, 200, "merged"), KEY)
    assert_seen(spark, stock, base, overlaid(expected, rows(10, 200, "merged")))
