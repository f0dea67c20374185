"""A million source rows through a small driver."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.children import run_child

pytestmark = pytest.mark.rotated(third=2)
SOURCE = "SELECT id + 250000 id, concat('new ', id) a, id b FROM range(1000000)"
CREATE = (
    "CREATE TABLE t (id BIGINT, a STRING, b BIGINT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 8"
)


def test_a_million_source_rows_pass_a_driver_of_one_gigabyte(tmp_path: Path) -> None:
    steps = [
        {"label": "create", "sql": CREATE},
        {
            "label": "insert",
            "sql": "INSERT INTO t SELECT id, concat('old ', id), 0 FROM range(500000)",
        },
        {
            "label": "merge",
            "sql": f"MERGE INTO t USING ({SOURCE}) s "
            "ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        },
        {"label": "sum", "sql": "SELECT count(*), sum(id), sum(b), count_if(a LIKE 'new%') FROM t"},
    ]
    conf = {"spark.driver.maxResultSize": "8m", "spark.driver.memory": "1g"}
    outcome = run_child(tmp_path, steps, conf, timeout=900)
    assert outcome.rows("merge") == [[1_000_000, 250_000, 0, 750_000]]
    ids = range(1_250_000)
    assert outcome.rows("sum") == [[len(ids), sum(ids), sum(range(1_000_000)), 1_000_000]]
