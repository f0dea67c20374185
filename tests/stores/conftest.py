"""Servers of object stores, and processes that use them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness import stores
from harness.adls import AdlsStore, azurite, has_node
from harness.fault_proxy import FaultProxy, fault_proxy
from harness.gcs import GcsStore, fake_gcs
from harness.rotation import ninth, product
from harness.store_calls import Caller, callers
from harness.stores import S3Store, Store

SECONDS = "spark.hudilite.write.storeSeconds"
# The connector's own pauses are cut, and so is the time to wait for the store.
QUICK = {
    SECONDS: "16",
    "fs.s3a.retry.interval": "50ms",
    "fs.s3a.retry.throttle.interval": "50ms",
}


@pytest.fixture(scope="session")
def second_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Store]:
    """The second witness."""
    with stores.s3proxy(tmp_path_factory.mktemp("s3proxy")) as found:
        yield found


@pytest.fixture(scope="session")
def gcs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GcsStore]:
    """A server of Google Cloud Storage."""
    if not stores.has_go():
        pytest.skip("fake-gcs-server is built by Go, which is not installed here")
    with fake_gcs(tmp_path_factory.mktemp("gcs")) as found:
        yield found


@pytest.fixture(scope="session")
def adls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AdlsStore]:
    """A server of Azure Data Lake Storage."""
    if not has_node():
        pytest.skip("Azurite is a program of Node, which is not installed here")
    with azurite(tmp_path_factory.mktemp("adls")) as found:
        yield found


@pytest.fixture(
    scope="session",
    params=[
        pytest.param(name, marks=ninth(n, when=product("core/io/")))
        for n, name in ((1, "gcs"), (4, "adls"))
    ],
)
def cloud(request: pytest.FixtureRequest) -> Store:
    """A server of a cloud other than S3."""
    found: Store = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="session")
def proxy(store: S3Store) -> Iterator[FaultProxy]:
    """A proxy that breaks requests to the main server."""
    with fault_proxy(store.port, store.folder.parent) as found:
        yield found


@pytest.fixture(scope="session")
def racers(
    store: S3Store, proxy: FaultProxy, tmp_path_factory: pytest.TempPathFactory
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
