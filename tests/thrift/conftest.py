"""What the clients said, once for all tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from told import Told, tell


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """The three clients, run one after another."""
    return tell(tmp_path_factory.mktemp("clients"))
