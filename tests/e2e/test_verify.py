"""CALL verify: a table that is whole has no row, and each planted defect has its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import damage, layout, plants
from harness.plants import BUCKETS, Plant
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

ROTATED = pytest.mark.rotated(
    by="test", when=product("core/verify/", "spark/verify/", "procedures/Verify.scala")
)
NOWHERE = ("TIMELINE_DAMAGED", "NOT_CHECKED")
"""What stands beside a fault that keeps everybody from reading the table."""


@pytest.fixture(scope="module")
def healthy(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table after writes of every kind, each by its own commit; some buckets are empty."""
    base = tmp_path_factory.mktemp("verify") / "t"
    spark.sql(
        "CREATE TABLE default.verified (id INT, p STRING, v STRING, PRIMARY KEY (id)) "
        f"USING hudilite PARTITIONED BY (p) WITH BUCKETS {BUCKETS} LOCATION '{base}' "
        "TBLPROPERTIES ('hoodie.parquet.bloom.filter.enabled' = 'true')"
    )
    ids = "SELECT CAST(id AS INT) id, IF(id % 2 = 0, 'a', 'b') p, concat('v', id) v"
    spark.sql(f"INSERT INTO default.verified {ids} FROM range(24)")
    source = f"{ids} FROM (SELECT id FROM range(8, 12) UNION ALL SELECT 40)"
    spark.sql(
        f"MERGE INTO default.verified t USING ({source}) s ON t.id = s.id AND t.p = s.p "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    spark.sql("INSERT OVERWRITE default.verified PARTITION (p = 'c') SELECT 50, 'over'")
    spark.sql("ALTER TABLE default.verified ADD COLUMN (w BIGINT)")
    spark.sql("UPDATE default.verified SET w = id WHERE id = 0")
    spark.sql("DELETE FROM default.verified WHERE id = 7")
    spark.sql("DROP TABLE default.verified")
    return base


@pytest.fixture
def table(healthy: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(healthy, tmp_path / "t"))


@pytest.fixture
def lenient(spark: SparkSession) -> Iterator[None]:
    """A session that hides damage."""
    keys = ("spark.sql.files.ignoreCorruptFiles", "spark.sql.files.ignoreMissingFiles")
    for key in keys:
        spark.conf.set(key, "true")
    yield
    for key in keys:
        spark.conf.unset(key)


def verify(spark: SparkSession, base: Path, level: str = "rows") -> list[Row]:
    before = layout.untouched_state(base)
    found = spark.sql(f"CALL verify(table => '{base}', level => '{level}')").collect()
    assert layout.untouched_state(base) == before
    return found


def codes(found: list[Row]) -> set[str]:
    return {row.code for row in found}


SAMPLED = {"DUPLICATE_KEY", "KEY_DIFFERS", "KEY_OUT_OF_RANGE", "BLOOM_LACKS_KEY", "WRONG_BUCKET"}
DEFECTS: list[tuple[Plant, str, set[str]]] = [
    (
        plants.wrong_bucket,
        "rows",
        {"WRONG_BUCKET", "FILE_NAME_DIFFERS", "FILE_NOT_IN_COMMIT", "FILE_MISSING"},
    ),
    (plants.bucket_out_of_range, "meta", {"BUCKET_OUT_OF_RANGE", "FILE_NOT_IN_COMMIT"}),
    (
        plants.file_group_copied,
        "rows",
        {"DUPLICATE_BUCKET", "DUPLICATE_KEY", "FILE_NAME_DIFFERS", "FILE_NOT_IN_COMMIT"},
    ),
    (plants.truncated, "files", {"LENGTH_DIFFERS", "FOOTER_UNREADABLE"}),
    (plants.deleted, "files", {"FILE_MISSING"}),
    (plants.latest_version_deleted, "files", {"FILE_MISSING"}),
    (plants.flipped_in_a_page, "rows", {"ROWS_UNREADABLE"}),
    (plants.bloom_cleared, "rows", {"BLOOM_LACKS_KEY"}),
    (plants.bloom_cleared, "files", {"BLOOM_LACKS_KEY"}),
    (plants.bloom_cut, "files", {"BLOOM_DAMAGED"}),
    (plants.greatest_key_too_small, "rows", {"KEY_OUT_OF_RANGE"}),
    (plants.range_inverted, "files", {"KEY_RANGE_INVERTED", "BLOOM_LACKS_KEY"}),
    (plants.constant("_hoodie_file_name", "other.parquet"), "rows", {"FILE_NAME_DIFFERS"}),
    (plants.constant("_hoodie_partition_path", "p=z"), "rows", {"PARTITION_PATH_DIFFERS"}),
    (plants.constant("_hoodie_commit_time", "20990101000000000"), "rows", {"COMMIT_TIME_UNKNOWN"}),
    (plants.constant("_hoodie_record_key", ""), "rows", {"KEY_MISSING"}),
    (plants.constant("p", "z"), "rows", {"PARTITION_COLUMN_DIFFERS"}),
    (plants.keys_changed, "rows", {"KEY_DIFFERS"}),
    (plants.row_twice, "rows", {"DUPLICATE_KEY"}),
    (plants.rows_turned_round, "rows", {"ROWS_UNSORTED"}),
    (plants.row_lost, "files", {"ROW_COUNT_DIFFERS"}),
    (plants.stale_length, "files", {"LENGTH_DIFFERS"}),
    (plants.commit_emptied, "rows", {"COMMIT_EMPTY", *NOWHERE}),
    (plants.commit_cut, "rows", {"COMMIT_DAMAGED"}),
    (plants.replacecommit_cut, "rows", {"COMMIT_DAMAGED", *NOWHERE}),
    (plants.two_meanings, "meta", {"INSTANT_AMBIGUOUS", *NOWHERE}),
    (plants.clean_cut, "meta", {"INSTANT_DAMAGED"}),
    (plants.number_gone, "meta", {"NUMBER_MISSING", *NOWHERE}),
    (plants.number_cut, "meta", {"NUMBER_DAMAGED"}),
    (plants.properties_gone, "rows", {"PROPERTIES_MISSING", "NOT_CHECKED"}),
    (plants.checksum_wrong, "meta", {"PROPERTIES_DAMAGED", "NOT_CHECKED"}),
    (plants.other_version, "meta", {"TABLE_UNSUPPORTED", "NOT_CHECKED"}),
    (plants.log_file, "meta", {"TABLE_UNSUPPORTED"}),
    (plants.metafile_gone, "meta", {"METAFILE_MISSING"}),
]
LEFTOVERS: list[tuple[Plant, str]] = [
    (plants.stray_base_file, "STRAY_FILE"),
    (plants.second_attempt, "STRAY_FILE"),
    (plants.other_file, "STRAY_FILE"),
    (plants.file_in_the_root, "STRAY_FILE"),
    (plants.folder_below_a_partition, "STRAY_FILE"),
    (plants.empty_folder, "METAFILE_MISSING"),
    (plants.markers_left, "STRAY_MARKERS"),
    (plants.range_gone, "FOOTER_KEY_MISSING"),
]


@pytest.mark.parametrize("level", ["meta", "files", "rows"])
def test_a_whole_table_has_no_row(spark: SparkSession, healthy: Path, level: str) -> None:
    assert verify(spark, healthy, level) == []


@ROTATED
@pytest.mark.fault("F45", "F46", "F47", "F48", "F51", "F52")
@pytest.mark.parametrize(("plant", "level", "expected"), DEFECTS)
def test_a_defect_is_an_error(
    spark: SparkSession, table: Path, lenient: None, plant: Plant, level: str, expected: set[str]
) -> None:
    plant(table)
    found = verify(spark, table, level)
    assert codes(found) == expected
    assert {row.severity for row in found if row.code != "NOT_CHECKED"} == {"ERROR"}
    assert all(row.sample_key for row in found if row.code in SAMPLED)


@ROTATED
@pytest.mark.fault("F50")
@pytest.mark.parametrize(("plant", "code"), LEFTOVERS)
def test_what_is_left_over_is_a_warning(
    spark: SparkSession, table: Path, plant: Plant, code: str
) -> None:
    plant(table)
    found = verify(spark, table, "files")
    assert [(row.severity, row.code) for row in found] == [("WARNING", code)]
    assert (table / found[0].path).exists()


@ROTATED
def test_a_bucket_may_lack_its_filter(spark: SparkSession, table: Path) -> None:
    plants.bloom_gone(table)
    assert verify(spark, table) == []


@ROTATED
def test_a_pending_write_is_reported_with_the_call_that_rolls_it_back(
    spark: SparkSession, table: Path
) -> None:
    found = plants.with_rows(table)
    time = "20990101000000000"
    for name in (f"{time}.commit.requested", f"{time}.inflight"):
        (table / ".hoodie" / name).touch()
    shutil.copy(found.path, found.path.with_name(found.path.name.replace(found.instant, time)))
    markers = table / ".hoodie" / ".temp" / time
    markers.mkdir(parents=True)
    (markers / "x.parquet.marker.CREATE").touch()
    told = verify(spark, table, "files")
    assert [(row.severity, row.code) for row in told] == [
        ("INFO", "INSTANT_PENDING"),
        ("INFO", "PENDING_FILE"),
    ]
    assert all(f"CALL rollback(table => '...', instant => '{time}')" in row.detail for row in told)


def test_a_commit_without_its_completed_file_is_whole(spark: SparkSession, table: Path) -> None:
    plants.completed_file(table, "commit", -1).unlink()
    told = verify(spark, table)
    assert [(row.severity, row.code) for row in told] == [("INFO", "COMMIT_UNPUBLISHED")]


@ROTATED
def test_five_defects_at_once_are_all_found(spark: SparkSession, table: Path) -> None:
    """Each in a place of its own; the worst come first."""
    one, two, three = [f for f in layout.latest_slices(table) if f.partition != "p=c"][:3]
    plants.markers_left(table)
    plants.file_in_the_root(table)
    marked = plants.with_rows(table).instant
    damage.rewrite(table, one, footer=damage.without_bits)
    damage.put(two.path, two.path.read_bytes()[:-9])
    damage.restate(table, three, fileSizeInBytes=1)
    found = verify(spark, table)
    expected = {
        ("BLOOM_LACKS_KEY", one.path.name),
        ("FOOTER_UNREADABLE", two.path.name),
        ("LENGTH_DIFFERS", two.path.name),
        ("LENGTH_DIFFERS", three.path.name),
        ("STRAY_FILE", "notes.txt"),
        ("STRAY_MARKERS", marked),
    }
    assert {(row.code, row.path.rsplit("/", 1)[-1]) for row in found} == expected
    severities = [row.severity for row in found]
    assert severities == sorted(severities)


@ROTATED
def test_every_row_of_a_fault_is_counted_and_one_key_shown(
    spark: SparkSession, table: Path
) -> None:
    plants.keys_changed(table)
    found = verify(spark, table)
    slices = plants.with_rows(table)
    keys = damage.rows(slices.path).column("_hoodie_record_key").to_pylist()
    assert [row.path for row in found] == [slices.path.relative_to(table).as_posix()]
    assert found[0].detail.startswith(f"{len(keys)} rows, the first: ")
    assert found[0].sample_key in keys


@ROTATED
def test_a_damaged_table_is_verified_by_its_name_too(spark: SparkSession, database: Path) -> None:
    spark.sql("CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2")
    spark.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    plants.commit_emptied(database / "t")
    assert "COMMIT_EMPTY" in codes(spark.sql("CALL verify('t')").collect())
    plants.properties_gone(database / "t")
    assert {"COMMIT_EMPTY", "PROPERTIES_MISSING"} < codes(spark.sql("CALL verify('t')").collect())


@ROTATED
def test_a_row_pass_runs_in_tasks(spark: SparkSession, healthy: Path) -> None:
    tracker = spark.sparkContext.statusTracker()
    group = "verify rows"
    spark.sparkContext.setJobGroup(group, group)
    verify(spark, healthy)
    spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
    assert max(stage.numTasks for stage in stages if stage) == len(layout.latest_slices(healthy))
