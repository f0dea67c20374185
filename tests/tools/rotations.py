"""Which third of the rotated tests a commit runs, and from which seed its random tests begin."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from files import git

from harness.rotation import THIRDS

ROTATIONS = range(THIRDS)


def rotation() -> int | None:
    """The third, 0 to 2, that runs: ROTATION, or the number of commits on HEAD modulo three.

    Returns:
        None where the history is not there as a whole: then every test runs.

    Raises:
        SystemExit: where ROTATION is neither 0, 1 nor 2.
    """
    asked = os.environ.get("ROTATION")
    if asked:
        if asked not in map(str, ROTATIONS):
            raise SystemExit(f"ROTATION={asked}: write 0, 1 or 2")
        return int(asked)
    count = _commits()
    return None if count is None else count % THIRDS


def commits_round() -> str:
    """The round, 0 to 2, of three commits in a row: in one of the three a test that is rare runs.

    Returns:
        An empty text where the history is not there as a whole: then every round runs.
    """
    count = _commits()
    return "" if count is None else str(count // THIRDS % THIRDS)


def _commits() -> int | None:
    """The number of commits on HEAD; None where the history is not there as a whole."""
    if git("rev-parse", "--is-shallow-repository") != "false":
        return None
    count = git("rev-list", "--count", "HEAD")
    return int(count) if count else None


def seed() -> str:
    """HUDILITE_SEED, or a number made of the commit, so that each commit explores and can be repeated."""
    head = git("rev-parse", "HEAD")
    return os.environ.get("HUDILITE_SEED") or (str(int(head[:7], 16)) if head else "1")
