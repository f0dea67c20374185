"""What the clients said, once for all tests, and the server that the tests share.

The metastore is embedded Derby, which serves one process at a time: PySpark is the first, then comes
the Thrift server for all who need it, and spark-sql when nobody does any more.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from served import Lake, Served
from told import Told, settings, tell, tell_python


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of sessions run before those for which the server must end."""
    here = Path(__file__).parent
    places = [number for number, item in enumerate(items) if here in item.path.parents]
    own = [items[number] for number in places]
    own.sort(key=lambda item: item.path.name != "test_sessions.py")
    for number, item in zip(places, own, strict=True):
        items[number] = item


@pytest.fixture(scope="session")
def lake(tmp_path_factory: pytest.TempPathFactory, fault_classes: str) -> Lake:
    """The place of all clients."""
    folder = tmp_path_factory.mktemp("clients")
    (folder / "tmp").mkdir()
    # Behind Spark's own on the class path, so that the archive of classes fits what is before.
    return Lake(folder, settings(folder), {"SPARK_DIST_CLASSPATH": fault_classes})


@pytest.fixture(scope="session")
def python_told(lake: Lake) -> Told:
    """PySpark, which makes a table for the others and ends."""
    return tell_python(lake)


@pytest.fixture(scope="session")
def served(lake: Lake, python_told: Told) -> Iterator[Served]:
    """The server, after PySpark."""
    found = Served(lake)
    yield found
    found.close()


@pytest.fixture(scope="session")
def told(lake: Lake, python_told: Told, served: Served) -> Told:
    """The three clients, run one after another."""
    return tell(lake, python_told, served)
