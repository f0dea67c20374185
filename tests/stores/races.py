"""Races of processes for the name of a file."""

from __future__ import annotations

from collections.abc import Sequence

from harness.rotation import rotation
from harness.store_calls import Caller, together

ROUNDS = 400


def rounds(of: int) -> int:
    """All in `make test-all`, a sixteenth in `make test`."""
    return of if rotation() is None else of // 16


def race(racers: Sequence[Caller], name: str, call: str = "createNew") -> list[str]:
    """The answers of all racers to the creation of one file, each with its own number as bytes."""
    return together(racers, call, racers[0].url(name), "{}")


def check_one_winner(racers: Sequence[Caller], name: str, answers: Sequence[str]) -> None:
    """One has created the file, and it holds its bytes."""
    assert sorted(answers) == [*["false"] * (len(racers) - 1), "true"], answers
    assert racers[0].call("read", racers[0].url(name)) == str(answers.index("true"))
