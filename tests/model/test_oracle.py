"""The oracle by hand-computed cases: no Spark."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from model import expressions as ex
from model.oracle import (
    CARDINALITY,
    DUPLICATE_KEY,
    MISMATCH,
    NULL_KEY,
    OVERFLOW,
    Clause,
    Column,
    ModelTable,
    Refused,
    Shape,
)
from model.statements import Statements, apply, random_shape
from model.texts import create_sql

SHAPE = Shape(
    (Column("k0", "int"), Column("n", "int"), Column("v", "string"), Column("p", "string")),
    ("k0",),
    ("p",),
    2,
    ("k0",),
)
BY_KEY = ex.equal(ex.column("t", "k0"), ex.column("s", "k0"))
ALL = {c.name: ex.column("s", c.name) for c in SHAPE.columns}


def row(k: int | None, n: int | None = 0, v: str | None = "v", p: str | None = "x") -> dict:
    return {"k0": k, "n": n, "v": v, "p": p}


def table(*rows: dict) -> ModelTable:
    made = ModelTable(SHAPE)
    made.insert(0, rows)
    return made


def refusal(action, *arguments) -> set[str]:
    with pytest.raises(Refused) as refused:
        action(*arguments)
    return refused.value.conditions


def test_null_is_neither_equal_nor_unequal():
    null = ex.literal(None, "int")
    one = ex.literal(1, "int")
    assert ex.equal(null, one).value({}) is None
    assert ex.negation(ex.equal(null, null)).value({}) is None
    assert ex.null_safe_equal(null, null).value({}) is True
    assert ex.conjunction(ex.equal(null, one), ex.equal(one, null)).value({}) is None
    assert ex.conjunction(ex.equal(null, one), ex.less(one, one)).value({}) is False
    assert ex.disjunction(ex.equal(null, one), ex.equal(one, one)).value({}) is True
    assert ex.coalesce(null, one).value({}) == 1


def test_strings_are_ordered_by_utf8_bytes():
    low, high = ex.literal("\ue000", "string"), ex.literal("\U0001d4b3", "string")
    assert ex.less(low, high).value({}) is True


def test_insert_refuses_present_repeated_and_null_keys_and_keeps_the_table():
    made = table(row(1), row(1, p="y"))
    assert refusal(made.insert, 1, [row(2), row(1)]) == {DUPLICATE_KEY}
    assert refusal(made.insert, 1, [row(3), row(3)]) == {DUPLICATE_KEY}
    assert refusal(made.insert, 1, [row(None), row(1)]) == {NULL_KEY, DUPLICATE_KEY}
    assert len(made.rows) == 2


def test_first_matching_clause_wins_and_counts():
    made = table(row(1), row(2), row(3), row(4))
    clauses = [
        Clause("matched", "delete", ex.equal(ex.column("s", "n"), ex.literal(1, "int"))),
        Clause(
            "matched", "update", ex.is_null(ex.column("s", "n")), {"v": ex.literal("w", "string")}
        ),
        Clause("not matched", "insert", None, ALL, star=True),
        Clause(
            "not matched by source", "delete", ex.equal(ex.column("t", "k0"), ex.literal(4, "int"))
        ),
    ]
    source = [row(1, 1), row(2, None), row(3, 2), row(9, 9)]
    counts = made.merge(1, source, BY_KEY, clauses)
    assert counts.row == (4, 1, 2, 1)
    assert {place[1][0]: r["v"] for place, r in made.rows.items()} == {2: "w", 3: "v", 9: "v"}
    assert {place[1][0]: n for place, n in made.writer.items()} == {2: 1, 3: 0, 9: 1}


def test_two_source_rows_for_one_target_row():
    source = [row(1), row(1)]
    update = Clause("matched", "update", None, {"n": ex.literal(5, "int")})
    delete = Clause("matched", "delete", None)
    insert = Clause("not matched", "insert", None, ALL)
    assert refusal(table(row(1)).merge, 1, source, BY_KEY, [update]) == {CARDINALITY}
    assert table(row(1)).merge(1, source, BY_KEY, [delete]).row == (1, 0, 1, 0)
    assert table(row(1)).merge(1, source, BY_KEY, [insert]).row == (0, 0, 0, 0)
    assert refusal(table(row(2)).merge, 1, source, BY_KEY, [update, insert]) == {DUPLICATE_KEY}
    one_fires = Clause("matched", "update", ex.is_null(ex.column("s", "v")), update.values)
    made = table(row(1))
    assert made.merge(1, [row(1), row(1, v=None)], BY_KEY, [one_fires]).row == (1, 1, 0, 0)
    assert [r["n"] for r in made.rows.values()] == [5]


def test_moves_are_judged_on_the_final_state():
    swap = [row(1, p="y"), row(2, p="x")]
    move = [Clause("matched", "update", None, {"p": ex.column("s", "p")})]
    made = table(row(1, p="x"), row(2, p="y"))
    assert made.merge(1, swap, BY_KEY, move).row == (2, 2, 0, 0)
    assert set(made.rows) == {(("y",), (1,)), (("x",), (2,))}
    blocked = table(row(1, p="x"), row(1, p="z"))
    to_z = [Clause("matched", "update", None, {"p": ex.literal("z", "string")})]
    assert refusal(blocked.merge, 1, [row(1)], BY_KEY, to_z) == {DUPLICATE_KEY}


def test_overflow_and_null_keys_refuse_the_merge():
    made = table(row(1, 2**31 - 1))
    more = ex.int_sum(ex.column("t", "n"), ex.literal(1, "int"))
    clauses = [Clause("matched", "update", None, {"n": more})]
    assert refusal(made.merge, 1, [row(1)], BY_KEY, clauses) == {OVERFLOW}
    add = ex.int_sum(ex.column("s", "n"), ex.column("t", "n"))
    second = [Clause("matched", "update", None, {"n": add})]
    twice = [row(1, -1), row(1, 1)]
    assert refusal(made.merge, 1, twice, BY_KEY, second) == {CARDINALITY, OVERFLOW}
    both = [Clause("matched", "update", None, {"n": more, "k0": ex.literal(None, "int")})]
    assert refusal(made.merge, 1, [row(1)], BY_KEY, both) == {OVERFLOW, NULL_KEY}
    insert = [Clause("not matched", "insert", None, ALL)]
    assert refusal(made.merge, 1, [row(None)], BY_KEY, insert) == {NULL_KEY}
    assert list(made.rows.values()) == [row(1, 2**31 - 1)]


def test_update_and_delete_take_rows_for_which_the_condition_is_true():
    made = table(row(1, 5), row(2, None), row(3, 7))
    found = ex.is_in(ex.column("t", "n"), [5, None], "int")
    delete = Clause("not matched by source", "delete", ex.negation(found))
    assert made.change(1, delete).row == (0, 0, 0, 0)
    update = Clause("not matched by source", "update", found, {"v": ex.literal("w", "string")})
    assert made.change(2, update).row == (1, 1, 0, 0)
    assert [r["v"] for r in made.rows.values()] == ["v", "v", "w"]
    everything = Clause("not matched by source", "delete", None)
    assert made.change(3, everything).row == (3, 0, 3, 0)


def test_one_seed_gives_one_sequence_and_most_statements_pass():
    def sequence(seed: int) -> list[str]:
        rng = random.Random(seed)
        shape = random_shape(rng)
        made, stream, texts = (
            ModelTable(shape),
            Statements(rng, "t", shape),
            [create_sql("t", shape)],
        )
        for number in range(30):
            statement = stream.next(list(made.rows.values()))
            texts.append(statement.sql)
            try:
                apply(made, number, statement)
            except Refused as refused:
                texts.append(str(refused))
        return texts

    assert sequence(7) == sequence(7)
    refused = sum(text.startswith("[") for seed in range(40) for text in sequence(seed))
    assert 120 < refused < 600, f"{refused} of 1200 statements are refused"


def test_rows_take_the_place_of_those_of_a_condition():
    table = ModelTable(SHAPE)
    table.insert(0, [row(1, n=1), row(2, n=2), row(3, n=None)])
    small = ex.less(ex.column("t", "n"), ex.literal(2, "int"))
    assert refusal(table.replace, 1, [row(4, n=2)], small) == {MISMATCH}
    assert refusal(table.replace, 1, [row(4, n=None)], small) == {MISMATCH}
    assert refusal(table.replace, 1, [row(2, n=0)], small) == {DUPLICATE_KEY}
    table.replace(1, [row(1, n=0), row(4, n=1)], small)
    assert sorted(place[1][0] for place in table.rows) == [1, 2, 3, 4]
    table.replace(2, [], small)
    assert sorted(place[1][0] for place in table.rows) == [2, 3]


def test_a_key_of_all_partitions():
    everywhere = ModelTable(replace(SHAPE, one_scope=True))
    everywhere.insert(0, [row(1), row(2, p="y")])
    assert refusal(everywhere.insert, 1, [row(1, p="y")]) == {DUPLICATE_KEY}
    assert refusal(everywhere.insert, 1, [row(3), row(3, p="y")]) == {DUPLICATE_KEY}
    assert refusal(everywhere.overwrite, 1, [row(2)], ("x",)) == {DUPLICATE_KEY}
    insert = Clause("not matched", "insert", None, ALL)
    both = ex.conjunction(BY_KEY, ex.equal(ex.column("t", "p"), ex.column("s", "p")))
    assert refusal(everywhere.merge, 1, [row(2)], both, [insert]) == {DUPLICATE_KEY}
    gone = Clause("not matched by source", "delete", None)
    assert refusal(everywhere.merge, 1, [row(2)], both, [insert, gone]) == {DUPLICATE_KEY}
    moved = Clause("matched", "update", None, {"p": ex.literal("z", "string")})
    assert everywhere.merge(1, [row(2)], BY_KEY, [moved]).row == (1, 1, 0, 0)
    everywhere.overwrite(2, [row(2, p="x"), row(9, p="x")], None)
    assert sorted(place[1][0] for place in everywhere.rows) == [2, 9]
