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
    ("file", "project"),
    [("_delta_log/00000000000000000000.json", "Delta"), ("metadata/v1.metadata.json", "Iceberg")],
)
def test_a_table_of_another_project_that_is_opened_as_one_of_ours(
    spark: SparkSession, database: Path, tmp_path: Path, file: str, project: str
) -> None:
    taken = tmp_path / "taken"
    (taken / file).parent.mkdir(parents=True)
    (taken / file).write_text("{}")
    (taken / "p=1").mkdir()
    instead = f"spark.read.format('{project.lower()}').load('file:{taken}')"
    for path in (taken, taken / "p=1", taken / "p=*"):
        with pytest.raises(Exception, match="HUDILITE_PATH_INVALID") as raised:
            spark.read.format("hudilite").load(str(path))
        first = str(raised.value).splitlines()[0]
        assert f"contains a table of {project}, not of Hudi" in first
        assert instead in first
    table = f"hudilite.`{taken}`"
    for statement in (f"SELECT * FROM {table}", f"DELETE FROM {table}", f"TRUNCATE TABLE {table}"):
        fault = run_statement(spark, statement)
        assert fault is not None, statement
        assert (fault.condition, instead in str(fault.parameters)) == (
            "HUDILITE_PATH_INVALID",
            True,
        )
    for columns in ("", "(id INT, PRIMARY KEY (id)) "):
        fault = run_statement(spark, f"CREATE TABLE t {columns}USING hudilite LOCATION '{taken}'")
        assert fault is not None
        assert fault.condition == "HUDILITE_LOCATION_FOREIGN"
        assert fault.parameters["format"] == project
    write = spark.range(1).write.format("hudilite").option("primaryKey", "id").mode("append")
    with pytest.raises(Exception, match="HUDILITE_LOCATION_FOREIGN"):
        write.save(str(taken))
    assert [path for path in taken.rglob("*") if path.is_file()] == [taken / file]


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
