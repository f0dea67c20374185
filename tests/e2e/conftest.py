"""What the end-to-end tests need besides a session: test functions in Java."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.java import compiled

SOURCES = Path(__file__).parent / "java"


@pytest.fixture(scope="session")
def java_functions(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The class path with compiled test functions."""
    return compiled(SOURCES, tmp_path_factory.mktemp("classes"))
