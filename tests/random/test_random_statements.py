"""Random statements of every kind on random tables: rows, counts, errors, files against the model.

HUDILITE_SEED repeats a run, `random` is a new one; HUDILITE_MODEL_TABLES and HUDILITE_MODEL_STATEMENTS widen it.
A list that fails is shrunk, within HUDILITE_SHRINK_SECONDS a run, to a file `.build/repro_<seed>_<table>.sql`.
"""

from __future__ import annotations

import os
import random
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.golden import parse_golden
from harness.rotation import THIRDS
from harness.runner import run_golden
from harness.session import small_geometry
from model.duel import expected
from model.oracle import ModelTable, Shape
from model.repro import repro_text
from model.rounds import SECONDS, SEED, Rounds
from model.shrinking import Script
from model.statements import Statements, random_shape

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = int(os.environ.get("HUDILITE_MODEL_TABLES", "6"))
DEADLINE: list[float] = []

# At each rotation two of six tables, one with buckets and one without; all of them, at one rotation,
# with the small geometry, of which the tables together must show that they have it.
SMALL = 1
ORDINALS = [
    pytest.param(n, marks=pytest.mark.rotated(third=SMALL if small_geometry() else n % THIRDS))
    for n in range(TABLES)
]


@pytest.mark.usefixtures("asked_geometry")
@pytest.mark.parametrize("ordinal", ORDINALS)
def test_random_statements(
    spark: SparkSession, database: Path, request: pytest.FixtureRequest, ordinal: int
) -> None:
    DEADLINE[:] = DEADLINE or [time.monotonic() + SECONDS]
    print(f"HUDILITE_SEED={SEED}")
    rng = random.Random(SEED * 1000 + ordinal)
    shape = random_shape(rng)
    if ordinal % 2:
        shape = replace(shape, buckets=0)
        request.getfixturevalue("bloom_settings")(rng)
    if shape.partition and ordinal % 4 in (1, 2):
        shape = replace(shape, one_scope=True)
    stream = Statements(rng, "t", shape)
    Rounds(spark, database, shape, stream, "", ordinal, DEADLINE[0]).play()


def test_shapes_cover_partitions_and_composite_keys() -> None:
    shapes: list[Shape] = [random_shape(random.Random(SEED * 1000 + i)) for i in range(200)]
    assert any(shape.partition for shape in shapes)
    assert any(len(shape.key) > 1 and shape.hash_fields != shape.key for shape in shapes)


@pytest.mark.rotated(third=SMALL)
def test_the_file_of_a_failure_runs_and_returns_its_rows(
    spark: SparkSession, tmp_path: Path
) -> None:
    rng = random.Random(SEED)
    shape = random_shape(rng)
    stream, model = Statements(rng, "t", shape), ModelTable(shape)
    script: Script = ()
    while len(script) < 3 or len({s.kind for s in script}) < 2 or not model.rows:
        following = stream.next(list(model.rows.values()))
        told = expected(model, len(script) + 1, following)
        if not (isinstance(told, set) and len(told) > 1):  # a golden file names one condition
            script = (*script, following)
    golden = parse_golden(repro_text(shape, script, ["a test"], {"spark.sql.ansi.enabled": "true"}))
    rows: dict[str, list[str]] = {}
    run_golden(spark, golden, f"left_{SEED}", tmp_path, rows=rows)
    read = rows[str(golden.blocks[-1].line)]
    assert len(read) == len(model.rows) > 0
    numbers = [text.split("\t")[len(shape.key)] for text in read]
    assert sorted(numbers) == sorted(
        "NULL" if row["n"] is None else str(row["n"]) for row in model.rows.values()
    )
