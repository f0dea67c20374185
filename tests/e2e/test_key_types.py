"""Key texts do not depend on the session: written in one zone, merged in another, nothing is new."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.children import run_child
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=1, when=product("core/index/", "spark/plan/KeyText.scala"))
TYPES = {
    "boolean": ("BOOLEAN", "id % 2 = 0", 2),
    "tinyint": ("TINYINT", "CAST(id - 100 AS TINYINT)", 200),
    "smallint": ("SMALLINT", "CAST(id * 100 - 10000 AS SMALLINT)", 200),
    "integer": ("INT", "CAST(id * 1000003 - 100000000 AS INT)", 200),
    "bigint": ("BIGINT", "id * 1000003000001 - 7", 200),
    "decimal": ("DECIMAL(20, 9)", "CAST((id - 100) / 1000000BD AS DECIMAL(20, 9))", 200),
    "date": ("DATE", "date_from_unix_date(CAST(id * 997 - 90000 AS INT))", 200),
    "timestamp": ("TIMESTAMP", "timestamp_micros(id * 5400000001 + 1730600000000000)", 200),
    "timestamp_ntz": (
        "TIMESTAMP_NTZ",
        "CAST(concat('2024-11-03 0', id % 4, ':30:', 10 + id % 50, '.', 100000 + id) "
        "AS TIMESTAMP_NTZ)",
        200,
    ),
    "binary": ("BINARY", "CAST(concat('b', id, 'é') AS BINARY)", 200),
    "string": ("STRING", "concat('a:b,c=d', id, '\\U0001d4b3')", 200),
}


@pytest.mark.fault("F80")
def test_keys_written_in_new_york_are_found_in_kolkata(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    steps = []
    for name, (declared, value, count) in TYPES.items():
        create = (
            f"CREATE TABLE k_{name} (k {declared}, v INT, PRIMARY KEY (k)) USING hudilite "
            f"WITH BUCKETS 4 LOCATION '{tmp_path}/{name}'"
        )
        insert = f"INSERT INTO k_{name} SELECT {value}, 1 FROM range({count})"
        steps += [{"label": f"create {name}", "sql": create}, {"label": name, "sql": insert}]
    conf = {
        "spark.sql.session.timeZone": "America/New_York",
        "spark.driver.extraJavaOptions": "-Duser.timezone=America/New_York",
        "spark.sql.ansi.enabled": "false",
    }
    outcome = run_child(tmp_path / "child", steps, conf, zone="America/New_York")
    assert all("error" not in step for step in outcome.steps), outcome.steps
    spark.conf.set("spark.sql.session.timeZone", "Asia/Kolkata")
    spark.conf.set("spark.sql.ansi.enabled", "true")
    try:
        counts = {name: _merged(spark, tmp_path, name) for name in TYPES}
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        spark.conf.unset("spark.sql.ansi.enabled")
    assert counts == {name: (count, count, 0, 0) for name, (_, _, count) in TYPES.items()}


def _merged(spark: SparkSession, folder: Path, name: str) -> tuple[int, ...]:
    _, value, count = TYPES[name]
    spark.sql(f"CREATE TABLE k_{name} USING hudilite LOCATION '{folder}/{name}'")
    answer = spark.sql(
        f"MERGE INTO k_{name} t USING (SELECT {value} k, 2 v FROM range({count})) s "
        "ON t.k = s.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    ).collect()
    return tuple(answer[0])
