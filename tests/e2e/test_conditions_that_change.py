"""Conditions with rand(): the errors say what to type instead."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.faults import fault_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def fix_of(spark: SparkSession, sql: str) -> str:
    """Returns what the error for a statement says to type."""
    with pytest.raises(Exception) as caught:
        spark.sql(sql)
    fault = fault_of(caught.value)
    assert fault.condition == "HUDILITE_UNSUPPORTED_CLAUSE"
    return fault.parameters["fix"]


@pytest.fixture
def many(spark: SparkSession, database: Path) -> None:
    spark.sql(
        "CREATE TABLE many (id INT, p STRING, v STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 2"
    )
    both = "SELECT CAST(id DIV 2 AS INT), concat('p', id % 2), 'o' FROM range(1000)"
    spark.sql(f"INSERT INTO many {both}")


@pytest.mark.parametrize("by_path", [False, True])
@pytest.mark.parametrize("action", ["UPDATE {t} SET v = 'chosen'", "DELETE FROM {t}"])
def test_a_query_finds_the_rows(
    spark: SparkSession, many: None, action: str, by_path: bool
) -> None:
    detail = spark.sql("DESCRIBE DETAIL many").first()
    action = action.format(t=f"hudilite.`{detail.location}`" if by_path else "many")
    fix = fix_of(spark, f"{action} WHERE p = 'p1' AND rand() < 0.5 AND v <> \"it's\"")
    typed = re.search(r"WHERE .*(?=\.$)", fix)
    assert typed is not None
    spark.sql(f"{action} {typed.group()}")
    kept = spark.sql("SELECT p, count(*) FROM many WHERE v = 'o' GROUP BY p ORDER BY p").collect()
    assert kept[0] == ("p0", 500)
    assert 150 < kept[1][1] < 350


def test_a_column_of_the_source(spark: SparkSession, many: None) -> None:
    merge = (
        "MERGE INTO many t USING {source} s ON t.id = s.id AND t.p = s.p AND {chance} < 0.5 "
        "WHEN MATCHED THEN UPDATE SET v = 'chosen'"
    )
    fix = fix_of(spark, merge.format(source="many", chance="rand()"))
    typed = re.search(r"USING (\(SELECT .* FROM )\.\.\.\)", fix)
    assert typed is not None
    source = f"{typed.group(1)} many)"
    spark.sql(merge.format(source=source, chance="s.computed"))
    chosen = spark.sql("SELECT count(*) FROM many WHERE v = 'chosen'").collect()[0][0]
    assert 400 < chosen < 600
