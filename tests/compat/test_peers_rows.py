"""Statements that work give the rows of the project's own run: of Delta, of Iceberg, of stock Hudi."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.everyday import Entry, read_list
from harness.everyday_peers import DeltaRun, HudiRun, IcebergRun, faults
from harness.everyday_run import Run
from harness.rotation import ninth
from harness.stock import StockSpark, running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# It runs where the lists change, and at one commit of nine: stock Hudi is slow.
WHEN = (
    *("tests/compat/", "tests/harness/everyday.py"),
    *("tests/harness/everyday_peers.py", "tests/harness/everyday_run.py"),
)
TURNS = {"hudi": 6, "delta": 2, "iceberg": 3}
HERE = Path(__file__).parent
LISTS = {path.stem: read_list(path) for path in sorted(HERE.glob("*.txt"))}
EVERY = [
    pytest.param(name, entry, id=f"{name}-{entry.id}", marks=ninth(TURNS[name], when=WHEN))
    for name, listing in LISTS.items()
    for entry in listing.entries
    if entry.state == "works"
]


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StockSpark]:
    """One running stock Hudi-Spark."""
    yield from running(tmp_path_factory)


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    """The runs that have begun."""
    return {}


def begun(name: str, request: pytest.FixtureRequest, folder: Path) -> Run:
    """The run of a list by its project, of which no statement has run."""
    spark: SparkSession = request.getfixturevalue("spark").newSession()
    database, place = f"{name}_statements", folder / "db"
    if name == "hudi":
        server: StockSpark = request.getfixturevalue("stock")
        server.ask(op="sql", text=f"CREATE DATABASE {database} LOCATION '{place}'")
        server.ask(op="sql", text=f"USE {database}")
        return HudiRun(spark, LISTS[name], folder, stock=server)
    if name == "delta":
        # VACUUM lists a folder in so many tasks, by default 10,000.
        spark.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", 4)
        spark.sql(f"CREATE DATABASE {database} LOCATION '{place}'")
        spark.sql(f"USE {database}")
        return DeltaRun(spark, LISTS[name], folder)
    spark.sql(f"CREATE DATABASE ice.{database}")
    spark.sql(f"USE ice.{database}")
    return IcebergRun(spark, LISTS[name], folder)


@pytest.mark.parametrize(("name", "entry"), EVERY)
def test_the_project_gives_the_rows_of_the_list(
    name: str,
    entry: Entry,
    runs: dict[str, Run],
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    if name not in runs:
        runs[name] = begun(name, request, tmp_path_factory.mktemp(name))
    found = list(faults(entry, runs[name].outcome(entry), f"{name}.txt:{entry.line}"))
    assert not found, "\n".join(found)
