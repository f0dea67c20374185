"""The seed of random tests."""

from __future__ import annotations

import os
import random

USUAL = 20261121


def asked_seed() -> int:
    """HUDILITE_SEED as a number, or `random` for one that nobody has seen; else always the same.

    `make test` sets it to a number made of the commit: each commit explores, and can be repeated.
    """
    asked = os.environ.get("HUDILITE_SEED", "")
    if asked == "random":
        return random.SystemRandom().randrange(2**32)
    return int(asked or USUAL)
