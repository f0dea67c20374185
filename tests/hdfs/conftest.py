"""The cluster of the suite."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.hdfs import Hdfs, mini_dfs


@pytest.fixture(scope="session")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hdfs]:
    """One name node, two data nodes."""
    with mini_dfs(tmp_path_factory.mktemp("hdfs")) as found:
        yield found
