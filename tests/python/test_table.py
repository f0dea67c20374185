"""`Table`: statements by methods, the same in a session of this process and in one of Spark Connect."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = """
import datetime, json, sys
from pathlib import Path
import hudilite
from hudilite import HudiliteError, Table, sql

mode, folder, results = sys.argv[1:]
CONF = {
    "spark.sql.warehouse.dir": f"{folder}/wh", "spark.ui.enabled": "false",
    "spark.driver.host": "localhost", "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
}
if mode == "classic":
    spark = hudilite.session("table", conf={"spark.master": "local[2]", **CONF})
else:
    from pyspark.sql import SparkSession
    from hudilite import launch, versions
    import pyspark
    jar = versions.jar_for(pyspark.__version__)
    builder = SparkSession.builder.remote("local[2]")
    for key, value in (CONF | launch.settings({}, jar)).items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
told = {"session": type(spark).__module__}

def condition(action):
    try:
        action()
    except HudiliteError as error:
        return error.condition
    return None

def rows(frame):
    return sorted([list(map(str, row)) for row in frame.collect()])

spark.sql(sql.create_table("orders", {"id": "BIGINT", "state": "STRING"}, key="id", buckets=2))
spark.sql("INSERT INTO orders VALUES (1, 'open'), (2, 'open'), (3, 'open')")
orders = Table.for_name(spark, "default.orders")
changes = spark.createDataFrame([(2, "paid"), (3, "void"), (4, "open")], "id BIGINT, state STRING")
counts = orders.merge(
    changes,
    sql.matched("s.state = 'void'").delete(),
    sql.matched().update_all(),
    sql.not_matched().insert_all(),
    on=["id"],
)
told["counts"] = [counts.affected, counts.updated, counts.deleted, counts.inserted]
told["merged"] = rows(orders.rows())
told["views"] = [view.name for view in spark.catalog.listTables() if view.isTemporary]
changes.createOrReplaceTempView("c")
told["again"] = orders.merge("c", sql.not_matched().insert_all(), on={"id": sql.column("s", "id")}).inserted
told["updated"] = orders.update({"state": "it's"}, where={"id": 1})
told["deleted"] = orders.delete(where="id > 3")
told["rows"] = rows(orders.rows())
last = orders.history(limit=1).collect()[0]["instant"]
before = orders.history(limit=2).collect()[1]["instant"]
told["as of"] = [rows(orders.rows(as_of=at)) for at in (before, last, datetime.datetime.now())]
told["as of nothing"] = condition(lambda: orders.rows(as_of="yesterday").collect())
told["history"] = [row["operation"] for row in orders.history(limit=2).collect()]
told["files"] = sum(row["rows"] for row in orders.files().collect())
told["faults"] = orders.verify("rows").count()
told["buckets"] = sum(row["rows"] for row in orders.buckets().collect())
saved = orders.savepoint(before, comment="kept")
SHORT = {"retain_commits": 1, "retain_hours": 0, "allow_short_retention": True}
told["saved"] = [saved == before, orders.clean(dry_run=True, **SHORT).collect()[0]["dry_run"]]
told["cleaned"] = [orders.clean(**SHORT).collect()[0]["files_kept_by_savepoints"] > 0]
told["given up"] = [orders.delete_savepoint(before), orders.delete_savepoint(before)]
told["orphans"] = orders.remove_orphans(older_than_hours=1, dry_run=False).count()
told["no metastore"] = condition(lambda: orders.hive_sync("default.h", dry_run=True).collect())
by_path = Table.for_path(spark, f"{folder}/wh/orders")
told["by path"] = rows(by_path.rows())
orders.delete(where="id = 1")
told["restored"] = [
    orders.restore(last, dry_run=True).collect()[0]["commits_undone"],
    orders.restore(last).collect()[0]["commits_undone"],
    rows(orders.rows()) == told["rows"],
]
told["missing"] = condition(lambda: Table.for_name(spark, "no.such").rows().collect())
told["duplicate"] = condition(lambda: orders.merge(
    spark.sql("SELECT 1L AS id, 'x' AS state UNION ALL SELECT 1L, 'y'"),
    sql.matched().update_all(), on=["id"]))
spark.range(3).selectExpr("id", "id * 2 AS n").write.parquet(f"{folder}/files")
adopted = Table.bootstrap(spark, "adopted", f"{folder}/files", key="id")
told["adopted"] = rows(adopted.rows())
Path(results).write_text(json.dumps(told))
spark.stop()
"""


@pytest.fixture(scope="module", params=["classic", "connect"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp(request.param)
    script, results = folder / "script.py", folder / "results.json"
    script.write_text(SCRIPT, encoding="utf-8")
    words = [sys.executable, str(script), request.param, str(folder), str(results)]
    done = subprocess.run(
        words,
        cwd=folder,
        env=os.environ | {"TZ": "UTC"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return {"mode": request.param} | json.loads(Path(results).read_text(encoding="utf-8"))


def test_the_session_is_of_the_kind_asked_for(told: dict[str, Any]) -> None:
    assert ("connect" in told["session"]) == (told["mode"] == "connect")


def test_a_merge_of_rows_answers_with_counts(told: dict[str, Any]) -> None:
    assert told["counts"] == [3, 1, 1, 1]
    assert told["merged"] == [["1", "open"], ["2", "paid"], ["4", "open"]]


def test_a_merge_leaves_no_view(told: dict[str, Any]) -> None:
    assert told["views"] == []


def test_a_merge_of_a_view_by_a_condition(told: dict[str, Any]) -> None:
    assert told["again"] == 1


def test_update_and_delete_answer_with_a_number(told: dict[str, Any]) -> None:
    assert (told["updated"], told["deleted"]) == (1, 1)
    assert told["rows"] == [["1", "it's"], ["2", "paid"], ["3", "void"]]


def test_rows_as_of_an_instant_or_a_moment(told: dict[str, Any]) -> None:
    before, last, now = told["as of"]
    assert before == [*told["rows"], ["4", "open"]]
    assert last == now == told["rows"]
    assert told["as of nothing"] == "HUDILITE_VERSION_NOT_FOUND"


def test_history_files_and_verify_are_rows(told: dict[str, Any]) -> None:
    assert len(told["history"]) == 2
    assert told["files"] == 3
    assert told["faults"] == 0


def test_savepoints_cleans_and_restores(told: dict[str, Any]) -> None:
    assert told["buckets"] == 3
    assert told["saved"] == [True, True]
    assert told["cleaned"] == [True]
    assert told["given up"] == [True, False]
    assert told["orphans"] == 0
    assert told["no metastore"] == "HUDILITE_HIVE_SYNC_FAILED"
    assert told["restored"] == [1, 1, True]


def test_a_path_is_the_same_table(told: dict[str, Any]) -> None:
    assert told["by path"] == told["rows"]


def test_faults_are_errors_with_a_condition(told: dict[str, Any]) -> None:
    assert told["missing"] == "TABLE_OR_VIEW_NOT_FOUND"
    assert told["duplicate"] == "HUDILITE_MERGE_CARDINALITY"


def test_files_become_a_table(told: dict[str, Any]) -> None:
    assert told["adopted"] == [["0", "0"], ["1", "2"], ["2", "4"]]
