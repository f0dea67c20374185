"""Result types of the lineage."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Origin:
    """Column that a value comes from.

    Attributes:
        relation: ``"source"`` or ``"target"``.
        column: Column name; for a struct field its path, with dots.
    """

    relation: str
    column: str

    def __str__(self) -> str:
        """Returns relation and column, such as ``source.amount``."""
        return f"{self.relation}.{self.column}"


@dataclass(frozen=True)
class Assigned:
    """Target column that a clause writes.

    Attributes:
        column: Column name; for a struct field its path, with dots.
        origins: Columns that the value comes from, each once, in the order of the text; empty for a
            constant and for DEFAULT.
        expression: The value as SQL.
    """

    column: str
    origins: tuple[Origin, ...]
    expression: str


@dataclass(frozen=True)
class Clause:
    """WHEN clause.

    Attributes:
        number: Position in the MERGE, from 1.
        when: ``"MATCHED"``, ``"NOT MATCHED"`` or ``"NOT MATCHED BY SOURCE"``.
        action: ``"UPDATE"``, ``"INSERT"`` or ``"DELETE"``.
        condition: Columns in the clause's own condition, which is checked besides ON.
        columns: Columns that it writes; empty for DELETE.
    """

    number: int
    when: str
    action: str
    condition: tuple[Origin, ...]
    columns: tuple[Assigned, ...]


@dataclass(frozen=True)
class Merged:
    """MERGE of a script.

    Attributes:
        line: Line in which it begins, from 1.
        target: Name of the table, as SQL writes it.
        clauses: WHEN clauses, in the order of the text.
    """

    line: int
    target: str
    clauses: tuple[Clause, ...]
