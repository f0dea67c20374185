"""The cases of the benchmarks: what they do fits the targets, and what a process tells of itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.beside import creations, figures, plan, shape_cases
from bench.beside.answering import Watched, most_memory
from bench.beside.engine import Engine
from bench.beside.shapes import Case
from bench.beside.statement_cases import FRESH, REFRESH, REFRESHED
from bench.beside.systems import BEFORE, SYSTEMS
from bench.beside.t1_cases import LOOKED_INTO
from bench.beside.targets import Target, targets

ROWS = 3_000_000
OF_READS = ("scan", "look-ups", "scan / same files", "scan / plain", "all joint")


@pytest.fixture
def case(tmp_path: Path) -> Callable[[str], Case]:
    """A case by name; TPC-H's files are taken to be there."""
    (tmp_path / "tpch_1").mkdir()
    return lambda name: plan.case(name, ROWS, 3, 1, tmp_path)


def test_each_target_is_of_a_label_whose_rounds_measure_its_figure(
    case: Callable[[str], Case],
) -> None:
    assert [target for target in targets() if not measured(target, case(target.case))] == []


def measured(target: Target, case: Case) -> bool:
    """Whether the rounds of a label have what a target's figure is made of, and the case its peer."""
    rounds = [one for one in case.rounds if one.counts and one.label == target.label]
    writes = any(one.changes or one.statements for one in rounds)
    of = target.figure.removesuffix(" x first")
    there = {
        "load": any(one.loads for one in rounds),
        "R2": writes and any(one.limits and one.plain for one in rounds),
        "R2, own files": writes and any(one.limits for one in rounds),
        "scan / plain": any(one.reads and one.plain for one in rounds),
        "bytes": any(one.reads for one in rounds),
    }
    reads = of in OF_READS and any(one.reads for one in rounds)
    peer = not target.peer or plan.takes_part(case, target.peer)
    ours = plan.takes_part(case, target.ours)
    return bool(rounds) and peer and ours and there.get(of, reads or writes)


@pytest.mark.parametrize(
    ("of", "figure", "bound", "peer"),
    [
        (("load", "load"), "load", 1.0, "iceberg"),
        (("load", "load"), "bytes", 1.17, "iceberg"),
        (("2", "MERGE"), "R2, own files", 0.5, ""),
        (("2", "MERGE"), "merge", 2.8, "iceberg"),
        (("5", "25 %"), "R2", 0.9, ""),
        (("5", "100 %"), "R2", 1.4, ""),
        (("5", "100 %, source bucketed like the target"), "R2", 1.05, ""),
        (("4", "1 %"), "R2", 0.25, ""),
        (("4", "25 %"), "R2", 0.38, ""),
        (("tpch", "pair"), "merge", 1.5, "iceberg"),
        (("2", "MERGE"), "look-ups", 2.0, "iceberg"),
        (("2", "MERGE"), "scan / same files", 1.0, ""),
        (("2", "MERGE"), "scan / plain", 1.05, ""),
        (("2", "MERGE"), "scan", 1.03, "iceberg"),
        (("predicate", "UPDATE"), "merge", 2.0, "iceberg"),
        (("predicate", "DELETE"), "merge", 2.0, "iceberg"),
        (("skew", "skewed"), "load x first", 1.3, ""),
        (("skew", "skewed"), "growth", 1.3, ""),
        (("appends", REFRESHED), "scan x first", 1.1, ""),
        (("appends", REFRESHED), "look-ups x first", 1.1, ""),
        (("others", "MERGE"), "merge", 1.0, "duckdb"),
        (("others", "MERGE"), "merge", 1.0, "delta-rs"),
    ],
)
def test_targets_are_those_that_were_set(
    of: tuple[str, str], figure: str, bound: float, peer: str
) -> None:
    found = [
        t.bound for t in targets() if (t.case, t.label, t.figure, t.peer) == (*of, figure, peer)
    ]
    assert found == [bound]


def test_every_case_that_reads_our_table_has_targets_for_it(case: Callable[[str], Case]) -> None:
    judged = {(one.case, one.label) for one in targets() if one.figure == "scan / plain"}
    read = {
        (name, one.label)
        for name in (*plan.CASES, "tpch")
        for one in case(name).rounds
        if one.counts and one.reads and one.plain
    }
    assert judged == read


def test_a_bound_on_a_peer_is_of_either_side() -> None:
    least = Target("c", "l", "merge", 2.0, "iceberg")
    most = Target("c", "l", "bytes", 1.17, "iceberg", most=True)
    assert (least.value(2, 6), least.meets(2.0), least.meets(1.9)) == (3, True, False)
    assert (most.value(6, 4), most.meets(1.17), most.meets(1.18)) == (1.5, True, False)


def test_a_case_is_for_some_systems(case: Callable[[str], Case]) -> None:
    of = {name: [one for one in SYSTEMS if plan.takes_part(case(name), one)] for name in plan.CASES}
    assert of["others"] == ["hudilite", "hudilite-mor", "duckdb", "delta-rs"]
    assert of["5"] == ["hudilite", "iceberg"]
    assert of["2"] == list(SYSTEMS)
    assert plan.takes_part(case("5"), BEFORE)


def test_refreshes_come_after_fresh_loads_of_the_same_rows(case: Callable[[str], Case]) -> None:
    rounds = case("appends").rounds
    counted = [one for one in rounds if one.counts]
    refreshes = [one for one in counted if one.label == REFRESH]
    assert [one.label for one in counted] == [FRESH] * 3 + [REFRESH] * 100 + [REFRESHED] * 3
    assert not any(one.reads or one.limits for one in refreshes)
    first, last = (refreshes[at].changes[0].source.query for at in (0, -1))
    assert "range(1000000, 1001000)" in first
    assert "range(1099000, 1100000)" in last
    assert "range(0, 1100000)" in rounds[0].loads[0].query
    begun = rounds[rounds.index(refreshes[0]) - 1]
    assert begun.fresh
    assert "range(0, 1000000)" in begun.loads[0].query


def test_refreshes_are_added_up_and_reads_are_compared_with_the_fresh_load() -> None:
    def a_round(label: str, **told: float) -> dict[str, Any]:
        return {"label": label, "counts": True, **told}

    rounds = [
        a_round(FRESH, **{"load": 8.0, "scan": 1.0, "look-ups": 2.0}),
        *(a_round(REFRESH, merge=0.5) for _ in range(100)),
        a_round(REFRESHED, **{"scan": 1.2, "look-ups": 2.1}),
    ]
    cases = {"appends": {"systems": {"hudilite": {"rounds": rounds}}}}
    found = figures.of_case(cases["appends"])[REFRESHED]["hudilite"]
    assert found["all"] == 50
    judged = {(t.figure, t.peer): met for t, _, met in figures.judged(cases) if not t.peer}
    assert judged["scan x first", ""] is False
    assert judged["look-ups x first", ""] is True


def test_an_uneven_table_is_compared_with_the_even_one() -> None:
    def a_round(label: str, load: float, merge: float, scan: float) -> dict[str, Any]:
        return {"label": label, "counts": True, "load": load, "merge": merge, "scan": scan}

    rounds = [a_round("even", 4.0, 2.0, 1.0), a_round("skewed", 5.0, 3.0, 1.25)]
    cases = {"skew": {"systems": {"hudilite": {"rounds": rounds}}}}
    judged = {(t.label, t.figure): (value, met) for t, value, met in figures.judged(cases)}
    assert judged["skewed", "load x first"] == (1.25, True)
    assert judged["skewed", "growth"] == (1.5, False)
    assert judged["skewed", "scan x first"] == (1.25, True)
    assert judged["even", "look-ups"] == (None, False)


def test_bytes_are_compared_with_the_peers_and_collecting_with_the_commit_before() -> None:
    def told(**figures: float) -> dict[str, Any]:
        return {"rounds": [{"label": "load", "counts": True, **figures}]}

    systems = {"hudilite": told(bytes=118, load=2.0), "iceberg": told(bytes=100, load=2.0)}
    judged = {
        t.figure: (value, met) for t, value, met in figures.judged({"load": {"systems": systems}})
    }
    assert judged["bytes"] == (1.18, False)
    assert judged["load"] == (1.0, True)
    heavy = {name: told(gc=gc) for name, gc in (("hudilite", 4.0), (BEFORE, 5.0))}
    for one in heavy.values():
        one["rounds"][0]["label"] = "25 %"
    cases = {"5": {"systems": heavy}}
    assert ("gc", 0.8, True) in [(t.figure, value, met) for t, value, met in figures.judged(cases)]
    del heavy[BEFORE]
    assert "gc" not in {t.figure for t, _, _ in figures.judged(cases)}


def test_systems_without_spark_are_behind_a_table_with_log_files() -> None:
    seconds = {"hudilite-mor": 0.5, "duckdb": 0.75, "delta-rs": 0.25}
    systems = {
        name: {"rounds": [{"label": "MERGE", "counts": True, "merge": took}]}
        for name, took in seconds.items()
    }
    judged = {
        t.peer: (value, met) for t, value, met in figures.judged({"others": {"systems": systems}})
    }
    assert judged == {"duckdb": (1.5, True), "delta-rs": (0.5, False)}


def test_a_predicate_picks_other_days_in_each_round(case: Callable[[str], Case]) -> None:
    rounds = case("predicate").rounds
    texts = [text for one in rounds for text in one.statements]
    assert texts[0] == (
        "UPDATE {t} SET d1 = d1 + 1, s1 = 'changed' "
        "WHERE day >= DATE'2020-01-01' AND day < DATE'2020-01-16'"
    )
    assert texts[-1].startswith("DELETE FROM {t} WHERE day >= DATE'2020-04-15'")
    assert len(set(texts)) == len(texts) == 8
    engine = object.__new__(Engine)
    engine.system = SYSTEMS["iceberg"]
    assert engine.statements(LOOKED_INTO, texts[-1:])[0].startswith("DELETE FROM ice.db.t WHERE")


def test_half_of_the_rows_are_in_one_bucket(case: Callable[[str], Case]) -> None:
    one = case("skew")
    assert [round.table for round in one.rounds[:3]] == ["even", "skewed", "even"]
    assert "IF(id % 2 = 0, 0, id % 1600 * 7919) g" in one.rounds[1].loads[0].query
    skewed = one.tables[1]
    assert "WITH BUCKETS 16 ON (g)" in creations.hudilite(skewed)
    assert "bucket(16, g)" in creations.iceberg("copy-on-write", 2)(skewed)
    assert "'hoodie.bucket.index.hash.field' = 'g'" in creations.hudi("cow")(skewed)


def test_a_wide_table_has_as_many_columns_in_its_rows(case: Callable[[str], Case]) -> None:
    one = case("wide")
    assert len(one.tables[0].names()) == shape_cases.WIDTH
    query = one.rounds[0].loads[0].query
    assert query.count(" c") - query.count("concat") == shape_cases.WIDTH - 2
    assert "{" not in query


def test_iceberg_updates_and_deletes_as_it_merges() -> None:
    text = creations.iceberg("merge-on-read", 3)(LOOKED_INTO)
    for statement in ("merge", "update", "delete"):
        assert f"'write.{statement}.mode' = 'merge-on-read'" in text
        assert f"'write.{statement}.distribution-mode' = 'none'" in text


def test_the_most_memory_is_told_from_a_point_of_time_on() -> None:
    watched = Watched("self")
    large = b"x" * (64 << 20)
    before = most_memory("self")
    del large
    watched.begin()
    assert watched.spent()["resident"] < before - (32 << 20)
    assert watched.most() > before - (8 << 20)
    assert watched.spent()["gc"] == 0
