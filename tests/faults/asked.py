"""What the run was asked for, by the environment."""

from __future__ import annotations

import os
import random

from points import Point, parse_point

from harness.seeds import asked_seed

LONG = os.environ.get("HUDILITE_FAULT_PROFILE", "short") == "long"
EACH = int(os.environ.get("HUDILITE_FAULT_EACH", "1"))
UPDATE = "HUDILITE_FAULT_UPDATE" in os.environ
POINTS = [parse_point(text) for text in os.environ.get("HUDILITE_FAULT_POINT", "").split()]
SEED = asked_seed()


def points_of(statement: str, action: str) -> list[Point]:
    """The named points of a statement and an action."""
    return [point for point in POINTS if (point.statement, point.action) == (statement, action)]


def rng_of(*parts: str) -> random.Random:
    """A source of choices that the seed and some words decide."""
    return random.Random(" ".join([str(SEED), *parts]))
