"""What the lineage of a MERGE tells."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Origin:
    """A column that a value is made of.

    Attributes:
        relation: ``"source"`` or ``"target"``.
        column: Its name; a field of a struct has the dots of its path.
    """

    relation: str
    column: str

    def __str__(self) -> str:
        """``source.amount``."""
        return f"{self.relation}.{self.column}"


@dataclass(frozen=True)
class Assigned:
    """A column of the target that a clause writes.

    Attributes:
        column: Its name; a field of a struct has the dots of its path.
        origins: What the value is made of, each once, in the order of the text; empty for a
            constant and for DEFAULT.
        expression: The value as SQL.
    """

    column: str
    origins: tuple[Origin, ...]
    expression: str


@dataclass(frozen=True)
class Clause:
    """A WHEN clause.

    Attributes:
        number: From 1, in the order of the text.
        when: ``"MATCHED"``, ``"NOT MATCHED"`` or ``"NOT MATCHED BY SOURCE"``.
        action: ``"UPDATE"``, ``"INSERT"`` or ``"DELETE"``.
        condition: What decides whether a row takes the clause, beside ON.
        columns: What it writes; nothing for DELETE.
    """

    number: int
    when: str
    action: str
    condition: tuple[Origin, ...]
    columns: tuple[Assigned, ...]


@dataclass(frozen=True)
class Merged:
    """A MERGE of a script.

    Attributes:
        line: Where it begins, from 1.
        target: Name of the table as SQL writes it.
        clauses: Its WHEN clauses, in the order of the text.
    """

    line: int
    target: str
    clauses: tuple[Clause, ...]
