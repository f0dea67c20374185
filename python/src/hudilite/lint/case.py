"""Input and output types of a lint rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hudilite.script.merges import Merge
from hudilite.script.text import Place, Statement


@dataclass(frozen=True)
class Case:
    """Statement to check, with the tables known from the caller and earlier statements.

    Attributes:
        statement: The statement, well-formed.
        merge: Parts of the statement, if it is a MERGE.
        procedures: Argument names of each procedure that can be called.
    """

    statement: Statement
    merge: Merge | None
    procedures: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Fault:
    """Fault that a rule reports: its place, what is wrong, and what to do."""

    place: Place
    message: str
    fix: str


Rule = Callable[[Case], Iterator[Fault]]
