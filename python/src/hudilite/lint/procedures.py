"""The procedures of CALL and the names of their arguments, in the order of their positions."""

from __future__ import annotations

from collections.abc import Mapping

PROCEDURES: Mapping[str, tuple[str, ...]] = {
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
    "materialize": ("table", "partitions", "max_bytes"),
    "rebuild_index": ("table", "partition", "level"),
    "repair_bucket": ("table", "partition", "bucket"),
    "rollback": ("table", "instant"),
    "show_bootstrap_mapping": ("table", "partition", "limit"),
    "show_index": ("table",),
    "show_timeline": ("table", "limit"),
    "verify": ("table", "level"),
}
