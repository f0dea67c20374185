"""Which third of the rotated tests a commit runs, and from which seed its random tests begin."""

from __future__ import annotations

import os
import subprocess

from files import ROOT

THIRDS = 3


def rotation() -> int | None:
    """The third, 0 to 2, that runs: ROTATION, or the number of commits on HEAD modulo three.

    Returns:
        None where the history is not there as a whole: then every test runs.

    Raises:
        SystemExit: where ROTATION is neither 0, 1 nor 2.
    """
    asked = os.environ.get("ROTATION")
    if asked:
        if asked not in map(str, range(THIRDS)):
            raise SystemExit(f"ROTATION={asked}: write 0, 1 or 2")
        return int(asked)
    if _git("rev-parse", "--is-shallow-repository") != "false":
        return None
    count = _git("rev-list", "--count", "HEAD")
    return int(count) % THIRDS if count else None


def seed() -> str:
    """HUDILITE_SEED, or a number made of the commit, so that each commit explores and can be repeated."""
    head = _git("rev-parse", "HEAD")
    return os.environ.get("HUDILITE_SEED") or (str(int(head[:7], 16)) if head else "1")


def _git(*words: str) -> str | None:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None
