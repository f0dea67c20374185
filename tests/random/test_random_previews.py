"""Previews of random statements: counts and new rows as the model's, and no file is written or touched.

Each statement then runs, with exact counts, and answers as its preview told. HUDILITE_SEED repeats a run;
HUDILITE_PREVIEW_TABLES and HUDILITE_PREVIEW_STATEMENTS widen it.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.faults import fault_of
from harness.rotation import THIRDS
from model.duel import expected
from model.log_statements import LogStatements, log_shape
from model.oracle import Counts, ModelTable, Shape
from model.previews import Previews
from model.relations import settings
from model.rounds import SEED
from model.statements import Statements, random_shape
from model.texts import Statement, create_sql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = int(os.environ.get("HUDILITE_PREVIEW_TABLES", "6"))
STATEMENTS = int(os.environ.get("HUDILITE_PREVIEW_STATEMENTS", "8"))
EXACT = {"spark.hudilite.write.counts": "exact"}


def stream_of(ordinal: int) -> tuple[Shape, Statements]:
    """A table and its statements: half of the tables are merge-on-read, and a third have no buckets."""
    rng = random.Random(f"preview {SEED}:{ordinal}")
    if ordinal % 2:
        shape = log_shape(rng, ordinal // 2)
        return shape, LogStatements(rng, "t", shape, compacts=False)
    shape = random_shape(rng)
    if ordinal % 3 == 2:
        shape = replace(shape, buckets=0)
    elif shape.partition and ordinal % 4:
        shape = replace(shape, one_scope=True)
    return shape, Statements(rng, "t", shape)


@pytest.mark.parametrize(
    "ordinal",
    [pytest.param(n, marks=pytest.mark.rotated(third=n // 2 % THIRDS)) for n in range(TABLES)],
)
def test_a_preview_tells_what_a_random_statement_does(
    spark: SparkSession, database: Path, ordinal: int
) -> None:
    print(f"HUDILITE_SEED={SEED}")
    shape, stream = stream_of(ordinal)
    spark.sql(create_sql("t", shape))
    model, previews = ModelTable(shape), Previews(spark, database / "t", shape)
    for number in range(STATEMENTS):
        statement = stream.next(list(model.rows.values()))
        told = expected(model, number, statement)
        previews.round(number, statement, told, model)
        answer = run(spark, statement)
        if statement.kind == "merge" and isinstance(told, Counts):
            assert previews.told is not None
            assert answer == previews.told.row, statement.sql


def run(spark: SparkSession, statement: Statement) -> tuple[int, ...] | None:
    """What a statement answers with exact counts, None if it fails."""
    try:
        with settings(spark, EXACT):
            rows = spark.sql(statement.sql).collect()
    except Exception as error:  # noqa: BLE001 - other tests judge it
        print(fault_of(error).condition)
        return None
    return tuple(rows[0]) if rows else None
