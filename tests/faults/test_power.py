"""Power that is lost: what was not forced to the disk is gone, and the table is before or after."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import ledger
import pytest
from asked import LONG, SEED, rng_of
from points import Call, Point
from runs import Enumeration, Outcome
from script import BY_NAME, EMPTY, ORIGINAL

pytestmark = pytest.mark.rotated(third=2)


def lose(original: Path, image: Path, made: list[Call], rng: random.Random) -> int:
    """Takes from a table's image what nobody had forced; the number of base files among it.

    A base file is forced by a call of its own; Storage forces what it creates, but for markers.
    """
    forced = {Path(call.path).name for call in made if call.operation == "fsync"}
    lost = 0
    for path in [path for path in image.rglob("*") if path.is_file()]:
        if (original / path.relative_to(image)).exists():
            continue
        if ".temp" in path.parts or path.suffix == ".crc":
            path.unlink()
        elif path.suffix == ".parquet" and path.name not in forced:
            data = path.read_bytes()
            path.write_bytes(data[: rng.randrange(len(data) or 1)])
            lost += 1
    return lost


def chosen(made: list[Call]) -> list[int]:
    """The operations on either side of the commit point, and one while a base file is open."""
    number = next(k for k, call in enumerate(made, 1) if str(call) == "driver createNew NUMBER")
    closes = [k for k, call in enumerate(made, 1) if call.operation == "close"]
    if LONG:
        return list(range(1, len(made) + 1))
    return [rng_of("power").choice(closes) + 1, number, number + 1]


@pytest.mark.fault("F17")
@pytest.mark.timeout(3600 if LONG else 600)
@pytest.mark.parametrize("name", ["merge", "bootstrap"])
def test_bytes_that_were_not_forced_may_go(
    enumeration: Enumeration, name: str, tmp_path: Path
) -> None:
    """Up to the creation of the number the table is as it was; then no byte that counts is lost."""
    print(f"HUDILITE_SEED={SEED}")
    statement = BY_NAME[name]
    made, images = enumeration.images(statement)
    original = tmp_path if statement.creates else enumeration.original
    states = [EMPTY if statement.creates else ORIGINAL, statement.after(ORIGINAL)]
    rng, lost, wrong = rng_of("power", "bytes"), [], []
    for k in chosen(made):
        lost.append(lose(original, images / str(k), made[: k - 1], rng))
        outcome = Outcome(Point(name, k, "image"), str(made[k - 1]), "raised", "power", "")
        enumeration.judge(outcome, statement, images / str(k), states, rust=False)
        taken = any(str(call) == "driver createNew NUMBER" for call in made[: k - 1])
        if outcome.state != ("after" if taken else "before"):
            outcome.broken.append(f"{outcome.state} the statement")
        print(outcome, f"{lost[-1]} base files lost")
        wrong += ledger.note([outcome])
    shutil.rmtree(images)
    assert wrong == []
    assert any(lost), "no base file was lost: nothing was tested"
