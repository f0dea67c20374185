"""CREATE TABLE at a folder that holds something: a table of another format is named as such."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.faults import run_statement

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CREATE = "CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 LOCATION '{}'"


@pytest.mark.fault("F86")
@pytest.mark.parametrize(
    ("file", "condition", "owner"),
    [
        ("_delta_log/00000000000000000000.json", "HUDILITE_LOCATION_FOREIGN", "Delta"),
        ("metadata/v1.metadata.json", "HUDILITE_LOCATION_FOREIGN", "Iceberg"),
        ("metadata/notes.txt", "HUDILITE_LOCATION_NOT_EMPTY", None),
        ("part-0.parquet", "HUDILITE_LOCATION_NOT_EMPTY", None),
    ],
)
def test_a_folder_that_is_taken(
    spark: SparkSession,
    database: Path,
    tmp_path: Path,
    file: str,
    condition: str,
    owner: str | None,
) -> None:
    taken = tmp_path / "taken" / file
    taken.parent.mkdir(parents=True)
    taken.write_text("{}")
    fault = run_statement(spark, CREATE.format(tmp_path / "taken"))
    assert fault is not None
    assert (fault.condition, fault.parameters.get("format")) == (condition, owner)
    assert [path for path in (tmp_path / "taken").rglob("*") if path.is_file()] == [taken]


@pytest.mark.parametrize(
    ("file", "fact"),
    [
        (".00000000-ab_20240101000000000.log.1_0-1-0", "a log file"),
        (".hoodie/20990101000000000.compaction.requested", "pending compaction"),
    ],
)
def test_services_of_stock_hudi_that_are_under_way(
    spark: SparkSession, database: Path, file: str, fact: str
) -> None:
    spark.sql("CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2")
    spark.sql("INSERT INTO t VALUES (1)")
    base = database / "t"
    (base / file).write_text("")
    before = layout.untouched_state(base)
    fault = run_statement(spark, "INSERT INTO t VALUES (2)")
    assert fault is not None
    assert (fault.condition, fault.parameters["fact"]) == ("HUDILITE_UNSUPPORTED_TABLE", fact)
    assert "CALL run_compaction" in fault.parameters["fix"]
    assert layout.untouched_state(base) == before


def test_a_stock_table_that_was_not_adopted_is_not_written(
    spark: SparkSession, database: Path
) -> None:
    """As after another catalog's entry: the table does not say how its keys are found."""
    spark.sql("CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2")
    file = database / "t" / ".hoodie" / "hoodie.properties"
    kept = [line for line in file.read_text().splitlines() if not line.startswith("hudilite.")]
    file.write_text("\n".join([*kept, ""]))
    fault = run_statement(spark, "INSERT INTO t VALUES (2)")
    assert fault is not None
    assert (fault.condition, fault.parameters["fact"]) == ("HUDILITE_UNSUPPORTED_TABLE", "index")
    assert "LOCATION" in fault.parameters["fix"]
