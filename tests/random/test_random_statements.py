"""Random statements of every kind on random tables: rows, counts, errors, files against the model.

HUDILITE_SEED repeats a run, `random` is a new one; HUDILITE_MODEL_TABLES and HUDILITE_MODEL_STATEMENTS widen it.
A list that fails is shrunk, within HUDILITE_SHRINK_SECONDS a run, to a file `.build/repro_<seed>_<table>.sql`.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.geometry import assert_small
from harness.golden import parse_golden
from harness.rotation import THIRDS
from harness.runner import run_golden
from harness.seeds import asked_seed
from harness.session import ROOT, ROW_GROUP_ROWS, SPLIT_ABOVE, geometry_conf, small_geometry
from model.duel import Disagreement, expected
from model.engine import Engine, Trials
from model.oracle import ModelTable, Shape
from model.relations import settings
from model.repro import repro_text, write_repro
from model.shrinking import Script, Shrinker
from model.statements import Statements, random_shape

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEED = asked_seed()
TABLES = int(os.environ.get("HUDILITE_MODEL_TABLES", "6"))
STATEMENTS = int(os.environ.get("HUDILITE_MODEL_STATEMENTS", "12"))
SECONDS = float(os.environ.get("HUDILITE_MODEL_SECONDS", "180"))
DEADLINE: list[float] = []
SHRINKING = [float(os.environ.get("HUDILITE_SHRINK_SECONDS", "180"))]  # what the run has left of it


# At each rotation two of six tables, one with buckets and one without; all of them, at one rotation,
# with the small geometry, of which the tables together must show that they have it.
SMALL = 1
ORDINALS = [
    pytest.param(n, marks=pytest.mark.rotated(third=SMALL if small_geometry() else n % THIRDS))
    for n in range(TABLES)
]


@pytest.fixture(scope="module")
def asked_geometry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The tables of this module must have the small geometry when the run asks for it."""
    yield
    if small_geometry():
        assert_small([tmp_path_factory.getbasetemp()], row_groups=1)  # its tables are small


def cuts(rng: random.Random) -> dict[str, str]:
    """In the small geometry how many rows a row group has, and whether tasks share a base file."""
    if not small_geometry():
        return {}
    return {ROW_GROUP_ROWS: rng.choice(("2", "10")), SPLIT_ABOVE: rng.choice(("1", "1", "1g"))}


def leave_script(
    spark: SparkSession,
    folder: Path,
    script: Script,
    found: Disagreement,
    name: str,
    cut: dict[str, str],
) -> str:
    """Shrinks, as far as the run's time for it allows, and writes the file; words on both."""
    shape, started = script[0].shape, time.monotonic()
    shrinker = Shrinker(Trials(spark, folder, shape).judge, found.what, SHRINKING[0])
    least = shrinker.shrink(script)
    SHRINKING[0] -= time.monotonic() - started
    path = ROOT / ".build" / f"repro_{name}.sql"
    told = [found.what, f"found by HUDILITE_SEED={SEED}"]
    set_for_all = geometry_conf() | cut
    conf = {k: v for k, v in set_for_all.items() if k.startswith(("spark.sql", "spark.hud"))}
    write_repro(path, shape, least, told, conf)
    return f"{len(script)} statements, {len(least)} of them left in {path.relative_to(ROOT)}"


@pytest.fixture
def bloom_settings(spark: SparkSession) -> Iterator[Callable[[random.Random], None]]:
    """Sets how a table without buckets is cut into files and looked up, at random."""
    choices = {
        "hoodie.parquet.max.file.size": ("1k", "3k", "120m"),
        "hoodie.parquet.small.file.limit": ("0", "2k", "100m"),
        "hoodie.bloom.index.prune.by.ranges": ("auto", "true", "false"),
        "hoodie.bloom.index.use.treebased.filter": ("auto", "true", "false"),
        "hoodie.bloom.index.filter.type": ("DYNAMIC_V0", "SIMPLE"),
    }

    def choose(rng: random.Random) -> None:
        for key, values in choices.items():
            spark.conf.set(key, rng.choice(values))

    yield choose
    for key in choices:
        spark.conf.unset(key)


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
    stream, model = Statements(rng, "t", shape), ModelTable(shape)
    script: Script = ()
    engine = Engine(spark, database / "t", shape)
    cut = cuts(random.Random(SEED * 1000 + ordinal))
    with settings(spark, cut):
        for number in range(STATEMENTS):
            if number > 2 and time.monotonic() > DEADLINE[0]:
                break
            script = (*script, stream.next(list(model.rows.values())))
            try:
                engine.round(number, script[-1], expected(model, number, script[-1]), model)
            except Disagreement as found:
                name = f"{SEED}_{ordinal}" + ("_small" if small_geometry() else "")
                left = leave_script(spark, database.parent, script, found, name, cut)
                told = f"HUDILITE_SEED={SEED} table {ordinal}: {found}\n{left}"
                pytest.fail(told, pytrace=False)
    print(f"table {ordinal}: {len(script)} statements, {engine.refused} refused")


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
