"""What the end-to-end tests need besides a session: test functions in Java."""

from __future__ import annotations

import pytest

from harness.java import functions_jar


@pytest.fixture(scope="session")
def java_functions(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A jar with compiled test functions, for `spark.jars`."""
    return functions_jar(tmp_path_factory.mktemp("jar"))
