"""Rules about the values of a column, beside each way in which rows come into a table of each kind.

Each cell writes two rows, one of which breaks the rule. It expects the error of the rule, and the
rows and commits of before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions

from harness import layout
from harness.faults import fault_in
from harness.invariants import check_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import DataFrame, DataFrameWriter, SparkSession

KINDS = {
    "cow": "WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id')",
    "mor": "WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id', type = 'mor')",
    "bloom": "TBLPROPERTIES (primaryKey = 'id', 'hoodie.index.type' = 'BLOOM')",
}


@dataclass(frozen=True)
class Rule:
    """A rule about column v.

    column      declaration of the column, with a constraint of the table where the rule is one
    broken      a value that breaks the rule where w is 5
    condition   condition of the error
    """

    column: str
    broken: str
    condition: str


RULES = {
    "check": Rule("v INT, CONSTRAINT positive CHECK (v > 0)", "-1", "CHECK_CONSTRAINT_VIOLATION"),
    "not_null": Rule("v INT NOT NULL", "CAST(NULL AS INT)", "HUDILITE_NULL_VALUE"),
    "generated": Rule(
        "v INT GENERATED ALWAYS AS (w + 1)", "CAST(7 AS INT)", "CHECK_CONSTRAINT_VIOLATION"
    ),
}


@dataclass(frozen=True)
class Target:
    """Table t of a test.

    base     its folder
    folder   a folder for other files
    kind     the clauses of its kind
    broken   the value that breaks its rule
    """

    spark: SparkSession
    base: Path
    folder: Path
    kind: str
    broken: str

    def rows(self, shift: int = 0) -> DataFrame:
        """A row that keeps the rule and one that breaks it, which has the key 1 + shift."""
        return self.spark.sql(
            f"SELECT {shift + 4} id, 4 w, 5 v UNION ALL SELECT {shift + 1}, 5, {self.broken}"
        )


def sql(text: str) -> Callable[[Target], object]:
    """A road that runs a statement with the rows of the target where it names them."""

    def run(target: Target) -> object:
        broken = target.broken
        return target.spark.sql(
            text.format(
                values=f"VALUES (14, 4, 5), (11, 5, {broken})",
                source=f"(SELECT 4 id, 4 w, 5 v UNION ALL SELECT 1, 5, {broken}) s",
                changes=f"w = 5, v = IF(id = 1, {broken}, 6)",
            )
        )

    return run


def merge_into(target: Target) -> None:
    merge = target.rows().alias("s").mergeInto("t", functions.expr("t.id = s.id"))
    merge.whenMatched().updateAll().whenNotMatched().insertAll().merge()


def replace_table(target: Target) -> None:
    target.rows().createOrReplaceTempView("rows")
    target.spark.sql(f"CREATE OR REPLACE TABLE t USING hudilite {target.kind} AS TABLE rows")


def stream(target: Target) -> None:
    source = target.folder / "source"
    target.rows(10).coalesce(1).write.parquet(str(source))
    rows = target.spark.readStream.schema("id INT, w INT, v INT").parquet(str(source))
    writer = rows.writeStream.format("hudilite").trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(target.folder / "checkpoint")).toTable("t")
    query.awaitTermination()


def writer(rows: DataFrame, mode: str, **options: str) -> DataFrameWriter:
    return rows.write.format("hudilite").mode(mode).options(**options)


UPSERT = {"hoodie.datasource.write.operation": "upsert"}
ROADS: dict[str, Callable[[Target], object]] = {
    "INSERT": sql("INSERT INTO t (id, w, v) {values}"),
    "INSERT OVERWRITE": sql("INSERT OVERWRITE t (id, w, v) {values}"),
    "REPLACE WHERE": sql("INSERT INTO t REPLACE WHERE id > 0 SELECT * FROM {values}"),
    "REPLACE TABLE": replace_table,
    "UPDATE": sql("UPDATE t SET {changes}"),
    "MERGE": sql(
        "MERGE INTO t USING {source} ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    ),
    "MERGE that reads": sql(
        "MERGE INTO t USING {source} ON t.id = s.id "
        "WHEN MATCHED AND t.w < s.w THEN UPDATE SET w = s.w, v = s.v "
        "WHEN NOT MATCHED THEN INSERT (id, w, v) VALUES (s.id, s.w, s.v)"
    ),
    "MERGE that inserts": sql(
        "MERGE INTO t USING (SELECT * FROM {values} AS s (id, w, v)) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT *"
    ),
    "MERGE by source": sql(
        "MERGE INTO t USING (SELECT 9 id) s ON t.id = s.id "
        "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET {changes}"
    ),
    "mergeInto": merge_into,
    "saveAsTable": lambda target: writer(target.rows(10), "append").saveAsTable("t"),
    "saveAsTable upsert": lambda target: writer(target.rows(), "append", **UPSERT).saveAsTable("t"),
    "saveAsTable overwrite": lambda target: writer(target.rows(), "overwrite").saveAsTable("t"),
    "insertInto": lambda target: target.rows(10).write.insertInto("t"),
    "writeTo append": lambda target: target.rows(10).writeTo("t").append(),
    "writeTo overwrite": lambda target: target.rows().writeTo("t").overwrite(functions.lit(True)),
    "save": lambda target: writer(target.rows(), "append", **UPSERT).save(str(target.base)),
    "save overwrite": lambda target: writer(target.rows(), "overwrite").save(str(target.base)),
    "stream": stream,
}


@pytest.mark.rotated(by="test")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", RULES)
def test_a_row_that_breaks_a_rule_is_written_by_no_road(
    spark: SparkSession, database: Path, tmp_path: Path, kind: str, name: str
) -> None:
    rule = RULES[name]
    spark.sql(f"CREATE TABLE t (id INT, w INT, {rule.column}) USING hudilite {KINDS[kind]}")
    spark.sql("INSERT INTO t (id, w, v) VALUES (1, 1, 2), (2, 2, 3)")
    target = Target(spark, database / "t", tmp_path, KINDS[kind], rule.broken)
    commits = layout.completed(target.base)
    conditions = {road: condition_of(write, target) for road, write in ROADS.items()}
    assert {road: c for road, c in conditions.items() if c != rule.condition} == {}
    assert sorted(map(tuple, spark.table("t").collect())) == [(1, 1, 2), (2, 2, 3)]
    assert layout.completed(target.base) == commits
    assert check_table(target.base) == []


def condition_of(write: Callable[[Target], object], target: Target) -> str | None:
    """Condition of the error of a write, of its cause if it is a stream; None where it succeeds."""
    fault = fault_in(lambda: write(target))
    if fault is None or fault.condition != "STREAM_FAILED":
        return fault and fault.condition
    (cause,) = re.findall(r"\[([A-Z_]+)[].]", fault.parameters["message"])[:1]
    return str(cause)
