"""SHOW CREATE TABLE: what it prints, run again, makes the same table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = {
    "plain": "(id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4",
    "wide": (
        "(id BIGINT COMMENT 'it''s the \\\\ key', k STRING, `select` DECIMAL(10,2) DEFAULT 1.50 "
        "COMMENT 'a \"word\"', n TINYINT NOT NULL, vc VARCHAR(7) DEFAULT 'it''s', ts TIMESTAMP, "
        "s STRUCT<a: INT, b: ARRAY<STRING>>, p DATE, q STRING, PRIMARY KEY (k, id)) "
        "USING hudilite WITH BUCKETS 4 ON (id) PARTITIONED BY (p, q) COMMENT 'it''s a \\n table' "
        "TBLPROPERTIES (preCombineField = 'ts,n', 'free name' = 'a \"quoted\" ''one''')"
    ),
    "sized": (
        "(id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES "
        "('hoodie.parquet.max.file.size' = '64m', 'hoodie.parquet.small.file.limit' = '0')"
    ),
    "logged": (
        "(id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (type = 'mor')"
    ),
    "placed": "(id INT PRIMARY KEY) USING hudilite WITH BUCKETS 2 LOCATION '{folder}/it is'",
}


def described(spark: SparkSession, name: str) -> list[tuple[str, ...]]:
    rows = [tuple(row) for row in spark.sql(f"DESCRIBE EXTENDED {name}").collect()]
    return [row for row in rows if row[0] != "Statistics"]


@pytest.mark.parametrize("name", list(TABLES))
def test_the_text_makes_the_same_table_again(
    spark: SparkSession, database: Path, tmp_path: Path, name: str
) -> None:
    spark.sql(f"CREATE TABLE {name} {TABLES[name].format(folder=tmp_path)}")
    spark.sql(f"COMMENT ON TABLE {name} IS 'said \\'later\\''")
    text = spark.sql(f"SHOW CREATE TABLE {name}").collect()[0][0]
    before, facts = described(spark, name), spark.sql(f"SHOW TBLPROPERTIES {name}").collect()
    spark.sql(f"DROP TABLE {name}")
    spark.sql(text)
    assert described(spark, name) == before
    assert spark.sql(f"SHOW TBLPROPERTIES {name}").collect() == facts
    assert spark.sql(f"SHOW CREATE TABLE {name}").collect()[0][0] == text


def test_a_table_at_its_location_keeps_its_rows(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(f"CREATE TABLE placed {TABLES['placed'].format(folder=tmp_path)}")
    spark.sql("INSERT INTO placed VALUES (1), (2)")
    spark.sql("ALTER TABLE placed ADD COLUMN v STRING COMMENT 'new'")
    text = spark.sql("SHOW CREATE TABLE placed").collect()[0][0]
    spark.sql("DROP TABLE placed")
    spark.sql(text)
    rows = spark.sql("SELECT * FROM placed ORDER BY id").collect()
    assert [tuple(row) for row in rows] == [(1, None), (2, None)]
