"""A dbt project on a Thrift server: docs/examples/dbt, as it is and with file_format hudi."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from expectations import CHECKS
from shop import SESSION, Dbt
from shop_steps import Shop, ran

from harness import clients
from harness.setups import hive_conf


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a server that has a metastore of its own."""
    folder = tmp_path_factory.mktemp("server")
    ours = {"spark.hudilite.provider.hudi": "true", "spark.sql.shuffle.partitions": "2"}
    conf = hive_conf(folder) | ours | {"spark.master": SESSION["spark.master"]}
    with clients.running_server(conf, folder) as (port, _):
        yield port


@pytest.fixture(scope="module", params=["hudilite", "hudi"])
def shop(
    request: pytest.FixtureRequest, server: int, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shop]:
    """The project after all steps; the next one finds an empty schema."""
    of = Dbt(tmp_path_factory.mktemp("dbt"), request.param, server)
    yield ran(of)
    of.run({"sql": "DROP SCHEMA shop CASCADE"})


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_a_project_on_a_server(shop: Shop, check: Callable[[Shop], None]) -> None:
    check(shop)
