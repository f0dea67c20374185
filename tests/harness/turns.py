"""What of a test runs at one rotation of `make test`: rounds of it, or all when the change touches its sources."""

from __future__ import annotations

from pathlib import Path

from harness.rotation import THIRDS, rotation

ROOT = Path(__file__).resolve().parents[2]
ROOMS = {
    "core": "sql-extension/core/src/main/scala/hudilite",
    "spark": "sql-extension/spark/src/main/scala/hudilite/spark",
    "procedures": "procedures/src/main/scala/hudilite/procedures",
}


def turns(rounds: int) -> range:
    """The numbers of the rounds that run now: of three rotations in a row each has its own."""
    now = rotation()
    if now is None:
        return range(rounds)
    return range(rounds * now // THIRDS, rounds * (now + 1) // THIRDS)


def product(*places: str) -> tuple[str, ...]:
    """Paths from the root of files and folders of the product, for `rotated(when=...)`.

    Args:
        places: Each a room and what lies below it; a folder ends in a slash.
    """
    paths = tuple(f"{ROOMS[room]}/{rest}" for room, _, rest in (p.partition("/") for p in places))
    lost = [path for path in paths if not (ROOT / path).exists()]
    assert lost == [], "what a test is about was moved: its marker knows the old place"
    return paths
