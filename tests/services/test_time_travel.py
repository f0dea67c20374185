"""Reads of earlier versions by DataFrame options; what they open; versions that lost a file."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.everyday_run import fixes
from harness.faults import fault_of, run_statement
from harness.opens import opened_files
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("spark/read/", "core/view/"))


@pytest.fixture
def versions(spark: SparkSession, database: Path) -> list[str]:
    """Instants of table `t`: inserted, one row of each partition changed, one deleted."""
    spark.sql(
        "CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 2"
    )
    spark.sql("INSERT INTO t SELECT id, if(id < 9, 'a', 'b'), 'one' FROM range(18)")
    spark.sql("UPDATE t SET v = 'two' WHERE id IN (0, 10)")
    spark.sql("DELETE FROM t WHERE id = 17")
    return sorted(layout.completed(database / "t"))


def counts(frame: DataFrame) -> dict[str, int]:
    """Rows by their value."""
    return {row[0]: row[1] for row in frame.groupBy("v").count().collect()}


EXPECTED = [{"one": 18}, {"one": 16, "two": 2}, {"one": 15, "two": 2}]


def moment(instant: str, shift: int = 0) -> str:
    """An instant as a timestamp's text, some milliseconds later."""
    at = datetime.datetime.strptime(instant, "%Y%m%d%H%M%S%f")
    return str(at + datetime.timedelta(milliseconds=shift))


def test_options_of_a_read_by_name_and_by_path(
    spark: SparkSession, database: Path, versions: list[str]
) -> None:
    base = str(database / "t")
    for instant, expected in zip(versions, EXPECTED, strict=True):
        asked = {"versionAsOf": instant}, {"timestampAsOf": moment(instant)}
        for options in asked:
            assert counts(spark.read.options(**options).table("t")) == expected
        at = moment(instant)[:23]
        for options in (*asked, {"as.of.instant": instant}, {"as.of.instant": at}):
            read = spark.read.format("hudilite").options(**options)
            assert counts(read.load(base)) == expected, options
        part = read.load(f"{base}/p=a")
        assert part.count() == 9
    before = spark.read.option("timestampAsOf", moment(versions[1], -1)).table("t")
    assert counts(before) == EXPECTED[0]


@pytest.mark.parametrize(
    ("options", "condition"),
    [
        ({"versionAsOf": "7"}, "HUDILITE_VERSION_NOT_FOUND"),
        ({"timestampAsOf": "soon"}, "HUDILITE_VERSION_NOT_FOUND"),
        ({"timestampAsOf": "2999-01-01"}, "HUDILITE_VERSION_NOT_FOUND"),
        ({"as.of.instant": "2020"}, "HUDILITE_VERSION_NOT_FOUND"),
        ({"as.of.instant": "2020-01-01"}, "HUDILITE_VERSION_NOT_FOUND"),
        (
            {"versionAsOf": "20200101000000000", "as.of.instant": "2020-01-01"},
            "HUDILITE_PROPERTY_UNSUPPORTED",
        ),
    ],
)
def test_options_that_name_no_version(
    spark: SparkSession,
    database: Path,
    versions: list[str],
    options: dict[str, str],
    condition: str,
) -> None:
    with pytest.raises(Exception) as fault:
        spark.read.format("hudilite").options(**options).load(str(database / "t")).collect()
    assert fault_of(fault.value).condition == condition
    assert len(versions) == len(layout.completed(database / "t"))


MILLIS = "4102444800000"  # of the year 2100


def test_icebergs_options_go_with_a_path(
    spark: SparkSession, database: Path, versions: list[str]
) -> None:
    base = str(database / "t")
    for options, expected in (
        ({"snapshot-id": versions[0]}, EXPECTED[0]),
        ({"snapshot-id": "2"}, EXPECTED[1]),
        ({"as-of-timestamp": MILLIS}, EXPECTED[-1]),
        ({"timestampAsOf": versions[1]}, EXPECTED[1]),
    ):
        found = spark.read.format("hudilite").options(**options).load(base)
        assert counts(found) == expected, options
    for options, condition in (
        ({"as-of-timestamp": "0"}, "HUDILITE_VERSION_NOT_FOUND"),
        ({"as-of-timestamp": "2020-01-01"}, "HUDILITE_VERSION_NOT_FOUND"),
        ({"snapshot-id": "main"}, "HUDILITE_VERSION_NOT_FOUND"),
        ({"snapshot-id": "1", "versionAsOf": "1"}, "HUDILITE_PROPERTY_UNSUPPORTED"),
    ):
        with pytest.raises(Exception) as fault:
            spark.read.format("hudilite").options(**options).load(base).collect()
        assert fault_of(fault.value).condition == condition, options


@pytest.mark.parametrize("key", ["as.of.instant", "snapshot-id", "as-of-timestamp"])
def test_options_that_do_not_go_with_a_name_say_what_to_type(
    spark: SparkSession, versions: list[str], key: str
) -> None:
    value, expected = (MILLIS, EXPECTED[-1]) if "timestamp" in key else (versions[0], EXPECTED[0])
    with pytest.raises(Exception) as fault:
        spark.read.option(key, value).table("t").collect()
    assert fault_of(fault.value).condition == "HUDILITE_PROPERTY_UNSUPPORTED"
    (said,) = fixes(str(fault.value))
    if "timestamp" in key:  # a statement does not know the future
        said = said.replace(MILLIS, "unix_millis(current_timestamp())")
    assert counts(spark.sql(said)) == expected


def test_a_version_opens_its_own_files_alone(
    spark: SparkSession, database: Path, versions: list[str]
) -> None:
    folders = [database / "t" / "p=a", database / "t" / "p=b"]
    for instant in versions:
        with opened_files(folders) as opened:
            assert spark.sql(f"SELECT * FROM t VERSION AS OF '{instant}'").collect()
        wanted = {s.path for s in layout.latest_slices(database / "t", as_of=instant)}
        assert {path for path in opened if path.suffix == ".parquet"} == wanted


def test_a_version_that_lost_a_file_is_an_error_and_others_are_read(
    spark: SparkSession, database: Path, versions: list[str]
) -> None:
    base = database / "t"
    kept = {s.path for s in layout.latest_slices(base, as_of=versions[1])}
    lost = next(s.path for s in layout.latest_slices(base, versions[0]) if s.path not in kept)
    lost.unlink()
    read = f"SELECT * FROM t VERSION AS OF '{versions[0]}'"
    fault = run_statement(spark, read)
    assert fault is not None
    assert fault.condition == "HUDILITE_SNAPSHOT_EXPIRED"  # raises HUDILITE_SNAPSHOT_EXPIRED
    assert fault.parameters["file"].endswith(lost.name)
    other = "b" if lost.parent.name == "p=a" else "a"
    assert len(spark.sql(f"{read} WHERE p = '{other}'").collect()) == 9
    assert counts(spark.read.option("versionAsOf", versions[1]).table("t")) == EXPECTED[1]


@pytest.mark.parametrize("version", [6, 9])
def test_a_version_whose_base_was_compacted_and_cleaned_is_an_error(
    spark: SparkSession, database: Path, version: int
) -> None:
    """In version 9 the commit of a log file does not name its base, which the compaction does."""
    spark.sql(
        "CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite "
        "PARTITIONED BY (p) WITH BUCKETS 1 "
        f"TBLPROPERTIES (type = 'mor', 'hoodie.table.version' = '{version}')"
    )
    spark.sql("INSERT INTO t SELECT id, if(id < 10, 'a', 'b'), 'one' FROM range(20)")
    for number in range(4):
        spark.sql(f"UPDATE t SET v = '{number}' WHERE p = 'a'")
    spark.sql("CALL archive(table => 't', keep_min => 2, keep_max => 3)").collect()
    state = max(layout.completed(database / "t"))
    spark.sql("UPDATE t SET v = 'late' WHERE id = 15")
    read = f"SELECT p, count(*) FROM t VERSION AS OF '{state}' GROUP BY p ORDER BY p"
    assert [tuple(row) for row in spark.sql(read).collect()] == [("a", 10), ("b", 10)]
    spark.sql("CALL compact(table => 't', where => \"p = 'b'\")").collect()
    clean = "retain_commits => 1, retain_hours => 0, allow_short_retention => true"
    spark.sql(f"CALL clean(table => 't', {clean})").collect()
    fault = run_statement(spark, read)
    assert fault is not None
    assert fault.condition == "HUDILITE_SNAPSHOT_EXPIRED"
    assert spark.table("t").count() == 20


def test_a_version_keeps_its_rows_while_others_write(
    spark: SparkSession, versions: list[str]
) -> None:
    frame = spark.read.option("versionAsOf", versions[1]).table("t")
    assert counts(frame) == EXPECTED[1]
    spark.sql("UPDATE t SET v = 'three'")
    assert counts(frame) == EXPECTED[1]
    assert counts(spark.table("t")) == {"three": 17}
    spark.sql(
        f"MERGE INTO t USING (SELECT * FROM t VERSION AS OF '{versions[0]}') s "
        "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    assert counts(spark.table("t")) == EXPECTED[0]


def test_a_version_is_not_written(spark: SparkSession, database: Path, versions: list[str]) -> None:
    rows = spark.sql("SELECT 99 id, 'a' p, 'x' v")
    writer = rows.write.format("hudilite").mode("append").option("versionAsOf", versions[0])
    with pytest.raises(Exception) as fault:
        writer.save(str(database / "t"))
    assert fault_of(fault.value).condition in (
        "HUDILITE_UNSUPPORTED_CLAUSE",
        "HUDILITE_PROPERTY_UNSUPPORTED",
    )
    assert sorted(layout.completed(database / "t")) == versions
