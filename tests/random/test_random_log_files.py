"""Random statements on merge-on-read tables, of versions 6 and 9: rows, counts, errors and files against the model.

After each statement the snapshot is compared, now and then earlier states too, and some tables are compacted.
Most MERGEs take the blind road where the table allows it. HUDILITE_SEED, HUDILITE_MODEL_TABLES and
HUDILITE_MODEL_STATEMENTS work as in test_random_statements.py.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.rotation import THIRDS, product
from harness.session import small_geometry
from model.log_statements import LogStatements, can_be_blind, is_compacted, log_shape
from model.rounds import SECONDS, SEED, Rounds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = int(os.environ.get("HUDILITE_MODEL_TABLES", "9"))
LEAST_BLIND = 45  # percent of the statements on two tables of three: 30 percent of all
DEADLINE: list[float] = []
WHEN = product("spark/merge/", "spark/exec/BlindWrites.scala", "core/commit/OwnLogs.scala")


def rotated(ordinal: int) -> pytest.MarkDecorator:
    """At each rotation three tables in a row: two on which a MERGE need not read the table, and one other.

    With the small geometry the first one of them.
    """
    if small_geometry() and ordinal % THIRDS:
        return pytest.mark.rotated(third=-1, when=WHEN)
    return pytest.mark.rotated(third=ordinal // THIRDS % THIRDS)


ORDINALS = [pytest.param(n, marks=rotated(n)) for n in range(TABLES)]


@pytest.mark.usefixtures("asked_geometry")
@pytest.mark.parametrize("ordinal", ORDINALS)
def test_random_statements_on_log_files(
    spark: SparkSession, database: Path, request: pytest.FixtureRequest, ordinal: int
) -> None:
    DEADLINE[:] = DEADLINE or [time.monotonic() + SECONDS]
    print(f"HUDILITE_SEED={SEED}")
    rng = random.Random(f"{SEED}:{ordinal}")
    shape = log_shape(rng, ordinal)
    if shape.buckets == 0:
        request.getfixturevalue("bloom_settings")(rng)
    stream = LogStatements(rng, "t", shape, compacts=is_compacted(ordinal))
    done = Rounds(spark, database, shape, stream, "log", ordinal, DEADLINE[0]).play()
    if not can_be_blind(shape):
        assert done.blind == done.unknown == 0
        return
    assert done.blind * 100 >= done.statements * LEAST_BLIND
    if shape.ordering is None and done.statements > 6:
        assert done.unknown > 0, "no task has left its file group unread"


def test_of_three_tables_in_a_row_two_can_be_blind() -> None:
    shapes = [log_shape(random.Random(f"{SEED}:{n}"), n) for n in range(90)]
    assert all(sum(map(can_be_blind, shapes[n : n + 3])) == 2 for n in range(0, 90, 3))
    assert {s.version for s in shapes} == {6, 9}
    assert {bool(s.partition) for s in shapes if can_be_blind(s)} == {True, False}
    ordered = {(s.version, s.buckets > 0) for s in shapes if s.ordering}
    assert ordered == {(6, True), (6, False), (9, True), (9, False)}
