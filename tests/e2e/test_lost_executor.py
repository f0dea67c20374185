"""An executor that dies in the middle of a MERGE takes its shuffle files along; the rows are right."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import layout
from harness.invariants import check_table
from harness.lost_executor import EXPECTED, MERGED, lost_tasks, merge_with_a_lost_executor
from harness.remote import on_disk

pytestmark = pytest.mark.rotated(third=0)


@pytest.mark.fault("F15")
def test_a_lost_executor_changes_nothing(tmp_path: Path, java_functions: str) -> None:
    place = on_disk(tmp_path / "wh" / "t")
    outcome = merge_with_a_lost_executor(place, tmp_path, java_functions)
    assert outcome.rows("merge") == MERGED
    assert outcome.rows("sum") == EXPECTED
    assert outcome.rows("verify") == []
    assert lost_tasks(tmp_path / "events"), "no task was lost: nothing was tested"
    assert check_table(tmp_path / "wh" / "t") == []
    assert len(layout.latest_slices(tmp_path / "wh" / "t")) == 2
