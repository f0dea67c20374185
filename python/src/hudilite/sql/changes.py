"""MERGE INTO, UPDATE and DELETE, as builders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hudilite.conditions import argument_error
from hudilite.sql import names
from hudilite.sql.expressions import Condition, assignments, condition, value

Values = Mapping[str | Sequence[str], object]


@dataclass(frozen=True)
class Clause:
    """One WHEN clause of a MERGE, made by `matched`, `not_matched` or `not_matched_by_source`."""

    text: str


@dataclass(frozen=True)
class When:
    """The rows that a WHEN clause is about; its methods say what becomes of them.

    Attributes:
        text: The clause up to THEN.
        updates: Whether these rows are in the table already.
        source: Whether the source has a row for them.
    """

    text: str
    updates: bool
    source: bool

    def update_all(self) -> Clause:
        """UPDATE SET *: all columns from the source.

        Raises:
            HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID where no source row is there to take.
        """
        self._fits("update_all", self.updates and self.source)
        return Clause(f"{self.text} THEN UPDATE SET *")

    def update(self, values: Values) -> Clause:
        """UPDATE SET: text and numbers are literals, `expression` and `column` give SQL.

        Raises:
            HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID for rows that are not there,
                or a value.
        """
        self._fits("update", self.updates)
        return Clause(f"{self.text} THEN UPDATE SET {assignments(values, 'values')}")

    def insert_all(self) -> Clause:
        """INSERT *: all columns from the source.

        Raises:
            HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID for rows that are there already.
        """
        self._fits("insert_all", not self.updates)
        return Clause(f"{self.text} THEN INSERT *")

    def insert(self, values: Mapping[str, object]) -> Clause:
        """INSERT of the columns named, with their values.

        Raises:
            HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID for rows that are there
                already, or a value.
        """
        self._fits("insert", not self.updates)
        columns = names.columns(values, "values")
        given = ", ".join(value(values[name], f"values[{name!r}]") for name in values)
        return Clause(f"{self.text} THEN INSERT ({columns}) VALUES ({given})")

    def delete(self) -> Clause:
        """DELETE of these rows.

        Raises:
            HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID for rows that are not there.
        """
        self._fits("delete", self.updates)
        return Clause(f"{self.text} THEN DELETE")

    def _fits(self, action: str, holds: bool) -> None:
        if not holds:
            raise argument_error("clauses", f"{action} does not go with {self.text}")


def matched(when: Condition | None = None) -> When:
    """Rows of the table that a source row matches, and where the condition holds."""
    return When(f"WHEN MATCHED{_also(when)}", updates=True, source=True)


def not_matched(when: Condition | None = None) -> When:
    """Source rows that match no row of the table, and where the condition holds."""
    return When(f"WHEN NOT MATCHED{_also(when)}", updates=False, source=True)


def not_matched_by_source(when: Condition | None = None) -> When:
    """Rows of the table that no source row matches, and where the condition holds."""
    return When(f"WHEN NOT MATCHED BY SOURCE{_also(when)}", updates=True, source=False)


def merge_into(
    table: str | Sequence[str],
    source: str | Sequence[str],
    *clauses: Clause,
    on: Condition | Sequence[str],
    alias: str = "t",
    source_alias: str = "s",
) -> str:
    """The statement that merges the rows of one table or view into a table.

    Args:
        table: ``"db.orders"``, or the parts of the name.
        source: Name of the table or view whose rows come in.
        *clauses: For each row the first clause that fits decides.
        on: Columns that both sides have, as a list; or a condition over both aliases.
        alias: Name of the table's rows in conditions.
        source_alias: Name of the source's rows in conditions.

    Raises:
        HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID, naming the argument.

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
        raise argument_error("clauses", "a MERGE has one clause or more")
    ours, theirs = names.identifier(alias, "alias"), names.identifier(source_alias, "source_alias")
    if isinstance(on, Sequence) and not isinstance(on, str):
        columns = [names.column(name, "on") for name in names.listed(on, "on")]
        pinned = " AND ".join(f"{ours}.{name} = {theirs}.{name}" for name in columns)
    else:
        pinned = condition(on, "on", alias)
    into = f"{names.qualified(table, 'table')} AS {ours}"
    using = f"{names.qualified(source, 'source')} AS {theirs}"
    texts = [clause.text for clause in clauses]
    return "\n".join([f"MERGE INTO {into} USING {using}", f"ON {pinned}", *texts])


def update(
    table: str | Sequence[str], values: Values, *, where: Condition, alias: str | None = None
) -> str:
    """The statement that changes columns of the rows that a condition picks.

    Args:
        table: ``"db.orders"``, or the parts of the name.
        values: Column to value; text and numbers are literals, `expression` gives SQL.
        where: Which rows; ``"true"`` for all.
        alias: Name of the table's rows in the condition.

    Raises:
        HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID, naming the argument.

    Examples:
        >>> print(update("orders", {"state": "it is late"}, where={"id": 7, "day": None}))
        UPDATE orders SET state = 'it is late'
        WHERE id = 7 AND day IS NULL
    """
    changed = assignments(values, "values")
    return f"UPDATE {_named(table, alias)} SET {changed}\nWHERE {condition(where, 'where', alias)}"


def delete(table: str | Sequence[str], *, where: Condition, alias: str | None = None) -> str:
    """The statement that removes the rows that a condition picks.

    Args:
        table: ``"db.orders"``, or the parts of the name.
        where: Which rows; ``"true"`` for all.
        alias: Name of the table's rows in the condition.

    Raises:
        HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID, naming the argument.

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
