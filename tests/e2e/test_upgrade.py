"""Changes of the table version by CALL: all answers stay, and a table in another version is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from harness import layout
from harness.canonical import assert_same_tables
from harness.faults import run_statement
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHANGES = product("core/service/", "core/commit/", "core/timeline/", "core/format/", "procedures/")
pytestmark = pytest.mark.rotated(rare=True, by="test", when=CHANGES)
INDEXES = {"buckets": "WITH BUCKETS 2", "bloom": ""}
READS = (
    "SELECT * FROM t",
    "SELECT _hoodie_commit_time, _hoodie_file_name, * FROM t",
    "SELECT * FROM t WHERE id = 5",
    "SELECT count(*) FROM t",
    "SELECT * FROM t.files",
    "SELECT * FROM t.partitions",
    "SELECT * EXCEPT (requested_time, completed_time) FROM t.history",
    "SHOW PARTITIONS t",
)


@pytest.fixture(params=sorted(INDEXES))
def table(spark: SparkSession, database: Path, request: pytest.FixtureRequest) -> Path:
    """A table with commits, a replacecommit, a savepoint, a clean and a column that was added."""
    spark.sql(
        "CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite "
        f"PARTITIONED BY (p) {INDEXES[request.param]} "
        "TBLPROPERTIES ('hoodie.write.table.version' = '6')"
    )
    spark.sql("INSERT INTO t SELECT id, 'one', if(id < 40, 'a', 'b') FROM range(90)")
    spark.sql("UPDATE t SET v = 'two' WHERE id % 3 = 0")
    spark.sql("CALL savepoint(table => 't')")
    spark.sql("DELETE FROM t WHERE id % 7 = 0")
    spark.sql("ALTER TABLE t ADD COLUMN w INT")
    spark.sql("INSERT OVERWRITE t PARTITION (p = 'b') SELECT id, 'three', id FROM range(50, 70)")
    spark.sql("UPDATE t SET v = 'four' WHERE id = 1")
    short = "retain_commits => 2, retain_hours => 0, allow_short_retention => true"
    assert spark.sql(f"CALL clean(table => 't', {short})").collect()[0].files_deleted > 0
    return database / "t"


def answers(spark: SparkSession, table: Path, instants: list[str]) -> dict[str, pa.Table]:
    """The answers of readers: the table, its states, its changes and its metadata."""
    texts = [*READS, *(f"SELECT * FROM t VERSION AS OF '{i}'" for i in instants)]
    texts.append(f"SELECT * FROM hudilite_changes('t', '{instants[-2]}', '{instants[-1]}')")
    texts.append(f"SELECT * FROM hudilite.`{table}`")
    assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []
    return {text: spark.sql(text).toArrow() for text in texts}


def assert_same(expected: dict[str, pa.Table], found: dict[str, pa.Table]) -> None:
    for text, rows in expected.items():
        assert_same_tables(rows, found[text], label=text)


def version(spark: SparkSession) -> str:
    row = spark.sql("CALL metadata_table(table => 't')").collect()[0]
    return str(row.table_version)


def readable(spark: SparkSession, instant: str) -> bool:
    """Whether a clean has left the version."""
    return run_statement(spark, f"SELECT * FROM t VERSION AS OF '{instant}'") is None


def test_all_answers_stay_from_6_to_9_and_back(spark: SparkSession, table: Path) -> None:
    instants = [i for i in sorted(layout.completed(table)) if readable(spark, i)]
    assert len(instants) > 2
    before = answers(spark, table, instants)
    commits = {p.name: p.read_bytes() for p in (table / ".hoodie").glob("2*.commit")}
    up = spark.sql("CALL upgrade_table(table => 't', version => 9)").collect()[0]
    assert (up.from_version, up.to_version, up.changed, version(spark)) == (6, 9, True, "9")
    assert up.instants == len(spark.sql("CALL show_timeline(table => 't', limit => 99)").collect())
    assert_same(before, answers(spark, table, instants))
    assert not list((table / ".hoodie").glob("2*"))
    again = spark.sql("CALL upgrade_table(table => 't')").collect()[0]
    assert tuple(again) == (9, 9, 0, False)
    down = spark.sql("CALL downgrade_table(table => 't', to_version => 'SIX')").collect()[0]
    assert (down.from_version, down.to_version, down.changed) == (9, 6, True)
    assert (down.instants, version(spark)) == (up.instants, "6")
    assert_same(before, answers(spark, table, instants))
    assert {p.name: p.read_bytes() for p in (table / ".hoodie").glob("2*.commit")} == commits
    assert not list((table / ".hoodie" / "timeline").glob("2*"))


def test_a_table_is_written_in_each_version_and_by_each_service(
    spark: SparkSession, table: Path
) -> None:
    rows = {row.id: row.v for row in spark.sql("SELECT * FROM t").collect()}
    saved = str(spark.sql("CALL savepoint(table => 't')").collect()[0].instant)
    for number, step in enumerate(("upgrade", "downgrade", "upgrade")):
        spark.sql(f"CALL {step}_table(table => 't')")
        spark.sql(f"UPDATE t SET v = 'step {number}' WHERE id = 1")
        spark.sql(f"INSERT INTO t VALUES ({900 + number}, 'new', 'c', {number})")
        rows |= {1: f"step {number}", 900 + number: "new"}
        assert {row.id: row.v for row in spark.sql("SELECT * FROM t").collect()} == rows
        assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []
    spark.sql(f"CALL delete_savepoint(table => 't', instant => '{saved}')")
    spark.sql(f"CALL restore(table => 't', instant => '{saved}')")
    assert not {900, 901, 902} & {row.id for row in spark.sql("SELECT id FROM t").collect()}
    assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []


def test_a_frame_that_was_made_before_reads_the_table_in_its_new_version(
    spark: SparkSession, table: Path
) -> None:
    frame = spark.table("t")
    expected = frame.toArrow()
    spark.sql("CALL upgrade_table(table => 't')")
    assert_same_tables(expected, frame.toArrow(), label="again")
    spark.sql("DELETE FROM t WHERE id = 1")
    assert frame.count() == expected.num_rows - 1


def test_a_pending_write_of_another_writer_is_refused(spark: SparkSession, table: Path) -> None:
    lost = "29990101000000000"
    (table / ".hoodie" / f"{lost}.commit.requested").touch()
    fault = run_statement(spark, "CALL upgrade_table(table => 't')")
    assert fault is not None
    assert fault.condition == "HUDILITE_UNSUPPORTED_TABLE"
    assert (fault.parameters["fact"], fault.parameters["value"]) == ("pending write", lost)
    spark.sql(f"CALL rollback(table => 't', instant => '{lost}')")
    assert spark.sql("CALL upgrade_table(table => 't')").collect()[0].changed


def test_a_table_that_is_only_read_keeps_its_version(spark: SparkSession, table: Path) -> None:
    with (table / ".hoodie" / "hoodie.properties").open("a", encoding="utf-8") as file:
        file.write("hoodie.table.cdc.enabled=true\n")
    spark.sql("REFRESH TABLE t")
    state = layout.untouched_state(table)
    fault = run_statement(spark, "CALL upgrade_table(table => 't')")
    assert fault is not None
    assert (fault.condition, fault.parameters["fact"]) == (
        "HUDILITE_TABLE_READ_ONLY",
        "hoodie.table.cdc.enabled",
    )
    assert layout.untouched_state(table) == state


@pytest.mark.parametrize("versions", [("6", "9"), ("9", "6")])
def test_queries_that_begin_in_the_archive_answer_in_each_version(
    spark: SparkSession, database: Path, versions: tuple[str, str]
) -> None:
    """The archive stays in the form of the version that wrote it."""
    before, after = versions
    spark.sql(
        "CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 "
        f"TBLPROPERTIES ('hoodie.write.table.version' = '{before}')"
    )
    for n in range(6):
        spark.sql(f"INSERT INTO t VALUES ({n}, {n})")
    instants = sorted(layout.completed(database / "t"))
    spark.sql("CALL archive(table => 't', keep_min => 2, keep_max => 3)")
    earlier = f"SELECT * FROM t VERSION AS OF '{instants[0]}'"
    expected = {begin: changed(spark, database / "t", begin) for begin in ("0", instants[1])}
    assert expected == {"0": [0, 1, 2, 3, 4, 5], instants[1]: [2, 3, 4, 5]}
    for to in (after, before, after):
        call = "upgrade" if to == "9" else "downgrade"
        spark.sql(f"CALL {call}_table(table => 't', version => {to})")
        assert version(spark) == to
        for begin, wanted in expected.items():
            assert changed(spark, database / "t", begin) == wanted
        with pytest.raises(Exception, match="HUDILITE_VERSION_NOT_FOUND"):
            changed(spark, database / "t", "0", instants[1])
        fault = run_statement(spark, earlier)
        assert fault is not None
        assert fault.condition == "HUDILITE_VERSION_NOT_FOUND"
        assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []
        spark.sql("UPDATE t SET v = v + 1 WHERE id = 5")
        assert spark.sql("CALL archive(table => 't', keep_min => 2, keep_max => 3)").count() == 1


def changed(spark: SparkSession, base: Path, begin: str, end: str | None = None) -> list[int]:
    """Keys of the rows of an incremental query."""
    reader = spark.read.format("hudilite").option("hoodie.datasource.query.type", "incremental")
    for name, value in (("begin", begin), ("end", end)):
        if value is not None:
            reader = reader.option(f"hoodie.datasource.read.{name}.instanttime", value)
    return sorted(row.id for row in reader.load(str(base)).collect())
