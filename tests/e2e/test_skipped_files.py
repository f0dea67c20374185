"""Files that a query does not open because of their statistics, as the kernel counts opened files."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.faults import run_statement
from harness.gate import held
from harness.metrics import last_metrics
from harness.opens import opened_files
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("spark/read/", "core/view/"))
FILES, ROWS = 200, 10  # of each file
SAMPLED = 16
KINDS = {"buckets": (50, "WITH BUCKETS 4"), "bloom": (200, "")}
FOOTERS = ".hoodie/.hudilite/footers.bin"
RETRIES = "spark.hudilite.write.maxRetries"
READERS = {
    "merge": "MERGE INTO t USING (SELECT id, p FROM t WHERE v = 30 AND gate(1) > 0) s "
    "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET w = -1",
    "update": "UPDATE t SET w = -1 WHERE v = 30 AND gate(1) > 0",
}


def create(spark: SparkSession, database: Path, kind: str = "bloom", name: str = "t") -> Path:
    """A table of 200 files: `v` grows with the partition, and `w` is spread over all files."""
    partitions, clause = KINDS[kind]
    spark.sql(
        f"CREATE TABLE {name} (id BIGINT, p INT, v BIGINT, w BIGINT, PRIMARY KEY (id, p)) "
        f"USING hudilite PARTITIONED BY (p) {clause} {'ON (id)' if clause else ''}"
    )
    rows = FILES * ROWS
    spark.sql(
        f"INSERT INTO {name} SELECT id, int(id div {rows // partitions}), id * 3, "
        f"(id * 7919) % {rows} FROM range({rows})"
    )
    base = database / name
    assert len(layout.latest_slices(base)) == FILES
    return base


def opened(base: Path, read: Callable[[], object]) -> set[Path]:
    """The data files that are opened meanwhile."""
    with opened_files([base / part for part in layout.partitions(base)]) as seen:
        read()
    return {path for path in seen if path.suffix == ".parquet"}


def values(spark: SparkSession, table: str, where: str) -> list[int]:
    return sorted(row.id for row in spark.sql(f"SELECT id FROM {table} WHERE {where}").collect())


def looked_up(
    spark: SparkSession, base: Path, table: str, where: str
) -> tuple[set[Path], list[int]]:
    """The data files that a query opens, and its rows."""
    found: list[int] = []
    return opened(base, lambda: found.extend(values(spark, table, where))), found


def copied(base: Path, to: Path) -> str:
    """A copy of the table, by its path: nothing in this process knows its footers."""
    shutil.copytree(base, to)
    return f"hudilite.`{to}`"


@pytest.mark.parametrize("kind", KINDS)
def test_a_selective_query_opens_the_files_with_rows(
    spark: SparkSession, database: Path, kind: str
) -> None:
    base = create(spark, database, kind)
    where = "v BETWEEN 300 AND 450"
    wanted = list(range(100, 151))
    assert values(spark, "t", where) == wanted
    holding = spark.sql(f"SELECT DISTINCT _hoodie_file_name FROM t WHERE {where}").count()
    seen = opened(base, lambda: values(spark, "t", where))
    assert len(seen) <= 1.2 * holding
    assert values(spark, "t", where) == wanted
    table = f"spark_catalog.{spark.catalog.currentDatabase()}.t"
    read = last_metrics(spark, f"BatchScan {table}")
    assert read["files read"] == len(seen)
    assert read["files skipped by statistics"] == FILES - len(seen)
    spread, found = looked_up(spark, base, "t", f"w = {FILES * ROWS // 2}")
    assert len(spread) >= 150
    assert len(found) == 1


def test_a_query_of_a_clustered_column_opens_the_files_with_rows(
    spark: SparkSession, database: Path
) -> None:
    spark.sql("CREATE TABLE t (id BIGINT, v BIGINT, PRIMARY KEY (id)) USING hudilite")
    rows = FILES * ROWS
    spark.sql(f"INSERT INTO t SELECT id, (id * 1237) % {rows} FROM range({rows})")
    where = "v BETWEEN 300 AND 399"

    def clustered_by(column: str) -> tuple[int, int]:
        """How many files have wanted rows, and how many are opened."""
        size = sum(file.path.stat().st_size for file in layout.latest_slices(database / "t"))
        target = f"target_file_size => '{size // FILES}'"
        spark.sql(f"CALL cluster(table => 't', order_by => '{column}', {target})")
        assert len(layout.latest_slices(database / "t")) >= 0.9 * FILES
        holding = spark.sql(f"SELECT DISTINCT _hoodie_file_name FROM t WHERE {where}").count()
        seen, found = looked_up(spark, database / "t", "t", where)
        assert len(found) == 100
        return holding, len(seen)

    assert clustered_by("id")[1] >= 150
    holding, seen = clustered_by("v")
    assert holding <= 15
    assert seen <= 1.2 * holding


def test_a_query_that_is_not_selective_reads_a_sample_once(
    spark: SparkSession, database: Path
) -> None:
    base = create(spark, database)

    def planned(where: str) -> int:
        query = f"EXPLAIN SELECT * FROM t WHERE {where}"
        return len(opened(base, lambda: spark.sql(query).collect()))

    assert planned("p = 3 AND v = 5") == 0
    assert planned("v >= 0") == SAMPLED
    assert planned("v + w = 7") == 0
    assert planned("w <> 3") == 0
    assert planned("v = 3000") == FILES - SAMPLED
    assert planned("v = 30") == 0


def test_stored_footers_are_read_instead_of_those_of_files(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    base = create(spark, database)
    spark.sql("ANALYZE TABLE t COMPUTE STATISTICS")
    where, wanted = "v BETWEEN 300 AND 450", list(range(100, 151))
    other = create(spark, database, name="other")
    spark.sql("ANALYZE TABLE other COMPUTE STATISTICS")
    whole = (base / FOOTERS).read_bytes()
    states = {
        "whole": whole,
        "cut": whole[: len(whole) // 2],
        "altered": whole[:100] + bytes([whole[100] ^ 8]) + whole[101:],
        "empty": b"",
        "of another table": (other / FOOTERS).read_bytes(),
        "absent": None,
    }
    for name, content in states.items():
        to = tmp_path / f"copy_{name.replace(' ', '_')}"
        table = copied(base, to)
        (to / FOOTERS).unlink()
        if content is not None:
            (to / FOOTERS).write_bytes(content)
        seen, found = looked_up(spark, to, table, where)
        assert found == wanted, name
        assert len(seen) == (6 if name == "whole" else FILES), name
        assert values(spark, table, "v = 9") == [3], name
    spark.sql("INSERT INTO t VALUES (100000, 3, 301, 0)")
    assert values(spark, "t", where) == [*wanted, 100000]


def test_rows_of_log_files_are_found(spark: SparkSession, database: Path) -> None:
    spark.sql(
        "CREATE TABLE t (id BIGINT, p INT, v BIGINT, at INT, PRIMARY KEY (id, p)) USING hudilite "
        "PARTITIONED BY (p) WITH BUCKETS 1 TBLPROPERTIES (type = 'mor', preCombineField = 'at')"
    )
    spark.sql("INSERT INTO t SELECT id, int(id div 10), id, 5 FROM range(400)")
    for _ in range(2):
        assert values(spark, "t", "v IN (7, 200)") == [7, 200]
    spark.sql(
        "MERGE INTO t USING (SELECT * FROM VALUES (30L, 3, 7L, 9), (7L, 0, 1000L, 9), (200L, 20, 9L, 1) "
        "AS s(id, p, v, at)) s ON t.id = s.id AND t.p = s.p "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    assert values(spark, "t", "v IN (7, 200)") == [30, 200]
    assert values(spark, "t", "v = 1000") == [7]


def test_conditions_on_fields_and_on_names_in_any_case(spark: SparkSession, database: Path) -> None:
    spark.sql(
        "CREATE TABLE t (id BIGINT, p INT, V BIGINT, s STRUCT<V: BIGINT, w: STRUCT<x: STRING>>, "
        "PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p)"
    )
    spark.sql(
        "INSERT INTO t SELECT id, int(id div 10), id, named_struct('V', 1000 - id, "
        "'w', named_struct('x', lpad(id, 5, '0'))) FROM range(400)"
    )
    for condition, wanted in (
        ("v = 7", [7]),
        ("s.v = 990", [10]),
        ("S.W.X = '00031'", [31]),
        ("s.v = 990 AND v < 11", [10]),
        ("s.v = 990 AND v < 10", []),
        ("v = 7 OR s.w.x IN ('00100', 'b')", [7, 100]),
    ):
        for _ in range(2):
            seen, found = looked_up(spark, database / "t", "t", condition)
            assert found == wanted, condition
        assert len(seen) == len(wanted), condition


def test_statements_that_write_skip_files_too(spark: SparkSession, database: Path) -> None:
    create(spark, database)
    assert values(spark, "t", "v = 30") == [10]
    plan = spark.sql("EXPLAIN SELECT id FROM t WHERE v = 30").collect()[0][0]
    assert "files 1 of 200, 199 skipped by statistics" in plan
    spark.sql("UPDATE t SET v = 30 WHERE v = 5997")
    assert values(spark, "t", "v = 30") == [10, 1999]
    spark.sql("DELETE FROM t WHERE v = 30")
    assert values(spark, "t", "v <= 33") == [*range(10), 11]


@pytest.mark.parametrize("tries", ["0", "20"])
@pytest.mark.parametrize("reader", READERS)
def test_a_row_that_begins_to_match_in_a_skipped_file_is_a_conflict(
    spark: SparkSession, database: Path, tmp_path: Path, reader: str, tries: str
) -> None:
    base = create(spark, database)
    assert values(spark, "t", "v = 30") == [10]
    spark.conf.set(RETRIES, tries)
    try:
        with held(spark, base, READERS[reader], tmp_path / "open") as faults:
            assert run_statement(spark, "UPDATE t SET v = 30 WHERE id = 1999 AND p = 199") is None
    finally:
        spark.conf.unset(RETRIES)
    fault = faults[0]
    assert (fault and fault.condition) == ("HUDILITE_CONCURRENT_WRITE" if tries == "0" else None)
    assert values(spark, "t", "w = -1") == ([] if tries == "0" else [10, 1999])
