"""The page of reliability: what a run says is what the page says, and no more."""

from __future__ import annotations

from pathlib import Path

import fault_points
import marks
import pytest
import reliability
from junit import Case
from marks import Fault, Mark

RUN = """HUDILITE_SEED=7
runs: 5 in 0.1 minutes; raised before 3
merge:2:throw driver createNew NUMBER: raised Py4JJavaError before
create:1:throw driver list OTHER: absorbed  after
merge:2:applythrow driver createNew NUMBER: succeeded  after
merge:1:kill task write DATA: raised halt before BROKEN hudi-rs reads other rows
merge:2:sticky driver createNew NUMBER: raised HUDILITE_COMMIT_STATE_UNKNOWN after
"""
ROWS = [
    "create 1 driver list OTHER: absorbed - - - - -",
    "merge 1 task write DATA: - - - - BROKEN -",
    "merge 2 driver createNew NUMBER: raised succeeded - raised-after - -",
]
MARK = Mark("tests/e2e/test_x.py", "test_y", "e2e.test_x", ("F01",))


def test_a_run_becomes_a_row_for_each_operation(tmp_path: Path) -> None:
    rows = fault_points.of_run(RUN.splitlines())
    assert [str(row) for row in rows] == ROWS
    kept = tmp_path / "points.txt"
    kept.write_text("\n".join(ROWS), encoding="utf-8")
    assert fault_points.recorded(kept) == rows


def test_a_run_of_some_points_is_not_a_whole_one() -> None:
    missing = fault_points.missing(fault_points.of_run(RUN.splitlines()))
    assert len(missing) == sum(fault_points.operations().values()) - 2
    assert "merge:1" in missing
    assert "merge:2" not in missing


def test_the_long_text_has_a_line_for_each_operation() -> None:
    page = list(fault_points.tables(fault_points.of_run(RUN.splitlines())))
    assert (
        "| 2 | driver createNew NUMBER | raised | succeeded | - | raised, after | - | - |" in page
    )
    assert "2 operations, 4 runs: BROKEN 1, raised 1, raised, after 1, succeeded 1." in page[-5]


def test_the_page_has_a_line_for_each_statement() -> None:
    page = list(fault_points.summary(fault_points.of_run(RUN.splitlines())))
    assert page[0].startswith("| statement | operations | runs | raised | raised, after |")
    assert page[2:] == [
        "| create | 1 | 1 | 0 | 0 | 0 | 1 | 0 |",
        "| merge | 2 | 4 | 1 | 1 | 1 | 0 | 1 |",
    ]


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("e2e.test_x.test_y", True),
        ("e2e.test_x.test_y[a b]", True),
        ("e2e.test_x.test_y2", False),
        ("e2e.test_z.test_y", False),
    ],
)
def test_a_mark_knows_its_cases(name: str, fits: bool) -> None:
    assert MARK.fits(Case(name)) == fits


def test_a_fault_without_a_passing_test_is_not_tested() -> None:
    fault = Fault("F01", "words", "issue 9")
    row = reliability.row(fault, [MARK], {"passed": []})
    assert row.endswith("| - | not tested (issue 9) |")
    row = reliability.row(fault, [MARK], {"passed": [MARK.key]})
    assert row.endswith("| [test_x](../tests/e2e/test_x.py) | passed; issue 9 |")
    assert "not tested" in reliability.row(
        Fault("F02", "words", ""), [MARK], {"passed": [MARK.key]}
    )


@pytest.mark.parametrize(
    ("cases", "before", "passes"),
    [
        ([Case("e2e.test_x.test_y")], [], True),
        ([Case("e2e.test_x.test_y[1]"), Case("e2e.test_x.test_y[2]", "failed")], [MARK.key], False),
        ([Case("e2e.test_x.test_y", skipped="no network")], [MARK.key], False),
        ([Case("e2e.test_x.test_z")], [MARK.key], True),
        ([Case("e2e.test_x.test_z")], [], False),
    ],
)
def test_the_last_run_of_a_test_counts(cases: list[Case], before: list[str], passes: bool) -> None:
    passed, wrong = reliability.outcomes([MARK], cases, before)
    assert passed == ([MARK.key] if passes else [])
    assert bool(wrong) != passes


def test_marks_are_read_in_python_sql_and_scala() -> None:
    found = {mark.key: mark.numbers for mark in marks.marks()}
    assert found["tests/sql/merge/null_keys.sql: null_keys"] == ("F76",)
    assert "F06" in found["tests/faults/test_kills.py: test_a_halt_leaves_before_or_after"]
    suite = "tests/unit/core/hudilite/commit/CrashSuite.scala"
    at_any_call = "the fault * at any call of the storage* leaves the state before or after"
    assert "F27" in found[f"{suite}: {at_any_call}"]
