"""Row groups that a query does not read because of the bloom filters of columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.metrics import last_metrics
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("spark/write/"))


@pytest.mark.parametrize("has_filters", [False, True])
def test_row_groups_without_a_value_are_not_read(
    spark: SparkSession, database: Path, has_filters: bool
) -> None:
    del database  # which is made current
    facts = "TBLPROPERTIES ('hudilite.bloom.columns' = 'v, w')" if has_filters else ""
    spark.sql(
        "CREATE TABLE t (id BIGINT, v STRING, w DECIMAL(20, 0), PRIMARY KEY (id)) USING hudilite "
        f"WITH BUCKETS 1 {facts}"
    )
    spark.sql("INSERT INTO t SELECT id, md5(string(id)), (id * 7919) % 20011 FROM range(20000)")
    table = f"spark_catalog.{spark.catalog.currentDatabase()}.t"
    absent = {number * 7919 % 20011 for number in range(20000, 20010)}
    for where in ("v = md5('none')", f"w = {min(absent)}"):
        assert spark.sql(f"SELECT id FROM t WHERE {where}").collect() == []
        read = last_metrics(spark, f"BatchScan {table}")["number of output rows"]
        assert (read == 0) == has_filters, where
    assert spark.sql("SELECT id FROM t WHERE v = md5('777')").collect() == [(777,)]
