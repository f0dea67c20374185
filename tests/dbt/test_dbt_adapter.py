"""Some classes of dbt's adapter suite through dbt-spark, in a session; each that passes with Delta passes."""

from __future__ import annotations

from pathlib import Path

from adapter import in_session, outcomes

from harness.rotation import ninth

FEW = (
    *("TestMergeExcludeColumns", "TestIncrementalPredicatesDeleteInsert"),
    *("TestIncrementalConstraintsRollback", "TestSnapshotNewColumnWithDeletes"),
    *("TestTableConstraintsRollback", "TestSnapshotMultiUniqueKey"),
    *("TestSnapshotNewRecordCheckMode", "TestIncrementalBadStrategy"),
)
WHEN = (
    *("python/src/hudilite/dbt_package/", "python/requirements-dbt.txt"),
    *("tests/dbt/adapter.py", "tests/dbt/adapter_classes.py"),
)


@ninth(5, when=WHEN)
def test_some_classes_of_the_adapter_suite(tmp_path: Path) -> None:
    found = outcomes("hudilite", in_session("hudilite", tmp_path), tmp_path / "run", *FEW)
    assert len(found) >= len(FEW)
    assert {name: outcome.reason for name, outcome in found.items() if not outcome.passed} == {}
