"""Tables whose columns stock Hudi has changed under `hoodie.schema.on.read.enable`.

Stock knows a column by its number there. hudilite reads by names, so it reads such a table where both
give the same rows, refuses it by name where they do not, and never writes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.canonical import assert_same_tables
from harness.faults import assert_refused, run_statement
from harness.rotation import product
from harness.stock import StockSpark, running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    rare=True, third=0, when=product("core/timeline/", "core/view/", "spark/read/")
)
SETTINGS = {
    "hoodie.schema.on.read.enable": "true",
    "hoodie.metadata.enable": "false",
    "hoodie.avro.schema.validate": "false",
    "hoodie.datasource.write.schema.allow.auto.evolution.column.drop": "true",
}
# As users run it: without generated code, Spark 3.5 rounds a FLOAT in another way for a DECIMAL.
CODEGEN = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "CODEGEN_ONLY",
}
COPY = "INSERT INTO t SELECT * FROM t"


@pytest.fixture(scope="module")
def by_number(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StockSpark]:
    """Stock Hudi of its own under these settings, from its start."""
    for stock in running(tmp_path_factory, CODEGEN):
        for key, value in SETTINGS.items():
            stock.ask(op="sql", text=f"SET {key}={value}")
        yield stock


def create(stock: StockSpark, base: Path, version: int, columns: str, values: str) -> str:
    """A table by stock with a commit of some rows; its name in stock's catalog."""
    name = f"evolved_{base.parent.name.replace('-', '_')}_{version}"
    stock.ask(op="sql", text=f"DROP TABLE IF EXISTS {name}")
    stock.ask(
        op="sql",
        text=f"CREATE TABLE {name} ({columns}) USING hudi TBLPROPERTIES (primaryKey = 'id', "
        f"preCombineField = 'ts', 'hoodie.write.table.version' = '{version}', "
        f"'hoodie.write.auto.upgrade' = 'false') LOCATION '{base}'",
    )
    stock.ask(op="sql", text=f"INSERT INTO {name} VALUES {values}")
    return name


def assert_only_read(spark: SparkSession, stock: StockSpark, base: Path) -> None:
    """hudilite reads what stock reads, and does not write."""
    before = layout.untouched_state(base)
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{base}'")
    expected = stock.read(base)
    names = ", ".join(f"`{name}`" for name in expected.column_names)
    for vectors in ("true", "false"):
        spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectors)
        try:
            own = spark.sql(f"SELECT {names} FROM t").toArrow()
        finally:
            spark.conf.unset("spark.sql.parquet.enableVectorizedReader")
        assert_same_tables(expected, own, label="hudilite")
    writes = (COPY, "DELETE FROM t WHERE id = 1", "ALTER TABLE t ADD COLUMNS (y INT)")
    assert_refused(spark, writes, "HUDILITE_TABLE_READ_ONLY", "hoodie.schema.on.read.enable")
    assert layout.untouched_state(base) == before


@pytest.mark.parametrize("version", [6, 9])
def test_added_and_dropped_columns_are_read(
    spark: SparkSession, by_number: StockSpark, database: Path, version: int
) -> None:
    base = database / "evolved"
    columns = "id INT, a INT, b STRING, c DOUBLE, ts BIGINT"
    name = create(by_number, base, version, columns, "(1, 10, 'x', 1.5, 1), (2, 20, 'y', 2.5, 1)")
    for statement in (
        f"ALTER TABLE {name} ADD COLUMNS (z INT)",
        f"ALTER TABLE {name} DROP COLUMN c",
        f"ALTER TABLE {name} ALTER COLUMN a TYPE BIGINT",
        f"INSERT INTO {name} VALUES (3, 30, 'z', 1, 5)",
    ):
        by_number.ask(op="sql", text=statement)
    assert_only_read(spark, by_number, base)
    assert "c" not in spark.table("t").columns


@pytest.mark.parametrize("version", [6, 9])
@pytest.mark.parametrize(
    ("changes", "fact", "value"),
    [
        (["RENAME COLUMN b TO bb"], "renamed column", "b, bb"),
        (
            ["DROP COLUMN b", "ADD COLUMNS (b STRING)"],
            "column that was dropped and added again",
            "b",
        ),
    ],
)
def test_columns_with_other_names_in_files_are_refused(
    spark: SparkSession,
    by_number: StockSpark,
    database: Path,
    version: int,
    changes: list[str],
    fact: str,
    value: str,
) -> None:
    base = database / "evolved"
    columns = "id INT, a INT, b STRING, ts BIGINT"
    name = create(by_number, base, version, columns, "(1, 10, 'x', 1), (2, 20, 'y', 1)")
    first = layout.latest_slices(base)[0].instant
    for change in changes:
        by_number.ask(op="sql", text=f"ALTER TABLE {name} {change}")
    before = layout.untouched_state(base)
    for statement in (
        f"SELECT * FROM hudilite.`{base}`",
        f"CREATE TABLE t USING hudilite LOCATION '{base}'",
    ):
        fault = run_statement(spark, statement)
        assert fault is not None, statement
        assert fault.condition == "HUDILITE_UNSUPPORTED_TABLE", fault
        assert (fault.parameters["fact"], fault.parameters["value"]) == (fact, value)
    assert layout.untouched_state(base) == before
    earlier = spark.sql(f"SELECT b FROM hudilite.`{base}` VERSION AS OF '{first}' ORDER BY b")
    assert [row.b for row in earlier.collect()] == ["x", "y"]


def test_texts_and_floats_become_dates_and_decimals(
    spark: SparkSession, by_number: StockSpark, database: Path
) -> None:
    base = database / "evolved"
    columns = "id INT, sd STRING, sm STRING, fm FLOAT, dm DOUBLE, ts BIGINT"
    float_of = "CAST({} AS FLOAT)"
    values = ", ".join(
        f"({i}, {sd}, {sm}, {float_of.format(fm)}, {dm}, 1)"
        for i, (sd, sm, fm, dm) in enumerate(
            [
                ("'2024-01-15'", "'12.345'", "1.1", "1.15D"),
                ("'0001-01-01'", "'-7'", "-2.675", "1e5D"),
                ("null", "null", "null", "null"),
                ("'1969-12-31'", "'0'", "16777217", "0.005D"),
            ]
        )
    )
    name = create(by_number, base, 6, columns, values)
    for column, kind in (
        ("sd", "DATE"),
        ("sm", "DECIMAL(10, 2)"),
        ("fm", "DECIMAL(12, 2)"),
        ("dm", "DECIMAL(12, 2)"),
    ):
        by_number.ask(op="sql", text=f"ALTER TABLE {name} ALTER COLUMN {column} TYPE {kind}")
    assert_only_read(spark, by_number, base)
    rows = {row.id: row for row in spark.table("t").collect()}
    assert (rows[0].sd, rows[0].sm) == (date(2024, 1, 15), Decimal("12.35"))
    assert (rows[0].fm, rows[1].fm) == (Decimal("1.10"), Decimal("-2.67"))
    counted = spark.sql("SELECT count(sd), count(sm), min(sd), max(sm) FROM t").collect()[0]
    assert tuple(counted) == (3, 3, date(1, 1, 1), Decimal("12.35"))
    found = spark.sql("SELECT id FROM t WHERE sd > DATE'2000-01-01' AND sm > 12").collect()
    assert [row.id for row in found] == [0]
    assert [row.id for row in spark.sql("SELECT id FROM t WHERE sd IS NULL").collect()] == [2]


def test_a_file_of_numbers_of_columns_is_read(by_number: StockSpark, database: Path) -> None:
    """The numbers that hudilite compares: stock writes all versions into each file."""
    base = database / "evolved"
    name = create(by_number, base, 6, "id INT, b STRING, ts BIGINT", "(1, 'x', 1)")
    by_number.ask(op="sql", text=f"ALTER TABLE {name} RENAME COLUMN b TO bb")
    (file,) = (base / ".hoodie" / ".schema").glob("*.schemacommit")
    versions = json.loads(file.read_text())["schemas"]
    names = [{f["id"]: f["name"] for f in version["fields"]} for version in versions]
    assert (names[0][6], names[1][6]) == ("bb", "b")
