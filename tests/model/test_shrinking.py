"""Sides that are wrong on purpose: the shrinker ends at what shows it, and leaves a script. No Spark."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.golden import parse_golden
from model.duel import Disagreement, Told, expected, play
from model.oracle import DUPLICATE_KEY, Clause, Counts, ModelTable, Place, Row, Shape
from model.repro import write_repro
from model.shrinking import Script, Shrinker, fewer
from model.statements import Statements, random_shape
from model.texts import Statement

STATEMENTS = 12


class ForgetsTheUnmatched(ModelTable):
    """WHEN NOT MATCHED BY SOURCE does nothing in a MERGE."""

    def merge(self, number: int, source: Any, on: Any, clauses: Sequence[Clause]) -> Counts:
        kept = [c for c in clauses if c.when != "not matched by source" or on.sql == "true"]
        return super().merge(number, source, on, kept)


class LastClauseWins(ModelTable):
    """Of the clauses of a kind that fire the last one counts."""

    def merge(self, number: int, source: Any, on: Any, clauses: Sequence[Clause]) -> Counts:
        return super().merge(number, source, on, clauses[::-1])


class MindsTheDead(ModelTable):
    """A key that was deleted once never comes back."""

    def merge(self, number: int, source: Any, on: Any, clauses: Sequence[Clause]) -> Counts:
        before = set(self.rows)
        counts = super().merge(number, source, on, clauses)
        self.__dict__.setdefault("dead", set()).update(before - set(self.rows))
        return counts

    def _put(self, number: int, row: Row) -> None:
        dead: set[Place] = self.__dict__.get("dead", set())
        if self.shape.place(row) not in dead:
            super()._put(number, row)


class Wrong:
    """A side made of one of these."""

    def __init__(self, table: ModelTable) -> None:
        self.table = table

    def round(self, number: int, statement: Statement, told: Told, model: ModelTable) -> None:
        own = expected(self.table, number, statement)
        if own != told:
            raise Disagreement("answer", f"{own} for {told}")
        if self.table.rows != model.rows:
            raise Disagreement("rows", f"{len(self.table.rows)} for {len(model.rows)}")


def failing(kind: type[ModelTable], seeds: Sequence[int]) -> list[tuple[Shape, Script, str]]:
    """Random lists up to the statement at which a wrong side is found, and how."""
    found = []
    for seed in seeds:
        rng = random.Random(seed)
        shape = random_shape(rng)
        stream, model = Statements(rng, "t", shape), ModelTable(shape)
        script: Script = ()
        for number in range(STATEMENTS):
            script = (*script, stream.next(list(model.rows.values())))
            expected(model, number, script[-1])
            if what := play(shape, script, Wrong(kind(shape))):
                found.append((shape, script, what))
                break
    return found


@pytest.mark.parametrize(
    ("kind", "most_statements", "most_rows", "most_clauses"),
    [(ForgetsTheUnmatched, 2, 1, 2), (LastClauseWins, 3, 3, 3), (MindsTheDead, 4, 3, 4)],
)
def test_what_is_left_shows_the_defect_and_little_else(
    kind: type[ModelTable], most_statements: int, most_rows: int, most_clauses: int
) -> None:
    cases = failing(kind, range(30))
    assert len(cases) >= 5
    for shape, script, what in cases:

        def judge(some: Script, shape: Shape = shape) -> str | None:
            return play(shape, some, Wrong(kind(shape)))

        least = Shrinker(judge, what, seconds=60).shrink(script)
        assert judge(least) == what
        assert len(least) <= most_statements, [s.sql for s in least]
        assert sum(len(s.rows) for s in least) <= most_rows, [s.sql for s in least]
        assert sum(len(s.clauses) for s in least) <= most_clauses, [s.sql for s in least]


def test_another_defect_does_not_take_the_place_of_the_first() -> None:
    def judge(some: tuple[Any, ...]) -> str | None:
        return "rows" if len(some) > 4 else "counts"

    shape = random_shape(random.Random(1))
    script = tuple(Statement("t", shape, "insert") for _ in range(9))
    assert len(Shrinker(judge, "rows", seconds=60).shrink(script)) == 5


def test_time_is_up() -> None:
    seconds = itertools.count()
    ((shape, script, what),) = failing(ForgetsTheUnmatched, range(12))[:1]

    def judge(some: Script) -> str | None:
        return play(shape, some, Wrong(ForgetsTheUnmatched(shape)))

    shrinker = Shrinker(judge, what, seconds=20, clock=lambda: float(next(seconds)))
    least = shrinker.shrink(script)
    assert judge(least) == what
    assert 1 < shrinker.trials < 20
    assert Shrinker(judge, what, seconds=0).shrink(script) == script


def test_fewer_keeps_what_is_needed_and_no_more() -> None:
    needed = {3, 17, 18, 90}
    asked: list[int] = []

    def holds(some: tuple[int, ...]) -> bool:
        asked.append(len(some))
        return needed <= set(some)

    assert fewer(tuple(range(120)), holds) == (3, 17, 18, 90)
    assert len(asked) < 80
    assert fewer((1, 2), lambda some: True) == ()


def test_the_script_is_a_golden_file_with_the_expected_rows(tmp_path: Path) -> None:
    shape, script, _ = failing(ForgetsTheUnmatched, range(12))[0]
    twice = Statement("t", shape, "insert", (script[0].rows[0],) * 2)
    path = tmp_path / "deep" / "repro_7.sql"
    write_repro(path, shape, (*script, twice), ["rows: broken", "x: no directive"], {"a.b": "3"})
    text = path.read_text(encoding="utf-8")
    golden = parse_golden(text)
    assert golden.config == {"a.b": "3"}
    assert [b.text for b in golden.blocks[1:-1]] == [s.sql for s in (*script, twice)]
    assert golden.blocks[-2].expected_error == DUPLICATE_KEY
    assert golden.blocks[-1].text.startswith("SELECT k0, ")
    model = ModelTable(shape)
    for number, statement in enumerate(script):
        expected(model, number, statement)
    _, rows = text.split(f"-- | {len(model.rows)} rows expected\n")
    assert rows.count("\n-- | ") + 1 == len(model.rows)
