"""Procedures of CALL, and the names of their arguments by position."""

from __future__ import annotations

from collections.abc import Mapping

PROCEDURES: Mapping[str, tuple[str, ...]] = {
    "archive": ("table", "keep_min", "keep_max", "dry_run", "keep_checkpoints"),
    "archive_commits": (
        "table",
        "path",
        "min_commits",
        "max_commits",
        "retain_commits",
        "enable_metadata",
    ),
    "bootstrap": (
        "table",
        "source",
        "key",
        "partitioned_by",
        "partitions",
        "full_partitions",
        "location",
        "dry_run",
        "mode",
        "buckets",
        "parallelism",
        "skip_corrupt",
    ),
    "check_storage": ("location",),
    "clean": ("table", "retain_commits", "retain_hours", "dry_run", "allow_short_retention"),
    "compact": ("table", "where", "min_log_files"),
    "delete_savepoint": ("table", "instant"),
    "downgrade_table": ("table", "version", "to_version"),
    "help": ("procedure",),
    "hive_sync": ("table", "target", "dry_run"),
    "materialize": ("table", "partitions", "max_bytes"),
    "metadata_table": ("table", "action"),
    "rebuild_index": ("table", "partition", "level"),
    "remove_orphans": ("table", "older_than_hours", "dry_run"),
    "repair_bucket": ("table", "partition", "bucket"),
    "restore": ("table", "instant", "dry_run"),
    "rollback": ("table", "instant"),
    "savepoint": ("table", "instant", "comment"),
    "set_table_type": ("table", "type"),
    "show_bootstrap_mapping": ("table", "partition", "limit"),
    "show_buckets": ("table", "partition"),
    "show_files": ("table", "partition", "limit"),
    "show_index": ("table",),
    "show_timeline": ("table", "limit"),
    "upgrade_table": ("table", "version", "to_version"),
    "verify": ("table", "level"),
}
