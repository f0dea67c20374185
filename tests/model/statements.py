"""Random tables and statements."""

from __future__ import annotations

import datetime
import random
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from model import expressions as ex
from model.oracle import Clause, Column, Counts, ModelTable, Row, Shape
from model.texts import Statement

KEY_POOL: dict[str, list[Any]] = {
    "string": [
        "", "a", "b", "c", "1", "2", "a:b,c=d", "x,y", "k:1", "你好", "é", "\U0001d4b3", " ", "%2F",
        "quo'te", "back\\slash", "k" * 10240, "_", "null",
    ],
    "int": [0, 1, 2, 3, 4, 5, -1, -5, 100, 2**31 - 1, -(2**31)],
    "bigint": [0, 1, 2, 3, 4, -1, -5, 2**63 - 1, -(2**63), 10**12],
    "date": [
        datetime.date(2024, 1, 2), datetime.date(1970, 1, 1), datetime.date(1969, 12, 31),
        datetime.date(1582, 10, 4), datetime.date(1500, 2, 28), datetime.date(1, 1, 1),
        datetime.date(9999, 12, 31),
    ],
    "decimal": [
        Decimal("0.00"), Decimal("1.50"), Decimal("-3.25"), Decimal("2.00"), Decimal("-0.05"),
        Decimal("99999999.99"), Decimal("-99999999.99"),
    ],
}  # fmt: skip
PARTITION_POOL: list[Any] = ["x", "y", "a/b=c", None]
NUMBER_POOL: list[Any] = [None, 0, 1, 2, 3, -1, 7, 2**31 - 1, -(2**31)]
TEXT_POOL: list[Any] = [None, "", "old", "new", "你好", "a\nb"]
KEYS = (("string",), ("int",), ("bigint",), ("date",), ("string", "int"), ("string", "decimal"),
        ("int", "date"), ("string", "date", "decimal"))  # fmt: skip

FIRST_ROWS = 120  # some file group of the largest shape gets more rows than a small page holds


def apply(model: ModelTable, number: int, statement: Statement) -> Counts:
    """Runs a statement on the model.

    Raises:
        Refused: with the conditions that the engine may give.
    """
    if statement.kind == "insert":
        model.insert(number, statement.rows)
        return Counts()
    if statement.kind == "overwrite":
        model.overwrite(number, statement.rows, statement.held)
        return Counts()
    if statement.kind == "replace":
        assert statement.on is not None
        model.replace(number, statement.rows, statement.on)
        return Counts()
    if statement.kind == "change":
        return model.change(number, statement.clauses[0])
    if statement.kind == "compact":
        return Counts()
    assert statement.on is not None
    rows = model.latest(statement.rows, statement.latest)
    return model.merge(number, rows, statement.on, statement.clauses)


def random_shape(rng: random.Random) -> Shape:
    """A table: one to three key columns, maybe a partition column, one to seven buckets."""
    kinds = rng.choice(KEYS)
    keys = tuple(Column(f"k{i}", kind) for i, kind in enumerate(kinds))
    parted = rng.random() < 0.5
    values = (Column("n", "int"), Column("v", "string"))
    columns = (*keys, *values, Column("p", "string")) if parted else (*keys, *values)
    names = tuple(c.name for c in keys)
    hashed = names if rng.random() < 0.6 else tuple(rng.sample(names, 1))
    return Shape(columns, names, ("p",) if parted else (), rng.randint(1, 7), hashed)


class Statements:
    """A stream of statements on one table."""

    def __init__(self, rng: random.Random, name: str, shape: Shape) -> None:
        self.rng = rng
        self.name = name
        self.shape = shape
        self.first = True

    def next(self, present: Sequence[Row]) -> Statement:
        """A statement; about half of the keys of an INSERT or MERGE are present already.

        The first one fills the table with more rows than any other brings.
        """
        if self.first:
            self.first = False
            return self._fill()
        if self.rng.random() < (0.3 if present else 0.9):
            return self._insert(present)
        drawn = self.rng.random()
        if drawn < 0.14:
            return self._overwrite(present) if drawn < 0.08 else self._replace(present)
        return self._change_rows() if self.rng.random() < 0.25 else self._merge(present)

    def _fill(self) -> Statement:
        key = self.shape.key
        drawn = [{c.name: self._value(c) for c in self.shape.columns} for _ in range(FIRST_ROWS)]
        whole = [row for row in drawn if all(row[name] is not None for name in key)]
        rows: list[Row] = list({tuple(row[name] for name in key): row for row in whole}.values())
        return self._insert_of(rows)

    def _insert(self, present: Sequence[Row]) -> Statement:
        rows = self._rows(present, overlap=0.05 if self.rng.random() < 0.7 else 0.5)
        return self._insert_of(rows)

    def _overwrite(self, present: Sequence[Row]) -> Statement:
        """INSERT OVERWRITE of one partition, or of the table (static mode, as Spark has it)."""
        rows = self._rows(present, overlap=0.3)
        value: tuple[Any, ...] | None = None
        if self.shape.partition and self.rng.random() >= 0.4:
            value = (self.rng.choice(PARTITION_POOL),)
            rows = [{**row, self.shape.partition[0]: value[0]} for row in rows]
        hint = self._hint(rows)
        return Statement(self.name, self.shape, "overwrite", tuple(rows), held=value, hint=hint)

    def _replace(self, present: Sequence[Row]) -> Statement:
        """REPLACE WHERE over columns of no partition; nearly all rows fulfill the condition."""
        condition = self._condition("t")
        drawn = [row for _ in range(3) for row in self._rows(present, overlap=0.2)]
        rows = [
            row
            for row in {self.shape.place(row)[1]: row for row in drawn}.values()
            if condition.value({"t": row}) is True or self.rng.random() < 0.03
        ]
        hint = self._hint(rows)
        return Statement(self.name, self.shape, "replace", tuple(rows), condition, hint=hint)

    def _merge(self, present: Sequence[Row]) -> Statement:
        rows = self._rows(present, overlap=0.5)
        pinned = bool(self.shape.partition) and self.rng.random() < 0.5
        by_key = self.rng.random() < 0.7
        on = self._on(self.shape.partition if pinned else ()) if by_key else self._free_on()
        if by_key and self.rng.random() < 0.3:
            on = ex.conjunction(on, self._condition("ts"))
        clauses = self._clauses(by_key)
        hint = self._hint(rows)
        return Statement(self.name, self.shape, "merge", tuple(rows), on, clauses, hint=hint)

    def _change_rows(self) -> Statement:
        """An UPDATE or a DELETE; its condition may be a sub-query, or missing."""
        rng = self.rng
        condition = None if rng.random() < 0.1 else self._condition("t")
        if rng.random() < 0.3:
            held = rng.sample(NUMBER_POOL, rng.randint(1, 4))
            condition = ex.is_in(ex.column("t", "n"), held, "int")
        elif self.shape.partition and rng.random() < 0.2:
            value = ex.literal(rng.choice(PARTITION_POOL), "string")
            condition = ex.null_safe_equal(ex.column("t", "p"), value)
        clause = self._change("not matched by source", condition)
        return Statement(self.name, self.shape, "change", clauses=(clause,))

    def _free_on(self) -> ex.Expression:
        """An ON that pins no key: the engine joins."""
        name = self.rng.choice(["n", "v", *self.shape.key])
        same = ex.equal(ex.column("t", name), ex.column("s", name))
        join = self.rng.choice([ex.conjunction, ex.disjunction])
        whole = name in self.shape.key and len(self.shape.key) == 1
        return same if self.rng.random() < 0.5 and not whole else join(same, self._condition("ts"))

    def _rows(self, present: Sequence[Row], overlap: float) -> list[Row]:
        rng = self.rng
        rows: list[Row] = []
        for _ in range(rng.choice([0, 1, 2, 3, 5, 8, 12])):
            row: dict[str, Any] = {c.name: self._value(c) for c in self.shape.columns}
            if present and rng.random() < overlap:
                known = rng.choice(list(present))
                kept = (*self.shape.key, *(self.shape.partition if rng.random() < 0.8 else ()))
                row |= {name: known[name] for name in kept}
            rows.append(row)
        if rng.random() < 0.8:
            rows = list({self.shape.place(row)[1]: row for row in rows}.values())
        return rows

    def _value(self, column: Column) -> Any:
        rng = self.rng
        if column.name in self.shape.key:
            if rng.random() < 0.02:
                return None
            pool = KEY_POOL[column.kind]
            usable = [v for v in pool if v != ""] if len(self.shape.key) == 1 else pool
            if column.kind in ("int", "bigint") and rng.random() < 0.6:
                return rng.randint(-20, 60)
            if column.kind == "string" and rng.random() < 0.5:
                return f"s{rng.randint(0, 60)}"
            if column.kind == "date" and rng.random() < 0.5:
                return datetime.date(2024, 1, 1) + datetime.timedelta(rng.randint(0, 300))
            return rng.choice(usable)
        pools = {"p": PARTITION_POOL, "n": NUMBER_POOL, "v": TEXT_POOL}
        return rng.choice(pools[column.name])

    def _hint(self, rows: Sequence[Row]) -> str:
        return self.rng.choice(["", "", "/*+ REPARTITION(3) */ "]) if rows else ""

    def _insert_of(self, rows: list[Row]) -> Statement:
        return Statement(self.name, self.shape, "insert", tuple(rows), hint=self._hint(rows))

    def _on(self, pinned: Sequence[str]) -> ex.Expression:
        pairs = [ex.equal(ex.column("t", n), ex.column("s", n)) for n in self.shape.key]
        same = self.rng.choice([ex.equal, ex.null_safe_equal])
        pairs += [same(ex.column("t", n), ex.column("s", n)) for n in pinned]
        self.rng.shuffle(pairs)
        whole = pairs[0]
        for pair in pairs[1:]:
            whole = ex.conjunction(whole, pair)
        return whole

    def _clauses(self, by_key: bool) -> tuple[Clause, ...]:
        rng, found = self.rng, []
        for _ in range(rng.randint(0, 2)):
            found.append(self._change("matched", self._condition("ts"), star=by_key))
        if rng.random() < 0.7:
            found.append(self._change("matched", None, star=by_key))
        for _ in range(rng.randint(0, 1)):
            found.append(self._new(self._condition("s")))
        if rng.random() < 0.7:
            found.append(self._new(None))
        if rng.random() < 0.25:
            found.append(self._change("not matched by source", self._condition("t")))
        return tuple(found) or (self._new(None),)

    def _change(self, when: Any, condition: ex.Expression | None, star: bool = False) -> Clause:
        rng = self.rng
        if rng.random() < 0.3:
            return Clause(when, "delete", condition)
        if star and rng.random() < 0.4:
            everything = {c.name: ex.column("s", c.name) for c in self.shape.columns}
            return Clause(when, "update", condition, everything, star=True)
        sides = "ts" if when == "matched" else "t"
        names = rng.sample(["n", "v"], rng.randint(1, 2))
        values = {name: self._new_value(name, sides) for name in names}
        if self.shape.partition and rng.random() < 0.3:
            values["p"] = ex.literal(rng.choice(PARTITION_POOL), "string")
        if not self.shape.one_scope and rng.random() < 0.15:
            values |= self._new_key(sides)
        return Clause(when, "update", condition, values)

    def _new_key(self, sides: str) -> dict[str, ex.Expression]:
        """A value for a key column: what the source has, a number beside the old one, or anything."""
        name = self.rng.choice(self.shape.key)
        column = next(c for c in self.shape.columns if c.name == name)
        if "s" in sides and self.rng.random() < 0.5:
            return {column.name: ex.column("s", column.name)}
        if column.kind == "int" and self.rng.random() < 0.8:
            step = ex.literal(self.rng.choice([1, -1, 100]), "int")
            return {column.name: ex.int_sum(ex.column("t", column.name), step)}
        return {column.name: ex.literal(self._value(column), column.kind)}

    def _new(self, condition: ex.Expression | None) -> Clause:
        everything = {c.name: ex.column("s", c.name) for c in self.shape.columns}
        if self.rng.random() < 0.6:
            return Clause("not matched", "insert", condition, everything, star=True)
        values = {n: e for n, e in everything.items() if n != "v"}
        values["n"] = self._new_value("n", "s")
        return Clause("not matched", "insert", condition, values)

    def _new_value(self, name: str, sides: str) -> ex.Expression:
        rng = self.rng
        here = ex.column(rng.choice(sides), name)
        if name == "v":
            return ex.coalesce(here, ex.literal(rng.choice(TEXT_POOL), "string"))
        there = ex.column(rng.choice(sides), "n")
        other = there if rng.random() < 0.5 else ex.literal(rng.choice([1, -1, 10]), "int")
        return ex.coalesce(ex.int_sum(here, other), ex.literal(0, "int"))

    def _condition(self, sides: str, depth: int = 0) -> ex.Expression:
        rng = self.rng
        kind = rng.choice(["=", "<", "<=>", "null", "not", "and", "or"][: 7 if depth < 2 else 4])
        if kind in ("not", "and", "or"):
            left = self._condition(sides, depth + 1)
            if kind == "not":
                return ex.negation(left)
            join = ex.conjunction if kind == "and" else ex.disjunction
            return join(left, self._condition(sides, depth + 1))
        name, type_, pool = rng.choice([("n", "int", NUMBER_POOL), ("v", "string", TEXT_POOL)])
        left = ex.column(rng.choice(sides), name)
        if kind == "null":
            return ex.is_null(left)
        right = (
            ex.column(rng.choice(sides), name)
            if rng.random() < 0.5
            else ex.literal(rng.choice(pool), type_)
        )
        return {"=": ex.equal, "<": ex.less, "<=>": ex.null_safe_equal}[kind](left, right)
