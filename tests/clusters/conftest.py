"""The servers of the suite."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.hdfs import Hdfs
from harness.remote import Place, on_hdfs, on_s3
from harness.stores import S3Store
from harness.yarn import Yarn, mini_yarn


@pytest.fixture(params=["hdfs", "store"])
def place(request: pytest.FixtureRequest) -> Place:
    """A new place for a table, on each storage that has a server."""
    server = request.getfixturevalue(request.param)
    return on_s3(server) if isinstance(server, S3Store) else on_hdfs(server)


@pytest.fixture(scope="session")
def yarn(hdfs: Hdfs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Yarn]:
    """A resource manager and a node manager over the HDFS."""
    with mini_yarn(tmp_path_factory.mktemp("yarn"), hdfs) as found:
        yield found
