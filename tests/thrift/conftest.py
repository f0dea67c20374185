"""What the clients said, once for all tests, and the server that the tests share.

The metastore is embedded Derby, which serves one process at a time: PySpark is the first, then comes
the Thrift server for all who need it, and spark-sql when nobody does any more. They raise the
conditions whose tests run, and what no test asks for is not started.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from client_outputs import ClientOutputs, run_beeline, run_pyspark, run_spark_sql, settings
from served import Lake, Served

from faults import LOST, cases


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of first lines run last: for some of them the server must end."""
    here = Path(__file__).parent
    places = [number for number, item in enumerate(items) if here in item.path.parents]
    own = [items[number] for number in places]
    own.sort(key=lambda item: item.path.name == "test_clients.py")
    for number, item in zip(places, own, strict=True):
        items[number] = item


@pytest.fixture(scope="session")
def asked(request: pytest.FixtureRequest) -> set[str]:
    """The conditions whose tests run."""
    calls = (getattr(item, "callspec", None) for item in request.session.items)
    return {call.params["condition"] for call in calls if call and "condition" in call.params}


@pytest.fixture(scope="session")
def lake(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest, asked: set[str]
) -> Lake:
    """The place of all clients; their storage can die if it is to."""
    folder = tmp_path_factory.mktemp("clients")
    (folder / "tmp").mkdir()
    if LOST not in asked:
        return Lake(folder, settings(folder), {})
    # Behind Spark's own on the class path, so that the archive of classes fits what is before.
    classes = request.getfixturevalue("fault_classes")
    return Lake(folder, settings(folder, dies=True), {"SPARK_DIST_CLASSPATH": classes})


@pytest.fixture(scope="session")
def pyspark_outputs(lake: Lake, asked: set[str]) -> ClientOutputs:
    """PySpark, which makes a table for the others and ends."""
    return run_pyspark(lake, cases(asked))


@pytest.fixture(scope="session")
def served(lake: Lake, pyspark_outputs: ClientOutputs) -> Iterator[Served]:
    """The server, after PySpark."""
    found = Served(lake)
    yield found
    found.close()


@pytest.fixture(scope="session")
def beeline_outputs(
    lake: Lake, pyspark_outputs: ClientOutputs, served: Served, asked: set[str]
) -> ClientOutputs:
    """PySpark, and then Beeline."""
    return run_beeline(lake, pyspark_outputs, served, cases(asked))


@pytest.fixture(scope="session")
def all_outputs(
    lake: Lake, beeline_outputs: ClientOutputs, served: Served, asked: set[str]
) -> ClientOutputs:
    """The three clients, run one after another: the server has ended."""
    served.close()
    return run_spark_sql(lake, beeline_outputs, cases(asked))
