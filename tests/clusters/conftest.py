"""The places of tables that several processes use."""

from __future__ import annotations

import pytest

from harness.remote import Place, on_hdfs, on_s3
from harness.stores import Store


@pytest.fixture(params=["hdfs", "store"])
def place(request: pytest.FixtureRequest) -> Place:
    """A new place for a table, on each storage that has a server."""
    server = request.getfixturevalue(request.param)
    return on_s3(server) if isinstance(server, Store) else on_hdfs(server)
