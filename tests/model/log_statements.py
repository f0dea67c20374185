"""Random statements on merge-on-read tables: most MERGEs need not read the table, some tables are compacted."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from model import expressions as ex
from model.oracle import Clause, Column, Row, Shape
from model.statements import Statements, random_shape
from model.texts import Statement

KINDS = 9  # of tables, a third of which have no buckets, or keys that are unique in all partitions
NULLS = 0.02  # of the values of an ordering field, where they are refused
COMPACTED = (3, 9)  # turns after which a table is compacted, of each twelve
REPEATED = 0.15  # of the MERGEs that need not read: how many have a key twice


def log_shape(rng: random.Random, ordinal: int) -> Shape:
    """The table of an ordinal; of three in a row, the engine must read one for each MERGE."""
    shape = replace(random_shape(rng), merge_on_read=True, version=(6, 9)[ordinal % 2])
    kind = ordinal % KINDS
    if kind == 4:
        shape = replace(shape, buckets=1, hash_fields=shape.key)
    if kind in (1, 2, 6):
        shape = replace(shape, ordering="n")
    if kind in (2, 5):
        shape = replace(shape, buckets=0)
    if kind == 8:
        shape = replace(shape, one_scope=True) if shape.partition else replace(shape, buckets=0)
    return shape


def is_compacted(ordinal: int) -> bool:
    """Whether the table of an ordinal is compacted now and then; otherwise its writes make base files."""
    return ordinal % KINDS not in (1, 4)


def can_be_blind(shape: Shape) -> bool:
    """Whether some MERGE on the table need not read it."""
    return shape.buckets > 0 and not shape.one_scope


class LogStatements(Statements):
    """A stream of statements on a merge-on-read table.

    Args:
        compacts: Whether the table is compacted now and then.
    """

    def __init__(self, rng: random.Random, name: str, shape: Shape, *, compacts: bool) -> None:
        super().__init__(rng, name, shape)
        self.compacts, self.turn = compacts, 0

    def next(self, present: Sequence[Row]) -> Statement:
        """A statement; of three that follow the first one, two need not read the table where that can be."""
        if self.first:
            return super().next(present)
        self.turn += 1
        if self.compacts and self.turn % 12 in COMPACTED:
            return Statement(self.name, self.shape, "compact")
        if can_be_blind(self.shape) and self.turn % 3:
            return self._ordered(self._blind(present))
        statement = super().next(present)
        while not self._is_comparable(statement):
            statement = super().next(present)
        return self._ordered(statement)

    def _value(self, column: Column) -> Any:
        """A value; an ordering field is seldom null, and never where the table is filled."""
        found = super()._value(column)
        while column.name == self.shape.ordering and found is None:
            if self.turn and self.rng.random() < NULLS:
                break
            found = super()._value(column)
        return found

    def _is_comparable(self, statement: Statement) -> bool:
        """Whether an ordering field decides among the source rows of one key, or there is none."""
        return self.shape.ordering is None or statement.kind != "merge" or self._by_key(statement)

    def _by_key(self, statement: Statement) -> bool:
        on = "" if statement.on is None else statement.on.sql
        return all(f"t.{name} = s.{name}" in on for name in self.shape.key)

    def _ordered(self, statement: Statement) -> Statement:
        """The same with source rows among which an ordering field decides."""
        if self.shape.ordering is None or statement.kind != "merge" or statement.on is None:
            return statement
        pinned = [n for n in self.shape.partition if f"s.{n}" in statement.on.sql]
        names = (*self.shape.key, *pinned)
        single = (*names, self.shape.ordering)
        rows = {tuple(row[name] for name in single): row for row in statement.rows}
        return replace(statement, rows=tuple(rows.values()), latest=names)

    def _blind(self, present: Sequence[Row]) -> Statement:
        """A MERGE whose outcome of each source row is that of a row that is there and of one that is not."""
        rng = self.rng
        drawn: list[Row] = []
        while len(drawn) < 2:
            drawn = self._rows(present, overlap=0.6)
        rows = list({self.shape.place(row): row for row in drawn}.values())
        if rng.random() < REPEATED:
            rows.append({**rng.choice(rows), "v": rng.choice(["old", "new"])})
        on, hint = self._on(self.shape.partition), self._hint(rows)
        there = {self.shape.place(row) for row in present}
        known = [row["v"] for row in rows if self.shape.place(row) in there]
        return Statement(
            self.name,
            self.shape,
            "merge",
            tuple(rows),
            on,
            self._feed(known or ["old", "new", None]),
            hint=hint,
            is_blind=True,
        )

    def _feed(self, known: Sequence[str | None]) -> tuple[Clause, ...]:
        """Clauses over the source alone: an upsert, or a feed of changes with deletions.

        Args:
            known: Values of `v` in source rows whose keys the table has.
        """
        rng = self.rng
        values: dict[str, Any] = {c.name: ex.column("s", c.name) for c in self.shape.columns}
        whole = rng.random() < 0.6
        if not whole:
            values |= {name: self._new_value(name, "s") for name in ("n", "v")}
        other = values
        if rng.random() < 0.15:  # another row where none is: each bucket is read then
            whole, other = False, values | {"n": self._new_value("n", "s")}
        update = Clause("matched", "update", None, values, star=whole)
        insert = Clause("not matched", "insert", None, other, star=whole)
        if rng.random() < 0.4:
            return update, insert
        gone = self._gone(known)
        delete = Clause("matched", "delete", gone)
        return delete, update, replace(insert, condition=ex.negation(gone))

    def _gone(self, known: Sequence[str | None]) -> ex.Expression:
        """The condition of a deletion; one that is null for a row asks for what the table has."""
        if self.rng.random() < 0.2:
            return self._condition("s")
        held = ex.literal(self.rng.choice(known), "string")
        return ex.null_safe_equal(ex.column("s", "v"), held)
