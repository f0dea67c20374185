"""The reference: a keyed table as a dict, INSERT and MERGE by nested loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from model.expressions import Expression, Overflow, Row

NULL_KEY = "HUDILITE_NULL_KEY"
DUPLICATE_KEY = "HUDILITE_DUPLICATE_KEY"
CARDINALITY = "HUDILITE_MERGE_CARDINALITY"
OVERFLOW = "ARITHMETIC_OVERFLOW"
NULL_ORDERING = "HUDILITE_NULL_ORDERING"
MISMATCH = "HUDILITE_REPLACE_MISMATCH"
Place = tuple[tuple[Any, ...], tuple[Any, ...]]


@dataclass(frozen=True)
class Column:
    """A column by name and kind (see expressions.SQL_TYPES)."""

    name: str
    kind: str


@dataclass(frozen=True)
class Shape:
    """What CREATE TABLE fixed."""

    columns: tuple[Column, ...]
    key: tuple[str, ...]
    partition: tuple[str, ...]
    buckets: int
    hash_fields: tuple[str, ...]
    one_scope: bool = False  # whether a key is unique over all partitions
    merge_on_read: bool = False
    version: int | None = None  # of the table; that of new tables otherwise
    ordering: str | None = None  # column whose greater value wins in a MERGE

    def place(self, row: Row) -> Place:
        """Where a row lies: partition values, then key values."""
        return tuple(row[c] for c in self.partition), tuple(row[c] for c in self.key)

    def scope(self, place: Place) -> Place:
        """What only one row may have of a place."""
        return ((), place[1]) if self.one_scope else place


@dataclass(frozen=True)
class Clause:
    """One WHEN clause; `values` maps the assigned columns."""

    when: Literal["matched", "not matched", "not matched by source"]
    action: Literal["update", "delete", "insert"]
    condition: Expression | None
    values: dict[str, Expression] = field(default_factory=dict)
    star: bool = False


@dataclass(frozen=True)
class Counts:
    """The row that MERGE answers with."""

    updated: int = 0
    deleted: int = 0
    inserted: int = 0

    @property
    def row(self) -> tuple[int, int, int, int]:
        affected = self.updated + self.deleted + self.inserted
        return affected, self.updated, self.deleted, self.inserted


class Refused(Exception):
    """The statement must fail with one of these conditions, and change nothing."""

    def __init__(self, conditions: set[str]) -> None:
        super().__init__(sorted(conditions))
        self.conditions = conditions


@dataclass
class ModelTable:
    """Rows by place, and for each the number of the statement that wrote it."""

    shape: Shape
    rows: dict[Place, Row] = field(default_factory=dict)
    writer: dict[Place, int] = field(default_factory=dict)

    def insert(self, number: int, rows: Sequence[Row]) -> None:
        """INSERT INTO: all rows new.

        Raises:
            Refused: a null key or ordering value, or a key that exists or comes twice.
        """
        faults = {NULL_KEY for row in rows if self._keyless(row)}
        faults |= {NULL_ORDERING for row in rows if self._lacks_order(row)}
        seen = {self.shape.scope(place) for place in self.rows}
        for row in rows:
            scope = self.shape.scope(self.shape.place(row))
            if scope in seen:
                faults.add(DUPLICATE_KEY)
            seen.add(scope)
        if faults:
            raise Refused(faults)
        for row in rows:
            self._put(number, row)

    def overwrite(self, number: int, rows: Sequence[Row], held: tuple[Any, ...] | None) -> None:
        """INSERT OVERWRITE: the rows take the place of those of a partition, or of all.

        Args:
            held: Values of the partition columns; None for the whole table.
        Raises:
            Refused: a null key, or a key that comes twice.
        """
        whole = self._with([p for p in self.rows if held is not None and p[0] != held])
        whole.insert(number, rows)
        self.rows, self.writer = whole.rows, whole.writer

    def replace(self, number: int, rows: Sequence[Row], condition: Expression) -> None:
        """REPLACE WHERE: the rows take the place of those for which a condition is true.

        Raises:
            Refused: a row for which it is not, a null key, or a key that comes twice.
        """

        def holds(row: Row) -> bool:
            return condition.value({"t": row}) is True

        whole = self._with([p for p, row in self.rows.items() if not holds(row)])
        faults = set() if all(map(holds, rows)) else {MISMATCH}
        try:
            whole.insert(number, rows)
        except Refused as refused:
            faults |= refused.conditions
        if faults:
            raise Refused(faults)
        self.rows, self.writer = whole.rows, whole.writer

    def _with(self, stays: Sequence[Place]) -> ModelTable:
        """The table with the rows of some places."""
        return ModelTable(
            self.shape, {p: self.rows[p] for p in stays}, {p: self.writer[p] for p in stays}
        )

    def merge(
        self, number: int, source: Sequence[Row], on: Expression, clauses: Sequence[Clause]
    ) -> Counts:
        """MERGE INTO by the SQL standard; a row may be changed by one source row only.

        Raises:
            Refused: with every condition that the engine may meet first.
        """
        faults: set[str] = set()
        outcome = _Outcome(self, faults)
        order = _Order(self.shape.ordering)
        met: set[int] = set()
        by_kind = {k: [c for c in clauses if c.when == k] for k in {c.when for c in clauses}}
        matched = by_kind.get("matched", [])
        for place, row in self.rows.items():
            pairs = [i for i, s in enumerate(source) if on.value({"t": row, "s": s}) is True]
            met.update(pairs)
            scopes = order.newest([{"t": row, "s": source[i]} for i in pairs])
            firing = [scope for scope in scopes if _first(matched, scope) is not None]
            if len(firing) > 1 and not _lone_delete(matched):
                faults.add(CARDINALITY)
                for scope in firing[1:]:  # the engine may compute their values first
                    outcome.also(place, dict(row), _first(matched, scope), scope)
            if firing:
                outcome.change(place, row, firing[0], matched)
            elif not pairs:
                outcome.change(place, row, {"t": row}, by_kind.get("not matched by source", []))
        for index, row in enumerate(source):
            if index not in met:
                outcome.add({"s": row}, by_kind.get("not matched", []))
        return outcome.settle(number)

    def latest(self, source: Sequence[Row], names: Sequence[str]) -> list[Row]:
        """The source rows of a MERGE that count: of those that are equal in these columns the newest.

        Args:
            names: None: all rows count.
        """
        if self.shape.ordering is None or not names:
            return list(source)
        groups: dict[tuple[Any, ...], list[Row]] = {}
        for row in source:
            groups.setdefault(tuple(row[name] for name in names), []).append(row)
        order = _Order(self.shape.ordering)
        found = [order.newest([{"s": row} for row in rows]) for rows in groups.values()]
        return [scope["s"] for scopes in found for scope in scopes]

    def change(self, number: int, clause: Clause) -> Counts:
        """UPDATE and DELETE: one clause for rows that no source row matches, and no source.

        Raises:
            Refused: with every condition that the engine may meet first.
        """
        return self.merge(number, [], Expression("true", lambda scope: True), [clause])

    def _keyless(self, row: Row) -> bool:
        return any(row[name] is None for name in self.shape.key)

    def _lacks_order(self, row: Row) -> bool:
        """Whether log files could not have the row: its ordering value is null."""
        name = self.shape.ordering
        return self.shape.merge_on_read and name is not None and row[name] is None

    def _put(self, number: int, row: Row) -> None:
        place = self.shape.place(row)
        self.rows[place] = row
        self.writer[place] = number


class _Order:
    """An ordering field within a MERGE; a null is the smallest value.

    Args:
        name: None: rows have no order.
    """

    def __init__(self, name: str | None) -> None:
        self._name = name

    def newest(self, scopes: list[dict[str, Row]]) -> list[dict[str, Row]]:
        """The pairs with the greatest value of the source row that are not older than the target row."""
        name = self._name
        if name is None or not scopes:
            return scopes
        greatest = max(self._value(scope["s"]) for scope in scopes)
        kept = [scope for scope in scopes if self._value(scope["s"]) == greatest]
        return [s for s in kept if "t" not in s or self._value(s["t"]) <= greatest]

    def _value(self, row: Row) -> tuple[bool, Any]:
        held = row[self._name or ""]
        return (False, 0) if held is None else (True, held)


class _Outcome:
    """Gathers what a MERGE changes, then applies it whole or not at all."""

    def __init__(self, table: ModelTable, faults: set[str]) -> None:
        self.table = table
        self.faults = faults
        self.gone: list[Place] = []
        self.written: list[Row] = []
        self.added: list[Row] = []
        self.counts = [0, 0, 0]

    def change(self, place: Place, row: Row, scope: dict[str, Row], clauses: list[Clause]) -> None:
        clause = _first(clauses, scope)
        if clause is None:
            return
        self.gone.append(place)
        if clause.action == "delete":
            self.counts[1] += 1
            return
        self.counts[0] += 1
        self._write(dict(row), clause, scope)

    def add(self, scope: dict[str, Row], clauses: list[Clause]) -> None:
        clause = _first(clauses, scope)
        if clause is None:
            return
        self.counts[2] += 1
        self._write({c.name: None for c in self.table.shape.columns}, clause, scope)
        self.added.append(self.written[-1])

    def settle(self, number: int) -> Counts:
        shape = self.table.shape
        kept = {shape.scope(place) for place in set(self.table.rows) - set(self.gone)}
        for row in self.written:
            scope = shape.scope(shape.place(row))
            if self.table._keyless(row):
                self.faults.add(NULL_KEY)
            elif scope in kept:
                self.faults.add(DUPLICATE_KEY)
            kept.add(scope)
        if any(self._lies_elsewhere(shape.place(row)) for row in self.added):
            self.faults.add(DUPLICATE_KEY)
        if self.faults:
            raise Refused(self.faults)
        for place in self.gone:
            del self.table.rows[place]
            del self.table.writer[place]
        for row in self.written:
            self.table._put(number, row)
        return Counts(*self.counts)

    def _lies_elsewhere(self, place: Place) -> bool:
        """Whether a new row's key was in another partition, where it may not: deleted or not."""
        return self.table.shape.one_scope and any(
            other[1] == place[1] and other[0] != place[0] for other in self.table.rows
        )

    def filled(
        self, row: dict[str, Any], clause: Clause | None, scope: dict[str, Row]
    ) -> dict[str, Any]:
        """A row with the values of a clause; each that does not fit is a fault, and the others are set."""
        failed: set[str] = set()
        for name, value in clause.values.items() if clause is not None else ():
            try:
                row[name] = value.value(scope)
            except Overflow:
                failed.add(name)
                self.faults.add(OVERFLOW)
        if self.table.shape.ordering not in failed and self.table._lacks_order(row):
            self.faults.add(NULL_ORDERING)
        return row

    def also(
        self, place: Place, row: dict[str, Any], clause: Clause | None, scope: dict[str, Row]
    ) -> None:
        """Another change of a row: its faults, among them that it goes where the first one goes."""
        filled = self.filled(row, clause, scope)
        if self.table.shape.place(filled) != place:
            self.written.append(filled)

    def _write(self, row: dict[str, Any], clause: Clause, scope: dict[str, Row]) -> None:
        self.written.append(self.filled(row, clause, scope))


def _first(clauses: list[Clause], scope: dict[str, Row]) -> Clause | None:
    return next(
        (c for c in clauses if c.condition is None or c.condition.value(scope) is True), None
    )


def _lone_delete(matched: list[Clause]) -> bool:
    return len(matched) == 1 and matched[0].action == "delete" and matched[0].condition is None
