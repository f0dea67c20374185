"""Tables of versions 8 and 9, with and without a metadata table: read in every way, and written."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.canonical import assert_same_tables
from harness.faults import Fault, fault_of, run_statement
from harness.rotation import product
from harness.warned import warnings
from tables import upgraded

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    rare=True, by="test", when=product("core/format/", "core/timeline/")
)
READ_ONLY = "HUDILITE_TABLE_READ_ONLY"
MERGE_MODE = "hoodie.record.merge.mode"
METADATA = "hoodie.table.metadata.partitions"
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
    "CALL cluster(table => 't', order_by => 'v')",
)

# The last one leaves one row.
DETACHING = (
    "INSERT INTO t VALUES (900, 'x', 'a')",
    "UPDATE t SET v = 'x' WHERE id = 900",
    "DELETE FROM t WHERE id = 900",
    "DELETE FROM t WHERE p = 'a'",
    "INSERT OVERWRITE t PARTITION (p = 'a') VALUES (900, 'x')",
    "MERGE INTO t USING (SELECT 900 id, 'y' v, 'a' p) s ON t.id = s.id AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET *",
    "CALL clean(table => 't', retain_commits => 1, retain_hours => 0, allow_short_retention => true)",
    "INSERT INTO t VALUES (902, 'x', 'a')",
    "ALTER TABLE t ADD COLUMN w INT",
    "ALTER TABLE t DROP COLUMN v",
    "ALTER TABLE t DROP PARTITION (p = 'a')",
    "TRUNCATE TABLE t",
    "INSERT INTO t SELECT 901, 'a', 1",
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
    assert (fault.condition, fault.parameters["fact"]) == (READ_ONLY, MERGE_MODE)
    assert fault.parameters["fix"].startswith("Write it with stock Hudi"), statement


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


@pytest.mark.fault("F43")
@pytest.mark.parametrize("version", ["6", "9"])
def test_each_statement_that_writes_detaches_the_metadata_table(
    spark: SparkSession, table: Path, version: str
) -> None:
    if version == "9":
        upgraded.upgrade(table, version)
    before = {row.id: row for row in spark.sql("SELECT * FROM t").collect()}
    for statement in DETACHING:
        plant_metadata(table)
        assert spark.sql("SELECT count(*) FROM t").collect(), statement
        spark.sql(statement.format(instant=max(layout.completed(table)))).collect()
        assert layout.properties(table)[METADATA] == "", statement
        assert not (table / ".hoodie" / "metadata").exists(), statement
    after = {row.id for row in spark.sql("SELECT * FROM t").collect()}
    assert after == {901}
    assert len(before) > 2
    assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []
    shown = spark.sql("CALL show_timeline(table => 't')").collect()
    assert {row.table_version for row in shown} == {version}
    completed = [name for name in layout.instant_files(table) if "_" in name]
    assert bool(completed) == (version == "9")


def plant_metadata(table: Path) -> None:
    """Puts a metadata table beside a table, as a write of stock Hudi does."""
    upgraded.set_facts(table, {METADATA: upgraded.METADATA_TABLE})
    upgraded.make_metadata(table)


@pytest.mark.parametrize("version", ["6", "9"])
def test_a_statement_that_changes_no_row_leaves_the_metadata_table(
    spark: SparkSession, table: Path, version: str
) -> None:
    if version == "9":
        upgraded.upgrade(table, version)
    plant_metadata(table)
    for statement in (
        "INSERT INTO t SELECT * FROM t WHERE id < 0",
        "ALTER TABLE t ALTER COLUMN v COMMENT 'x'",
        "ALTER TABLE t SET TBLPROPERTIES ('hoodie.clean.automatic' = 'false')",
        "CALL savepoint(table => 't')",
        "CALL clean(table => 't', dry_run => true)",
    ):
        spark.sql(statement).collect()
        assert layout.properties(table)[METADATA] == upgraded.METADATA_TABLE, statement
    status = spark.sql("CALL metadata_table(table => 't')").collect()[0]
    assert tuple(status) == (version, upgraded.METADATA_TABLE, "", True, False, 0)
    detached = spark.sql("CALL metadata_table(table => 't', action => 'detach')").collect()[0]
    assert tuple(detached) == (version, "", "", False, False, 0)
    assert not (table / ".hoodie" / "metadata").exists()


def test_a_session_is_told_once_what_the_detaching_costs(spark: SparkSession, table: Path) -> None:
    upgraded.upgrade(table, "9")
    session = spark.newSession()
    session.sql(f"USE {spark.catalog.currentDatabase()}")
    texts: list[str] = []
    for change in ("one", "two"):
        plant_metadata(table)
        with warnings(spark) as said:
            session.sql(f"UPDATE t SET v = '{change}' WHERE id = 5")
        texts += [line for line in said if "metadata table" in line]
    assert len(texts) == 1
    assert "hoodie.metadata.enable=false" in texts[0]


def test_no_statement_writes_a_table_with_other_rules_of_merging(
    spark: SparkSession, table: Path
) -> None:
    instant = max(layout.completed(table))
    upgraded.upgrade(table, "9")
    upgraded.set_facts(table, {MERGE_MODE: "CUSTOM"})
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


@pytest.mark.parametrize("version", ["8", "9"])
def test_a_table_of_stock_hudi_is_adopted_and_written(
    spark: SparkSession, table: Path, tmp_path: Path, version: str
) -> None:
    base = tmp_path / "foreign"
    make_foreign(table, base, version)
    is_bucketed = "bucket" in spark.sql("SHOW CREATE TABLE t").collect()[0][0].lower()
    clause = "WITH BUCKETS 2" if is_bucketed else ""
    spark.sql(f"CREATE TABLE f USING hudilite {clause} LOCATION '{base}'")
    columns = "_hoodie_commit_time, _hoodie_file_name, *"
    own = spark.sql(f"SELECT {columns} FROM f").toArrow()
    assert_same_tables(spark.sql(READS[1]).toArrow(), own, label="by name")
    spark.sql("INSERT INTO f VALUES (900, 'x', 'a')")
    spark.sql("UPDATE f SET v = 'y' WHERE id = 50")
    changed = spark.sql("SELECT id, v FROM f WHERE v IN ('x', 'y') ORDER BY id").collect()
    assert [tuple(row) for row in changed] == [(50, "y"), (900, "x")]
    assert layout.properties(base)["hoodie.table.version"] == version
    assert spark.sql("CALL verify(table => 'f', level => 'rows')").collect() == []


def make_foreign(table: Path, base: Path, version: str) -> None:
    """A copy of a table as stock Hudi would have written it, with another version."""
    shutil.copytree(table, base)
    upgraded.upgrade(base, version)
    file = base / ".hoodie" / "hoodie.properties"
    lines = [line for line in file.read_text().splitlines() if not line.startswith("hudilite.")]
    file.write_text("\n".join([*lines, ""]))
    shutil.rmtree(base / ".hoodie" / ".hudilite")


def test_a_table_that_is_only_read_gets_an_entry_and_stays_as_it_is(
    spark: SparkSession, table: Path, tmp_path: Path
) -> None:
    base = tmp_path / "foreign"
    make_foreign(table, base, "9")
    upgraded.set_facts(base, {MERGE_MODE: "CUSTOM"})
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
