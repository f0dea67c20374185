"""The cluster of the suite, and test functions in Java."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.hdfs import Hdfs, mini_dfs
from harness.java import functions_jar


@pytest.fixture(scope="session")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hdfs]:
    """One name node, two data nodes."""
    with mini_dfs(tmp_path_factory.mktemp("hdfs")) as found:
        yield found


@pytest.fixture(scope="session")
def java_functions(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A jar with compiled test functions, for `spark.jars`."""
    return functions_jar(tmp_path_factory.mktemp("jar"))
