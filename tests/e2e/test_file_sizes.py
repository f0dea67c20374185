"""How large the files of a table without buckets become, as the table itself says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import damage, layout
from harness.faults import run_statement
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(by="test", when=product("spark/plan/FileSizes.scala"))
MAX_SIZE = "hoodie.parquet.max.file.size"
SMALL_LIMIT = "hoodie.parquet.small.file.limit"
ROWS = "SELECT id, concat(sha2(concat(id, 'a'), 512), sha2(concat(id, 'b'), 512)) v FROM range({})"


@pytest.fixture
def base(spark: SparkSession, database: Path, tmp_path: Path) -> Path:
    """A table of files that should have 96 KB, at a place of its own."""
    spark.sql(
        "CREATE TABLE t (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite "
        f"LOCATION '{tmp_path}/placed' TBLPROPERTIES ('{MAX_SIZE}' = '96k', '{SMALL_LIMIT}' = '0')"
    )
    return tmp_path / "placed"


def sizes(base: Path, instant: str) -> list[int]:
    found = layout.latest_slices(base)
    return [slice.path.stat().st_size for slice in found if slice.instant == instant]


def newest(base: Path) -> str:
    return max(found.instant for found in layout.latest_slices(base))


@ROTATED
def test_files_do_not_exceed_the_size_in_the_table_properties(
    spark: SparkSession, base: Path
) -> None:
    spark.sql(f"INSERT INTO t {ROWS.format('2000')}")  # its own commit tells how large rows are
    spark.sql(f"INSERT INTO t {ROWS.format('2000, 6000')}")
    made = sizes(base, newest(base))
    assert len(made) > 8
    assert max(made) < 1.25 * 96 * 1024
    spark.sql(f"INSERT INTO hudilite.`{base}` {ROWS.format('6000, 10000')}")
    by_path = sizes(base, newest(base))
    assert len(by_path) > 8, "by path it is the same table"
    assert max(by_path) < 1.25 * 96 * 1024
    assert len(layout.latest_slices(base)) > len(made) + len(by_path), "no file took further rows"


@ROTATED
def test_an_adopted_table_keeps_its_own(spark: SparkSession, base: Path) -> None:
    spark.sql("DROP TABLE t")
    create = (
        f"CREATE TABLE t USING hudilite LOCATION '{base}' TBLPROPERTIES ('{MAX_SIZE}' = '{{}}')"
    )
    fault = run_statement(spark, create.format("64m"))
    assert fault is not None
    assert fault.condition == "HUDILITE_PROPERTY_CONFLICT"
    assert fault.parameters == {"key": MAX_SIZE, "declared": "96k", "asked": "64m"}
    spark.sql(create.format(str(96 * 1024)))
    spark.sql(f"ALTER TABLE t UNSET TBLPROPERTIES ('{MAX_SIZE}')")
    spark.sql("DROP TABLE t")
    spark.sql(create.format("1g"))
    told = {row.key: row.value for row in spark.sql("SHOW TBLPROPERTIES t").collect()}
    assert (told[MAX_SIZE], told[SMALL_LIMIT]) == ("1g", "0")


@ROTATED
def test_an_invalid_value_on_disk_is_named_before_a_write(spark: SparkSession, base: Path) -> None:
    facts = base / ".hoodie" / "hoodie.properties"
    text = facts.read_text(encoding="utf-8")
    damage.put(facts, text.replace(f"{MAX_SIZE}=96k", f"{MAX_SIZE}=much").encode())
    fault = run_statement(spark, "INSERT INTO t VALUES (1, 'x')")
    assert fault is not None
    assert fault.parameters["value"] == "much"
    assert fault.condition == "HUDILITE_SETTING_INVALID"
    assert layout.latest_slices(base) == []
