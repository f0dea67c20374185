"""The seed of random tests."""

from __future__ import annotations

import os
import random

PUSH = 20261121


def asked_seed() -> int:
    """HUDILITE_SEED as a number, or `random` for one that nobody has seen; else always the same.

    A push tells whether the change broke what held before; new seeds are for `make faults` and for
    longer runs of the random suites, whose finds become golden files.
    """
    asked = os.environ.get("HUDILITE_SEED", "")
    if asked == "random":
        return random.SystemRandom().randrange(2**32)
    return int(asked or PUSH)
