"""Hive's own Parquet reader with Hudi's input format, on entries that CALL hive_sync made.

Stock Hudi-Spark brings both: Spark 3.5 reads a Hive table by its input format and SerDe when it may
not convert it. Its Derby makes the metastore, since the older of the two cannot open the newer's.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness.children import run_child
from harness.setups import hive_conf
from harness.stock import NO_STOCK, stock_environment

pytestmark = pytest.mark.rotated(third=2)
SCRIPT = Path(__file__).parent / "hive_reader.py"
ROWS = (
    "(1, 1.5, named_struct('a', 1), 'x', 'p/1'), (2, 2.5, NULL, NULL, NULL), (3, 3, NULL, 'z', 'c')"
)
COLUMNS = "id BIGINT, amount DECIMAL(20, 4), nested STRUCT<a: INT>, v STRING"
PLAIN = "TBLPROPERTIES ('hoodie.datasource.hive_sync.sync_as_datasource' = 'false')"


def stock_rows(folder: Path, statements: list[str]) -> list[list[list[Any]]]:
    """The rows of each statement in a stock session of its own."""
    environment = stock_environment()
    if environment is None:
        pytest.skip(NO_STOCK)
    python, bundle = environment
    plan, results = folder / "read.json", folder / "rows.json"
    conf = hive_conf(folder) | {"spark.sql.warehouse.dir": str(folder / "wh")}
    asked = {"bundle": str(bundle), "conf": conf, "statements": statements}
    plan.write_text(json.dumps(asked), encoding="utf-8")
    done = subprocess.run(
        [str(python), str(SCRIPT), str(plan), str(results)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    rows: list[list[list[Any]]] = json.loads(results.read_text(encoding="utf-8"))
    return rows


def test_hives_reader_shows_the_rows_that_count(tmp_path: Path) -> None:
    stock_rows(tmp_path, ["CREATE TABLE default.first (id INT)"])
    statements = [f"CREATE DATABASE d LOCATION '{tmp_path}/d'"]
    for name, parts in (("flat", ""), ("parted", "PARTITIONED BY (p)")):
        statements += [
            f"CREATE TABLE d.{name} ({COLUMNS}, p STRING, PRIMARY KEY (id)) USING hudilite "
            f"WITH BUCKETS 1 {parts} {PLAIN}",
            f"INSERT INTO d.{name} VALUES {ROWS}",
            f"UPDATE d.{name} SET v = 'new' WHERE id < 3",
            f"CALL hive_sync(table => 'd.{name}')",
        ]
    source = tmp_path / "source"
    statements += [
        f"CREATE TABLE files USING parquet PARTITIONED BY (p) LOCATION '{source}' "
        "AS SELECT id, id * 2 AS v, 'q' AS p FROM range(4)",
        f"CALL bootstrap(table => 'd.adopted', source => '{source}', key => 'id')",
        f"ALTER TABLE d.adopted SET {PLAIN}",
        "UPDATE d.adopted SET v = 7 WHERE id = 0",
        "CALL hive_sync(table => 'd.adopted')",
        "SELECT * FROM d.adopted ORDER BY id",
    ]
    steps = [{"label": str(n), "sql": text} for n, text in enumerate(statements)]
    child = run_child(tmp_path / "child", steps, hive_conf(tmp_path))
    assert [step for step in child.steps if "error" in step] == []
    shown = stock_rows(
        tmp_path,
        [
            "SELECT id, amount, nested.a, v, p FROM d.flat_hive ORDER BY id",
            "SELECT id, amount, nested.a, v, p FROM d.parted_hive ORDER BY id",
            "SELECT _hoodie_partition_path, id FROM d.parted_hive WHERE p = 'p/1'",
            "SELECT id, v, p FROM d.adopted_hive ORDER BY id",
        ],
    )
    first, last = [1, "1.5000", 1, "new", "p/1"], [3, "3.0000", None, "z", "c"]
    assert shown[0] == [first, [2, "2.5000", None, "new", None], last]
    # A string column of Hive's default partition shows the partition's name.
    default = "__HIVE_DEFAULT_PARTITION__"
    assert shown[1] == [first, [2, "2.5000", None, "new", default], last]
    assert shown[2] == [["p=p%2F1", 1]]
    assert shown[3] == child.rows(str(len(statements) - 1))
