"""Declarations of other formats, converted, and taken by Spark: the table has their columns and key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.children import ChildOutcome, run_beside
from hudilite import convert

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DECLARED = {
    "hudi": """CREATE TABLE of_hudi (id BIGINT NOT NULL COMMENT 'of the order', two_words STRING,
      ts BIGINT, dt STRING) USING hudi PARTITIONED BY (dt) COMMENT 'orders' TBLPROPERTIES (
      type = 'cow', primaryKey = 'id', preCombineField = 'ts', 'hoodie.index.type' = 'BUCKET',
      'hoodie.bucket.index.num.buckets' = '4', team = 'a')""",
    "iceberg": """CREATE TABLE of_iceberg (id BIGINT NOT NULL, two_words STRING, ts TIMESTAMP,
      dt DATE) USING iceberg PARTITIONED BY (bucket(4, id), dt)
      TBLPROPERTIES ('format-version' = '2', 'write.merge.mode' = 'copy-on-write')""",
    "paimon": """CREATE TABLE of_paimon (id BIGINT, two_words STRING, ts DECIMAL(10, 2), dt STRING)
      USING paimon PARTITIONED BY (dt) TBLPROPERTIES ('primary-key' = 'dt,id', 'bucket' = '4')""",
    "delta": """CREATE TABLE of_delta (id BIGINT NOT NULL, two_words STRING, ts TIMESTAMP,
      dt STRING) USING delta PARTITIONED BY (dt) TBLPROPERTIES ('delta.appendOnly' = 'false')""",
}
VALUES = {"hudi": "7L", "iceberg": "TIMESTAMP'2026-01-01'", "paimon": "1.25", "delta": "now()"}
DAYS = {"iceberg": "DATE'2026-01-01'"}


def merged(source: str) -> str:
    row = f"SELECT 1L id, 'a' two_words, {VALUES[source]} ts, {DAYS.get(source, repr('d'))} dt"
    return (
        f"MERGE INTO of_{source} t USING ({row}) s ON t.id = s.id AND t.dt = s.dt "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )


@pytest.fixture(scope="module")
def outcome(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> ChildOutcome:
    steps = []
    for source, text in DECLARED.items():
        key = ["id"] if source in ("iceberg", "delta") else []
        made = convert.table(text, source=source, key=key)
        steps += [
            {"label": f"create {source}", "sql": made.sql},
            {"label": f"merge {source}", "sql": merged(source)},
            {"label": f"again {source}", "sql": merged(source)},
            {"label": f"columns {source}", "sql": f"DESCRIBE of_{source}"},
            {"label": f"made {source}", "sql": f"SHOW CREATE TABLE of_{source}"},
        ]
    return run_beside(spark, tmp_path_factory.mktemp("converted"), steps, {})


@pytest.mark.parametrize("source", DECLARED)
def test_a_converted_table_takes_rows_by_its_key(outcome: ChildOutcome, source: str) -> None:
    assert outcome.rows(f"merge {source}") == [[1, 0, 0, 1]]
    assert outcome.rows(f"again {source}") == [[1, 1, 0, 0]]
    columns = [row[0] for row in outcome.rows(f"columns {source}")]
    assert columns[:4] == ["id", "two_words", "ts", "dt"]


@pytest.mark.parametrize("source", DECLARED)
def test_a_converted_table_matches_its_declaration(outcome: ChildOutcome, source: str) -> None:
    ((text,),) = outcome.rows(f"made {source}")
    assert "USING hudilite" in text
    assert "PARTITIONED BY (dt)" in text
    assert ("WITH BUCKETS 4" in text) is (source != "delta")
