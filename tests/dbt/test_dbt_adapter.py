"""dbt's adapter suite through dbt-spark: what passes with Delta passes with hudilite.

`make test` runs a few classes with hudilite. `make soak` (HUDILITE_DBT_ADAPTER=whole) runs all with
both formats on the same Spark, and prints each test with its outcomes.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from adapter import Outcome, outcomes

from harness.rotation import ninth

WHOLE = os.environ.get("HUDILITE_DBT_ADAPTER") == "whole"
FORMATS = ("hudilite", "delta") if WHOLE else ("hudilite",)
FEW = (
    *("TestMergeExcludeColumns", "TestIncrementalPredicatesDeleteInsert"),
    *("TestConstraintQuotedColumn", "TestIncrementalConstraintsRollback"),
    *("TestSnapshotNewColumnWithDeletes", "TestSeedWithUniqueDelimiter"),
)
WHEN = (
    *("python/src/hudilite/dbt_package/", "python/requirements-dbt.txt"),
    *("tests/dbt/adapter.py", "tests/dbt/adapter_classes.py"),
)
# What passes with Delta and not here, with the reason.
MISSED: dict[str, str] = {}


@ninth(5, when=WHEN)
def test_what_passes_with_delta_passes_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = () if WHOLE else FEW
    found = {kind: outcomes(kind, tmp_path / kind, *chosen) for kind in FORMATS}
    with capsys.disabled():
        show(found)
    ours = found["hudilite"]
    theirs = found.get("delta", dict.fromkeys(ours, Outcome(True)))
    assert set(ours) == set(theirs)
    passed = [name for name, outcome in theirs.items() if outcome.passed]
    missed = {name: ours[name].reason for name in passed if not ours[name].passed}
    assert set(missed) == {name for name in MISSED if name in ours}, missed
    assert len(missed) <= 0.05 * len(passed), f"{len(missed)} of {len(passed)} fail here"


def show(by_format: dict[str, dict[str, Outcome]]) -> None:
    """Prints each test with its outcome by file format, and the reasons of what fails."""
    for kind, found in by_format.items():
        passed = sum(outcome.passed for outcome in found.values())
        print(f"\n{kind}: {passed} of {len(found)} tests of dbt's adapter suite pass")
    for name in sorted({name for found in by_format.values() for name in found}):
        print(name)
        for kind, found in by_format.items():
            outcome = found.get(name, Outcome(False, "not run"))
            print(f"    {kind}: {'passes' if outcome.passed else 'FAILS: ' + outcome.reason}")
