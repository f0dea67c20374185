"""Errors say what can be done, also on tables and for columns that are not the usual ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.everyday_run import fixes
from harness.faults import run_statement
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    by="test", when=product("spark/analyze/", "spark/catalog/", "spark/parse/", "procedures/")
)
CREATE = "CREATE TABLE t ({}, PRIMARY KEY (id)) USING hudilite {}"
AFTER = re.compile(r"Run the statement again after: (.*)$")
# Statements before, a statement that fails, and the rows of a query after the statement of its error.
TYPED = {
    "clone over a table": (
        [
            CREATE.format("id INT", ""),
            "INSERT INTO t VALUES (1)",
            CREATE.format("id INT", "").replace("TABLE t", "TABLE c"),
        ],
        "CREATE OR REPLACE TABLE c SHALLOW CLONE t",
        ("SELECT id FROM c", [(1,)]),
    ),
    "clone unless there is a table": (
        [CREATE.format("id INT", ""), "CREATE TABLE c (id INT) USING hudilite"],
        "CREATE TABLE IF NOT EXISTS c CLONE t",
        ("SELECT id FROM c", []),
    ),
    "repeated keys in buckets": (
        [CREATE.format("id INT", "WITH BUCKETS 2")],
        "CALL repair_deduplicate(table => 't')",
        ("SELECT id FROM t", []),
    ),
    "an escaped partition": (
        [
            CREATE.format("id INT, p STRING", "PARTITIONED BY (p) WITH BUCKETS 2"),
            "INSERT INTO t VALUES (1, 'a:b'), (2, 'c')",
        ],
        "CALL drop_partition(table => 't', partition => 'p=a%3Ab')",
        ("SELECT id FROM t", [(2,)]),
    ),
    "files by path": (
        [CREATE.format("id INT", "LOCATION '{folder}/t'"), "INSERT INTO t VALUES (1)"],
        "CALL stats_file_sizes(table => 'hudilite.`{folder}/t`')",
        ("SELECT id FROM t", [(1,)]),
    ),
    "commits by path": (
        [CREATE.format("id INT", "LOCATION '{folder}/t'"), "INSERT INTO t VALUES (1)"],
        "CALL stats_wa(table => 'hudilite.`{folder}/t`')",
        ("SELECT id FROM t", [(1,)]),
    ),
}
CHECK = "id INT, v INT, CONSTRAINT pos CHECK (v {} 0)"
GENERATED = "id INT, at TIMESTAMP, day DATE GENERATED ALWAYS AS (CAST(at AS DATE))"
ORDERED = "TBLPROPERTIES (type = 'mor', preCombineField = 'ts')"
SOURCE = "MERGE INTO t USING (SELECT 1 AS id, {} AS ts) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = s.id"
# Statements before, a statement that fails, and a text that the fix of its error has and one that it lacks.
SAID = {
    "a value of a function": (
        [CREATE.format("id INT, n INT", "")],
        "MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = uuid()",
        "n = CAST(uuid() AS INT)",
        "value_",
    ),
    "a value of a query": (
        [CREATE.format("id INT, n INT", "")],
        "MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, (SELECT max('a')))",
        "CAST(",
        "value_",
    ),
    "the key is not replaced": (
        [CREATE.format("id INT, v STRING", "")],
        "ALTER TABLE t REPLACE COLUMNS (v STRING)",
        "Name id",
        "DROP",
    ),
    "a generated partition column": (
        [CREATE.format(GENERATED, "PARTITIONED BY (day)")],
        "ALTER TABLE t RENAME COLUMN at TO time",
        "new table",
        "DROP",
    ),
    "a new generated column": (
        [CREATE.format("id INT, v INT", "")],
        "CREATE OR REPLACE TABLE t (id INT, v INT, g INT GENERATED ALWAYS AS (v + 1), "
        "PRIMARY KEY (id)) USING hudilite",
        "",
        "ADD COLUMNS",
    ),
    "an order without a key": (
        ["CREATE TABLE t (id INT) USING hudilite"],
        "ALTER TABLE t WRITE ORDERED BY id",
        "ORDER BY",
        "SELECT",
    ),
    "null by path": (
        [CREATE.format("id INT, v INT NOT NULL", "LOCATION '{folder}/t'")],
        "INSERT INTO hudilite.`{folder}/t` VALUES (1, NULL)",
        "Write a value",
        "ALTER",
    ),
    "null in an ordering field": (
        [CREATE.format("id INT, ts INT NOT NULL", ORDERED)],
        "INSERT INTO t VALUES (1, NULL)",
        "Write a value",
        "ALTER",
    ),
    "an ordering field twice": (
        [CREATE.format("id INT, ts BIGINT", ORDERED)],
        SOURCE.format("5L AS ts, 6L"),
        "Keep one",
        "Add",
    ),
    "an ordering field that no cast gives": (
        [CREATE.format("id INT, ts BIGINT", ORDERED)],
        SOURCE.format("DATE '2026-01-01'"),
        "a column ts of type BIGINT",
        "CAST",
    ),
    "an ordering field that a cast gives": (
        [CREATE.format("id INT, ts BIGINT", ORDERED)],
        SOURCE.format("'5'"),
        "CAST(ts AS BIGINT) AS ts",
        "Add",
    ),
}


def given(spark: SparkSession, folder: Path, texts: list[str]) -> None:
    for text in texts:
        spark.sql(text.replace("{folder}", str(folder)))


@pytest.mark.parametrize("case", TYPED)
def test_what_the_error_says_to_type_works(
    spark: SparkSession, database: Path, tmp_path: Path, case: str
) -> None:
    texts, statement, (query, rows) = TYPED[case]
    given(spark, tmp_path, texts)
    fault = run_statement(spark, statement.replace("{folder}", str(tmp_path)))
    assert fault is not None
    (typed,) = fixes(fault.parameters["fix"])
    assert run_statement(spark, typed) is None, typed
    assert sorted(tuple(row) for row in spark.sql(query).collect()) == rows


@pytest.mark.parametrize("case", SAID)
def test_the_error_says_only_what_can_be_done(
    spark: SparkSession, database: Path, tmp_path: Path, case: str
) -> None:
    texts, statement, contained, absent = SAID[case]
    given(spark, tmp_path, texts)
    fault = run_statement(spark, statement.replace("{folder}", str(tmp_path)))
    assert fault is not None
    fix = fault.parameters["fix"]
    assert contained in fix, fix
    assert absent not in fix, fix


def test_a_check_gets_another_condition_step_by_step(spark: SparkSession, database: Path) -> None:
    spark.sql(CREATE.format(CHECK.format(">"), ""))
    statement = CREATE.format(CHECK.format(">="), "").replace("CREATE", "CREATE OR REPLACE")
    for _ in range(2):
        fault = run_statement(spark, statement)
        assert fault is not None
        told = AFTER.search(fault.parameters["fix"])
        assert told, fault
        assert run_statement(spark, told[1]) is None, told[1]
    assert run_statement(spark, statement) is None
