"""The notebook of the docs, run from its first cell to its last in a kernel of its own."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from harness import fences

NOTEBOOK = Path(__file__).parents[2] / "docs" / "how-to" / "orders.ipynb"
pytestmark = pytest.mark.rotated(third=1, when=("docs/how-to/orders.ipynb",))


def test_every_cell_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in fences.environment().items():
        monkeypatch.setenv(name, value)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not [cell for cell in notebook.cells if cell.get("outputs")], (
        "it is kept without outputs"
    )
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    shown = [output for cell in code for output in cell.outputs if "data" in output]
    assert "1000" in [output["data"].get("text/plain") for output in shown]
    assert sum("text/html" in output["data"] for output in shown) == 3
