"""The benchmarks of merge-on-read tables: what they do, what they count, and what makes them void."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.beside import figures, mor_cases, page, validity
from bench.beside.engine import Engine
from bench.beside.measure import is_blind
from bench.beside.plan import CASES
from bench.beside.shapes import Case
from bench.beside.systems import OUR_LOGS, SYSTEMS
from bench.beside.t1_cases import LOOKED_INTO

GROUPS = ("00000000-a-0", "00000001-b-0")
ROWS = 100_000


def a_round(label: str, merge: float, logs: int, *promoted: str) -> dict[str, Any]:
    return {
        **{"label": label, "counts": True, "merge": merge, "scan": 2.0, "look-ups": 1.0},
        **{"opened": len(promoted), "bytes read": 100 * len(promoted), "promoted": list(promoted)},
        **{"bases": dict.fromkeys(GROUPS, "x"), "fewest logs": logs, "most logs": logs},
    }


def told(**rounds: list[dict[str, Any]]) -> dict[str, Any]:
    systems = {name.replace("_", "-"): {"rounds": found} for name, found in rounds.items()}
    return {"title": "made up", "ours": OUR_LOGS.name, "course": True, "systems": systems}


def faults(case: str, *rounds: dict[str, Any]) -> list[str]:
    return list(validity.void({case: told(hudilite_mor=list(rounds))}))


def states() -> list[dict[str, Any]]:
    return [
        a_round(mor_cases.AFTER_ONE, 1, 1),
        a_round(mor_cases.BETWEEN, 1, 2),
        a_round(mor_cases.AFTER_ALL, 1, 8),
    ]


def test_eight_log_files_in_each_bucket_are_valid() -> None:
    assert faults("logs", *states()) == []


@pytest.mark.parametrize(
    ("number", "changed", "fault"),
    [
        (2, {"fewest logs": 0}, "0 to 8 log files in a bucket, not 8"),
        (2, {"most logs": 9}, "8 to 9 log files in a bucket, not 8"),
        (0, {"fewest logs": 0, "most logs": 0}, "0 to 0 log files in a bucket, not 1"),
        (1, {"opened": 1}, "1 files opened, 0 new base files"),
        (1, {"bytes read": 5}, "5 bytes of the table read"),
        (1, {"promoted": ["00000000-a-0"]}, "0 files opened, 1 new base files"),
    ],
)
def test_a_state_that_a_case_does_not_allow_is_void(
    number: int, changed: dict[str, Any], fault: str
) -> None:
    rounds = states()
    rounds[number] |= changed
    assert faults("logs", *rounds) == [f"case logs, round {number}: {fault}"]


def test_each_bucket_gets_a_base_file_in_a_batch_that_counts() -> None:
    rounds = [
        a_round(mor_cases.BATCH, 1, 1, GROUPS[0]),
        a_round(mor_cases.BATCH, 1, 1, GROUPS[1]),
    ]
    assert faults("batches", *rounds) == []
    rounds[1]["counts"] = False
    assert faults("batches", *rounds) == [f"case batches: {GROUPS[1]} got no new base file"]


def test_batches_are_judged_by_their_sum_and_the_slowest() -> None:
    ours = [a_round(mor_cases.BATCH, merge, 1) for merge in (1, 1, 3)]
    theirs = [a_round(mor_cases.BATCH, merge, 1) for merge in (7, 7, 7)]
    cases = {"batches": told(hudilite_mor=ours, iceberg_mor=theirs)}
    found = figures.of_case(cases["batches"])[mor_cases.BATCH]["hudilite-mor"]
    assert (found["all joint"], found["slowest"], found["slowest joint"]) == (14, 3, 1.5)
    judged = {(t.figure, t.peer): (value, met) for t, value, met in figures.judged(cases)}
    assert judged["slowest", ""] == (3, False)
    assert judged["all joint", "iceberg-mor"] == (30 / 14, True)
    missing = list(validity.missed(cases))
    absent = "case batches, batch: hudi-mor / hudilite-mor, all joint was not measured"
    assert any(line.startswith(absent) for line in missing)
    assert not any("iceberg-mor" in line for line in missing)
    cases["batches"]["systems"]["iceberg-mor"]["failed"] = "Boom"
    assert any("iceberg-mor" in line for line in validity.missed(cases))


@pytest.mark.parametrize(("label", "median"), [(mor_cases.BATCH, 1), ("MERGE", 3)])
def test_a_figure_of_batches_is_the_median_of_all(label: str, median: float) -> None:
    rounds = [a_round(label, merge, 1) for merge in (1, 1, 1, 3, 3)]
    found = figures.of_case(told(hudilite_mor=rounds))[label]["hudilite-mor"]
    assert found["merge"] == median


def test_reads_are_compared_with_those_of_the_table_without_log_files() -> None:
    before = {"label": mor_cases.BEFORE, "counts": True, "scan": 1.0, "look-ups": 1.0}
    case = told(hudilite_mor=[before, *states()])
    found = figures.of_case(case)[mor_cases.AFTER_ALL]["hudilite-mor"]
    assert (found["scan x first"], found["look-ups x first"]) == (2, 1)


def test_the_course_of_batches_has_a_picture(tmp_path: Path) -> None:
    rounds = [a_round(mor_cases.BATCH, 1, 1, *GROUPS)] * 2
    results = {
        **{"rows": 10, "log": [], "machine": {}},
        "cases": {"batches": told(hudilite_mor=rounds)},
    }
    text = page.written(results, tmp_path).read_text(encoding="utf-8")
    assert "](benchmarks/course-batches.png)" in text
    assert (tmp_path / "benchmarks" / "course-batches.png").stat().st_size > 0


def test_a_page_of_log_files_compares_with_the_table_that_has_them(tmp_path: Path) -> None:
    rounds = [a_round(mor_cases.BATCH, 1, 1, *GROUPS)] * 2
    slow = [a_round(mor_cases.BATCH, 4, 4, *GROUPS)] * 2
    case = told(hudilite_mor=rounds, hudilite=slow) | {"ours": "hudilite", "course": False}
    results = {"rows": 10, "log": [], "machine": {"processor": "Z80"}, "cases": {"2": case}}
    text = page.written(results, tmp_path, "merge-on-read-benchmarks").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith("| hudilite |"))
    assert "| 4.00 | 4.00 |" in row
    assert "](merge-on-read-benchmarks/case-2.png)" in text
    assert (tmp_path / "merge-on-read-benchmarks" / "case-2.png").stat().st_size > 0


def plan(name: str) -> Case:
    return CASES[name](ROWS, 2, 1)


def test_the_upserts_of_a_fresh_table_are_eight() -> None:
    labels = [one.label for one in plan("logs").rounds if one.counts]
    assert labels[0] == mor_cases.BEFORE
    assert len(labels) == 2 * 9
    assert [one.fresh for one in plan("logs").rounds] == [number % 9 == 0 for number in range(27)]


def test_batches_begin_in_a_fresh_table() -> None:
    rounds = plan("batches").rounds
    timed = [number for number, one in enumerate(rounds) if one.counts]
    assert len(timed) == 30
    assert rounds[timed[0] - 1].fresh
    assert all(rounds[number].reads and rounds[number].changes for number in timed)


@pytest.mark.parametrize("name", ["logs", "batches", "grow", "deep", "2", "1"])
def test_upserts_are_blind(name: str) -> None:
    assert all(is_blind(one) for one in plan(name).rounds if one.changes)


@pytest.mark.parametrize("name", ["reading", "4", "8"])
def test_a_merge_with_a_condition_on_the_table_or_one_column_is_not_blind(name: str) -> None:
    assert not any(is_blind(one) for one in plan(name).rounds)


def test_log_files_are_counted_by_file_group(tmp_path: Path) -> None:
    engine = object.__new__(Engine)
    engine.system, engine.warehouse = SYSTEMS["hudi-mor"], tmp_path
    folder = engine.base(LOOKED_INTO)
    (folder / ".hoodie").mkdir(parents=True)
    for name in (
        f"{GROUPS[0]}_0-1-2_20260101000000000.parquet",
        f".{GROUPS[0]}_20260101000000001.log.1_0-1-2",
        f".{GROUPS[0]}_20260101000000002.log.2_0-1-2",
        f"..{GROUPS[0]}_20260101000000002.log.2_0-1-2.crc",
        f".{GROUPS[1]}_20260101000000001.log.1_0-1-2",
        ".hoodie_partition_metadata",
    ):
        (folder / name).touch()
    bases, logs = engine.slices(LOOKED_INTO)
    assert bases == {GROUPS[0]: f"{GROUPS[0]}_0-1-2_20260101000000000.parquet"}
    assert logs == {GROUPS[0]: 2, GROUPS[1]: 1}
    assert len(engine.files(LOOKED_INTO)) == 1


def test_a_system_with_wrong_rows_does_not_take_part() -> None:
    assert plan("reading").without == ("hudi-mor",)
    assert plan("logs").without == ()
