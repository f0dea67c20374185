"""Timelines that no sound writer makes: rows stay right, writes come after, and verify tells of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.rotation import product
from tables import upgraded

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    rare=True, by="test", when=product("core/timeline/", "core/commit/")
)
EARLY, LATE = "20000101000000000", "20990101000000000"


@pytest.fixture
def table(spark: SparkSession, database: Path) -> Path:
    """A table of three commits; key 2 is changed by the last one."""
    spark.sql("CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1")
    for n in range(3):
        spark.sql(f"INSERT INTO t VALUES ({n}, 0)")
    return database / "t"


def commits(base: Path) -> list[Path]:
    return sorted((base / ".hoodie" / "timeline").glob("*.commit"))


def completed_twice(base: Path, texts: list[str]) -> None:
    del texts
    last = commits(base)[-1]
    shutil.copy(last, last.with_name(f"{last.name.split('_')[0]}_{LATE}.commit"))


def completed_before_its_request(base: Path, texts: list[str]) -> None:
    del texts
    last = commits(base)[-1]
    last.rename(last.with_name(f"{last.name.split('_')[0]}_{EARLY}.commit"))


def without_time_of_completion(base: Path, texts: list[str]) -> None:
    """As a writer of version 6 names and stores it."""
    last = commits(base)[-1]
    last.with_name(f"{last.name.split('_')[0]}.commit").write_text(texts[-1], encoding="utf-8")
    last.unlink()


def completed_in_the_future(base: Path, texts: list[str]) -> None:
    del texts
    last = commits(base)[-1]
    last.rename(last.with_name(f"{last.name.split('_')[0]}_{LATE}.commit"))


ODD: dict[str, tuple[Callable[[Path, list[str]], None], list[str]]] = {
    "completed twice": (completed_twice, ["INSTANT_COMPLETED_TWICE"]),
    "completed before its request": (completed_before_its_request, ["COMPLETION_EARLY"]),
    "without a time of completion": (without_time_of_completion, ["COMPLETION_UNKNOWN"]),
    "completed in the future": (completed_in_the_future, []),
}


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_completion_is_read_and_written_over(
    spark: SparkSession, table: Path, odd: str
) -> None:
    spoil, codes = ODD[odd]
    files = sorted((table / ".hoodie").glob("*.commit"))
    texts = [file.read_text(encoding="utf-8") for file in files]
    instants = [file.name.split(".")[0] for file in files]
    upgraded.upgrade(table, "9", metadata_table=False)
    spoil(table, texts)
    spark.sql("REFRESH TABLE t")
    assert state(spark) == {0: 0, 1: 0, 2: 0}
    assert [row.code for row in spark.sql("CALL verify(table => 't')").collect()] == codes
    for n, instant in enumerate(instants):
        assert state(spark, f"VERSION AS OF '{instant}'") == dict.fromkeys(range(n + 1), 0)
    spark.sql("UPDATE t SET v = 1 WHERE id = 2")
    spark.sql("INSERT INTO t VALUES (3, 1)")
    assert state(spark) == {0: 0, 1: 0, 2: 1, 3: 1}
    assert [row.code for row in spark.sql("CALL verify(table => 't')").collect()] == codes
    done = {name.split("_")[0]: name for name in (file.stem for file in commits(table))}
    later = [done[instant] for instant in sorted(done)][-2:]
    assert later == sorted(later)
    if odd != "completed before its request":
        before = max(file.stem.split("_")[-1] for file in commits(table) if file.stem not in later)
        assert all(name.split("_")[1] > before for name in later), "completed after all others"


@pytest.fixture
def zones(spark: SparkSession) -> Iterator[Callable[[str], None]]:
    """Sets the default zone of the driver's JVM, in which instants of LOCAL tables are named."""
    of = spark._jvm.java.util.TimeZone
    before = of.getDefault()
    yield lambda name: of.setDefault(of.getTimeZone(name))
    of.setDefault(before)


@pytest.mark.parametrize("version", ["6", "9"])
def test_writes_are_seen_after_the_zone_of_the_process_has_changed(
    spark: SparkSession, table: Path, zones: Callable[[str], None], version: str
) -> None:
    """West of the last writer, the clock shows an earlier time than the last instant."""
    upgraded.set_facts(table, {"hoodie.table.timeline.timezone": "LOCAL"})
    (table / ".hoodie" / ".hoodie.properties.crc").unlink(missing_ok=True)
    if version == "9":
        spark.sql("CALL upgrade_table(table => 't', version => 9)")
    for value, zone in enumerate(("Asia/Tokyo", "America/Los_Angeles", "UTC", "Asia/Tokyo")):
        zones(zone)
        before = max(layout.completed(table))
        spark.sql(f"UPDATE t SET v = {value} WHERE id = 2")
        assert state(spark) == {0: 0, 1: 0, 2: value}, zone
        assert max(layout.completed(table)) > before, zone
    times = [row.instant for row in spark.sql("SELECT * FROM t.history").collect()]
    assert len(times) == 7
    assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []


def state(spark: SparkSession, at: str = "") -> dict[int, int]:
    return {row.id: row.v for row in spark.sql(f"SELECT id, v FROM t {at}").collect()}
