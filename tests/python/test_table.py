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
CONNECT = pytest.mark.rotated(third=2, when=("python/src/hudilite/table.py",))


@pytest.fixture(scope="module", params=["classic", pytest.param("connect", marks=CONNECT)])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "classic":
        spark = request.getfixturevalue("spark").newSession()
        return {"mode": "classic"} | table_by_methods.told(spark, folder)
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


def test_the_session_is_of_the_kind_asked_for(told: dict[str, Any]) -> None:
    assert ("connect" in told["session"]) == (told["mode"] == "connect")


def test_a_merge_of_rows_answers_with_counts(told: dict[str, Any]) -> None:
    assert told["counts"] == [3, 1, 1, 1]
    assert told["merged"] == [["1", "open"], ["2", "paid"], ["4", "open"]]


def test_a_merge_leaves_no_view(told: dict[str, Any]) -> None:
    assert told["views"] == []


def test_a_merge_of_a_view_by_a_condition(told: dict[str, Any]) -> None:
    assert told["again"] == 1


def test_update_and_delete_answer_with_a_number(told: dict[str, Any]) -> None:
    assert (told["updated"], told["deleted"]) == (1, 1)
    assert told["rows"] == [["1", "it's"], ["2", "paid"], ["3", "void"]]


def test_rows_as_of_an_instant_or_a_moment(told: dict[str, Any]) -> None:
    before, last, now = told["as of"]
    assert before == [*told["rows"], ["4", "open"]]
    assert last == now == told["rows"]
    assert told["as of nothing"] == "HUDILITE_VERSION_NOT_FOUND"


def test_history_files_and_verify_are_rows(told: dict[str, Any]) -> None:
    assert len(told["history"]) == 2
    assert told["files"] == 3
    assert told["faults"] == 0


def test_savepoints_cleans_and_restores(told: dict[str, Any]) -> None:
    assert told["buckets"] == 3
    assert told["saved"] == [True, True]
    assert told["cleaned"] == [True]
    assert told["given up"] == [True, False]
    assert told["orphans"] == 0
    assert told["no metastore"] == "HUDILITE_HIVE_SYNC_FAILED"
    assert told["restored"] == [1, 1, True]


def test_a_path_is_the_same_table(told: dict[str, Any]) -> None:
    assert told["by path"] == told["rows"]


def test_faults_are_errors_with_a_condition(told: dict[str, Any]) -> None:
    assert told["missing"] == "TABLE_OR_VIEW_NOT_FOUND"
    assert told["duplicate"] == "HUDILITE_MERGE_CARDINALITY"


def test_files_become_a_table(told: dict[str, Any]) -> None:
    assert told["adopted"] == [["0", "0"], ["1", "2"], ["2", "4"]]
