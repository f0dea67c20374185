"""Random statements of every kind on random tables: rows, counts, errors, files against the model.

HUDILITE_SEED repeats a run, `random` is a new one; HUDILITE_MODEL_TABLES and HUDILITE_MODEL_STATEMENTS widen it.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from harness import layout
from harness.canonical import assert_same_rows, canonical_rows
from harness.faults import fault_of
from harness.geometry import assert_small
from harness.invariants import check_table_settled
from harness.seeds import asked_seed
from harness.session import small_geometry
from model.oracle import Counts, ModelTable, Refused, Shape
from model.statements import Statement, Statements, create_sql, random_shape, tell

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEED = asked_seed()
TABLES = int(os.environ.get("HUDILITE_MODEL_TABLES", "6"))
STATEMENTS = int(os.environ.get("HUDILITE_MODEL_STATEMENTS", "12"))
SECONDS = float(os.environ.get("HUDILITE_MODEL_SECONDS", "180"))
ARROW = {
    "string": pa.string(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "date": pa.date32(),
    "decimal": pa.decimal128(10, 2),
}
DEADLINE: list[float] = []


@pytest.fixture(scope="module", autouse=True)
def asked_geometry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The tables of this module must have the small geometry when the run asks for it."""
    yield
    if small_geometry():
        assert_small([tmp_path_factory.getbasetemp()], row_groups=1)  # its tables are small


class Duel:
    """One table in the engine and in the model."""

    def __init__(self, spark: SparkSession, base: Path, seed: int) -> None:
        rng = random.Random(seed)
        self.spark, self.base, self.seed = spark, base, seed
        self.shape = random_shape(rng)
        self.model = ModelTable(self.shape)
        self.stream = Statements(rng, "t", self.shape)
        self.script = [create_sql("t", self.shape)]
        self.refused = 0
        spark.sql(self.script[0])

    def round(self, number: int) -> None:
        """One statement on both sides, then everything compared."""
        statement = self.stream.next(list(self.model.rows.values()))
        self.script.append(statement.sql)
        before = layout.completed(self.base)
        told = self._tell_model(number, statement)
        try:
            answer = self.spark.sql(statement.sql).collect()
        except Exception as error:  # noqa: BLE001 - judged against the model
            condition = fault_of(error).condition
            assert isinstance(told, set), f"{condition} came, but it should pass: {error}"
            assert condition in told
            assert layout.completed(self.base) == before
            self.refused += 1
        else:
            assert isinstance(told, Counts), f"it passed, but should fail with {told}"
            if statement.kind in ("merge", "change"):
                row = told.row if statement.kind == "merge" else told.row[:1]
                assert [tuple(found) for found in answer] == [row]
        self._compare()

    def _tell_model(self, number: int, statement: Statement) -> Counts | set[str]:
        try:
            return tell(self.model, number, statement)
        except Refused as refused:
            return refused.conditions

    def _compare(self) -> None:
        names = [column.name for column in self.shape.columns]
        read = self.spark.sql(f"SELECT {', '.join(names)}, _hoodie_commit_time FROM t").toArrow()
        assert_same_rows(self._expected(names), canonical_rows(read, names), "rows")
        self._compare_times(names, canonical_rows(read, [*names, "_hoodie_commit_time"]))
        assert check_table_settled(self.base) == []

    def _expected(self, names: list[str]) -> list[tuple]:
        rows = list(self.model.rows.values())
        kinds = {column.name: ARROW[column.kind] for column in self.shape.columns}
        arrays = [pa.chunked_array([pa.array([r[n] for r in rows], kinds[n])]) for n in names]
        return canonical_rows(pa.table(arrays, names=names))

    def _compare_times(self, names: list[str], timed: list[tuple]) -> None:
        """Rows of one statement share an instant, and later statements have later ones."""
        expected = dict(zip(self._expected(names), self.model.writer.values(), strict=True))
        instants: dict[int, set[str]] = {}
        for row in timed:
            instants.setdefault(expected[row[:-1]], set()).add(row[-1])
        assert all(len(times) == 1 for times in instants.values()), instants
        ordered = [next(iter(instants[number])) for number in sorted(instants)]
        assert ordered == sorted(set(ordered)), instants


@pytest.mark.parametrize("ordinal", range(TABLES))
def test_random_statements(spark: SparkSession, database: Path, ordinal: int) -> None:
    DEADLINE[:] = DEADLINE or [time.monotonic() + SECONDS]
    print(f"HUDILITE_SEED={SEED}")
    duel = Duel(spark, database / "t", SEED * 1000 + ordinal)
    try:
        for number in range(STATEMENTS):
            if number > 2 and time.monotonic() > DEADLINE[0]:
                break
            duel.round(number)
    except AssertionError as broken:
        script = ";\n\n".join(duel.script)
        raise AssertionError(
            f"HUDILITE_SEED={SEED} table {ordinal}: {broken}\n\n{script}"
        ) from broken
    print(f"table {ordinal}: {len(duel.script) - 1} statements, {duel.refused} refused")


def test_shapes_cover_partitions_and_composite_keys() -> None:
    shapes: list[Shape] = [random_shape(random.Random(SEED * 1000 + i)) for i in range(200)]
    assert any(shape.partition for shape in shapes)
    assert any(len(shape.key) > 1 and shape.hash_fields != shape.key for shape in shapes)
