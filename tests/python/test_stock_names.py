"""docs/procedures/hudi-names.md: each procedure of stock Hudi and of Iceberg has a line, which says what a call does."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.faults import run_statement
from harness.rotation import product
from hudilite.lint.procedures import PROCEDURES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("procedures/"))
PAGE = Path(__file__).parents[2] / "docs" / "procedures" / "hudi-names.md"

# What `CALL help()` of stock Hudi 1.2 lists.
HUDI = [
    "archive_commits",
    "cleanup_audit_lock",
    "commits_compare",
    "copy_to_table",
    "copy_to_temp_view",
    "create_metadata_table",
    "create_savepoint",
    "delete_marker",
    "delete_metadata_table",
    "delete_savepoint",
    "downgrade_table",
    "drop_partition",
    "export_instants",
    "hdfs_parquet_import",
    "help",
    "hive_sync",
    "init_metadata_table",
    "partition_bucket_index_manager",
    "repair_add_partition_meta",
    "repair_corrupted_clean_files",
    "repair_deduplicate",
    "repair_migrate_partition_meta",
    "repair_overwrite_hoodie_props",
    "rollback_to_instant",
    "rollback_to_savepoint",
    "run_bootstrap",
    "run_clean",
    "run_clustering",
    "run_compaction",
    "run_rollback_inflight_tableservice",
    "run_ttl",
    "set_audit_lock",
    "show_archived_commits",
    "show_archived_commits_metadata",
    "show_audit_lock_status",
    "show_bootstrap_mapping",
    "show_bootstrap_partitions",
    "show_clean_plans",
    "show_cleans",
    "show_cleans_metadata",
    "show_clustering",
    "show_commit_extra_metadata",
    "show_commit_files",
    "show_commit_partitions",
    "show_commit_write_stats",
    "show_commits",
    "show_commits_metadata",
    "show_compaction",
    "show_file_status",
    "show_fs_path_detail",
    "show_fsview_all",
    "show_fsview_latest",
    "show_invalid_parquet",
    "show_logfile_metadata",
    "show_logfile_records",
    "show_metadata_column_stats_overlap",
    "show_metadata_table_column_stats",
    "show_metadata_table_files",
    "show_metadata_table_partitions",
    "show_metadata_table_stats",
    "show_rollback_detail",
    "show_rollbacks",
    "show_savepoints",
    "show_table_properties",
    "show_timeline",
    "stats_file_sizes",
    "stats_wa",
    "sync_validate",
    "truncate_table",
    "upgrade_table",
    "validate_audit_lock",
    "validate_metadata_table_files",
]
# What SHOW PROCEDURES of Iceberg 1.12 lists.
ICEBERG = [
    "add_files",
    "ancestors_of",
    "cherrypick_snapshot",
    "compute_partition_stats",
    "compute_table_stats",
    "create_changelog_view",
    "expire_snapshots",
    "fast_forward",
    "migrate",
    "publish_changes",
    "register_table",
    "remove_orphan_files",
    "rewrite_data_files",
    "rewrite_manifests",
    "rewrite_position_delete_files",
    "rewrite_table_path",
    "rollback_to_snapshot",
    "rollback_to_timestamp",
    "set_current_snapshot",
    "snapshot",
]


@cache
def listed(head: str) -> list[str]:
    """The names in the first column of the table with a head, on the page."""
    table = PAGE.read_text(encoding="utf-8").split(f"| {head} |")[1].split("\n\n")[0]
    cells = re.findall(r"^\| ([a-z_, ]+) \|", table, re.MULTILINE)
    return [name for cell in cells for name in cell.split(", ")]


def test_each_name_has_one_line() -> None:
    works = listed("name in stock Hudi | here | what differs")
    others = listed("name in stock Hudi | what the error says")
    assert sorted(works + others) == sorted(HUDI)
    assert len(HUDI) == 72
    assert set(works) == set(HUDI) & set(PROCEDURES)
    assert sorted(listed("name in Iceberg | what the error says")) == sorted(ICEBERG)


@pytest.mark.parametrize("name", sorted({*HUDI, *ICEBERG} - set(PROCEDURES)))
def test_another_name_is_refused_with_what_to_do(spark: SparkSession, name: str) -> None:
    spark.sql("CREATE TABLE IF NOT EXISTS stock_names (id INT, PRIMARY KEY (id)) USING hudilite")
    fault = run_statement(spark, f"CALL {name}('stock_names')")
    assert fault is not None
    assert fault.condition == "HUDILITE_PROCEDURE_NOT_FOUND"
    assert fault.parameters["procedure"] == name
    assert fault.parameters["fix"]
    assert "Did you mean" not in fault.parameters["fix"]
