"""A process that dies while several tasks merge a base file leaves the table as before or as after."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from asked import LONG, SEED, rng_of
from points import Call, Point
from runs import Enumeration, Outcome
from script import BY_NAME, ORIGINAL

from harness import layout
from harness.rotation import ninth, product
from harness.session import ROW_GROUP_ROWS, SPLIT_ABOVE
from model.relations import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    ninth(0, when=product("spark/merge/", "spark/exec/")),
    pytest.mark.timeout(3600 if LONG else 600),
]
MERGE = BY_NAME["merge"]
STATES = [ORIGINAL, MERGE.after(ORIGINAL)]
FEW = 3
CONF = {
    ROW_GROUP_ROWS: "2",
    SPLIT_ABOVE: "1",
    "spark.sql.leafNodeDefaultParallelism": "3",
    "spark.hudilite.write.rollbackAfter": "0s",
}


@pytest.fixture(scope="module")
def splits(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Enumeration]:
    """Tables of two-row row groups, of which several tasks merge each base file."""
    with settings(spark, CONF):
        yield Enumeration(spark, tmp_path_factory.mktemp("splits"))


def commit_point(made: list[Call]) -> int:
    return next(k for k, call in enumerate(made, 1) if str(call) == "driver createNew NUMBER")


def strays(place: Path) -> list[str]:
    """Base files of no commit, as parts are."""
    done = layout.completed(place)
    return [found.path.name for found in layout.base_files(place) if found.instant not in done]


def test_the_disk_before_an_operation_is_before_or_after(splits: Enumeration) -> None:
    print(f"HUDILITE_SEED={SEED}")
    made, images = splits.images(MERGE)
    written = {call.path for call in made if call.role == "task" and call.kind == "DATA"}
    assert len(written) > 3 * 8, "eight base files were not written in parts"
    point = commit_point(made)
    chosen = range(1, len(made) + 1) if LONG else rng_of("split").sample(range(1, point), FEW)
    for k in sorted({*chosen, point, point + 1}):
        outcome = Outcome(Point("merge", k, "image"), str(made[k - 1]), "raised", "image", "")
        splits.judge(outcome, MERGE, images / str(k), STATES, rust=False)
        assert outcome.broken == []
        assert outcome.state == ("before" if k <= point else "after"), outcome
        assert strays(images / str(k)) == []
    shutil.rmtree(images)


@pytest.mark.parametrize("action", ["throw", "applythrow", "sticky"])
def test_a_fault_of_an_operation_leaves_before_or_after(splits: Enumeration, action: str) -> None:
    print(f"HUDILITE_SEED={SEED}")
    able = range(1, commit_point(splits.clean(MERGE)))
    for k in able if LONG else sorted(rng_of("split", action).sample(able, FEW)):
        outcome = splits.run(Point("merge", k, action))
        assert outcome.broken == []
