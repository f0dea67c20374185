"""A statement as oracle input, and the SQL text of the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from model import expressions as ex
from model.oracle import Clause, Row, Shape


@dataclass(frozen=True)
class Statement:
    """What a statement says, from which the oracle and `sql` work alike, so that parts can go.

    Attributes:
        kind: `change` is an UPDATE or a DELETE, as its one clause says.
        rows: Of the source.
        on: Of a MERGE, or the condition of REPLACE WHERE, over the table's columns.
        held: Values of the partition that INSERT OVERWRITE names; None for the whole table.
        hint: Within the source's SELECT.
        tail: Behind the source's rows, which are `q`.
        latest: Columns by which an ordering field chooses among the source rows.
        is_blind: A MERGE that need not read the table.
    """

    table: str
    shape: Shape
    kind: Literal["insert", "overwrite", "replace", "change", "merge", "compact"]
    rows: tuple[Row, ...] = ()
    on: ex.Expression | None = None
    clauses: tuple[Clause, ...] = ()
    held: tuple[Any, ...] | None = None
    hint: str = ""
    tail: str = ""
    latest: tuple[str, ...] = ()
    is_blind: bool = False

    @property
    def sql(self) -> str:
        """Its text."""
        if self.kind == "insert":
            return f"INSERT INTO {self.table} {self._source}"
        if self.kind == "overwrite":
            return self._overwrite_sql()
        if self.kind == "replace":
            assert self.on is not None
            where = self.on.sql.replace("t.", "")  # the table has no alias there
            return f"INSERT INTO {self.table} REPLACE WHERE {where} {self._source}"
        if self.kind == "change":
            return self._change_sql()
        if self.kind == "compact":
            return f"CALL compact(table => '{self.table}')"
        assert self.on is not None
        whens = "\n".join(_clause_sql(clause) for clause in self.clauses)
        return f"MERGE INTO {self.table} t USING ({self._source}) s ON {self.on.sql}\n{whens}"

    @property
    def _source(self) -> str:
        return source_sql(self.shape, self.rows, self.hint, self.tail)

    def _overwrite_sql(self) -> str:
        if self.held is None:
            return f"INSERT OVERWRITE {self.table} {self._source}"
        (column,), (value,) = self.shape.partition, self.held
        literal = "NULL" if value is None else ex.literal_sql(value, "string")
        names = ", ".join(c.name for c in self.shape.columns if c.name != column)
        return (
            f"INSERT OVERWRITE {self.table} PARTITION ({column} = {literal}) "
            f"SELECT {names} FROM ({self._source})"
        )

    def _change_sql(self) -> str:
        (clause,) = self.clauses
        where = "" if clause.condition is None else f" WHERE {clause.condition.sql}"
        if clause.action == "delete":
            return f"DELETE FROM {self.table} t{where}"
        return f"UPDATE {self.table} t SET {_assigned(clause)}{where}"


def create_sql(name: str, shape: Shape) -> str:
    """CREATE TABLE of a shape."""
    columns = ", ".join(f"{c.name} {ex.SQL_TYPES[c.kind]}" for c in shape.columns)
    on = "" if shape.hash_fields == shape.key else f" ON ({', '.join(shape.hash_fields)})"
    parted = f" PARTITIONED BY ({', '.join(shape.partition)})" if shape.partition else ""
    buckets = f" WITH BUCKETS {shape.buckets}{on}" if shape.buckets else ""
    properties = ", ".join(f"'{name}' = '{value}'" for name, value in _properties(shape).items())
    told = f" TBLPROPERTIES ({properties})" if properties else ""
    return (
        f"CREATE TABLE {name} ({columns}, PRIMARY KEY ({', '.join(shape.key)})) "
        f"USING hudilite{parted}{buckets}{told}"
    )


def _properties(shape: Shape) -> dict[str, str]:
    told = {
        "hudilite.index.global": "true" if shape.one_scope else None,
        "type": "mor" if shape.merge_on_read else None,
        "preCombineField": shape.ordering,
        "hoodie.table.version": None if shape.version is None else str(shape.version),
    }
    return {name: value for name, value in told.items() if value is not None}


def source_sql(shape: Shape, rows: Sequence[Row], hint: str = "", tail: str = "") -> str:
    """A SELECT of rows."""
    names = ", ".join(c.name for c in shape.columns)
    if not rows:
        nulls = ", ".join(f"{ex.literal_sql(None, c.kind)} {c.name}" for c in shape.columns)
        return f"SELECT {nulls} WHERE false"
    tuples = ", ".join(
        "(" + ", ".join(ex.literal_sql(row[c.name], c.kind) for c in shape.columns) + ")"
        for row in rows
    )
    return f"SELECT {hint}q.* FROM VALUES {tuples} AS q({names}){tail}"


def _clause_sql(clause: Clause) -> str:
    condition = "" if clause.condition is None else f" AND {clause.condition.sql}"
    return f"WHEN {clause.when.upper()}{condition} THEN {_action_sql(clause)}"


def _action_sql(clause: Clause) -> str:
    if clause.action == "delete":
        return "DELETE"
    if clause.star:
        return "UPDATE SET *" if clause.action == "update" else "INSERT *"
    if clause.action == "update":
        return f"UPDATE SET {_assigned(clause)}"
    names = ", ".join(clause.values)
    return f"INSERT ({names}) VALUES ({', '.join(e.sql for e in clause.values.values())})"


def _assigned(clause: Clause) -> str:
    return ", ".join(f"{name} = {value.sql}" for name, value in clause.values.items())
