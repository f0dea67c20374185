"""How row groups of new base files come about, held against the rows and footers of old and new files."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from harness import damage, layout
from harness.faults import run_statement
from harness.metrics import committed
from harness.rotation import product
from harness.session import PAGE_ROWS, ROW_GROUP_ROWS
from model.relations import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(by="test", when=product("spark/write/"))
COPY = "spark.hudilite.write.copy"
ROWS, GROUP = 1000, 100
SMALL = {PAGE_ROWS: 20, ROW_GROUP_ROWS: GROUP}
KEY, TIME, NAME = "_hoodie_record_key", "_hoodie_commit_time", "_hoodie_file_name"


def make(spark: SparkSession, buckets: int, columns: str = "v STRING, n INT") -> None:
    spark.sql(
        f"CREATE TABLE t (id STRING, {columns}, PRIMARY KEY (id)) USING hudilite WITH BUCKETS {buckets}"
    )
    nested = ", array(id)" if "ARRAY" in columns else ""
    spark.sql(
        "INSERT INTO t SELECT lpad(id, 6, '0'), concat('v', id), id"
        f"{nested} FROM range({ROWS * buckets})"
    )


def merge(keys: str, clauses: str, columns: str = "id, 'new' v, -1 n") -> str:
    source = f"SELECT {columns} FROM (SELECT lpad(id, 6, '0') id FROM {keys})"
    return f"MERGE INTO t USING ({source}) s ON t.id = s.id {clauses}"


def ways(base: Path) -> Counter[str]:
    """What rows tell of the newest files' row groups: `same`, `updated`, or `other` than an old one."""
    newest = max(layout.completed(base))
    files = {s.file_id: s for s in layout.latest_slices(base, sorted(layout.completed(base))[-2])}
    found: Counter[str] = Counter()
    for written in (s for s in layout.latest_slices(base) if s.instant == newest):
        old = groups(files[written.file_id].path)
        for keys, times in groups(written.path).items():
            how = "same" if old.get(keys) == times else "updated" if keys in old else "other"
            found[how] += 1
    return found


def groups(path: Path) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Commit times of each row group's rows, by their keys."""
    file = pq.ParquetFile(path)
    read = [file.read_row_group(i, columns=[KEY, TIME]) for i in range(file.num_row_groups)]
    return {tuple(t[KEY].to_pylist()): tuple(t[TIME].to_pylist()) for t in read}


def chunks(path: Path, column: str) -> list[bytes]:
    """The bytes of a column in each row group."""
    metadata, data = pq.ParquetFile(path).metadata, path.read_bytes()
    found = []
    for i in range(metadata.num_row_groups):
        group = metadata.row_group(i)
        of = next(
            group.column(j)
            for j in range(group.num_columns)
            if group.column(j).path_in_schema == column
        )
        start = min(filter(None, (of.dictionary_page_offset, of.data_page_offset)))
        found.append(data[start : start + of.total_compressed_size])
    return found


def strangers(path: Path) -> set[str]:
    """Names of other files that rows of a file have as their own."""
    return set(pq.ParquetFile(path).read(columns=[NAME]).column(0).to_pylist()) - {path.name}


def rewrite(base: Path, *, is_sorted: bool) -> None:
    """All base files come of another writer."""
    for found in layout.latest_slices(base):
        if is_sorted:
            damage.rewrite(base, found, group=GROUP)
        else:
            damage.rewrite_unsorted(base, found, random.Random(7), GROUP)


SET_ALL, SET_ONE = "WHEN MATCHED THEN UPDATE SET *", "WHEN MATCHED THEN UPDATE SET n = s.n"
INSERT = "WHEN NOT MATCHED THEN INSERT *"
DELETE = "WHEN MATCHED THEN DELETE"
CASES = {
    "a few side by side": merge("range(120, 160)", SET_ALL),
    "one column of many": merge("range(500, 1500)", SET_ONE),
    "new ones at the end": merge("range(1900, 2300)", f"{SET_ONE} {INSERT}"),
    "gone ones": merge("range(700, 720)", DELETE),
    "all of it": merge("range(0, 2000)", SET_ALL),
    "without a source": "UPDATE t SET n = n + 1 WHERE n BETWEEN 300 AND 350",
    "gone without a source": "DELETE FROM t WHERE n BETWEEN 1000 AND 1300",
}


@pytest.mark.parametrize("name", CASES)
def test_a_row_group_is_copied_as_far_as_nothing_in_it_changes(
    spark: SparkSession, database: Path, name: str
) -> None:
    base = database / "t"
    with settings(spark, SMALL):
        make(spark, 2)
        spark.sql(CASES[name])
    counts, seen = committed(base), ways(base)
    assert sum(seen.values()) >= 10
    assert counts["numRowGroupsCopied"] == seen["same"]
    assert counts["numRowGroupsPartlyCopied"] == seen["updated"]
    assert counts["numRowGroupsByColumns"] == seen["other"]
    assert counts["numRowGroupsByRows"] == 0


def test_the_bytes_of_columns_that_no_clause_changes_are_the_old_ones(
    spark: SparkSession, database: Path
) -> None:
    base = database / "t"
    with settings(spark, SMALL):
        make(spark, 1)
        (before,) = layout.latest_slices(base)
        spark.sql(merge("range(110, 400)", SET_ONE))
    (after,) = layout.latest_slices(base)
    for column in (KEY, "_hoodie_partition_path", "id", "v"):
        assert chunks(after.path, column) == chunks(before.path, column)
    same = [a == b for a, b in zip(chunks(after.path, "n"), chunks(before.path, "n"), strict=True)]
    assert same == [True] + [False] * 3 + [True] * 6
    assert strangers(after.path) == set()


def test_the_last_row_of_a_row_group_is_found(spark: SparkSession, database: Path) -> None:
    with settings(spark, SMALL):
        make(spark, 1)
        answer = spark.sql(merge("range(199, 1000, 200)", f"{SET_ALL} {INSERT}")).collect()
    assert [tuple(row) for row in answer] == [(5, 5, 0, 0)]
    changed = spark.sql("SELECT id FROM t WHERE v = 'new' ORDER BY id").collect()
    assert [int(row.id) for row in changed] == [199, 399, 599, 799, 999]
    assert spark.table("t").count() == ROWS


@ROTATED
def test_appended_rows_fill_the_last_row_group_then_make_their_own(
    spark: SparkSession, database: Path
) -> None:
    base = database / "t"
    with settings(spark, SMALL):
        make(spark, 1)
        sizes = []
        for start in (1000, 1060, 1120):
            spark.sql(merge(f"range({start}, {start + 60})", INSERT))
            (newest,) = layout.latest_slices(base)
            sizes.append(list(map(len, groups(newest.path))))
    assert sizes == [[GROUP] * 10 + [60], [GROUP] * 10 + [60, 60], [GROUP] * 10 + [60, 60, 60]]


@ROTATED
@pytest.mark.parametrize("buckets", [1, 3])
def test_nested_columns_that_change_are_encoded_row_by_row(
    spark: SparkSession, database: Path, buckets: int
) -> None:
    base = database / "t"
    with settings(spark, SMALL):
        make(spark, buckets, "v STRING, n INT, a ARRAY<STRING>")
        one = merge("range(0, 5)", SET_ONE)
        spark.sql(one)
        assert committed(base)["numRowGroupsByRows"] == 0
        spark.sql(merge("range(0, 300)", "WHEN MATCHED AND s.id LIKE '%7' THEN DELETE"))
    counts, seen = committed(base), ways(base)
    assert counts["numRowGroupsByRows"] == seen["other"] > 0
    assert counts["numRowGroupsByColumns"] == 0


def bootstrapped(spark: SparkSession, files: int, folder: Path) -> None:
    rows = spark.range(files * 50).selectExpr("lpad(id, 6, '0') id", "'v' v", "CAST(id AS INT) n")
    rows.repartitionByRange(files, "id").write.parquet(str(folder))
    spark.sql(f"CALL bootstrap(table => 't', source => '{folder}', key => 'id')")


@ROTATED
@pytest.mark.parametrize("files", [2, 3])
@pytest.mark.parametrize(
    "reason", ["Setting", "Schema", "Writer", "Unsorted", "Fragments", "Adopted"]
)
def test_the_reason_to_copy_nothing_is_counted(
    spark: SparkSession, database: Path, tmp_path: Path, reason: str, files: int
) -> None:
    base = database / "t"
    with settings(spark, SMALL | {COPY: str(reason != "Setting").lower()}):
        if reason == "Adopted":
            bootstrapped(spark, files, tmp_path / "source")
        else:
            make(spark, files)
        if reason == "Schema":
            spark.sql("ALTER TABLE t ADD COLUMN w INT")
        elif reason in ("Writer", "Unsorted"):
            rewrite(base, is_sorted=reason == "Writer")
        elif reason == "Fragments":
            spark.sql("DELETE FROM t WHERE n % 10 > 1")
        before = spark.table("t").count()
        spark.sql("UPDATE t SET n = -7 WHERE n % 10 = 0")
        counts = committed(base)
        assert counts[f"numFilesNotCopied{reason}"] == counts["numFilesWritten"] == files
        assert counts["numRowGroupsCopied"] == counts["numRowGroupsPartlyCopied"] == 0
        assert spark.sql("SELECT count(*), count_if(n = -7) FROM t").collect() == [
            (before, counts["numRowsUpdated"])
        ]
        assert not any(strangers(found.path) for found in layout.latest_slices(base))
        if reason not in ("Setting", "Schema"):
            spark.sql("UPDATE t SET v = 'again' WHERE n = -7")
            assert committed(base)["numRowGroupsPartlyCopied"] > 0


@pytest.mark.parametrize(
    ("before", "clauses", "after"),
    [
        ("", SET_ALL, [("new", 100)]),
        ("", DELETE, []),
        ("", f"WHEN MATCHED AND s.id LIKE '%7' THEN DELETE {SET_ALL}", [("new", 90)]),
        ("DELETE FROM t WHERE n BETWEEN 340 AND 349", f"{SET_ALL} {INSERT}", [("new", 100)]),
    ],
)
def test_old_values_are_read_only_if_a_row_of_the_row_group_keeps_them(
    spark: SparkSession, database: Path, before: str, clauses: str, after: list[tuple[str, int]]
) -> None:
    base = database / "t"
    with settings(spark, SMALL):
        make(spark, 1)
        if before:
            spark.sql(before)
        (found,) = layout.latest_slices(base)
        data = found.path.read_bytes()
        values = chunks(found.path, "v")[3]
        assert data.count(values) == 1
        damage.put(found.path, data.replace(values, b"\xff" * len(values)))
        fault = run_statement(spark, merge("range(300, 399)", clauses))
        assert fault is not None
        assert fault.condition == "HUDILITE_CORRUPT_DATA_FILE"
        spark.sql(merge("range(300, 400)", clauses))
    rest = "SELECT v, count(*) FROM t WHERE id BETWEEN '000300' AND '000399' GROUP BY v"
    assert [tuple(row) for row in spark.sql(rest).collect()] == after
    assert spark.table("t").where("v = concat('v', n)").count() == ROWS - GROUP


@ROTATED
def test_a_damaged_index_of_pages_is_an_error_when_the_file_is_copied(
    spark: SparkSession, database: Path
) -> None:
    base = database / "t"
    with settings(spark, SMALL):
        make(spark, 1)
        (found,) = layout.latest_slices(base)
        data = bytearray(found.path.read_bytes())
        start, end = indexes(found.path)
        data[start:end] = b"\xff" * (end - start)
        damage.put(found.path, bytes(data))
        fault = run_statement(spark, merge("range(950, 960)", SET_ALL))
    assert fault is not None
    assert fault.condition == "HUDILITE_CORRUPT_DATA_FILE"
    assert fault.parameters["path"].endswith(found.path.name)
    assert layout.latest_slices(base) == [found]


def indexes(path: Path) -> tuple[int, int]:
    """Where the indexes of the pages begin, and where they end."""
    metadata = pq.ParquetFile(path).metadata
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    chunks = [group.column(i) for group in groups for i in range(group.num_columns)]
    ends = [
        min(c.data_page_offset, c.dictionary_page_offset or c.data_page_offset)
        + c.total_compressed_size
        for c in chunks
    ]
    return max(ends), path.stat().st_size - 8 - metadata.serialized_size
