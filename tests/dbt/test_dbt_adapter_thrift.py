"""dbt's adapter suite through dbt-spark on Thrift servers: what passes with Delta passes with hudilite.

It prints each test with its outcome for each file format.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from adapter import Outcome, on_server, outcomes

FORMATS = ("hudilite", "delta")
# What passes with Delta and not here, with the reason.
MISSED: dict[str, str] = {}


@pytest.mark.timeout(7200)
def test_what_passes_with_delta_passes_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found: dict[str, dict[str, Outcome]] = {}
    for kind in FORMATS:
        with on_server(kind, tmp_path / f"{kind}-server") as profile:
            found[kind] = outcomes(kind, profile, tmp_path / kind)
    with capsys.disabled():
        show(found)
    ours, theirs = found["hudilite"], found["delta"]
    assert set(ours) == set(theirs)
    passed = [name for name, outcome in theirs.items() if outcome.passed]
    missed = {name: ours[name].reason for name in passed if not ours[name].passed}
    assert set(missed) == set(MISSED), missed
    assert len(missed) <= 0.05 * len(passed), f"{len(missed)} of {len(passed)} fail here"


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
