"""CALL merge_preview as the side that the model judges: counts, changed rows, and that nothing is written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from harness.canonical import Row, RowsDiffer, assert_same_rows, canonical_rows
from harness.faults import fault_of
from hudilite.sql.literals import literal
from model.duel import Disagreement, Told
from model.engine import ARROW
from model.oracle import Counts, ModelTable, Shape
from model.texts import Statement

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Entries = dict[str, tuple[int, int]]
KIND = "_change_type"
EVERY = 100_000  # more rows than any of the tables has


def entries(base: Path) -> Entries:
    """The files and folders of a table by their paths, with their sizes and times."""
    found = {str(path): path.stat() for path in [base, *base.rglob("*")]}
    return {path: (of.st_size, of.st_mtime_ns) for path, of in found.items()}


@dataclass
class Previews:
    """Previews of statements on a table `t`.

    Attributes:
        base: Folder of the table.
        told: Counts of the last statement, as the preview told them; None where it failed.
    """

    spark: SparkSession
    base: Path
    shape: Shape
    told: Counts | None = None

    def round(self, number: int, statement: Statement, told: Told, model: ModelTable) -> None:
        """One preview, before the statement runs.

        Args:
            model: As it is after the statement.
        """
        before = entries(self.base)
        by_rows = number % 2 == 1
        self.told = None
        show = "rows" if by_rows else "partitions"
        try:
            found = self.spark.sql(
                f"CALL merge_preview({literal(statement.sql, 'statement')}, '{show}', {EVERY})"
            ).toArrow()
        except Exception as error:  # noqa: BLE001 - judged against the model
            condition = fault_of(error).condition
            if isinstance(told, Counts) or condition not in told:
                raise Disagreement(f"{condition} of a preview", f"{error}") from error
        else:
            if not isinstance(told, Counts):
                raise Disagreement("a preview passed", f"it should fail with {sorted(told)}")
            self.told = _by_kind(found) if by_rows else _totals(found)
            self._judge_counts(statement, told)
            if by_rows:
                self._judge_rows(number, found, model)
        if (after := entries(self.base)) != before:
            changed = sorted(set(after.items()) ^ set(before.items()))
            raise Disagreement("a preview wrote", f"{changed[:5]}")

    def _judge_counts(self, statement: Statement, told: Counts) -> None:
        assert self.told is not None
        if statement.kind in ("merge", "change") and self.told != told:
            raise Disagreement("counts of a preview", f"{self.told} for {told}")
        if statement.kind == "insert" and self.told != Counts(inserted=len(statement.rows)):
            raise Disagreement("counts of a preview", f"{self.told} of {len(statement.rows)} rows")

    def _judge_rows(self, number: int, found: pa.Table, model: ModelTable) -> None:
        """The new rows are those that the statement writes."""
        names = [column.name for column in self.shape.columns]
        written = [row for place, row in model.rows.items() if model.writer[place] == number]
        kinds = {column.name: ARROW[column.kind] for column in self.shape.columns}
        arrays = [pa.array([row[n] for row in written], kinds[n]) for n in names]
        expected: list[Row] = canonical_rows(pa.table(arrays, names=names))
        new = [kind in ("insert", "update_postimage") for kind in found[KIND].to_pylist()]
        try:
            assert_same_rows(
                expected, canonical_rows(found.filter(pa.array(new, pa.bool_())), names)
            )
        except RowsDiffer as differ:
            raise Disagreement("rows of a preview", str(differ)) from differ


def _by_kind(found: pa.Table) -> Counts:
    kinds = found[KIND].to_pylist()
    before, after = kinds.count("update_preimage"), kinds.count("update_postimage")
    if before != after:
        raise Disagreement("rows of a preview", f"{before} before and {after} after an update")
    return Counts(before, kinds.count("delete"), kinds.count("insert"))


def _totals(found: pa.Table) -> Counts:
    names = ("num_updated_rows", "num_deleted_rows", "num_inserted_rows")
    return Counts(*(sum(found[name].to_pylist()) for name in names))
