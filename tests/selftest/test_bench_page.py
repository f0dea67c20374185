"""The page of the benchmarks, from a run that was made up."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from bench.beside import figures, page, validity
from bench.beside.measure import disagreements

CONF = {"spark.sql.extensions": "x.Y", "spark.app.id": "local-1", "spark.sql.z": "/a/b"}


def a_round(merge: float, counts: bool = True) -> dict[str, Any]:
    return {
        **{"label": "MERGE", "counts": counts, "merge": merge, "written": 3_000_000},
        **{"L0": 0.5, "L1": 0.5, "L2": 2.0, "plain L2": 1.6, "plain scan": 1.0, "plain": 0.75},
        **{"scan": 1.5, "look-ups": 1.0, "bytes": 5_000_000, "gc": 0.25, "resident": 8_000_000},
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
        "2": {"title": "made up", "ours": "hudilite", "course": False, "systems": systems},
        "6": {"title": "by a script", "printed": ["bloom_tagging.py", "cold: 1 s"]},
    }
    return {
        **{"at": "20261129T041000Z", "commit": "1a2b3c4", "rows": 3_000_000, "void": []},
        **{"command": 'make bench BENCH="--cases 2,6"', "cases": cases},
        "machine": {"processor": "Z80, 2 cores", "memory": "2 GiB"},
    }


def read(folder: Path, *runs: dict[str, Any]) -> dict[str, Any]:
    """The runs as the page has them."""
    files = [folder / f"{number}.json" for number in range(len(runs))]
    for file, run in zip(files, runs, strict=True):
        file.write_text(json.dumps(run), encoding="utf-8")
    return page.read(files)


def test_figures_are_medians_of_the_rounds_that_count_and_their_ratios(
    results: dict[str, Any],
) -> None:
    ours = figures.of_case(results["cases"]["2"])["MERGE"]["hudilite"]
    assert (ours["merge"], ours["least"], ours["cold"]) == (2, 1, 9)
    assert ours["peak"] == 9_000_000
    assert (ours["R1"], ours["joint"]) == (2.0, 4.5)
    assert (ours["bytes"], ours["gc"], ours["resident"]) == (5_000_000, 0.25, 8_000_000)


def test_both_denominators_are_told_apart(results: dict[str, Any]) -> None:
    ours = figures.of_case(results["cases"]["2"])["MERGE"]["hudilite"]
    assert (ours["R2"], ours["R2, own files"]) == (1.25, 1.0)
    assert (ours["scan / plain"], ours["scan / same files"]) == (2.0, 1.5)


def test_a_figure_is_the_median_of_the_last_three_rounds_that_count(
    results: dict[str, Any],
) -> None:
    case = results["cases"]["2"]
    case["systems"]["hudilite"] = a_system(9, 8, 7, 1, 2, 3)
    case["systems"]["hudilite"]["rounds"].append(a_round(50, counts=False))
    ours = figures.of_case(case)["MERGE"]["hudilite"]
    assert (ours["merge"], ours["least"], ours["cold"]) == (2, 1, 9)


def test_a_system_that_failed_has_no_figures(results: dict[str, Any]) -> None:
    case = results["cases"]["2"]
    case["systems"]["iceberg"]["failed"] = "Boom"
    assert set(figures.of_case(case)["MERGE"]) == {"hudilite", "iceberg-mor"}


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
    assert judged["R2, own files", ""] == (1.0, False)
    assert judged["merge", "iceberg"] == (3.0, True)
    assert judged["scan", "iceberg"] == (1.0, True)
    assert judged["look-ups", "iceberg"] == (1.0, False)
    assert judged["merge", "hudi"] == (None, False)
    assert not any(peer.endswith("-mor") for _, peer in judged)


def test_targets_that_are_missed_or_absent_are_told(results: dict[str, Any]) -> None:
    faults = list(validity.missed(results["cases"]))
    assert "case 2, MERGE: hudilite, R2, own files is 1.00, not at most 0.5" in faults
    assert "case 2, MERGE: iceberg / hudilite, look-ups is 1.00, not at least 2" in faults
    assert "case 2, MERGE: hudi / hudilite, merge was not measured, not at least 4" in faults
    assert not any("iceberg / hudilite, merge" in fault for fault in faults)
    assert all(fault.startswith("case 2, MERGE: ") for fault in faults)


def test_a_scan_may_be_slower_than_a_peers_by_three_hundredths(results: dict[str, Any]) -> None:
    systems = results["cases"]["2"]["systems"]
    for seconds, met in ((1.5, True), (1.46, True), (1.45, False)):
        for one in systems["iceberg"]["rounds"]:
            one["scan"] = seconds
        (found,) = [
            reached
            for target, _, reached in figures.judged(results["cases"])
            if (target.figure, target.peer) == ("scan", "iceberg")
        ]
        assert found is met


def test_files_of_another_codec_are_told(results: dict[str, Any]) -> None:
    assert list(validity.other_codecs(results["cases"])) == []
    results["cases"]["2"]["systems"]["iceberg"]["written as"]["codec"] = "zstd"
    assert list(validity.other_codecs(results["cases"])) == [
        "case 2: iceberg writes zstd, not snappy"
    ]


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
    text = page.written(read(tmp_path, results), tmp_path).read_text(encoding="utf-8")
    assert "| 2, MERGE | R2, own files | at most 0.5 | 1.00 | **no** |" in text
    assert "| 2, MERGE | ours / iceberg, scan | at most 1.03 | 1.00 | yes |" in text
    assert "| 2, MERGE | hudi / ours, merge | at least 4 | not measured | **no** |" in text
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


def test_a_page_begins_with_one_chart_and_one_table(
    results: dict[str, Any], tmp_path: Path
) -> None:
    text = page.written(read(tmp_path, results), tmp_path).read_text(encoding="utf-8")
    top, losses, appendix = (text.index(head) for head in ("# B", "## Where", "## Appendix"))
    assert top < text.index("](benchmarks/summary.png)") < text.index("| MERGE of 1 % |") < losses
    assert losses < appendix < text.index("### Targets") < text.index("### Case 2: made up")
    people = text[:losses]
    assert "3 million rows on Z80, 2 cores." in people
    assert "| MERGE of 1 % | 2.00 s | 6.00 s, 3.00 x |  |  |" in people
    assert "| scan | 1.50 s | 1.50 s, 1.00 x |  |  |" in people
    assert "| load |" not in people
    assert b"MERGE of 1 %: hudilite 2.0 s" in (tmp_path / "benchmarks" / "summary.png").read_bytes()


def test_a_faster_peer_is_bold(results: dict[str, Any], tmp_path: Path) -> None:
    results["cases"]["2"]["systems"]["delta"] = a_system(9, 1, 1, 1)
    text = page.written(read(tmp_path, results), tmp_path).read_text(encoding="utf-8")
    assert "| MERGE of 1 % | 2.00 s | 6.00 s, 3.00 x | **1.00 s, 0.50 x** |  |" in text


def test_an_update_is_no_merge_by_name(results: dict[str, Any], tmp_path: Path) -> None:
    case = results["cases"].pop("2")
    for system in case["systems"].values():
        for one in system["rounds"]:
            one["label"] = "UPDATE"
    results["cases"]["predicate"] = case
    text = page.written(read(tmp_path, results), tmp_path).read_text(encoding="utf-8")
    assert "| system | UPDATE s | x ours |" in text
    assert "needs 0.50 x our time for the UPDATE" in text
    assert "| predicate, UPDATE | iceberg / ours, merge | at least 2 | 3.00 | yes |" in text


def test_the_runs_of_several_files_are_one(results: dict[str, Any], tmp_path: Path) -> None:
    other = results | {"cases": {"6": {"title": "t", "printed": []}}, "commit": "5d6e7f8"}
    told = read(tmp_path, results, other)
    assert told["cases"]["2"] == results["cases"]["2"]
    assert told["cases"]["6"]["title"] == "t"
    assert [line.split(": ")[0] for line in told["log"]] == [
        "- 20261129T041000Z, commit 1a2b3c4",
        "- 20261129T041000Z, commit 5d6e7f8",
    ]


def test_of_several_runs_a_figure_is_the_median_of_the_last_three(
    results: dict[str, Any], tmp_path: Path
) -> None:
    runs = []
    for seconds in (1, 4, 50, 6, 3):
        run = copy.deepcopy(results)
        run["cases"]["2"]["systems"]["hudilite"] = a_system(9, seconds, seconds, seconds)
        runs.append(run)
    runs[2]["void"] = ["case 2: hudi has other rows than our table"]
    del runs[0]["cases"]["2"]["systems"]["iceberg"]
    told = read(tmp_path, *runs)
    assert figures.of_case(told["cases"]["2"])["MERGE"]["hudilite"]["merge"] == 4
    assert len(told["log"]) == 5
    assert told["log"][2].endswith(": case 2: hudi has other rows than our table")
    assert told["log"][3].endswith(" of 6 targets that it measured are met")


def test_runs_without_the_same_systems_are_not_mixed(
    results: dict[str, Any], tmp_path: Path
) -> None:
    alone = copy.deepcopy(results)
    alone["cases"]["2"]["systems"] = {"hudilite": a_system(9, 7, 7, 7)}
    told = read(tmp_path, results, alone)
    assert figures.of_case(told["cases"]["2"])["MERGE"]["hudilite"]["merge"] == 7


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"machine": {"processor": "Z81"}}, "different processors: Z80, 2 cores, Z81"),
        ({"rows": 10}, "different rows: 10, 3000000"),
    ],
)
def test_a_page_has_one_processor_and_one_size(
    results: dict[str, Any], tmp_path: Path, changed: dict[str, Any], fault: str
) -> None:
    with pytest.raises(ValueError, match=fault):
        read(tmp_path, results, results | changed)
