"""What a rule looks at, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hudilite.script.merges import Merge
from hudilite.script.text import Place, Statement


@dataclass(frozen=True)
class Case:
    """One statement, with what the statements before it and the caller told.

    Attributes:
        statement: It, well formed.
        merge: Its parts, when it is a MERGE.
        procedures: Names of the arguments of each procedure that can be called.
    """

    statement: Statement
    merge: Merge | None
    procedures: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Fault:
    """What a rule says: where, what is wrong, what to do."""

    place: Place
    message: str
    fix: str


Rule = Callable[[Case], Iterator[Fault]]
