"""Executors in processes of their own make the tables that one process makes.

HUDILITE_CLUSTER_ROWS is the number of rows of each load.
"""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.as_local import EXECUTORS, LOCAL, TABLES, run
from harness.children import ChildOutcome
from harness.invariants import check_table

ROWS = int(os.environ.get("HUDILITE_CLUSTER_ROWS", "120000"))
SECONDS = 1800 + ROWS // 2000
pytestmark = pytest.mark.timeout(2 * SECONDS)
Outcomes = dict[str, tuple[Path, ChildOutcome]]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    folder = tmp_path_factory.mktemp("as_local")
    settings = {"local": LOCAL, "executors": EXECUTORS}
    return {
        name: (folder / name / "child" / "wh", run(folder / name, setting, ROWS, SECONDS))
        for name, setting in settings.items()
    }


@pytest.mark.parametrize("table", TABLES)
def test_executors_make_the_table_that_one_process_makes(outcomes: Outcomes, table: str) -> None:
    (local_place, local), (place, found) = outcomes["local"], outcomes["executors"]
    assert local.rows(f"sums {table}")[0][0] > ROWS
    for step in ("merge", "sums", "verify"):
        assert found.rows(f"{step} {table}") == local.rows(f"{step} {table}"), step
    assert found.rows(f"verify {table}") == []
    assert check_table(place / table) == []
    if table == "b":
        assert _file_groups(place / table) == _file_groups(local_place / table)


def _file_groups(base: Path) -> list[tuple[int, int, int]]:
    """Bucket, rows and row groups of each base file."""
    found = [(slice_.bucket, pq.ParquetFile(slice_.path)) for slice_ in layout.latest_slices(base)]
    return sorted((b, f.metadata.num_rows, f.metadata.num_row_groups) for b, f in found)
