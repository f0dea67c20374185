"""The process that runs what the docs show, once for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.fences import Reader


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """The process that runs the pages."""
    started = Reader(tmp_path_factory.mktemp("reader"))
    yield started
    started.close()
