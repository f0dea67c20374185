"""Tables of versions 8 and 9, with and without a metadata table: read in every way, never written."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.canonical import assert_same_tables
from harness.faults import Fault, fault_of, run_statement
from harness.rotation import product
from tables import upgraded

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("core/format/", "core/timeline/"))
READ_ONLY = "HUDILITE_TABLE_READ_ONLY"
INDEXES = {"buckets": "WITH BUCKETS 2", "bloom": ""}
READS = (
    "SELECT * FROM t",
    "SELECT _hoodie_commit_time, _hoodie_file_name, * FROM t",
    "SELECT v, count(*), max(id) FROM t WHERE p = 'a' GROUP BY v",
    "SELECT * FROM t WHERE id = 5",
    "SELECT count(*) FROM t",
    "SELECT * FROM t.files",
    "SELECT * FROM t.partitions",
    "SELECT * EXCEPT (requested_time, completed_time) FROM t.history",
    "SHOW PARTITIONS t",
)
WRITES = (
    "INSERT INTO t VALUES (900, 'x', 'a')",
    "INSERT OVERWRITE t PARTITION (p = 'a') VALUES (900, 'x')",
    "UPDATE t SET v = 'x' WHERE id = 1",
    "DELETE FROM t WHERE id = 1",
    "DELETE FROM t WHERE p = 'a'",
    "MERGE INTO t USING (SELECT 1 id, 'x' v, 'a' p) s ON t.id = s.id AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET *",
    "TRUNCATE TABLE t",
    "ALTER TABLE t DROP PARTITION (p = 'a')",
    "ALTER TABLE t ADD COLUMN w INT",
    "ALTER TABLE t ALTER COLUMN v COMMENT 'x'",
    "ALTER TABLE t DROP COLUMN v",
    "ALTER TABLE t SET TBLPROPERTIES ('hoodie.clean.automatic' = 'true')",
    "CALL clean(table => 't')",
    "CALL savepoint(table => 't')",
    "CALL delete_savepoint(table => 't', instant => '{instant}')",
    "CALL restore(table => 't', instant => '{instant}')",
    "CALL rollback(table => 't', instant => '{instant}')",
    "CALL remove_orphans(table => 't', dry_run => false)",
    "CALL rebuild_index(table => 't')",
    "CALL repair_bucket(table => 't', partition => 'p=a', bucket => 0)",
    "CALL materialize(table => 't')",
)


@pytest.fixture(params=sorted(INDEXES))
def table(spark: SparkSession, database: Path, request: pytest.FixtureRequest) -> Path:
    """A table with commits, a replacecommit, a savepoint and a clean."""
    spark.sql(
        "CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite "
        f"PARTITIONED BY (p) {INDEXES[request.param]}"
    )
    spark.sql("INSERT INTO t SELECT id, 'one', if(id < 40, 'a', 'b') FROM range(90)")
    spark.sql("UPDATE t SET v = 'two' WHERE id % 3 = 0")
    spark.sql("CALL savepoint(table => 't')")
    spark.sql("DELETE FROM t WHERE id % 7 = 0")
    spark.sql("INSERT OVERWRITE t PARTITION (p = 'b') SELECT id, 'three' FROM range(50, 70)")
    spark.sql("UPDATE t SET v = 'four' WHERE id = 1")
    short = "retain_commits => 2, retain_hours => 0, allow_short_retention => true"
    assert spark.sql(f"CALL clean(table => 't', {short})").collect()[0].files_deleted > 0
    return database / "t"


def assert_refused(fault: Fault | None, statement: str) -> None:
    assert fault is not None, statement
    assert (fault.condition, fault.parameters["fact"]) == (READ_ONLY, "hoodie.table.version")
    assert fault.parameters["fix"].startswith("Convert"), statement


@pytest.mark.parametrize(("version", "codec"), [("8", "deflate"), ("9", "null")])
def test_every_read_answers_as_before_the_upgrade(
    spark: SparkSession, table: Path, version: str, codec: str
) -> None:
    before = {text: spark.sql(text).toArrow() for text in READS}
    kept = [i for i in sorted(layout.completed(table)) if readable(spark, i)]
    assert len(kept) > 2
    past = {i: spark.sql(f"SELECT * FROM t VERSION AS OF '{i}'").toArrow() for i in kept}
    changes = f"SELECT * FROM hudilite_changes('t', '{kept[-2]}', '{kept[-1]}')"
    changed = spark.sql(changes).toArrow()
    upgraded.upgrade(table, version, codec=codec)
    spark.sql("REFRESH TABLE t")
    state = layout.untouched_state(table)
    for text, expected in before.items():
        assert_same_tables(expected, spark.sql(text).toArrow(), label=text)
    for instant, expected in past.items():
        read = spark.sql(f"SELECT * FROM t VERSION AS OF '{instant}'").toArrow()
        assert_same_tables(expected, read, label=instant)
    assert_same_tables(changed, spark.sql(changes).toArrow(), label="changes")
    by_path = spark.sql(f"SELECT * FROM hudilite.`{table}`").toArrow()
    assert_same_tables(before[READS[0]], by_path, label="by path")
    by_frame = spark.read.format("hudilite").load(str(table)).toArrow()
    assert_same_tables(before[READS[0]], by_frame, label="by DataFrame")
    assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []
    shown = {row.key: row.value for row in spark.sql("SHOW TBLPROPERTIES t").collect()}
    assert shown["hoodie.table.version"] == version
    assert shown["hoodie.table.metadata.partitions"] == upgraded.METADATA_TABLE
    assert layout.untouched_state(table) == state


def readable(spark: SparkSession, instant: str) -> bool:
    """Whether a clean has left the version."""
    return run_statement(spark, f"SELECT * FROM t VERSION AS OF '{instant}'") is None


def test_no_statement_writes(spark: SparkSession, table: Path) -> None:
    instant = max(layout.completed(table))
    upgraded.upgrade(table, "9")
    state = layout.untouched_state(table)
    for statement in WRITES:
        text = statement.format(instant=instant)
        fault = run_statement(spark, text)
        assert_refused(fault, text)
        assert layout.untouched_state(table) == state, text
    rows = spark.table("t").limit(1)
    for write in (
        lambda: rows.write.mode("append").insertInto("t"),
        lambda: rows.writeTo("t").append(),
        lambda: rows.writeTo("t").overwritePartitions(),
        lambda: rows.write.format("hudilite").mode("append").save(str(table)),
    ):
        with pytest.raises(Exception, match="can be read") as error:
            write()
        assert_refused(fault_of(error.value), "a DataFrame")
    assert layout.untouched_state(table) == state


@pytest.mark.fault("F43")
@pytest.mark.parametrize("version", ["6", "9"])
def test_a_metadata_table_is_not_needed_and_forbids_writes(
    spark: SparkSession, table: Path, version: str
) -> None:
    before = spark.sql(READS[1]).toArrow()
    if version == "9":
        upgraded.upgrade(table, version)
    for key in ("hoodie.table.metadata.partitions", "hoodie.table.metadata.partitions.inflight"):
        upgraded.set_facts(table, {key: "files"})
        assert_same_tables(before, spark.sql(READS[1]).toArrow(), label=key)
        fault = run_statement(spark, WRITES[0])
        assert fault is not None
        assert fault.condition == READ_ONLY
        if version == "6":
            assert fault.parameters["fact"] == "hoodie.table.metadata.partitions"
            assert "delete_metadata_table" in fault.parameters["fix"]


def test_a_table_of_stock_hudi_gets_an_entry_and_stays_as_it_is(
    spark: SparkSession, table: Path, tmp_path: Path
) -> None:
    base = tmp_path / "foreign"
    shutil.copytree(table, base)
    upgraded.upgrade(base, "9")
    file = base / ".hoodie" / "hoodie.properties"
    lines = [line for line in file.read_text().splitlines() if not line.startswith("hudilite.")]
    file.write_text("\n".join([*lines, ""]))
    shutil.rmtree(base / ".hoodie" / ".hudilite")
    state = layout.untouched_state(base)
    at = f"LOCATION '{base}'"
    for clause in ("WITH BUCKETS 2", "TBLPROPERTIES ('hoodie.index.type' = 'BLOOM')"):
        fault = run_statement(spark, f"CREATE TABLE f USING hudilite {clause} {at}")
        assert fault is not None
        assert fault.condition == "HUDILITE_UNSUPPORTED_CLAUSE", clause
        assert not spark.catalog.tableExists("f")
    spark.sql(f"CREATE TABLE f USING hudilite {at}")
    own = spark.sql("SELECT _hoodie_commit_time, _hoodie_file_name, * FROM f").toArrow()
    assert_same_tables(spark.sql(READS[1]).toArrow(), own, label="by name")
    fault = run_statement(spark, "INSERT INTO f VALUES (900, 'x', 'a')")
    assert_refused(fault, "INSERT")
    spark.sql("ALTER TABLE f RENAME TO g")
    assert spark.sql("SELECT count(*) FROM g").collect() == spark.sql(READS[4]).collect()
    spark.sql("ALTER TABLE g SET TBLPROPERTIES ('owner.team' = 'x')")
    spark.sql("DROP TABLE g")
    assert layout.untouched_state(base) == state


@pytest.mark.fault("F36")
@pytest.mark.parametrize(
    ("facts", "fact"),
    [
        ({"hoodie.table.version": "7"}, "hoodie.table.version"),
        ({"hoodie.table.version": "10"}, "hoodie.table.version"),
        ({"hoodie.timeline.layout.version": "1"}, "hoodie.timeline.layout.version"),
        ({"hoodie.timeline.path": "elsewhere"}, "hoodie.timeline.path"),
    ],
)
def test_other_versions_and_layouts_are_refused(
    spark: SparkSession, table: Path, facts: dict[str, str], fact: str
) -> None:
    upgraded.upgrade(table, "9")
    upgraded.set_facts(table, facts)
    for statement in (READS[0], WRITES[0]):
        fault = run_statement(spark, statement)
        assert fault is not None
        assert (fault.condition, fault.parameters["fact"]) == ("HUDILITE_UNSUPPORTED_TABLE", fact)


def test_verify_tells_of_odd_times_of_completion(spark: SparkSession, table: Path) -> None:
    upgraded.upgrade(table, "9")
    timeline = table / ".hoodie" / "timeline"
    first = min(timeline.glob("*.commit"))
    again = first.with_name(f"{first.name.split('_')[0]}_20990101000000000.commit")
    shutil.copy(first, again)
    before = spark.sql("SELECT count(*) FROM t").collect()
    found = spark.sql("CALL verify(table => 't')").collect()
    assert [(row.severity, row.code) for row in found] == [("WARNING", "INSTANT_COMPLETED_TWICE")]
    assert found[0].path.endswith(again.name)
    assert spark.sql("SELECT count(*) FROM t").collect() == before
