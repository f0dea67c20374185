"""Changes between the states of a table, compared with the states themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from harness import layout
from harness.canonical import assert_same_tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Rows = dict[tuple[str, str], dict[str, Any]]


def assert_changes_lead(spark: SparkSession, base: Path, schema: pa.Schema) -> None:
    """Asserts that hudilite_changes returns how each state of a table differs from the one before it.

    Args:
        base: Folder of the table, with the key column `id` and the partition column `p`.
        schema: Of its rows.
    """
    table = f"hudilite.`{base}`"
    instants = sorted(layout.completed(base))
    states = [state_of(spark, table, schema.names, instant) for instant in instants]
    for begin, end, before, after in zip(instants, instants[1:], states, states[1:], strict=False):
        told = spark.sql(
            f"SELECT _change_type AS kind, _commit_instant AS instant, {', '.join(schema.names)}"
            f" FROM hudilite_changes('{table}', '{begin}', '{end}')"
        ).toArrow()
        assert {row["instant"] for row in told.to_pylist()} <= {end}
        kinded = pa.schema([("kind", pa.string()), *schema])
        rows = [{"kind": kind, **row} for kind, row in difference(before, after)]
        expected = pa.Table.from_pylist(rows, schema=kinded)
        assert_same_tables(expected, told, ["kind", *schema.names], f"{begin} to {end}")


def state_of(spark: SparkSession, table: str, names: list[str], instant: str) -> Rows:
    found = spark.sql(f"SELECT {', '.join(names)} FROM {table} VERSION AS OF '{instant}'").toArrow()
    return {(row["p"], row["id"]): row for row in found.to_pylist()}


def difference(before: Rows, after: Rows) -> list[tuple[str, dict[str, Any]]]:
    found = [("delete", before[key]) for key in before.keys() - after.keys()]
    found += [("insert", after[key]) for key in after.keys() - before.keys()]
    for key in before.keys() & after.keys():
        if before[key] != after[key]:
            found += [("update_preimage", before[key]), ("update_postimage", after[key])]
    return found
