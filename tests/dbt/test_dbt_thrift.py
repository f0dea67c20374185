"""A dbt project on a Thrift server: docs/examples/dbt, as it is and with file_format hudi, and one
whose dbt is killed or stopped with a MERGE under way."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from expectations import CHECKS
from shop import SESSION, Dbt, dbt, file, sql
from shop_steps import Shop, ran

from harness import clients
from harness.setups import hive_conf
from harness.waiting import await_true
from hudilite import timeline


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the server's databases."""
    return tmp_path_factory.mktemp("server") / "warehouse"


@pytest.fixture(scope="module")
def server(warehouse: Path) -> Iterator[int]:
    """The port of a server that has a metastore of its own."""
    folder = warehouse.parent
    ours = {"spark.hudilite.provider.hudi": "true", "spark.sql.shuffle.partitions": "2"}
    ours |= {"spark.sql.warehouse.dir": str(warehouse), "spark.master": SESSION["spark.master"]}
    with clients.running_server(hive_conf(folder) | ours, folder) as (port, _):
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


SLOW = "java_method('java.lang.Thread', 'sleep', 300L)"
CONFIG = "{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id') }}"
SUM = sql("SELECT count(*), count_if(v = 'new') FROM shop.slow")


def slow(value: str) -> dict[str, object]:
    """A step: the model gets a value for each of 400 rows; on two cores slow ones take a minute."""
    return file("models/slow.sql", f"{CONFIG} select id, {value} as v from range(400)")


def await_pending(table: Path, pending: bool) -> None:
    """Returns when a write is pending, or none is."""

    def is_so() -> bool:
        return table.exists() and bool(timeline.read(table).pending) == pending

    await_true(is_so, 60, f"pending: {not pending}")


def await_end(process: subprocess.Popen[bytes]) -> None:
    """Waits until a process has ended, and kills it after 20 seconds, as a user would.

    After Ctrl-C dbt closes its connection in one thread while another one waits for an answer. Both read from
    one socket of PyHive, which has no lock: each may get the answer of the other, and wait for ever.
    """
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        print("dbt waits for an answer that it has read already: killed")
        process.kill()
        process.wait(timeout=60)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("ends", [signal.SIGKILL, signal.SIGINT], ids=["killed", "stopped"])
def test_a_dbt_that_ends_with_a_merge_under_way(
    ends: signal.Signals, server: int, warehouse: Path, tmp_path: Path
) -> None:
    of = Dbt(tmp_path, "hudilite", server)
    of.prepare()
    run = dbt("run", "-s", "slow")
    assert of.run(dbt("deps"), slow("'old'"), run, SUM)[-1] == [[400, 0]]
    table = warehouse / "shop.db" / "slow"
    victim = of.start(slow(f"if({SLOW} > '', 'new', '')"), run)
    await_pending(table, pending=True)
    victim.send_signal(ends)
    await_end(victim)
    ended = time.monotonic()
    await_pending(table, pending=False)
    assert time.monotonic() - ended < 10, "it did not wait for the statement"
    verify = sql("CALL verify(table => 'shop.slow', level => 'rows')")
    found = of.run(SUM, verify, slow("'new'"), run, SUM, sql("DROP SCHEMA shop CASCADE"))
    assert found[:2] == [[[400, 0]], []]
    assert found[4] == [[400, 400]]
