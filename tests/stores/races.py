"""Races of processes for the name of a file; HUDILITE_RACE_ROUNDS is their number on each server."""

from __future__ import annotations

import os
from collections.abc import Sequence

from harness.rotation import rotation
from harness.store_calls import Caller, together

ASKED = os.environ.get("HUDILITE_RACE_ROUNDS")
ROUNDS = int(ASKED or 400)  # on the main server
FEWER = int(ASKED or 100)  # on each other server


def rounds(of: int, in_test: int = 0) -> int:
    """All in `make test-all`; in `make test` a sixteenth, or the number given."""
    return of if rotation() is None else in_test or of // 16


def race(racers: Sequence[Caller], name: str, call: str = "createNew") -> list[str]:
    """The answers of all racers to the creation of one file, each with its own number as bytes."""
    return together(racers, call, racers[0].url(name), "{}")


def check_one_winner(racers: Sequence[Caller], name: str, answers: Sequence[str]) -> None:
    """One has created the file, and it holds its bytes."""
    assert sorted(answers) == [*["false"] * (len(racers) - 1), "true"], answers
    assert racers[0].call("read", racers[0].url(name)) == str(answers.index("true"))
