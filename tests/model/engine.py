"""The engine as the side that the model judges: answers, rows, instants and files."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from harness import layout
from harness.canonical import Row, RowsDiffer, assert_same_rows, canonical_rows
from harness.faults import fault_of
from harness.invariants import check_table_settled
from model.duel import Disagreement, Told, play
from model.oracle import Counts, ModelTable, Shape
from model.shrinking import Script
from model.texts import Statement, create_sql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ARROW = {
    "string": pa.string(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "date": pa.date32(),
    "decimal": pa.decimal128(10, 2),
}


BLIND = "blind: the table is"
TRAVELS = 4  # statements after which earlier states of a merge-on-read table are read


@dataclass
class Tally:
    """What the statements on a table did.

    Attributes:
        refused: Those that failed, as they must.
        blind: Statements whose plan says that the table is not read.
        unknown: Answers in which a number is not known.
    """

    statements: int = 0
    refused: int = 0
    blind: int = 0
    unknown: int = 0


class Engine:
    """A table of the engine.

    Args:
        patience: Seconds in which the tasks of a refused statement take their files back.
    """

    def __init__(self, spark: SparkSession, base: Path, shape: Shape, patience: float = 20) -> None:
        self.spark, self.base, self.shape, self.patience = spark, base, shape, patience
        self.tally = Tally()
        self._states: dict[str, list[Row]] = {}  # rows by the instant that made them
        spark.sql(create_sql("t", shape))

    def round(self, number: int, statement: Statement, told: Told, model: ModelTable) -> None:
        """One statement, then everything compared."""
        before = layout.completed(self.base)
        self.tally.statements += 1
        is_blind = self._explained(statement)
        try:
            answer = [tuple(row) for row in self.spark.sql(statement.sql).collect()]
        except Exception as error:  # noqa: BLE001 - judged against the model
            condition = fault_of(error).condition
            wanted = "to pass" if isinstance(told, Counts) else f"one of {sorted(told)}"
            if isinstance(told, Counts) or condition not in told:
                raise Disagreement(f"{condition} came", f"it had {wanted}: {error}") from error
            if layout.completed(self.base) != before:
                raise Disagreement("a commit of a refused statement", condition) from error
            self.tally.refused += 1
        else:
            self.tally.unknown += _judge_answer(statement, answer, told, is_blind)
        self._compare(model)
        if self.shape.merge_on_read:
            self._travel(number, model)

    def _explained(self, statement: Statement) -> bool:
        """Whether the plan of a statement on a merge-on-read table says that the table is not read."""
        if not self.shape.merge_on_read or statement.kind != "merge":
            return False
        try:
            (row,) = self.spark.sql(f"EXPLAIN {statement.sql}").collect()
        except Exception as error:  # noqa: BLE001 - told as what it is
            raise Disagreement(f"no plan, {fault_of(error).condition}", str(error)) from error
        is_blind = BLIND in row[0]
        self.tally.blind += is_blind
        if statement.is_blind and not is_blind:
            raise Disagreement("not blind", statement.sql)
        on = "" if statement.on is None else statement.on.sql
        if is_blind and any(f"s.{name}" not in on for name in self.shape.partition):
            raise Disagreement("blind, and ON leaves the partition open", statement.sql)
        return is_blind

    def _compare(self, model: ModelTable) -> None:
        names = [column.name for column in self.shape.columns]
        expected = self._expected(names, model)
        read = self._judge_rows(names, expected, "t", "rows")
        timed = canonical_rows(read, [*names, "_hoodie_commit_time"])
        _compare_times(dict(zip(expected, model.writer.values(), strict=True)), timed)
        if found := check_table_settled(self.base, self.patience):
            raise Disagreement("files", "; ".join(found))

    def _judge_rows(self, names: list[str], expected: list[Row], read: str, what: str) -> pa.Table:
        try:
            found = self.spark.sql(
                f"SELECT {', '.join(names)}, _hoodie_commit_time FROM {read}"
            ).toArrow()
        except Exception as error:  # noqa: BLE001 - told as what it is
            raise Disagreement(f"unread, {fault_of(error).condition}", str(error)) from error
        try:
            assert_same_rows(expected, canonical_rows(found, names))
        except RowsDiffer as differ:
            raise Disagreement(what, str(differ)) from differ
        return found

    def _travel(self, number: int, model: ModelTable) -> None:
        """Reads an early and a late one of the states before, now and then."""
        names = [column.name for column in self.shape.columns]
        for instant in layout.completed(self.base):
            self._states.setdefault(instant, self._expected(names, model))
        if number % TRAVELS == TRAVELS - 1:
            instants = sorted(self._states)
            for instant in {instants[number % len(instants)], instants[-2:][0]}:
                at = f"t VERSION AS OF '{instant}'"
                self._judge_rows(names, self._states[instant], at, "rows of an earlier state")

    def _expected(self, names: list[str], model: ModelTable) -> list[Row]:
        rows = list(model.rows.values())
        kinds = {column.name: ARROW[column.kind] for column in self.shape.columns}
        arrays = [pa.chunked_array([pa.array([r[n] for r in rows], kinds[n])]) for n in names]
        return canonical_rows(pa.table(arrays, names=names))


def _judge_answer(statement: Statement, answer: list[Row], told: Told, is_blind: bool) -> bool:
    """Returns whether a number is not known, because the table was not read."""
    if not isinstance(told, Counts):
        raise Disagreement("it passed", f"it should fail with one of {sorted(told)}")
    if statement.kind in ("merge", "change"):
        row = told.row if statement.kind == "merge" else told.row[:1]
        found = answer[0]
        known = [n for n, of in zip(row, found, strict=True) if not (is_blind and of is None)]
        if [of for of in found if of is not None] != known:
            raise Disagreement("counts", f"{answer} for {row}")
        return None in found
    return False


def _compare_times(writer: dict[Row, int], timed: list[Row]) -> None:
    """Rows of one statement share an instant, and later statements have later ones."""
    instants: dict[int, set[str]] = {}
    for row in timed:
        instants.setdefault(writer[row[:-1]], set()).add(row[-1])
    ordered = [min(instants[number]) for number in sorted(instants)]
    if any(len(times) > 1 for times in instants.values()) or ordered != sorted(set(ordered)):
        raise Disagreement("instants", str(instants))


class Trials:
    """Plays lists of statements, each on a table in a database of its own."""

    def __init__(self, spark: SparkSession, folder: Path, shape: Shape) -> None:
        self.spark, self.folder, self.shape = spark, folder, shape
        self.names = itertools.count()

    def judge(self, script: Script) -> str | None:
        """How the engine disagrees."""
        home = self.spark.catalog.currentDatabase()
        name = f"{home}_{next(self.names)}"
        self.spark.sql(f"CREATE DATABASE {name} LOCATION '{self.folder / name}'")
        self.spark.sql(f"USE {name}")
        try:
            engine = Engine(self.spark, self.folder / name / "t", self.shape, patience=2)
            return play(self.shape, script, engine)
        finally:
            self.spark.sql(f"USE {home}")
