"""Builders of MERGE INTO, UPDATE and DELETE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hudilite.conditions import argument_error
from hudilite.sql import names
from hudilite.sql.expressions import Condition, assignments, condition, value

Values = Mapping[str | Sequence[str], object]


@dataclass(frozen=True)
class Clause:
    """WHEN clause of a MERGE, made by `matched`, `not_matched` or `not_matched_by_source`."""

    text: str


@dataclass(frozen=True)
class When:
    """Rows that a WHEN clause applies to. Its methods add the action and return the clause.

    Attributes:
        text: Text of the clause before THEN.
        updates: Whether these rows are in the table already.
        source: Whether these rows have a source row.
    """

    text: str
    updates: bool
    source: bool

    def update_all(self) -> Clause:
        """Returns UPDATE SET *: all columns from the source.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when the rows are not in the table,
                or have no source row.
        """
        self._fits("update_all", self.updates and self.source)
        return Clause(f"{self.text} THEN UPDATE SET *")

    def update(self, values: Values) -> Clause:
        """Returns UPDATE SET. Text and numbers are literals; `expression` and `column` give SQL.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when the rows are not in the table,
                or a column or value cannot be written as SQL.
        """
        self._fits("update", self.updates)
        return Clause(f"{self.text} THEN UPDATE SET {assignments(values, 'values')}")

    def insert_all(self) -> Clause:
        """Returns INSERT *: all columns from the source.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when the rows are in the table
                already.
        """
        self._fits("insert_all", not self.updates)
        return Clause(f"{self.text} THEN INSERT *")

    def insert(self, values: Mapping[str, object]) -> Clause:
        """Returns INSERT of the given columns, with their values.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when the rows are in the table
                already, or a column or value cannot be written as SQL.
        """
        self._fits("insert", not self.updates)
        columns = names.columns(values, "values")
        listed = ", ".join(value(values[name], f"values[{name!r}]") for name in values)
        return Clause(f"{self.text} THEN INSERT ({columns}) VALUES ({listed})")

    def delete(self) -> Clause:
        """Returns DELETE of these rows.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when the rows are not in the table.
        """
        self._fits("delete", self.updates)
        return Clause(f"{self.text} THEN DELETE")

    def _fits(self, action: str, holds: bool) -> None:
        if not holds:
            raise argument_error("clauses", f"{action} is not possible after {self.text}")


def matched(when: Condition | None = None) -> When:
    """Selects table rows that match a source row, and for which `when`, if given, is true."""
    return When(f"WHEN MATCHED{_also(when)}", updates=True, source=True)


def not_matched(when: Condition | None = None) -> When:
    """Selects source rows that match no table row, and for which `when`, if given, is true."""
    return When(f"WHEN NOT MATCHED{_also(when)}", updates=False, source=True)


def not_matched_by_source(when: Condition | None = None) -> When:
    """Selects table rows that match no source row, and for which `when`, if given, is true."""
    return When(f"WHEN NOT MATCHED BY SOURCE{_also(when)}", updates=True, source=False)


def merge_into(
    table: str | Sequence[str],
    source: str | Sequence[str],
    *clauses: Clause,
    on: Condition | Sequence[str],
    alias: str = "t",
    source_alias: str = "s",
    schema_evolution: bool = False,
) -> str:
    """Returns the MERGE INTO that merges the rows of a table or view into a table.

    Args:
        table: Name of the target: ``"db.orders"``, or its parts.
        source: Name of the table or view with the source rows.
        *clauses: WHEN clauses. For each row the first clause that applies is used.
        on: List of columns that both sides have, or a condition over both aliases.
        alias: Alias of the target in conditions.
        source_alias: Alias of the source in conditions.
        schema_evolution: Whether the table gets the columns that only the source has.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID``, with the name of the argument, when
            one cannot be written as SQL.

    Examples:
        >>> print(merge_into("orders", "changes",
        ...     matched("s.state = 'void'").delete(),
        ...     matched().update_all(),
        ...     not_matched().insert_all(),
        ...     on=["id", "day"]))
        MERGE INTO orders AS t USING changes AS s
        ON t.id = s.id AND t.day = s.day
        WHEN MATCHED AND s.state = 'void' THEN DELETE
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *
    """
    if not clauses:
        raise argument_error("clauses", "a MERGE needs at least one clause")
    ours, theirs = names.identifier(alias, "alias"), names.identifier(source_alias, "source_alias")
    if isinstance(on, Sequence) and not isinstance(on, str):
        columns = [names.column(name, "on") for name in names.listed(on, "on")]
        pinned = " AND ".join(f"{ours}.{name} = {theirs}.{name}" for name in columns)
    else:
        pinned = condition(on, "on", alias)
    into = f"{names.qualified(table, 'table')} AS {ours}"
    using = f"{names.qualified(source, 'source')} AS {theirs}"
    texts = [clause.text for clause in clauses]
    verb = "MERGE WITH SCHEMA EVOLUTION INTO" if schema_evolution else "MERGE INTO"
    return "\n".join([f"{verb} {into} USING {using}", f"ON {pinned}", *texts])


def update(
    table: str | Sequence[str], values: Values, *, where: Condition, alias: str | None = None
) -> str:
    """Returns the UPDATE of the rows for which a condition is true.

    Args:
        table: Name of the table: ``"db.orders"``, or its parts.
        values: New value of each column. Text and numbers are literals; `expression` gives SQL.
        where: Condition; ``"true"`` for all rows.
        alias: Alias of the table in the condition.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID``, with the name of the argument, when
            one cannot be written as SQL.

    Examples:
        >>> print(update("orders", {"state": "it is late"}, where={"id": 7, "day": None}))
        UPDATE orders SET state = 'it is late'
        WHERE id = 7 AND day IS NULL
    """
    changed = assignments(values, "values")
    return f"UPDATE {_named(table, alias)} SET {changed}\nWHERE {condition(where, 'where', alias)}"


def delete(table: str | Sequence[str], *, where: Condition, alias: str | None = None) -> str:
    """Returns the DELETE of the rows for which a condition is true.

    Args:
        table: Name of the table: ``"db.orders"``, or its parts.
        where: Condition; ``"true"`` for all rows.
        alias: Alias of the table in the condition.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID``, with the name of the argument, when
            one cannot be written as SQL.

    Examples:
        >>> delete("orders", where="amount < 0 OR state IS NULL")
        'DELETE FROM orders WHERE amount < 0 OR state IS NULL'
    """
    return f"DELETE FROM {_named(table, alias)} WHERE {condition(where, 'where', alias)}"


def _named(table: str | Sequence[str], alias: str | None) -> str:
    name = names.qualified(table, "table")
    return f"{name} AS {names.identifier(alias, 'alias')}" if alias else name


def _also(when: Condition | None) -> str:
    return "" if when is None else f" AND {condition(when, 'when')}"
