"""The fewest statements, clauses and rows that still show a defect: delta debugging.

Each trial runs a whole list on a fresh table, which takes the engine a second a statement: too dear
for hypothesis, which asks for hundreds. Here large parts are tried first, and time is bounded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from model.oracle import Clause
from model.texts import Statement

Script = tuple[Statement, ...]
Item = TypeVar("Item")


class Shrinker:
    """Shrinks a list of statements while one judgement stays the same.

    Args:
        judge: Plays a list on a fresh table: how it disagrees with the model, None if it does not.
        what: The judgement to keep, so that no other defect takes the place of the first.
        seconds: After which what has been reached is the answer.
    """

    def __init__(
        self,
        judge: Callable[[Script], str | None],
        what: str,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._judge, self._what, self._clock = judge, what, clock
        self._deadline = clock() + seconds
        self.trials = 0

    def shrink(self, script: Sequence[Statement]) -> Script:
        """Drops statements, then parts of each, until nothing more can go or time is up."""
        held: Script = ()
        reached = tuple(script)
        while held != reached and self._clock() < self._deadline:
            held = reached
            reached = fewer(reached, self._shows)
            for index in range(len(reached)):
                reached = self._lean(reached, index)
        return reached

    def _shows(self, script: Script) -> bool:
        if not script or self._clock() >= self._deadline:
            return False
        self.trials += 1
        return self._judge(script) == self._what

    def _lean(self, script: Script, index: int) -> Script:
        """The script with parts of one statement dropped."""

        def with_parts(**parts: Any) -> Script:
            return (*script[:index], replace(script[index], **parts), *script[index + 1 :])

        if script[index].kind == "merge":
            kept = fewer(
                script[index].clauses,
                lambda some: bool(some) and self._shows(with_parts(clauses=some)),
            )
            script = with_parts(clauses=kept)
        rows = fewer(script[index].rows, lambda some: self._shows(with_parts(rows=some)))
        script = with_parts(rows=rows)
        if script[index].hint and self._shows(with_parts(hint="")):
            script = with_parts(hint="")
        position = 0
        while position < len(script[index].clauses):
            for plainer in _plainer(script[index].clauses, position):
                if self._shows(with_parts(clauses=plainer)):
                    script = with_parts(clauses=plainer)
                    break
            else:
                position += 1
        return script


def fewer(items: tuple[Item, ...], holds: Callable[[tuple[Item, ...]], bool]) -> tuple[Item, ...]:
    """The items without those that `holds` can spare: all of them, halves, quarters, single ones."""
    size = len(items)
    while size:
        at = 0
        while at < len(items):
            shorter = items[:at] + items[at + size :]
            if holds(shorter):
                items = shorter
            else:
                at += size
        size //= 2
    return items


def _plainer(clauses: tuple[Clause, ...], position: int) -> Iterator[tuple[Clause, ...]]:
    """The clauses with one of them simpler: no condition, or an assignment less."""

    def with_clause(clause: Clause) -> tuple[Clause, ...]:
        return (*clauses[:position], clause, *clauses[position + 1 :])

    clause = clauses[position]
    last = all(later.when != clause.when for later in clauses[position + 1 :])
    if clause.condition is not None and last:  # before others of its kind it must have one
        yield with_clause(replace(clause, condition=None))
    if clause.action == "update" and not clause.star and len(clause.values) > 1:
        for name in clause.values:
            kept = {n: value for n, value in clause.values.items() if n != name}
            yield with_clause(replace(clause, values=kept))
