"""Statements on the model and on a side that it judges, and the form in which they disagree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from model.oracle import Counts, ModelTable, Refused, Shape
from model.statements import apply
from model.texts import Statement

Told = Counts | set[str]


class Disagreement(AssertionError):
    """A side is not what the model says.

    Attributes:
        what: In a few words, the same for the same defect while the statements around it go.
    """

    def __init__(self, what: str, how: str) -> None:
        super().__init__(f"{what}: {how}")
        self.what = what


class Side(Protocol):
    """What the model judges: the engine, or in a test of the tests something wrong on purpose."""

    def round(self, number: int, statement: Statement, told: Told, model: ModelTable) -> None:
        """Runs one statement.

        Args:
            told: What the model answers: counts, or the conditions of which one must come.
            model: As it is after the statement.

        Raises:
            Disagreement: when the side answers or holds something else.
        """


def expected(model: ModelTable, number: int, statement: Statement) -> Told:
    """Runs a statement on the model; the conditions when it refuses."""
    try:
        return apply(model, number, statement)
    except Refused as refused:
        return refused.conditions


def play(shape: Shape, script: Sequence[Statement], side: Side) -> str | None:
    """Plays a list of statements from an empty table; how the two disagree, None if they do not."""
    model = ModelTable(shape)
    try:
        for number, statement in enumerate(script):
            side.round(number, statement, expected(model, number, statement), model)
    except Disagreement as found:
        return found.what
    return None
