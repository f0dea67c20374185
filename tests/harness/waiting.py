"""Waiting for what another process or thread does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def await_true(
    what: Callable[[], Found], seconds: float = 30, missing: str = "it did not come"
) -> Found:
    """Calls a function until its value is true, and returns that value.

    Args:
        what: The function.
        seconds: Longest time to wait.
        missing: Text of the error.

    Raises:
        AssertionError: If no value was true until then.
    """
    ends = time.monotonic() + seconds
    while True:
        found = what()
        if found:
            return found
        assert time.monotonic() < ends, missing
        time.sleep(0.05)
