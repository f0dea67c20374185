"""Errors of procedures and table functions of other formats say to type what runs and does the job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.faults import run_statement
from harness.rotation import ninth, product

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

pytestmark = ninth(5, when=product("procedures/", "spark/functions/"))


@pytest.fixture(scope="module")
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    """Two commits in `t`, copy-on-write and partitioned, and in `m`, merge-on-read; `b` with buckets;
    Parquet files."""
    folder: Path = tmp_path_factory.mktemp("other_names")
    session = spark.newSession()
    session.sql(f"CREATE DATABASE other_names LOCATION '{folder}/db'")
    session.sql("USE other_names")
    for name, kind in (("t", "cow"), ("m", "mor")):
        session.sql(
            f"CREATE TABLE {name} (id INT, p STRING, v STRING, PRIMARY KEY (id, p)) USING hudilite "
            f"PARTITIONED BY (p) TBLPROPERTIES (type = '{kind}')"
        )
        session.sql(f"INSERT INTO {name} VALUES (1, 'a', 'one'), (2, 'b', 'two')")
        session.sql(f"UPDATE {name} SET v = 'three' WHERE id = 1")
    session.sql("CREATE TABLE b (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2")
    session.sql(
        f"CREATE TABLE raw (id INT, p STRING, v STRING) USING parquet LOCATION '{folder}/raw'"
    )
    session.sql("INSERT INTO raw VALUES (7, 'a', 'seven')")
    return session


def typed(session: SparkSession, statement: str) -> list[Row]:
    """Rows of the statement that the error of another one says to type."""
    fault = run_statement(session, statement)
    assert fault is not None, statement
    assert fault.condition is not None
    assert fault.condition.startswith("HUDILITE_"), fault
    before, found, instead = fault.parameters["fix"].partition("Type: ")
    if not found:
        before, found, instead = fault.parameters["fix"].partition("type: ")
    assert found, before
    return session.sql(instead).collect()


def instants(session: SparkSession, table: str) -> list[str]:
    """Instants of the commits of a table, oldest first."""
    return sorted(
        row["commit_time"] for row in session.sql(f"CALL show_commits('{table}')").collect()
    )


def rows(session: SparkSession, table: str) -> list[tuple[int, str]]:
    return [(r["id"], r["v"]) for r in session.sql(f"SELECT * FROM {table} ORDER BY id").collect()]


AS_THEY_ARE = [
    "commits_compare(table => 't', path => '/x')",
    "create_metadata_table(table => 't')",
    "delete_metadata_table(table => 't')",
    "export_instants(table => 't', local_folder => '/x')",
    "init_metadata_table(table => 't')",
    "repair_add_partition_meta(table => 't')",
    "repair_corrupted_clean_files(table => 't')",
    "repair_deduplicate(table => 't', duplicated_partition_path => 'p=a', repaired_output_path => '/x')",
    "repair_migrate_partition_meta(table => 't')",
    "repair_overwrite_hoodie_props(table => 't', new_props_file_path => '/x')",
    "show_archived_commits(table => 't')",
    "show_archived_commits_metadata(table => 't')",
    "show_bootstrap_partitions(table => 't')",
    "show_clean(table => 't')",
    "show_clean_plans(table => 't')",
    "show_cleans_metadata(table => 't')",
    "show_file_status(table => 't', partition => 'p=a', file => 'it''s.parquet')",
    "show_fs_path_detail(path => '{path}')",
    "show_fsview_all(table => 't')",
    "show_fsview_latest(path => '{path}')",
    "show_invalid_parquet(path => '{path}')",
    "show_logfile_metadata(table => 'm', log_file_path_pattern => '*')",
    "show_logfile_records(table => 'm', log_file_path_pattern => '*')",
    "show_metadata_column_stats_overlap(table => 't')",
    "show_metadata_table_column_stats(table => 't')",
    "show_metadata_table_files(table => 't')",
    "show_metadata_table_partitions(table => 't')",
    "show_metadata_table_stats(table => 't')",
    "show_rollback_detail(table => 't', instant_time => '2')",
    "stats_file_sizes(table => 't')",
    "stats_wa(table => 't')",
    "validate_metadata_table_files(table => 't')",
    "ancestors_of('other_names.t')",
    "cherrypick_snapshot('t', 5)",
    "fast_forward('t', 'main', 'audit')",
    "publish_changes('t', 'id')",
    "migrate('raw')",
    "snapshot('raw', 'copy')",
    "rollback_to_snapshot('t', 5781947118336215154)",
    "set_current_snapshot(table => 't', ref => 'main')",
    "remove_orphan_files(table => 't')",
    "remove_orphan_files(table => 't', older_than => TIMESTAMP '2020-01-01 00:00:00', dry_run => true)",
    "expire_snapshots(table => 't')",
    "expire_snapshots('t', TIMESTAMP '2020-01-01 00:00:00', 5)",
    "expire_snapshots('t', DATE '2020-01-01', 2.0)",
    "expire_snapshots(table => 't', snapshot_ids => array(1, 2))",
    "remove_orphan_files(table => 't', older_than => 'no time')",
    "rewrite_data_files('t')",
    "rewrite_data_files(table => 'm', where => 'p = \"a\"')",
    "rewrite_data_files(table => 't', strategy => 'sort', sort_order => 'zorder(id, v)')",
    "rewrite_data_files(table => 'm', strategy => 'sort', sort_order => 'v DESC NULLS LAST, id')",
    "run_clustering(table => 't')",
    "run_clustering(table => 't', order => 'v', predicate => 'p = \"a\"')",
    "run_clustering(path => '{path}', order => 'id,v', order_strategy => 'z-order')",
    "show_clustering(table => 't')",
    "rewrite_position_delete_files('m')",
]


@pytest.mark.parametrize("call", AS_THEY_ARE, ids=lambda call: call.partition("(")[0])
def test_what_the_error_says_runs(tables: SparkSession, call: str) -> None:
    location = tables.sql("DESCRIBE EXTENDED t").where("col_name = 'Location'").collect()[0][1]
    path = location.removeprefix("file:")
    before = rows(tables, "t"), rows(tables, "m")
    typed(tables, f"CALL system.{call.replace('{path}', path)}")
    assert (rows(tables, "t"), rows(tables, "m")) == before


@pytest.mark.parametrize(
    "call",
    [
        "run_clustering(table => 'b', order => 'v')",
        "run_ttl(table => 't')",
        "set_audit_lock(table => 't', state => 'enabled')",
        "partition_bucket_index_manager(table => 'b', overwrite => '^a,8')",
        "rewrite_manifests('t')",
        "rewrite_table_path('t', '/a', '/b')",
        "register_table('t', '/a')",
        "compute_table_stats('t')",
        "compute_partition_stats('t')",
    ],
)
def test_a_call_that_has_no_counterpart_says_so(tables: SparkSession, call: str) -> None:
    fault = run_statement(tables, f"CALL {call}")
    assert fault is not None
    assert fault.condition == "HUDILITE_PROCEDURE_NOT_FOUND"
    assert fault.parameters["fix"].endswith(".")


def test_the_number_of_buckets_changes(tables: SparkSession) -> None:
    for number in (4, 2):
        call = f"partition_bucket_index_manager(table => 'b', bucket_number => {number})"
        typed(tables, f"CALL {call}")
        shown = tables.sql("SHOW TBLPROPERTIES b ('hoodie.bucket.index.num.buckets')").collect()
        assert shown[0]["value"] == str(number)


def test_copies_have_the_rows(tables: SparkSession) -> None:
    first = instants(tables, "t")[0]
    now = rows(tables, "t")
    typed(tables, "CALL copy_to_table(table => 't', new_table => 'copied')")
    assert rows(tables, "copied") == now
    typed(tables, "CALL copy_to_table(table => 't', new_table => 'copied', save_mode => 'append')")
    assert len(rows(tables, "copied")) == 2 * len(now)
    typed(
        tables,
        f"CALL copy_to_table(table => 't', new_table => 'first', as_of_instant => '{first}', "
        "columns => 'id,v')",
    )
    assert rows(tables, "first") == [(1, "one"), (2, "two")]
    typed(
        tables,
        "CALL copy_to_temp_view(table => 't', view_name => 'seen', replace => true, "
        f"query_type => 'incremental', begin_instance_time => '{first}')",
    )
    assert rows(tables, "seen") == [(1, "three")]


def test_files_and_tables_come_in(tables: SparkSession) -> None:
    tables.sql(
        "CREATE TABLE target (id INT, p STRING, v STRING, PRIMARY KEY (id, p)) USING hudilite "
        "PARTITIONED BY (p)"
    )
    typed(tables, "CALL add_files(table => 'target', source_table => 'raw')")
    assert rows(tables, "target") == [(7, "seven")]
    location = tables.sql("DESCRIBE EXTENDED raw").where("col_name = 'Location'").collect()[0][1]
    path = location.removeprefix("file:")
    typed(
        tables,
        "CALL hdfs_parquet_import(table => 'imported', table_type => 'COPY_ON_WRITE', "
        f"src_path => '{path}', target_path => '{path}_imported', row_key => 'id', "
        "partition_key => 'p', schema_file_path => '/x')",
    )
    assert rows(tables, "imported") == [(7, "seven")]
    typed(tables, "CALL drop_partition(table => 'target', partition => 'p=a')")
    assert rows(tables, "target") == []
    fault = run_statement(
        tables, "CALL truncate_table(table => 'imported', partitions => 'p=a,p=b')"
    )
    assert fault is not None
    assert "TRUNCATE" not in fault.parameters["fix"]
    typed(tables, "CALL truncate_table(table => 'imported')")
    assert rows(tables, "imported") == []


def test_a_view_of_the_changes(tables: SparkSession) -> None:
    typed(tables, "CALL create_changelog_view(table => 't', changelog_view => 'log')")
    kinds = tables.sql("SELECT _change_type FROM log").collect()
    assert {row[0] for row in kinds} == {"insert", "update_preimage", "update_postimage"}
    typed(tables, "CALL create_changelog_view('other_names.t')")
    assert tables.sql("SELECT * FROM t_changes").count() == len(kinds)


@pytest.mark.parametrize(
    "call", ["rollback_to_snapshot", "set_current_snapshot", "rollback_to_instant"]
)
def test_restores_go_back_one_commit(tables: SparkSession, call: str) -> None:
    name = f"back_{call}"
    tables.sql(f"CREATE TABLE {name} (id INT, v STRING, PRIMARY KEY (id)) USING hudilite")
    for v in ("one", "two", "three"):
        tables.sql(
            f"MERGE INTO {name} t USING (SELECT 1 AS id, '{v}' AS v) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )
    first, second, third = instants(tables, name)
    # Hudi's names the commit that goes, Iceberg's the one that stays.
    named = third if call == "rollback_to_instant" else second
    typed(tables, f"CALL {call}('{name}', '{named}')")
    assert rows(tables, name) == [(1, "two")]
    if call == "rollback_to_instant":
        typed(tables, f"CALL {call}('{name}', '{second}')")
        assert rows(tables, name) == [(1, "one")]
        fault = run_statement(tables, f"CALL {call}('{name}', '{first}')")
        assert fault is not None
        assert fault.parameters["fix"].endswith(f"DELETE FROM spark_catalog.other_names.{name}")


def test_a_timestamp_of_iceberg_names_the_commit_of_that_time(tables: SparkSession) -> None:
    tables.sql("CREATE TABLE timed (id INT, v STRING, PRIMARY KEY (id)) USING hudilite")
    tables.sql("INSERT INTO timed VALUES (1, 'one')")
    between = tables.sql("SELECT current_timestamp() AS now").collect()[0]["now"]
    tables.sql("UPDATE timed SET v = 'two'")
    typed(tables, f"CALL rollback_to_timestamp('timed', TIMESTAMP '{between}')")
    assert rows(tables, "timed") == [(1, "one")]


def test_a_pending_write_is_rolled_back_by_either_name(tables: SparkSession) -> None:
    for call, argument in (
        ("delete_marker", "instant_time"),
        ("run_rollback_inflight_tableservice", "pending_instant"),
    ):
        fault = run_statement(
            tables, f"CALL {call}(table => 't', {argument} => '20200101000000000')"
        )
        assert fault is not None
        assert fault.parameters["fix"] == (
            "Type: CALL rollback(table => 't', instant => '20200101000000000')"
        )


def test_a_short_retention_is_typed_with_its_consent(tables: SparkSession) -> None:
    cleaned = typed(
        tables,
        "CALL run_clean(table => 't', clean_policy => 'KEEP_LATEST_BY_HOURS', hours_retained => 24)",
    )
    assert cleaned[0]["dry_run"] is False
    compacted = typed(tables, "CALL run_compaction(op => 'schedule', table => 'm')")
    assert all(row["log_files"] > 0 for row in compacted)


def test_table_functions_say_what_to_type(tables: SparkSession) -> None:
    changes = typed(tables, "SELECT * FROM hudi_table_changes('t', 'cdc', 'earliest')")
    assert {row["_change_type"] for row in changes} >= {"insert", "update_postimage"}
    assert typed(tables, "SELECT * FROM hudi_metadata('t')")[0]["exists"] is False
    assert len(typed(tables, "SELECT * FROM hudi_query('t', 'snapshot')")) == 2
    shown = typed(tables, "SELECT * FROM table_changes('t', 99)")
    assert {row["action"] for row in shown} >= {"commit"}


def test_without_a_table_the_error_shows_an_example(tables: SparkSession) -> None:
    fault = run_statement(tables, "CALL expire_snapshots()")
    assert fault is not None
    assert fault.parameters["fix"] == "Type: CALL clean(table => 'db.t', retain_commits => 1)"
