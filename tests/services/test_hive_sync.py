"""CALL hive_sync: what a metastore then holds, as a session without our jar sees it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.children import ChildOutcome, run_child
from harness.metastore import Seen, look
from harness.rotation import product
from harness.setups import hive_conf
from harness.warned import warnings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    third=1,
    when=product("procedures/HiveSync.scala", "spark/hive/", "spark/plan/AutomaticSync.scala"),
)
INPUT = "org.apache.hudi.hadoop.HoodieParquetInputFormat"
REALTIME = "org.apache.hudi.hadoop.realtime.HoodieParquetRealtimeInputFormat"
OUTPUT = "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat"
SERDE = "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"
META = ["commit_time", "commit_seqno", "record_key", "partition_path", "file_name"]
ON = "'hoodie.datasource.hive_sync.enable' = 'true'"
PLAIN = "'hoodie.datasource.hive_sync.sync_as_datasource' = 'false'"
TYPES = (
    "id BIGINT COMMENT 'the key', b TINYINT, c CHAR(4), n TIMESTAMP_NTZ, at TIMESTAMP, "
    "amount DECIMAL(20, 4), nested STRUCT<a: INT, Of: ARRAY<TIMESTAMP_NTZ>>, m MAP<STRING, DATE>, "
    "Mixed STRING, bytes BINARY, ok BOOLEAN, d DOUBLE, f FLOAT, p STRING, q INT"
)
HIVE_TYPES = [
    ["id", "bigint", "the key"],
    ["b", "int", ""],
    ["c", "string", ""],
    ["n", "timestamp", ""],
    ["at", "timestamp", ""],
    ["amount", "decimal(20,4)", ""],
    ["nested", "struct<a:int,Of:array<timestamp>>", ""],
    ["m", "map<string,date>", ""],
    ["mixed", "string", ""],
    ["bytes", "binary", ""],
    ["ok", "boolean", ""],
    ["d", "double", ""],
    ["f", "float", ""],
]
SYNC = "CALL hive_sync(table => '{}')"
NOTHING = [False, 0, 0, 0, 0]


def steps() -> list[dict[str, Any]]:
    """Each statement, labelled where its rows are looked at."""
    plain = "CALL hive_sync(table => 'd.plain')"
    texts: list[tuple[str, str]] = [
        ("", "CREATE DATABASE d LOCATION '{folder}/d'"),
        (
            "",
            f"CREATE TABLE d.t ({TYPES}, PRIMARY KEY (id, q)) USING hudilite WITH BUCKETS 2 "
            "PARTITIONED BY (p, q)",
        ),
        ("hollow", "CALL hive_sync(table => 'd.t', target => 'd.hollow')"),
        ("", "INSERT INTO d.t (id, p, q) VALUES (1, 'x/y z', 1), (2, 'é=%', 2), (3, NULL, 3)"),
        ("dry", "CALL hive_sync(table => 'd.t', dry_run => true)"),
        ("first", SYNC.format("d.t")),
        ("second", SYNC.format("d.t")),
        ("kept", "CALL hive_sync(table => 'd.t', target => 'd.kept')"),
        ("", "ALTER TABLE d.t ADD COLUMN extra STRING COMMENT 'more'"),
        ("", "DELETE FROM d.t WHERE q = 2"),
        ("", "ALTER TABLE d.t DROP PARTITION (p = 'x/y z', q = 1)"),
        ("", "INSERT INTO d.t (id, p, q) VALUES (4, 'new', 4)"),
        ("changed", SYNC.format("d.t")),
        (
            "",
            f"CREATE TABLE d.plain (id INT, p DATE, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 "
            f"PARTITIONED BY (p) TBLPROPERTIES ({PLAIN})",
        ),
        ("", "INSERT INTO d.plain VALUES (1, DATE'2026-01-31'), (2, NULL)"),
        ("plain", plain),
        ("before", "DESCRIBE FORMATTED d.plain_hive"),
        ("again", plain),
        ("after", "DESCRIBE FORMATTED d.plain_hive"),
        (
            "",
            f"CREATE TABLE d.auto (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 "
            f"TBLPROPERTIES ({ON}, 'hoodie.datasource.hive_sync.database' = 'd', "
            "'hoodie.datasource.hive_sync.table' = 'by_itself')",
        ),
        ("", "INSERT INTO d.auto VALUES (1, 1)"),
        ("by itself", SYNC.format("d.auto")),
        (
            "",
            "MERGE INTO d.auto t USING (SELECT 1 AS id, 2 AS v) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET *",
        ),
        ("after merge", SYNC.format("d.auto")),
        ("", "ALTER TABLE d.auto ADD COLUMN w INT"),
        ("after alter", SYNC.format("d.auto")),
        ("own", "SELECT * FROM d.auto"),
        ("", f"ALTER TABLE d.auto SET TBLPROPERTIES ({PLAIN})"),
        ("after facts", SYNC.format("d.auto")),
        ("", "SET hive.metastore.client.factory.class=com.example.Glue"),
        ("other client", SYNC.format("d.auto")),
        ("", "RESET hive.metastore.client.factory.class"),
        (
            "",
            "CREATE TABLE d.mor (id INT, v INT, p STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 "
            f"PARTITIONED BY (p) TBLPROPERTIES (type = 'mor', {ON})",
        ),
        ("", "INSERT INTO d.mor VALUES (1, 1, 'a')"),
        ("", "UPDATE d.mor SET v = 2 WHERE id = 1"),
        ("mor", SYNC.format("d.mor")),
        ("mor named", "CALL hive_sync(table => 'd.mor', target => 'default.named')"),
        ("mor again", "CALL hive_sync(table => 'd.mor', target => 'default.named')"),
        ("", "DROP TABLE default.named_ro"),
        ("", "DROP TABLE default.named_rt"),
        ("by path", "CALL hive_sync(table => 'hudilite.`{folder}/d/t`', target => 'gone')"),
        ("", "DROP TABLE default.gone"),
        ("shown", "SHOW TABLES IN default"),
        ("taken", "CALL hive_sync(table => 'd.t', target => 'd.plain_hive')"),
        ("own name", "CALL hive_sync(table => 'd.t', target => 't')"),
        ("no database", "CALL hive_sync(table => 'd.t', target => 'nowhere.t')"),
    ]
    return [
        {"label": label or str(n), "sql": sql, "wait": 1.2}
        if label == "again"
        else {"label": label or str(n), "sql": sql}
        for n, (label, sql) in enumerate(texts)
    ]


@dataclass(frozen=True)
class Synced:
    """What the syncing session answered, and what the metastore held then."""

    folder: Path
    child: ChildOutcome
    seen: Seen

    def row(self, label: str) -> list[Any]:
        (row,) = self.child.rows(label)
        return row


@pytest.fixture(scope="module")
def synced(tmp_path_factory: pytest.TempPathFactory) -> Synced:
    folder = tmp_path_factory.mktemp("hive")
    plan: list[dict[str, Any]] = []
    for step in steps():
        if "wait" in step:
            plan.append({"label": "wait", "wait": step.pop("wait")})
        plan.append(step | {"sql": step["sql"].replace("{folder}", str(folder))})
    child = run_child(folder, plan, hive_conf(folder))
    for step in child.steps:
        assert "error" not in step or not step["label"].isdigit(), step
    entries = ["d.hollow", "d.t_hive", "d.kept", "d.plain_hive", "d.by_itself"]
    entries += ["d.mor_ro", "d.mor_rt"]
    queries = ["DESCRIBE FORMATTED d.plain_hive", "SHOW PARTITIONS d.plain_hive"]
    return Synced(folder, child, look(folder, entries, queries))


def test_the_entry_is_an_external_table_of_hudis_formats(synced: Synced) -> None:
    entry = synced.seen.entries["d.t_hive"]
    assert entry["type"] == "EXTERNAL_TABLE"
    assert entry["owner"]
    assert entry["location"] == f"file:{synced.folder}/d/t"
    assert entry["formats"] == [INPUT, OUTPUT, SERDE]
    assert entry["serde"] == {
        "path": f"file:{synced.folder}/d/t",
        "hoodie.query.as.ro.table": "false",
        "serialization.format": "1",
    }
    assert entry["parameters"]["EXTERNAL"] == "TRUE"
    assert entry["parameters"]["spark.sql.sources.provider"] == "hudi"
    assert entry["parameters"]["spark.sql.sources.schema.partCol.1"] == "q"


def test_columns_have_hives_types_behind_hudis_own(synced: Synced) -> None:
    entry = synced.seen.entries["d.kept"]
    assert entry["columns"] == [[f"_hoodie_{name}", "string", ""] for name in META] + HIVE_TYPES
    assert entry["keys"] == [["p", "string", ""], ["q", "int", ""]]


def test_each_partition_has_its_folder(synced: Synced) -> None:
    partitions = synced.seen.entries["d.kept"]["partitions"]
    base = f"file:{synced.folder}/d/t"
    assert {tuple(one["values"]): one["location"] for one in partitions} == {
        ("x/y z", "1"): f"{base}/p=x%2Fy z/q=1",
        ("é=%", "2"): f"{base}/p=é%3D%25/q=2",
        ("__HIVE_DEFAULT_PARTITION__", "3"): f"{base}/p=__HIVE_DEFAULT_PARTITION__/q=3",
    }
    assert all(one["formats"] == [INPUT, OUTPUT, SERDE] for one in partitions)
    assert synced.seen.entries["d.hollow"]["partitions"] == []


def test_it_answers_what_it_did(synced: Synced) -> None:
    assert synced.row("hollow") == ["d.hollow", True, 0, 0, 0, 0, None, False]
    commit = synced.row("first")[6]
    assert synced.row("dry") == ["d.t_hive", True, 0, 0, 3, 0, commit, True]
    assert synced.row("first") == ["d.t_hive", True, 0, 0, 3, 0, commit, False]
    assert synced.row("kept") == ["d.kept", True, 0, 0, 3, 0, commit, False]
    changed = synced.row("changed")
    assert changed[:2] + changed[4:6] == ["d.t_hive", False, 1, 2]
    assert changed[2] == 1
    assert synced.seen.entries["d.kept"]["parameters"]["last_commit_time_sync"] == commit
    entry = synced.seen.entries["d.t_hive"]
    assert entry["parameters"]["last_commit_time_sync"] == changed[6] > commit


def test_a_second_sync_writes_nothing(synced: Synced) -> None:
    assert synced.row("second")[1:6] == NOTHING
    assert synced.row("again")[1:6] == NOTHING
    assert synced.child.rows("before") == synced.child.rows("after")


def test_what_left_the_table_leaves_the_metastore(synced: Synced) -> None:
    entry = synced.seen.entries["d.t_hive"]
    values = {tuple(one["values"]) for one in entry["partitions"]}
    assert ("x/y z", "1") not in values
    assert ("new", "4") in values
    assert ("__HIVE_DEFAULT_PARTITION__", "3") in values


def test_a_new_column_reaches_the_partitions_that_are_there(synced: Synced) -> None:
    entry = synced.seen.entries["d.t_hive"]
    assert entry["columns"][-1] == ["extra", "string", "more"]
    assert all(one["columns"] == entry["columns"] for one in entry["partitions"])


def test_plain_spark_shows_an_entry_that_is_no_data_source(synced: Synced) -> None:
    shown = {row[0]: row[1] for row in synced.seen.rows["DESCRIBE FORMATTED d.plain_hive"]}
    assert (shown["InputFormat"], shown["Serde Library"]) == (INPUT, SERDE)
    assert synced.seen.rows["SHOW PARTITIONS d.plain_hive"] == [
        ["p=2026-01-31"],
        ["p=__HIVE_DEFAULT_PARTITION__"],
    ]
    assert not any(
        key.startswith("spark.sql.sources")
        for key in synced.seen.entries["d.plain_hive"]["parameters"]
    )


def test_the_switch_syncs_behind_each_commit(synced: Synced) -> None:
    for label in ("by itself", "after merge", "after alter", "after facts"):
        assert synced.row(label)[:6] == ["d.by_itself", *NOTHING], label
    assert synced.child.rows("own") == [[1, 2, None]]
    entry = synced.seen.entries["d.by_itself"]
    assert entry["columns"][-1] == ["w", "int", ""]
    assert entry["keys"] == entry["partitions"] == []
    assert not any(key.startswith("spark.sql.sources") for key in entry["parameters"])
    assert "hoodie.query.as.ro.table" not in entry["serde"]


def test_a_merge_on_read_table_has_the_two_entries_of_stock_hudi(synced: Synced) -> None:
    """The switch has made them behind the commits, so a call finds nothing to do."""
    assert [row[:6] for row in synced.child.rows("mor")] == [
        ["d.mor_ro", *NOTHING],
        ["d.mor_rt", *NOTHING],
    ]
    named = synced.child.rows("mor named")
    assert [row[:6] for row in named] == [
        ["default.named_ro", True, 0, 0, 1, 0],
        ["default.named_rt", True, 0, 0, 1, 0],
    ]
    assert [row[1:6] for row in synced.child.rows("mor again")] == [NOTHING, NOTHING]
    for name, form, as_ro in (("d.mor_ro", INPUT, "true"), ("d.mor_rt", REALTIME, "false")):
        entry = synced.seen.entries[name]
        assert entry["formats"] == [form, OUTPUT, SERDE], name
        assert [one["formats"][0] for one in entry["partitions"]] == [form], name
        assert entry["serde"]["hoodie.query.as.ro.table"] == as_ro, name
        assert entry["parameters"]["last_commit_time_sync"] == named[0][6], name
        assert entry["location"] == f"file:{synced.folder}/d/mor", name


def test_a_table_by_path_and_the_end_of_an_entry(synced: Synced) -> None:
    assert synced.row("by path")[:4] == ["default.gone", True, 0, 0]
    assert synced.child.rows("shown") == []


def test_it_can_be_the_first_that_a_session_asks_of_the_metastore(synced: Synced) -> None:
    sql = f"CALL hive_sync(table => 'hudilite.`{synced.folder}/d/t`', target => 'd.kept')"
    again = run_child(
        synced.folder / "again", [{"label": "", "sql": sql}], hive_conf(synced.folder)
    )
    assert again.rows("")[0][:2] == ["d.kept", False]


@pytest.mark.parametrize("label", ["taken", "own name", "no database", "other client"])
def test_what_cannot_be_done_is_refused(synced: Synced, label: str) -> None:
    step = next(step for step in synced.child.steps if step["label"] == label)
    assert step["error"] == "HUDILITE_HIVE_SYNC_FAILED"


def test_a_commit_succeeds_whose_sync_fails(spark: SparkSession, database: Path) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 "
        f"TBLPROPERTIES ({ON})"
    )
    with warnings(spark) as lines:
        spark.sql("INSERT INTO t VALUES (1)")
    assert spark.table("t").count() == 1
    assert any("HUDILITE_HIVE_SYNC_FAILED" in line for line in lines)
    with warnings(spark) as lines:
        spark.sql("ALTER TABLE t UNSET TBLPROPERTIES ('hoodie.datasource.hive_sync.enable')")
        spark.sql("INSERT INTO t VALUES (2)")
    assert lines == []
