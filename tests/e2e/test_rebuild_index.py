"""CALL rebuild_index: file groups with poor footers are written anew, with the same rows."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import damage, layout
from harness.damage import BLOOM, MAX_KEY, MIN_KEY, Footer
from harness.faults import Fault, run_statement
from harness.gate import held
from harness.invariants import check_table
from harness.rotation import product
from oracle.bloom import serialize

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(
    by="test", when=product("procedures/RebuildIndex.scala", "spark/repair/IndexRebuild.scala")
)
CHECKSUM = "hudilite.bloom.checksum"
CODE = "hoodie_bloom_filter_type_code"
CALL = "CALL rebuild_index(table => 't')"
ROWS = "CALL rebuild_index(table => 't', level => 'rows')"
ALL = "SELECT * FROM (SELECT *, {} FROM t) ORDER BY p, id"
META = (
    "_hoodie_commit_time c, _hoodie_commit_seqno q, _hoodie_record_key k, _hoodie_partition_path f"
)
Change = Callable[[Footer], Footer]


def keys_of(partition: str) -> list[bytes]:
    first = {"a": 0, "b": 200}[partition]
    return [f"é{i}".encode() for i in range(first, first + 200)]


def without(*names: str) -> Change:
    return lambda pairs: {key: value for key, value in pairs.items() if key not in names}


def filtered(kind: str, entries: int) -> Change:
    """A filter of another writer, sized for so many keys; partition a holds 200."""
    text = serialize(keys_of("a"), entries, 1e-9, kind)
    return lambda pairs: {**without(CHECKSUM)(pairs), BLOOM: text, CODE: kind}


def cut(pairs: Footer) -> Footer:
    return {**pairs, BLOOM: pairs[BLOOM][: len(pairs[BLOOM]) // 8 * 4]}


# How the footer of partition a changes, and the reason that the procedure gives.
POOR: dict[str, tuple[Change, str]] = {
    "no filter": (without(BLOOM, CODE, CHECKSUM), "FOOTER_KEY_MISSING"),
    "no range": (without(MIN_KEY, MAX_KEY), "FOOTER_KEY_MISSING"),
    "no greatest key": (without(MAX_KEY), "FOOTER_KEY_MISSING"),
    "cut below our checksum": (cut, "BLOOM_DAMAGED"),
    "cut, without a checksum": (lambda pairs: cut(without(CHECKSUM)(pairs)), "BLOOM_DAMAGED"),
    "of another kind than it says": (
        lambda pairs: {**without(CHECKSUM)(pairs), CODE: "CUCKOO"},
        "BLOOM_DAMAGED",
    ),
    "every bit cleared": (damage.without_bits, "BLOOM_LACKS_KEY"),
    "bits altered below our checksum": (
        lambda pairs: {**pairs, CHECKSUM: "1"},
        "BLOOM_CHECKSUM_DIFFERS",
    ),
    "overfull": (filtered("SIMPLE", 64), "BLOOM_OVERFULL"),
    "range turned round": (
        lambda pairs: {**pairs, MIN_KEY: pairs[MAX_KEY], MAX_KEY: pairs[MIN_KEY]},
        "KEY_RANGE_INVERTED",
    ),
    "range too narrow": (lambda pairs: {**pairs, MAX_KEY: "é150"}, "KEY_OUT_OF_RANGE"),
}


@pytest.fixture
def base(spark: SparkSession, database: Path) -> Path:
    """Two partitions of one base file each."""
    spark.sql(
        "CREATE TABLE t (id STRING, p STRING, v STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p)"
    )
    spark.sql("INSERT INTO t SELECT concat('é', id), if(id < 200, 'a', 'b'), 'old' FROM range(400)")
    return database / "t"


def slice_of(base: Path, partition: str) -> layout.Slice:
    return next(f for f in layout.latest_slices(base) if f.partition == f"p={partition}")


def answer(spark: SparkSession, call: str = CALL) -> list[tuple[object, ...]]:
    return [tuple(row) for row in spark.sql(call).collect()]


def rows(spark: SparkSession) -> list[tuple[object, ...]]:
    """All rows with those meta columns that stay."""
    return [tuple(row) for row in spark.sql(ALL.format(META)).collect()]


def names_of(base: Path) -> set[str]:
    return {path.name for path in base.glob("*/*.parquet")}


def test_files_with_poor_footers_are_rewritten(spark: SparkSession, base: Path) -> None:
    """Each kind of poor footer after the other: what was rebuilt is the next one's ground."""
    other, before = slice_of(base, "b"), rows(spark)
    for name, (change, reason) in POOR.items():
        poor = slice_of(base, "a")
        damage.rewrite(base, poor, None, change)
        assert answer(spark) == [("p=a", poor.file_id, 200, reason)], name
        made = slice_of(base, "a")
        assert made.path != poor.path
        assert rows(spark) == before, name
        named = damage.rows(made.path).column("_hoodie_file_name").unique().to_pylist()
        assert named == [made.path.name], name
        assert slice_of(base, "b") == other
    assert answer(spark) == []
    assert spark.sql("CALL verify('t', 'rows')").collect() == []
    assert check_table(base) == []


@ROTATED
def test_a_table_without_faults_gets_no_commit(spark: SparkSession, base: Path) -> None:
    poor = slice_of(base, "a")
    damage.rewrite(base, poor, None, filtered("DYNAMIC_V0", 200))
    before = layout.untouched_state(base)
    assert answer(spark) == []
    assert answer(spark, "CALL rebuild_index('t', 'p=b')") == []
    assert layout.untouched_state(base) == before


@ROTATED
def test_a_key_that_a_foreign_filter_denies_is_found_by_its_row(
    spark: SparkSession, base: Path
) -> None:
    known = [key for key in keys_of("a") if key != "é77".encode()]
    text = serialize(known, 200, 1e-9, "DYNAMIC_V0")
    poor = slice_of(base, "a")
    damage.rewrite(base, poor, None, lambda pairs: {**without(CHECKSUM)(pairs), BLOOM: text})
    assert answer(spark) == []
    assert answer(spark, ROWS) == [("p=a", poor.file_id, 200, "BLOOM_LACKS_KEY")]
    assert answer(spark, ROWS) == []
    assert spark.sql("CALL verify('t', 'rows')").collect() == []


def twin_of(base: Path) -> str:
    """A second file group of partition a, by a commit that knew nothing of the first.

    Of its 60 rows 30 are newer than those of the first, 30 older.
    """
    found = slice_of(base, "a")
    instant = str(int(found.instant) + 1)
    name = f"11111111-2222-3333-4444-555555555555-0_0-1-2_{instant}.parquet"
    kept = damage.rows(found.path).slice(0, 60)
    for column, values in {
        "_hoodie_commit_time": [instant] * 30 + ["20000101000000000"] * 30,
        "_hoodie_file_name": [name] * 60,
        "v": ["twin"] * 60,
    }.items():
        at = kept.column_names.index(column)
        kept = kept.set_column(at, kept.schema.field(at), pa.array(values, pa.string()))
    damage.commit(base, instant, found, name, kept)
    return name.split("_")[0]


@ROTATED
def test_of_a_key_in_two_files_the_newest_row_stays(spark: SparkSession, base: Path) -> None:
    first, twin = slice_of(base, "a").file_id, twin_of(base)
    merge = (
        "MERGE INTO t USING (SELECT concat('é', id) id, 'a' p, 'again' v FROM range(200)) s "
        "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET v = s.v"
    )
    fault = run_statement(spark, merge)
    assert fault is not None
    assert fault.condition == "HUDILITE_DUPLICATE_KEY_IN_TABLE"
    assert fault.parameters["table"].endswith(".t")
    assert answer(spark) == []
    assert sorted(answer(spark, ROWS)) == sorted(
        [("p=a", first, 170, "DUPLICATE_KEY"), ("p=a", twin, 30, "DUPLICATE_KEY")]
    )
    found = spark.sql("SELECT v, count(*), count(DISTINCT id) FROM t GROUP BY v ORDER BY v")
    assert [tuple(row) for row in found.collect()] == [("old", 370, 370), ("twin", 30, 30)]
    assert answer(spark, ROWS) == []
    assert spark.sql("CALL verify('t', 'rows')").collect() == []
    assert [tuple(row) for row in spark.sql(merge).collect()] == [(200, 200, 0, 0)]


@ROTATED
def test_one_partition_alone(spark: SparkSession, base: Path) -> None:
    for partition in "ab":
        damage.rewrite(base, slice_of(base, partition), None, without(BLOOM, CODE, CHECKSUM))
    (row,) = answer(spark, "CALL rebuild_index('t', partition => 'p=b')")
    assert row[0] == "p=b"
    assert BLOOM.encode() not in pq.ParquetFile(slice_of(base, "a").path).metadata.metadata
    assert [row[0] for row in answer(spark)] == ["p=a"]


@ROTATED
def test_a_write_of_the_same_file_group_is_retried(
    spark: SparkSession, base: Path, tmp_path: Path
) -> None:
    damage.rewrite(base, slice_of(base, "a"), None, without(MIN_KEY, MAX_KEY))
    merge = (
        "MERGE INTO t USING (SELECT 'é7' id, 'a' p, 'new' v WHERE gate(1) > 0) s "
        "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET v = s.v"
    )
    with held(spark, base, merge, tmp_path / "open") as faults:
        assert len(answer(spark)) == 1
    assert faults == [None]
    assert spark.sql("SELECT count(*), sum(int(v = 'new')) FROM t").collect() == [(400, 1)]
    extra = layout.commit_metadata(base, slice_of(base, "a").instant)["extraMetadata"]
    assert extra["hudilite.metrics.numRetries"] == "1"
    assert check_table(base) == []


@ROTATED
def test_rows_that_cannot_be_read_leave_the_table_as_it_was(
    spark: SparkSession, base: Path
) -> None:
    for partition in "ab":
        damage.rewrite(base, slice_of(base, partition), None, without(MIN_KEY, MAX_KEY))
    path = slice_of(base, "b").path
    data = bytearray(path.read_bytes())
    data[4:40] = b"\xff" * 36  # the head of the first page
    damage.put(path, bytes(data))
    before = layout.untouched_state(base)
    fault = run_statement(spark, CALL)
    assert fault is not None
    assert fault.condition == "HUDILITE_CORRUPT_DATA_FILE"
    assert layout.untouched_state(base) == before


@ROTATED
def test_a_crash_half_way_is_undone_as_a_whole(
    spark: SparkSession, base: Path, tmp_path: Path
) -> None:
    """What a crash leaves is a copy of the table, taken while the procedure writes: a file's marker is
    made before the file, and so copied after it.
    """
    many = "SELECT concat('é', id), concat('c', id % 16), 'more' FROM range(400, 4400)"
    spark.sql(f"INSERT INTO t {many}")
    for found in layout.latest_slices(base):
        damage.rewrite(base, found, None, without(MIN_KEY, MAX_KEY))
    before, files = rows(spark), names_of(base)
    told: list[Fault | None] = []
    writer = threading.Thread(target=lambda: told.append(run_statement(spark, CALL)))
    writer.start()
    while names_of(base) == files:
        assert writer.is_alive(), told
        time.sleep(0.005)
    image = tmp_path / "image"
    with suppress(shutil.Error):  # of a file that went meanwhile
        shutil.copytree(base, image, ignore=shutil.ignore_patterns(".hoodie"))
    with suppress(shutil.Error):
        shutil.copytree(base / ".hoodie", image / ".hoodie")
    writer.join()
    assert told == [None]
    assert (rows(spark), answer(spark)) == (before, [])
    (lost,) = layout.pending(image)
    assert names_of(image) > files
    spark.sql(f"CALL rollback('hudilite.`{image}`', '{lost}')")
    assert names_of(image) == files
    spark.sql("DROP TABLE t")
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{image}'")
    assert rows(spark) == before
    assert len(answer(spark)) == 18
    assert rows(spark) == before
    assert check_table(image) == []
