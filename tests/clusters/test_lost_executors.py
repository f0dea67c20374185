"""An executor dies in the middle of a MERGE into a table on HDFS or S3: the rows are right."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import layout
from harness.invariants import check_table
from harness.lost_executor import EXPECTED, MERGED, lost_tasks, merge_with_a_lost_executor
from harness.remote import Place
from harness.rotation import ninth, product

pytestmark = ninth(7, when=product("core/io/"))


@pytest.mark.fault("F15")
def test_a_lost_executor_changes_nothing(place: Place, tmp_path: Path, java_functions: str) -> None:
    outcome = merge_with_a_lost_executor(place, tmp_path, java_functions)
    assert outcome.rows("merge") == MERGED
    assert outcome.rows("sum") == EXPECTED
    assert outcome.rows("verify") == []
    assert lost_tasks(tmp_path / "events"), "no task was lost: nothing was tested"
    table = place.fetched(tmp_path / "copy")
    assert check_table(table) == []
    assert len(layout.latest_slices(table)) == 2
