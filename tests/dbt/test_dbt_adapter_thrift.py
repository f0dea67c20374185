"""dbt's adapter suite through dbt-spark on Thrift servers, with hudilite and with Delta.

`adapter_outcomes.txt` says with which of them each test passes. `make test-all` runs one class of every
third module with hudilite, and the seed says which; `make soak` runs all with both, on servers that run
beside each other.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from adapter import Outcome, names_by_module, on_server, outcomes
from adapter_record import FORMATS, one_class_of_each_module, record

from harness.seeds import asked_seed

WHOLE = os.environ.get("HUDILITE_DBT_CLASSES") == "all"
RUN = FORMATS if WHOLE else ("hudilite",)


def test_the_record_has_each_test_of_the_suite(tmp_path: Path) -> None:
    recorded: dict[str, list[str]] = {}
    for line in record():
        recorded.setdefault(line.module, []).append(line.test)
    found = names_by_module(tmp_path)
    assert {module: sorted(tests) for module, tests in recorded.items()} == found


def test_the_record_misses_little_of_what_passes_with_delta() -> None:
    check_share(recorded("hudilite"), recorded("delta"))


@pytest.mark.timeout(5400)
def test_each_test_has_the_outcome_of_the_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = record()
    chosen = [] if WHOLE else one_class_of_each_module(known)[asked_seed() % 3 :: 3]

    def run(kind: str) -> dict[str, Outcome]:
        with on_server(kind, tmp_path / f"{kind}-server") as profile:
            return outcomes(kind, profile, tmp_path / kind, *chosen, seconds=5000)

    with ThreadPoolExecutor(len(RUN)) as pool:
        found = dict(zip(RUN, pool.map(run, RUN), strict=True))
    with capsys.disabled():
        show(found)
    for kind, by_test in found.items():
        expected = {
            line.test: kind in line.passes for line in known if WHOLE or line.group in chosen
        }
        assert {test: outcome.passed for test, outcome in by_test.items()} == expected, kind


def recorded(kind: str) -> set[str]:
    """The tests that pass with a file format, as the record says."""
    return {line.test for line in record() if kind in line.passes}


def check_share(ours: set[str], theirs: set[str]) -> None:
    """At least 95 percent of what passes with Delta passes with hudilite."""
    missed = theirs - ours
    assert theirs
    assert len(missed) <= 0.05 * len(theirs), missed


def show(by_format: dict[str, dict[str, Outcome]]) -> None:
    """Prints each test with its outcome by file format, and the reasons of what fails."""
    for kind, found in by_format.items():
        passed = sum(outcome.passed for outcome in found.values())
        print(f"\n{kind}: {passed} of {len(found)} tests of dbt's adapter suite pass")
    for name in sorted({name for found in by_format.values() for name in found}):
        print(name)
        for kind, found in by_format.items():
            outcome = found.get(name, Outcome(False, "not run"))
            print(f"    {kind}: {'passes' if outcome.passed else 'FAILS: ' + outcome.reason}")
