"""`Table`: statements by methods, the same in a session of this process and in one of Spark Connect."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from python import table_by_methods

SCRIPT = Path(table_by_methods.__file__)
# Of Spark Connect: a server of its own, the only one in this folder.
CONNECT = pytest.mark.rotated(
    third=2,
    when=("python/src/hudilite/table", "python/src/hudilite/sql"),
)


@pytest.fixture(scope="module", params=["classic", pytest.param("connect", marks=CONNECT)])
def answers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "classic":
        spark = request.getfixturevalue("spark").newSession()
        return {"mode": "classic"} | table_by_methods.answers(spark, folder)
    results = folder / "results.json"
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(folder), str(results)],
        cwd=folder,
        env=os.environ | {"TZ": "UTC"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return {"mode": "connect"} | json.loads(results.read_text(encoding="utf-8"))


def test_the_session_is_of_the_kind_asked_for(answers: dict[str, Any]) -> None:
    assert ("connect" in answers["session"]) == (answers["mode"] == "connect")


def test_a_merge_of_rows_answers_with_counts(answers: dict[str, Any]) -> None:
    assert answers["counts"] == [3, 1, 1, 1]
    assert answers["merged"] == [["1", "open"], ["2", "paid"], ["4", "open"]]


def test_a_merge_leaves_no_view(answers: dict[str, Any]) -> None:
    assert answers["views"] == []


def test_a_merge_of_a_view_by_a_condition(answers: dict[str, Any]) -> None:
    assert answers["again"] == 1


def test_update_and_delete_answer_with_a_number(answers: dict[str, Any]) -> None:
    assert (answers["updated"], answers["deleted"]) == (1, 1)
    assert answers["rows"] == [["1", "it's"], ["2", "paid"], ["3", "void"]]


def test_rows_as_of_an_instant_or_a_moment(answers: dict[str, Any]) -> None:
    before, last, now = answers["as of"]
    assert before == [*answers["rows"], ["4", "open"]]
    assert last == now == answers["rows"]
    assert answers["kept"] == [False]
    assert answers["as of nothing"] == "HUDILITE_VERSION_NOT_FOUND"


def test_history_files_and_verify_are_rows(answers: dict[str, Any]) -> None:
    assert len(answers["history"]) == 2
    assert answers["files"] == 3
    assert answers["faults"] == 0


def test_a_difference_is_counts_or_rows(answers: dict[str, Any]) -> None:
    same, counts, rows, wrong = answers["differences"]
    assert same == 0
    assert counts == [["", "0", "0", "1"]]
    assert rows == [["4", "open", "insert"]]
    assert wrong == "HUDILITE_ARGUMENT_INVALID"


def test_statistics_are_stored(answers: dict[str, Any]) -> None:
    invalid = "HUDILITE_BUILDER_ARGUMENT_INVALID"
    footers, counted, column, different, *wrong = answers["analyzed"]
    assert (footers, counted, column, different) == (3, 3, ["id"], "3")
    assert wrong == [invalid, invalid, "UNRESOLVED_COLUMN.WITH_SUGGESTION"]


def test_savepoints_cleans_and_restores(answers: dict[str, Any]) -> None:
    assert answers["buckets"] == 3
    assert answers["advised"] == 3 * [[2, 0]]
    assert answers["rescaled"] == [True, 1, True]
    assert answers["saved"] == [True, True]
    assert answers["cleaned"] == [True]
    assert answers["given up"] == [True, False]
    assert answers["orphans"] == 0
    assert answers["type"] == ["changed", "nothing to do", "changed"]
    assert answers["no metastore"] == "HUDILITE_HIVE_SYNC_FAILED"
    assert answers["restored"] == [1, 1, True]


def test_a_path_is_the_same_table(answers: dict[str, Any]) -> None:
    assert answers["by path"] == answers["rows"]


def test_faults_are_errors_with_a_condition(answers: dict[str, Any]) -> None:
    assert answers["missing"] == "TABLE_OR_VIEW_NOT_FOUND"
    assert answers["duplicate"] == "HUDILITE_MERGE_CARDINALITY"


def test_files_become_a_table(answers: dict[str, Any]) -> None:
    assert answers["adopted"] == [["0", "0"], ["1", "2"], ["2", "4"]]


def test_columns_of_pyspark_are_conditions_and_values(answers: dict[str, Any]) -> None:
    assert answers["inserted"] == [[2, 0, 0, 2]]
    assert answers["updated by columns"] == 1
    assert answers["named"] == [["1", "A'\\"], ["2", "b"], ["3", "IT'Sit's"]]
    assert answers["own names"] == 1
    assert answers["aliased"] == [["A'\\"], ["B"], ["IT'Sit's"]]
    assert answers["no sql"] == "HUDILITE_BUILDER_ARGUMENT_INVALID"


def test_the_names_of_deltas_class(answers: dict[str, Any]) -> None:
    assert answers["details"] == [2, 1]
    assert len(answers["operations"]) == 4
    assert answers["restored to"] == [["1", "A"], ["3", "IT'S"]]
    assert answers["at a path"] == ["id", "v"]
    assert answers["replaced"] == 0
    assert answers["short vacuum"] is not None
    assert (answers["vacuum"], answers["optimized"]) == (1, 1)


def test_what_has_no_equal_is_refused_with_a_statement_that_runs(answers: dict[str, Any]) -> None:
    refused = answers["refused"]
    assert {what for _, what in refused.values()} == {"done"}, refused
    assert len(refused) == 10
    assert all(condition.startswith("HUDILITE_UNSUPPORTED_") for condition, _ in refused.values())
