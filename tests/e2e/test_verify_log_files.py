"""CALL verify and CALL remove_orphans on merge-on-read tables: each planted defect of a log file has its row."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import damage, layout
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

pytestmark = pytest.mark.rotated(
    rare=True,
    by="test",
    when=product("core/verify/", "spark/verify/", "procedures/RemoveOrphans.scala"),
)
TWO_HOURS = 7200
Plant = Callable[[Path], None]


@pytest.fixture(scope="module", params=["6", "9"])
def whole(
    request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A table with a base and two log files in each of two buckets, rows and deletions in each."""
    base = tmp_path_factory.mktemp("logs") / "t"
    spark.sql(
        "CREATE TABLE default.logged (id INT, ts BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite "
        f"WITH BUCKETS 2 LOCATION '{base}' TBLPROPERTIES (type = 'mor', preCombineField = 'ts', "
        f"hoodie.table.version = '{request.param}')"
    )
    spark.sql("INSERT INTO default.logged SELECT id, 1, concat('v', id) FROM range(200)")
    for n in (1, 2):
        rows = f"SELECT CAST(id AS INT) id, {n + 1} ts, 'new' v FROM range({n}, 200, 19)"
        spark.sql(
            f"MERGE INTO default.logged t USING ({rows}) s ON t.id = s.id "
            "WHEN MATCHED AND s.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET * "
            "WHEN NOT MATCHED THEN INSERT *"
        )
    spark.sql("DROP TABLE default.logged")
    return base


@pytest.fixture
def table(whole: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(whole, tmp_path / "t"))


def logs(base: Path) -> list[Path]:
    found = [path for path in base.glob(".*.log.*") if not path.name.endswith(".crc")]
    return sorted(found, key=lambda path: (path.name.split(".log.")[0], path.name))


def verify(spark: SparkSession, base: Path, level: str = "rows") -> list[Row]:
    before = layout.untouched_state(base)
    found = spark.sql(f"CALL verify(table => '{base}', level => '{level}')").collect()
    assert layout.untouched_state(base) == before
    return found


def orphans(spark: SparkSession, base: Path, *, dry_run: bool = True) -> set[str]:
    for path in logs(base):
        os.utime(path, (path.stat().st_mtime - TWO_HOURS,) * 2)
    more = f"older_than_hours => 1, dry_run => {str(dry_run).lower()}"
    call = f"CALL remove_orphans(table => 'hudilite.`{base}`', {more})"
    return {row.path for row in spark.sql(call).collect()}


def changed(path: Path, change: Callable[[bytearray], None]) -> None:
    data = bytearray(path.read_bytes())
    change(data)
    damage.put(path, bytes(data))


def magic_turned(base: Path) -> None:
    changed(logs(base)[0], lambda data: data.__setitem__(0, 0x24))


def length_turned(base: Path) -> None:
    changed(logs(base)[0], lambda data: data.__setitem__(12, data[12] ^ 1))


def reverse_length_turned(base: Path) -> None:
    changed(logs(base)[0], lambda data: data.__setitem__(-1, data[-1] ^ 1))


def version_turned(base: Path) -> None:
    changed(logs(base)[0], lambda data: data.__setitem__(17, 2))


def parquet_end_turned(base: Path) -> None:
    changed(logs(base)[0], lambda data: data.__setitem__(data.rindex(b"PAR1"), 0x51))


def cut(base: Path) -> None:
    damage.put(logs(base)[0], logs(base)[0].read_bytes()[:-20])


def gone(base: Path) -> None:
    logs(base)[0].unlink()


def page_turned(base: Path) -> None:
    """A bit of the first page behind the file's first bytes."""
    changed(
        logs(base)[0], lambda d: d.__setitem__(d.index(b"PAR1") + 60, d[d.index(b"PAR1") + 60] ^ 8)
    )


def deletion_lost(base: Path) -> None:
    """The delete block of a log file goes; its commit knows the new length, but had counted."""
    path = next(path for path in logs(base) if path.read_bytes().count(b"#HUDI#") == 2)
    data = path.read_bytes()
    damage.put(path, data[: data.rindex(b"#HUDI#")])


DEFECTS: list[tuple[Plant, str, set[str]]] = [
    (magic_turned, "files", {"LOG_DAMAGED"}),
    (length_turned, "files", {"LOG_DAMAGED"}),
    (reverse_length_turned, "files", {"LOG_DAMAGED"}),
    (version_turned, "files", {"LOG_DAMAGED"}),
    (parquet_end_turned, "files", {"LOG_DAMAGED"}),
    (cut, "files", {"LENGTH_DIFFERS", "LOG_DAMAGED"}),
    (gone, "files", {"FILE_MISSING"}),
    (page_turned, "rows", {"ROWS_UNREADABLE"}),
    (deletion_lost, "files", {"LENGTH_DIFFERS", "ROW_COUNT_DIFFERS"}),
]


@pytest.mark.parametrize("level", ["meta", "files", "rows"])
def test_a_whole_table_with_log_files_has_no_row(
    spark: SparkSession, whole: Path, level: str
) -> None:
    assert len(logs(whole)) == 4
    assert verify(spark, whole, level) == []


@pytest.mark.parametrize(("plant", "level", "expected"), DEFECTS)
def test_a_defect_of_a_log_file_is_a_row_and_no_orphan(
    spark: SparkSession, table: Path, plant: Plant, level: str, expected: set[str]
) -> None:
    before = {path: path.read_bytes() for path in logs(table)}
    plant(table)
    planted = {p.name for p, data in before.items() if not p.exists() or p.read_bytes() != data}
    found = verify(spark, table, level)
    # Damage of one kind may show in several ways, if lengths are equal.
    assert expected <= {row.code for row in found} <= expected | {"ROW_COUNT_DIFFERS"}
    assert {row.severity for row in found} == {"ERROR"}
    assert {row.path for row in found} == planted
    assert orphans(spark, table) == set()


def test_keys_of_another_bucket_are_found_in_rows_and_deletions(
    spark: SparkSession, table: Path
) -> None:
    """Two buckets swap the contents of their log files."""
    swapped = [
        next(path for path in logs(table) if path.name.startswith(f".0000000{bucket}"))
        for bucket in (0, 1)
    ]
    contents = [path.read_bytes() for path in swapped]
    assert all(data.count(b"#HUDI#") == 2 for data in contents)
    for path, data in zip(swapped, reversed(contents), strict=True):
        damage.put(path, data)
    found = [row for row in verify(spark, table) if row.code == "WRONG_BUCKET"]
    assert {row.path for row in found} == {path.name for path in swapped}
    deleted = [int(row.sample_key) for row in found if int(row.sample_key) % 2 == 0]
    assert len(found) == 4
    assert len(deleted) == 2


def test_a_log_file_of_a_dead_writer_is_stray_until_it_is_removed(
    spark: SparkSession, table: Path
) -> None:
    """Its block has an instant after all others, of which nothing is left on the timeline."""
    last = logs(table)[-1]
    found = re.fullmatch(r"(\..+)_(\d+)\.log\.(\d+)_(.+)", last.name)
    assert found is not None
    instant = max(layout.instants(table))
    dead = f"{int(instant) + 1}"
    is_own = found[2] in layout.instants(table) and found[2] != min(layout.instants(table))
    name = f"{found[1]}_{dead if is_own else found[2]}.log.{int(found[3]) + 1}_{found[4]}"
    last.with_name(name).write_bytes(last.read_bytes().replace(instant.encode(), dead.encode()))
    rows = spark.table(f"hudilite.`{table}`").count()
    told = verify(spark, table)
    assert [(row.severity, row.code, row.path) for row in told] == [("WARNING", "STRAY_FILE", name)]
    assert spark.sql(f"CALL remove_orphans(table => 'hudilite.`{table}`')").collect() == []
    assert orphans(spark, table) == {name}
    assert last.with_name(name).exists()
    assert orphans(spark, table, dry_run=False) == {name}
    assert not last.with_name(name).exists()
    assert verify(spark, table) == []
    assert spark.table(f"hudilite.`{table}`").count() == rows
