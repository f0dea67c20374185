"""The part of a list that one run of `make test` takes: three runs in a row see all of it.

The runner says which part by the environment, as tests/tools/plugins/rotation.py has it for whole tests.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable
from typing import TypeVar

THIRDS = 3
T = TypeVar("T")


def rotation() -> int | None:
    """The third that this run takes, 0 to 2; None when it takes everything.

    So does whatever is not `make test` (HUDILITE_TIER), and one that knows no rotation.
    """
    asked = os.environ.get("HUDILITE_ROTATION", "")
    return int(asked) if os.environ.get("HUDILITE_TIER") == "test" and asked.isdigit() else None


def third(items: Iterable[T], key: Callable[[T], str] | None = None) -> list[T]:
    """The items of this rotation, or all of them; the order stays.

    Args:
        key: A text of an item that never changes, for a list that others are put into; without it
            the item's place in the list decides, which makes thirds of equal size.
    """
    taken, now = list(items), rotation()
    if now is None:
        return taken
    turns = range(len(taken)) if key is None else (zlib.crc32(key(i).encode()) for i in taken)
    return [item for item, turn in zip(taken, turns, strict=True) if turn % THIRDS == now]


def share(count: int) -> int:
    """Of what three runs must show together, what this one must; all of it when it takes everything."""
    return count if rotation() is None else -(-count // THIRDS)
