"""CALL show_bootstrap_mapping: where the data of adopted file groups lie, and whether they still do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import bootstrapped, layout
from harness.faults import run_statement
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("procedures/ShowBootstrapMapping.scala"))
CALL = "CALL show_bootstrap_mapping(table => 't')"
PARTITIONS = ("a", "b é", "c")


@pytest.fixture
def expected(spark: SparkSession, database: Path) -> list[tuple[object, ...]]:
    """Rows of table `t`: three partitions, one of two adopted file groups."""
    spark.sql(
        "CREATE TABLE t (id STRING, v BIGINT, p STRING, PRIMARY KEY (id)) USING hudilite "
        f"PARTITIONED BY (p) LOCATION '{database / 't'}' "
        "TBLPROPERTIES ('hoodie.parquet.max.file.size' = '20000')"
    )
    rows = " UNION ALL ".join(
        f"SELECT CAST(id AS STRING), id, '{p}' FROM range({100 if p != 'c' else 4000})"
        for p in PARTITIONS
    )
    spark.sql(f"INSERT INTO t {rows}")
    base, source = database / "t", database / "source"
    before = layout.latest_slices(base)
    files = bootstrapped.adopt(base, source)
    spark.sql("REFRESH TABLE t")
    assert len(before) > len(PARTITIONS)
    return [
        (
            s.partition,
            s.file_id,
            str(source),
            s.partition,
            f"file:{file}",
            file.stat().st_size,
            True,
        )
        for s, file in zip(before, files, strict=True)
    ]


def rows_of(spark: SparkSession, call: str = CALL) -> list[tuple[object, ...]]:
    return [tuple(row) for row in spark.sql(call).collect()]


def of(rows: list[tuple[object, ...]], partition: str) -> list[tuple[object, ...]]:
    return [row for row in rows if row[0] == partition]


def past(row: tuple[object, ...]) -> tuple[object, ...]:
    return (*row[:-1], False)


def test_each_adopted_group_is_shown_with_its_source(
    spark: SparkSession, expected: list[tuple[object, ...]]
) -> None:
    assert rows_of(spark) == expected
    assert rows_of(spark, "CALL show_bootstrap_mapping('t', limit => 2)") == expected[:2]
    for partition in PARTITIONS:
        call = f"CALL show_bootstrap_mapping('t', partition => 'p={partition}')"
        assert rows_of(spark, call) == of(expected, f"p={partition}")


def test_a_group_that_was_rewritten_or_replaced_is_not_current(
    spark: SparkSession, database: Path, expected: list[tuple[object, ...]]
) -> None:
    spark.sql("UPDATE t SET v = -1 WHERE p = 'a' AND id = '7'")
    after = [past(row) if row[0] == "p=a" else row for row in expected]
    assert rows_of(spark) == after
    spark.sql("ALTER TABLE t DROP PARTITION (p = 'b é')")
    after = [past(row) if row[0] == "p=b é" else row for row in after]
    assert rows_of(spark) == after
    spark.sql("INSERT INTO t VALUES ('new', 1, 'd')")
    assert rows_of(spark) == after
    assert rows_of(spark, "CALL show_bootstrap_mapping('t', 'p=d')") == []
    left = [row for row in after if row[-1]]
    spark.sql("CALL materialize('t', max_bytes => 1)")
    assert rows_of(spark) == [past(row) if row == left[0] else row for row in after]
    spark.sql("CALL materialize('t')")
    (database / "source").rename(database / "elsewhere")
    assert rows_of(spark) == [past(row) for row in expected]


@pytest.mark.usefixtures("expected")
def test_a_lost_index_is_an_error_while_skeletons_need_it(
    spark: SparkSession, database: Path
) -> None:
    folder = database / "t" / ".hoodie" / ".aux" / ".bootstrap" / ".partitions"
    (index,) = folder.glob("*.hfile")
    index.unlink()
    fault = run_statement(spark, CALL)
    assert fault is not None
    assert fault.condition == "HUDILITE_MISSING_FILE"
    spark.sql("TRUNCATE TABLE t")
    assert rows_of(spark) == []
