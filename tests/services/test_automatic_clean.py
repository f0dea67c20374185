"""A table that cleans behind its writes."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.rotation import product
from harness.warned import warnings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FACTS = "'hoodie.clean.automatic' = '{on}', 'hoodie.clean.commits.retained' = '2'"
WHEN = product(
    "procedures/Clean.scala",
    "core/service/",
    "spark/exec/CleanAfterWrite.scala",
    "spark/plan/AutomaticClean.scala",
)
MONTH = 31 * 24 * 3600


def create(spark: SparkSession, on: str) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 "
        f"TBLPROPERTIES ({FACTS.format(on=on)})"
    )
    spark.sql("INSERT INTO t VALUES (1, 0)")


def age(base: Path) -> None:
    """As if everything on the timeline were a month old."""
    then = time.time() - MONTH
    for file in (base / ".hoodie").iterdir():
        if file.is_file():
            os.utime(file, (then, then))


def update(spark: SparkSession, base: Path, times: int) -> int:
    for n in range(times):
        spark.sql(f"UPDATE t SET v = v + {n}")
        age(base)
    return len(list(base.glob("*.parquet")))


@pytest.mark.parametrize(
    ("on", "left"),
    [
        pytest.param("true", 2, marks=pytest.mark.rotated(third=2, when=WHEN)),
        pytest.param("false", 6, marks=pytest.mark.rotated(third=1, when=WHEN)),
    ],
)
def test_a_table_property_decides_whether_writes_clean(
    spark: SparkSession, database: Path, on: str, left: int
) -> None:
    create(spark, on)
    age(database / "t")
    # The newest commit is young while the clean behind it runs: what was current before it stays.
    assert update(spark, database / "t", 5) == left
    assert spark.table("t").collect()[0].v == 10
    versions = sorted(layout.completed(database / "t"))
    assert spark.sql(f"SELECT v FROM t VERSION AS OF '{versions[-2]}'").collect()[0].v == 6


@pytest.mark.rotated(third=0, when=WHEN)
def test_it_can_be_switched(spark: SparkSession, database: Path) -> None:
    base = database / "t"
    create(spark, "false")
    age(base)
    assert update(spark, base, 4) == 5
    spark.sql("ALTER TABLE t SET TBLPROPERTIES ('hoodie.clean.automatic' = 'true')")
    assert update(spark, base, 1) == 2
    spark.sql("ALTER TABLE t UNSET TBLPROPERTIES ('hoodie.clean.automatic')")
    assert update(spark, base, 2) == 4


def test_a_write_succeeds_whose_clean_fails(spark: SparkSession, database: Path) -> None:
    base = database / "t"
    create(spark, "true")
    age(base)
    update(spark, base, 3)
    instant = "20300101000000000"
    (base / ".hoodie" / f"{instant}.clean.requested").write_bytes(b"no plan")
    with warnings(spark) as told:
        spark.sql("UPDATE t SET v = 77")
    assert spark.table("t").collect()[0].v == 77
    assert any("the clean after it failed" in line for line in told)
