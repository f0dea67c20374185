"""The page of the benchmarks, from a run that was made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.beside import figures, page
from bench.beside.measure import disagreements

CONF = {"spark.sql.extensions": "x.Y", "spark.app.id": "local-1", "spark.sql.z": "/a/b"}


def a_round(merge: float, counts: bool = True) -> dict[str, Any]:
    return {
        **{"label": "MERGE", "counts": counts, "merge": merge, "written": 3_000_000},
        **{"L0": 0.5, "L1": 0.5, "L2": 2.0, "plain scan": 1.0, "scan": 1.5, "look-ups": 1.0},
        "answer": "a",
    }


def a_system(*merges: float, rows: str = "7") -> dict[str, Any]:
    return {
        "rounds": [a_round(merge, number > 0) for number, merge in enumerate(merges)],
        "checksums": {"t": [rows]},
        "written as": {"files": 16, "bytes": 5_000_000, "codec": "snappy"},
        "about": {"spark": "4.1.3", "heap": 2 << 30, "peak": 9_000_000, "conf": CONF},
        "table": "CREATE TABLE t",
    }


@pytest.fixture
def results() -> dict[str, Any]:
    systems = {
        "hudilite": a_system(9, 1, 2, 3),
        "iceberg": a_system(9, 6, 6, 6),
        "iceberg-mor": a_system(9, 1, 1, 1),
        "hudi": {"rounds": [], "failed": "Boom: no more\n  at line 1"},
    }
    cases = {
        "2": {"title": "made up", "systems": systems},
        "6": {"title": "by a script", "printed": ["bloom_tagging.py", "cold: 1 s"]},
    }
    return {"rows": 10, "command": "make bench", "machine": {"memory": "2 GiB"}, "cases": cases}


def test_figures_are_medians_of_the_rounds_that_count_and_their_ratios(
    results: dict[str, Any],
) -> None:
    ours = figures.of_case(results["cases"]["2"])["MERGE"]["hudilite"]
    assert (ours["merge"], ours["least"], ours["cold"]) == (2, 1, 9)
    assert ours["peak"] == 9_000_000
    assert (ours["R2"], ours["R1"], ours["scan ratio"], ours["joint"]) == (1.0, 2.0, 1.5, 4.5)


def test_batches_are_added_up(results: dict[str, Any]) -> None:
    case = results["cases"]["2"]
    for system in case["systems"].values():
        for number, one in enumerate(system["rounds"]):
            one["label"] = "last" if number == 3 else "between"
    found = figures.of_case(case)
    assert found["last"]["hudilite"]["all"] == 6
    assert "all" not in found["between"]["hudilite"]
    assert ("2", "last", "all", "iceberg-mor", 0.5) in list(figures.lost(results["cases"]))


def test_targets_are_judged_for_us_and_against_a_peer(results: dict[str, Any]) -> None:
    judged = {
        (t.figure, t.peer): (value, met) for t, value, met in figures.judged(results["cases"])
    }
    assert judged["R2", ""] == (1.0, False)
    assert judged["merge", "iceberg"] == (3.0, True)
    assert ("merge", "hudi") not in judged


def test_cases_in_which_a_peer_is_faster_are_listed(results: dict[str, Any]) -> None:
    assert list(figures.lost(results["cases"])) == [
        ("2", "MERGE", "merge", "iceberg-mor", 0.5),
        ("2", "MERGE", "joint", "iceberg-mor", 3.5 / 4.5),
    ]


def test_a_slow_peer_is_misconfigured(results: dict[str, Any]) -> None:
    assert figures.misconfigured(results["cases"]) == [
        "iceberg is misconfigured: 3.00 x L2, and 1.8 is usual"
    ]


def test_other_rows_are_a_disagreement(results: dict[str, Any]) -> None:
    case = results["cases"]["2"]
    assert disagreements(case) == []
    case["systems"]["iceberg"] = a_system(9, 6, 6, 6, rows="8")
    assert disagreements(case) == ["iceberg"]


def test_the_page_has_tables_pictures_settings_and_losses(
    results: dict[str, Any], tmp_path: Path
) -> None:
    text = page.written(results, tmp_path).read_text(encoding="utf-8")
    assert "| 2, MERGE | R2 | at most 0.8 | 1.00 | **no** |" in text
    assert (
        "- case 2, MERGE: Iceberg 1.12, merge on read needs 0.50 x our time for the MERGE" in text
    )
    assert "Hudi 1.2 on Spark 3.5 failed: `Boom: no more`" in text
    assert "cold: 1 s" in text
    assert "spark.sql.shuffle.partitions = 16" in text
    assert "spark.sql.extensions = x.Y" in text
    assert "spark.app.id" not in text
    assert "/a/b" not in text
    picture = tmp_path / "benchmarks" / "case-2.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert f"](benchmarks/{picture.name})" in text


def test_the_runs_of_several_files_are_one(results: dict[str, Any], tmp_path: Path) -> None:
    other = results | {"command": "make bench again", "cases": {"6": {"title": "t", "printed": []}}}
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file, run in zip(files, (results, other), strict=True):
        file.write_text(json.dumps(run), encoding="utf-8")
    read = page.read(files)
    assert read["command"] == "make bench\nmake bench again"
    assert read["cases"] == results["cases"] | other["cases"]
