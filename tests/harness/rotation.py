"""The part that one run of `make test` takes of what is rotated: three runs in a row take all of it.

Of what is rare (slow tests of which `make test` affords few) nine runs in a row take all. The runner says
which part by HUDILITE_TIER, HUDILITE_ROTATION and HUDILITE_ROUND. Whole tests are chosen by the plugin
tests/tools/plugins/rotation.py, parts of a test by the functions here.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import pytest

THIRDS = 3
ROOT = Path(__file__).resolve().parents[2]
ROOMS = {
    "core": "sql-extension/core/src/main/scala/hudilite",
    "spark": "sql-extension/spark/src/main/scala/hudilite/spark",
    "procedures": "procedures/src/main/scala/hudilite/procedures",
}
JVM = tuple(f"{folder}/" for folder in ROOMS.values())  # all code of the product that runs in a JVM
T = TypeVar("T")


def rotation() -> int | None:
    """The third that this run takes, 0 to 2; None when it takes everything.

    A run takes everything when it is not `make test` (HUDILITE_TIER), or knows no rotation.
    """
    asked = os.environ.get("HUDILITE_ROTATION", "")
    return int(asked) if os.environ.get("HUDILITE_TIER") == "test" and asked.isdigit() else None


def third_of(key: str) -> int:
    """The rotation, 0 to 2, of what has a name: the same one for as long as the name stays."""
    return zlib.crc32(key.encode()) % THIRDS


def is_in_round(key: str, pinned: int | None = None) -> bool:
    """Whether a rare test of this rotation runs in this round of three commits, of three rounds.

    True where the runner names no round, as while mutants run.

    Args:
        key: The name of the test, which decides where no round is given.
        pinned: The round of our choice.
    """
    asked = os.environ.get("HUDILITE_ROUND", "")
    own = zlib.crc32(key.encode()) // THIRDS % THIRDS if pinned is None else pinned
    return not asked.isdigit() or own == int(asked)


def ninth(number: int, when: tuple[str, ...] = ()) -> pytest.MarkDecorator:
    """The mark of rare tests that run at one of nine commits of our choice, with all that they share.

    Args:
        number: 0 to 8, the number of commits on HEAD modulo nine; a greater one begins at 0 again.
        when: Files and folders whose changes run the tests at once.
    """
    turn = number % THIRDS, number // THIRDS % THIRDS
    return pytest.mark.rotated(rare=True, third=turn[0], round=turn[1], when=when)


def third(items: Iterable[T], key: Callable[[T], str] | None = None) -> list[T]:
    """The items of this rotation, or all of them, in their order.

    Args:
        items: What a test goes through.
        key: Gives the name of an item, for a list into which others are put later; without it
            the item's place in the list decides, which makes thirds of equal size.
    """
    taken, now = list(items), rotation()
    if now is None:
        return taken
    places = range(len(taken)) if key is None else (third_of(key(item)) for item in taken)
    return [item for item, place in zip(taken, places, strict=True) if place % THIRDS == now]


def share(count: int) -> int:
    """How much of a count that three runs must reach together this run must reach: a third, rounded up.

    All of it when the run takes everything.
    """
    return count if rotation() is None else -(-count // THIRDS)


def turns(rounds: int) -> range:
    """The numbers of the rounds of this rotation, which follow each other; all when the run takes everything."""
    now = rotation()
    if now is None:
        return range(rounds)
    return range(rounds * now // THIRDS, rounds * (now + 1) // THIRDS)


def product(*places: str) -> tuple[str, ...]:
    """Paths from the root of files and folders of the product, for `rotated(when=...)`.

    Args:
        places: Each a room (core, spark or procedures) and what lies below it; a folder ends in a slash.

    Raises:
        AssertionError: where there is no such file or folder.
    """
    paths = tuple(f"{ROOMS[room]}/{rest}" for room, _, rest in (p.partition("/") for p in places))
    lost = [path for path in paths if not (ROOT / path).exists()]
    assert lost == [], "what a test is about was moved: its marker knows the old place"
    return paths
