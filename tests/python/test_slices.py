"""File slices with log files, read without a JVM and without opening a log file."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path

import pytest

from hudilite import HudiliteError, files
from hudilite.cli import main
from hudilite.show import page
from python.hand_made_table import add_commit, add_logs, group_of, make_bucketed
from python.test_show import Parsed

FIRST, SECOND, THIRD, FOURTH = (f"2024010{n}000000000" for n in range(1, 5))
NOW = datetime(2024, 1, 4, 1, tzinfo=timezone.utc)


def log(bucket: int, slice_: str, number: int) -> str:
    return f".{group_of(bucket)}_{slice_}.log.{number}"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """Bucket 0 has two log files, bucket 1 none any more, bucket 2 is one log file alone."""
    base = make_bucketed(tmp_path / "t", buckets=4, hoodie__table__type="MERGE_ON_READ")
    add_commit(base, FIRST, {"p=a": {group_of(0): 30, group_of(1): 10}})
    add_logs(base, SECOND, {"p=a": [log(0, FIRST, 1), log(1, FIRST, 1), log(2, SECOND, 1)]})
    add_commit(base, THIRD, {"p=a": {group_of(1): 11}}, operation="COMPACT")
    add_logs(base, FOURTH, {"p=a": [log(0, FIRST, 10)]})
    return base


def shape(found: list[files.FileSlice]) -> list[tuple[int | None, str, int | None, list[int]]]:
    return [
        (s.bucket, s.instant, s.base and s.base.rows, [log.number for log in s.logs]) for s in found
    ]


def fault(base: Path) -> HudiliteError:
    with pytest.raises(HudiliteError) as error:
        files.slices(base)
    return error.value


def test_each_slice_has_the_log_files_since_its_base(base: Path) -> None:
    found = files.slices(base)
    assert shape(found) == [
        (0, FIRST, 30, [1, 10]),
        (1, THIRD, 11, []),
        (2, SECOND, None, [1]),
    ]
    assert [s.needs for s in found] == [
        "the base file, then 2 log files in order",
        "the base file",
        "1 log file alone, in order",
    ]
    assert [log.instant for log in found[0].logs] == [SECOND, FOURTH]
    assert all(Path(log.path).stat().st_size == log.bytes for log in found[0].logs)
    assert files.slices(base, partition="p=b") == []


def test_an_earlier_state_has_the_log_files_of_its_commits(base: Path) -> None:
    assert shape(files.slices(base, FIRST)) == [(0, FIRST, 30, []), (1, FIRST, 10, [])]
    assert shape(files.slices(base, SECOND)) == [
        (0, FIRST, 30, [1]),
        (1, FIRST, 10, [1]),
        (2, SECOND, None, [1]),
    ]


def test_a_log_file_that_no_commit_names_is_listed_without_an_instant(base: Path) -> None:
    """In table version 6 only its blocks tell, and no file is opened."""
    (base / "p=a" / f"{log(0, FIRST, 11)}_0-1-0").touch()
    assert [log.instant for log in files.slices(base)[0].logs] == [SECOND, FOURTH, None]


def test_a_pending_deltacommit_does_not_count(base: Path) -> None:
    before = files.slices(base)
    add_logs(base, "20240105000000000", {"p=a": [log(3, "20240105000000000", 1)]}, completed=False)
    assert files.slices(base) == before


def test_a_log_file_that_is_gone_or_cut_is_an_error(base: Path) -> None:
    path = base / "p=a" / f"{log(0, FIRST, 1)}_0-1-0"
    path.write_bytes(path.read_bytes()[:-1])
    assert fault(base).condition == "HUDILITE_CORRUPT_DATA_FILE"
    path.unlink()
    assert fault(base).condition == "HUDILITE_MISSING_DATA_FILE"
    assert fault(base).parameters["instant"] == SECOND


def test_a_file_group_whose_only_log_file_is_gone_is_an_error(base: Path) -> None:
    before = files.slices(base, FIRST)
    (base / "p=a" / f"{log(2, SECOND, 1)}_0-1-0").unlink()
    assert fault(base).condition == "HUDILITE_MISSING_DATA_FILE"
    assert fault(base).parameters["instant"] == SECOND
    assert files.slices(base, FIRST) == before
    assert files.slices(base, partition="p=b") == []


def test_a_log_file_of_an_earlier_slice_may_be_gone(base: Path) -> None:
    before = files.slices(base)
    (base / "p=a" / f"{log(1, FIRST, 1)}_0-1-0").unlink()
    assert files.slices(base) == before


def test_the_command_lists_log_files(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["files", str(base), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [len(s["logs"]) for s in told["slices"]] == [2, 0, 1]
    assert told["slices"][0]["needs"] == "the base file, then 2 log files in order"
    assert "files" not in told
    assert main(["files", str(base)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6
    assert [".log." in line for line in lines] == [False, False, True, True, False, True]


def test_the_page_draws_log_files_of_each_bucket_and_their_ages(base: Path) -> None:
    parsed = Parsed(page(base, now=NOW))
    bars = parsed.all("rect", "logs")
    assert {(a["data-bucket"], a["data-logs"]) for a in bars} == {
        ("0", "2"),
        ("1", "0"),
        ("2", "1"),
    }
    ages = {a["data-age"]: a["data-logs"] for a in parsed.all("rect", "log-ages")}
    assert (ages["under a day"], ages["under a week"]) == ("1", "2")
    assert any("3 log files in 2 of 3 file groups" in text for text in parsed.texts)
    assert any("1 file groups have no base file" in text for text in parsed.texts)
