"""Statements of the documentations of Hudi, Delta and Iceberg, a list for each, answer what the list says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.everyday import STATES, Entry, Listing, read_list, shape
from harness.everyday_run import Run, faults
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = Path(__file__).parent
LISTS = {path.stem: read_list(path) for path in sorted(HERE.glob("*.txt"))}
LEAST = 55
PAGES = {"hudi": "Hudi docs: ", "delta": "Delta docs: ", "iceberg": "Iceberg docs: "}
# A list is run from its first statement on.
WHEN = ("tests/compat/", *product("spark/parse/", "spark/catalog/"))
THIRD = {"delta": 0, "hudi": 1, "iceberg": 2}
EVERY = [
    pytest.param(
        name,
        entry,
        id=f"{name}-{entry.id}",
        marks=pytest.mark.rotated(third=THIRD[name], when=WHEN),
    )
    for name, listing in LISTS.items()
    for entry in listing.entries
]


@pytest.fixture(params=LISTS)
def listing(request: pytest.FixtureRequest) -> Listing:
    return LISTS[request.param]


@pytest.fixture(scope="module")
def runs(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Run]]:
    """A run of each list, which has not begun."""
    found = {}
    for name, listing in LISTS.items():
        folder = tmp_path_factory.mktemp(name)
        session = spark.newSession()
        session.sql(f"CREATE DATABASE {name}_statements LOCATION '{folder / 'db'}'")
        session.sql(f"USE {name}_statements")
        for key, value in listing.settings.items():
            session.conf.set(key, value)
        found[name] = Run(session, listing, folder)
    yield found
    for name in LISTS:
        spark.sql(f"DROP DATABASE {name}_statements CASCADE")


def alike(listing: Listing, *, strictly: bool) -> list[list[str]]:
    """Ids of the statements, those that are alike together."""
    found: dict[str, list[str]] = defaultdict(list)
    for entry in listing.entries:
        found[shape(entry, strictly=strictly)].append(entry.id)
    return list(found.values())


def test_every_project_has_a_list() -> None:
    assert set(LISTS) == set(PAGES)


def test_each_statement_has_an_id_and_a_page(listing: Listing) -> None:
    ids = [entry.id for entry in listing.entries]
    assert len(ids) == len(set(ids)) >= LEAST
    begins = PAGES[listing.path.stem]
    assert [e.id for e in listing.entries if not e.page.startswith(begins)] == []


def test_no_two_statements_are_alike(listing: Listing) -> None:
    assert [ids for ids in alike(listing, strictly=False) if len(ids) > 1] == []
    # Enough of them are none alike even if the names of procedures and functions count as names.
    assert len(alike(listing, strictly=True)) >= LEAST


def test_the_sums_are_those_above_the_list(
    listing: Listing, capsys: pytest.CaptureFixture[str]
) -> None:
    sums = {state: listing.count(state) for state in STATES}
    with capsys.disabled():
        told = ", ".join(f"{count} {state}" for state, count in sums.items())
        print(f"\n{listing.path.stem}: {len(listing.entries)} statements, {told}")
    assert sums["works"] >= listing.works, "fewer statements work than before"
    assert sums["bare"] <= listing.bare, "more errors do not say what to type than before"
    kept = f"write `works: {sums['works']}` and `bare: {sums['bare']}` above the list"
    assert (sums["works"], sums["bare"]) == (listing.works, listing.bare), kept


@pytest.mark.parametrize(("name", "entry"), EVERY)
def test_a_statement_answers_what_the_list_says(
    name: str, entry: Entry, runs: dict[str, Run]
) -> None:
    found = list(faults(entry, runs[name].outcome(entry), f"{name}.txt:{entry.line}"))
    assert not found, "\n".join(found)
