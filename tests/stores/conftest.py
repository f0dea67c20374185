"""Servers that speak S3, and processes that use them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness import stores
from harness.fault_proxy import FaultProxy, fault_proxy
from harness.store_calls import Caller, callers
from harness.stores import Store

SECONDS = "spark.hudilite.write.storeSeconds"
# The connector's own pauses are cut, and so is the time to wait for the store.
QUICK = {
    SECONDS: "16",
    "fs.s3a.retry.interval": "50ms",
    "fs.s3a.retry.throttle.interval": "50ms",
}


@pytest.fixture(scope="session")
def second_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The second witness."""
    with stores.s3proxy(tmp_path_factory.mktemp("s3proxy")) as found:
        yield found


@pytest.fixture(scope="session")
def proxy(store: Store) -> Iterator[FaultProxy]:
    """A proxy that breaks requests to the main server."""
    with fault_proxy(store.port, store.folder.parent) as found:
        yield found


@pytest.fixture(scope="session")
def racers(
    store: Store, proxy: FaultProxy, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Caller]]:
    """Four processes on the main server, behind the proxy."""
    folder = tmp_path_factory.mktemp("racers")
    with callers(4, store.through(proxy.port), folder, QUICK) as found:
        yield found


@pytest.fixture
def caller(racers: list[Caller], proxy: FaultProxy) -> Iterator[Caller]:
    """One of them, which waits for a call for a second; the proxy breaks nothing afterwards."""
    racers[0].call("set", SECONDS, "4")
    yield racers[0]
    racers[0].call("set", SECONDS, QUICK[SECONDS])
    proxy.arm()
