"""Files that are gone, swapped, doubled or stray: never an older or another bucket's rows."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from asked import LONG, SEED, rng_of
from damaged import Spoil, attempt, files, look, newest_base_file, numbers
from runs import Enumeration, by_path
from script import FOLLOWING, ORIGINAL

from harness import damage, layout
from harness.rotation import third

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CLEAN = (
    "CALL clean(table => '{t}', retain_commits => 1, retain_hours => 0, "
    "allow_short_retention => true)"
)
CUTS = None if LONG else 6  # of timeline files; None for all
STRAYS = (
    *(".DS_Store", "_SUCCESS", "x~", "#x#", ".nfs0001", "Thumbs.db", "a b", "é", "20260101.commit"),
    *("99999999999999999.commit.tmp", "99999999999999999.comit", "99999999999999999.", "1.commit"),
    *("99999999999999999.commit~", ".99999999999999999.commit.crc", "99999999999999999_x.commit"),
)
STRAY_DATA = (
    *(
        "_SUCCESS",
        ".x.crc",
        "part-0.parquet",
        "x.parquet",
        "a_0-0-0_1.parquet.tmp",
        ".x.inprogress",
    ),
    *("_temporary/0/x.parquet", "00000000-x_0-0-0_29990101000000000.parquet", "00000000.parquet"),
)


def gone(path: Path) -> None:
    """A file is deleted, with Hadoop's checksum of it."""
    path.unlink()
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def newest_gone(base: Path) -> None:
    gone(newest_base_file(base))


def group_gone(base: Path, newest: Path) -> None:
    for found in layout.base_files(base):
        if found.file_id == newest.name.split("_")[0]:
            gone(found.path)


def newest_and_its_group_gone(base: Path) -> None:
    group_gone(base, newest_base_file(base))


def earlier(base: Path) -> Path:
    """The latest file of a file group that the last commit did not touch."""
    return min(layout.latest_slices(base), key=lambda found: (found.instant, found.path)).path


def earlier_gone(base: Path) -> None:
    group_gone(base, earlier(base))


def partition_gone(base: Path) -> None:
    shutil.rmtree(newest_base_file(base).parent)


def metafiles_gone(base: Path) -> None:
    for path in base.rglob("*.hoodie_partition_metadata*"):
        path.unlink()


def earlier_is_longer(base: Path) -> None:
    path = earlier(base)
    damage.put(path, path.read_bytes() + b"x")


def newest_replaced_by_the_one_before(base: Path) -> None:
    newest = newest_base_file(base)
    group = [f for f in layout.base_files(base) if f.file_id == newest.name.split("_")[0]]
    before = min(group, key=lambda found: found.instant)
    damage.put(newest, before.path.read_bytes())


MERGED = set(range(0, 40, 7))  # keys of FOLLOWING


def two_swapped(base: Path) -> None:
    """Two buckets' files take each other's names, and no length tells it; FOLLOWING writes to one."""
    found = layout.latest_slices(base)
    newest = max(f.instant for f in found)
    one, other = next(
        (a.path, b.path)
        for a, b in itertools.combinations(found, 2)
        if a.partition == b.partition
        and any(
            MERGED & set(pq.read_table(f.path, columns=["id"])["id"].to_pylist()) for f in (a, b)
        )
        and (a.path.stat().st_size == b.path.stat().st_size or newest not in (a.instant, b.instant))
    )
    bytes_of_one = one.read_bytes()
    damage.put(one, other.read_bytes())
    damage.put(other, bytes_of_one)


def copied_to_a_new_group(base: Path) -> None:
    found = layout.latest_slices(base)[0]
    twin = found.file_id[:8] + "-1111-2222-3333-444444444444-0"
    shutil.copy(found.path, found.path.with_name(found.path.name.replace(found.file_id, twin)))


def strays(base: Path) -> None:
    """Names that others leave, in .hoodie, beside the numbers and in the partitions."""
    for folder in (base / ".hoodie", numbers(base)[0].parent):
        for name in STRAYS:
            (folder / name).write_text("stray")
    for folder in (base / "p=a", base / "p=b"):
        for name in STRAY_DATA:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("stray")


def requested_and_inflight_gone(base: Path) -> None:
    for path in (base / ".hoodie").glob("2*.*"):
        if path.name.endswith((".requested", ".inflight")):
            path.unlink()


def archive_half_written(base: Path) -> None:
    """What stock Hudi's archival leaves that dies between its copy and its deletes."""
    folder = base / ".hoodie" / "archived"
    folder.mkdir(exist_ok=True)
    log = folder / ".commits_.archive.1_1-0-1"
    log.write_bytes(b"#HUDI#" + (1 << 40).to_bytes(8, "big") + b"\x00\x00\x00\x01cut")
    (folder / ".commits_.archive.2_1-0-1").touch()
    (folder / "mergeArchivePlan").write_text('{"candidate": [')


MOVED: list[Spoil] = [
    *(newest_gone, newest_and_its_group_gone, newest_replaced_by_the_one_before),
    *(earlier_gone, earlier_is_longer, partition_gone),
]


@pytest.mark.rotated(by="test")
@pytest.mark.fault("F44", "F45")
@pytest.mark.parametrize("lenient", [False, True], ids=["plain", "lenient"])
@pytest.mark.parametrize("spoil", MOVED, ids=lambda spoil: spoil.__name__)
def test_no_older_file_replaces_a_lost_one(
    enumeration: Enumeration, spark: SparkSession, spoil: Spoil, lenient: bool
) -> None:
    assert look(enumeration, spark, spoil, lenient) == []
    place = enumeration.folder / "refused"
    shutil.copytree(enumeration.original, place)
    spoil(place)
    told: list[str] = []
    assert attempt(spark, f"UPDATE {by_path(place)} SET v = 'x'", told) is None
    assert told == []
    shutil.rmtree(place)


@pytest.mark.fault("F44")
def test_a_table_that_was_put_back_is_read_by_its_own_commits(
    enumeration: Enumeration, spark: SparkSession
) -> None:
    def put_back(base: Path) -> None:
        told: list[str] = []
        assert attempt(spark, FOLLOWING.format(t=by_path(base)), told) is not None
        assert told == []
        shutil.rmtree(base)
        shutil.copytree(enumeration.original, base)
        newest_gone(base)

    assert look(enumeration, spark, put_back) == []


@pytest.mark.fault("F49", "F52")
@pytest.mark.parametrize("spoil", [two_swapped, copied_to_a_new_group], ids=lambda s: s.__name__)
def test_a_file_in_another_buckets_place_is_not_merged(
    enumeration: Enumeration, spark: SparkSession, spoil: Spoil
) -> None:
    assert look(enumeration, spark, spoil) == []


@pytest.mark.fault("F44")
def test_partitions_are_read_without_their_metafiles(
    enumeration: Enumeration, spark: SparkSession
) -> None:
    assert look(enumeration, spark, metafiles_gone) == []


@pytest.mark.fault("F38", "F50", "F54")
def test_stray_files_change_nothing(enumeration: Enumeration, spark: SparkSession) -> None:
    assert len(STRAYS) + len(STRAY_DATA) >= 25
    assert look(enumeration, spark, strays) == []
    place = enumeration.folder / "stray"
    shutil.copytree(enumeration.original, place)
    strays(place)
    told: list[str] = []
    rows = attempt(spark, f"SELECT id, p, v FROM {by_path(place)}", told)
    assert told == []
    assert rows is not None
    assert set(rows) == ORIGINAL
    shutil.rmtree(place)


@pytest.mark.fault("F37")
def test_completed_files_suffice(enumeration: Enumeration, spark: SparkSession) -> None:
    assert look(enumeration, spark, requested_and_inflight_gone) == []


@pytest.mark.fault("F34", "F35", "F40")
@pytest.mark.timeout(3600 if LONG else 600)
def test_every_cut_of_the_timeline_is_an_error(
    enumeration: Enumeration, spark: SparkSession
) -> None:
    print(f"HUDILITE_SEED={SEED}")
    names = sorted(path for path in files(enumeration.original) if path.parts[0] == ".hoodie")
    lengths = {name: (enumeration.original / name).stat().st_size for name in names}
    cuts = [(n, at) for n, size in lengths.items() for at in {0, 1, size // 2, size - 1, 512}]
    cuts = [(name, at) for name, at in cuts if 0 <= at < lengths[name]]
    chosen = cuts if CUTS is None else rng_of("cuts").sample(sorted(cuts), CUTS)
    wrong = []
    for name, at in third(chosen):
        told = look(enumeration, spark, cut(name, at))
        print(name, at, told)
        wrong += [f"{name} cut at {at}: {text}" for text in told]
    assert wrong == []


def cut(name: Path, at: int) -> Spoil:
    def spoil(base: Path) -> None:
        (base / name).write_bytes((base / name).read_bytes()[:at])

    return spoil


@pytest.mark.fault("F42")
def test_an_archive_that_is_half_written_changes_nothing(
    enumeration: Enumeration, spark: SparkSession
) -> None:
    place = enumeration.folder / "archived"
    shutil.copytree(enumeration.original, place)
    archive_half_written(place)
    told: list[str] = []
    assert attempt(spark, f"CALL verify('{place}')", told, {}) == []
    spark.sql(CLEAN.format(t=by_path(place)))
    assert sorted(spark.sql(f"SELECT id, p, v FROM {by_path(place)}").collect()) == sorted(ORIGINAL)
    assert told == []
    shutil.rmtree(place)
