"""The methods of `hudilite.Table`, one after another, and what each answers. As a program: in Spark Connect.

python table_by_methods.py FOLDER RESULTS
"""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hudilite import HudiliteError, Table, sql

SHORT: dict[str, Any] = {"retain_commits": 1, "retain_hours": 0, "allow_short_retention": True}
DOUBLE = "SELECT 1L AS id, 'x' AS state UNION ALL SELECT 1L, 'y'"


def answers(spark: Any, folder: Path) -> dict[str, Any]:
    """What the methods answer in a session; the tables lie in a folder."""
    spark.sql(f"CREATE DATABASE by_methods LOCATION '{folder}/wh'")
    spark.sql("USE by_methods")
    declared = {"id": "BIGINT", "state": "STRING"}
    spark.sql(sql.create_table("orders", declared, key="id", buckets=2))
    spark.sql("INSERT INTO orders VALUES (1, 'open'), (2, 'open'), (3, 'open')")
    orders = Table.for_name(spark, "by_methods.orders")
    found = {"session": type(spark).__module__} | _changes(orders)
    last, before = (row["instant"] for row in orders.history(limit=2).collect())
    return (
        found
        | _states(orders, before, last)
        | _services(orders, before)
        | _paths(orders, last, folder)
    )


def _changes(orders: Table) -> dict[str, Any]:
    spark: Any = orders.spark
    rows = [(2, "paid"), (3, "void"), (4, "open")]
    changes = spark.createDataFrame(rows, "id BIGINT, state STRING")
    counts = orders.merge(
        changes,
        sql.matched("s.state = 'void'").delete(),
        sql.matched().update_all(),
        sql.not_matched().insert_all(),
        on=["id"],
    )
    found: dict[str, Any] = {
        "counts": [counts.affected, counts.updated, counts.deleted, counts.inserted],
        "merged": _rows(orders.rows()),
        "views": [view.name for view in spark.catalog.listTables() if view.isTemporary],
    }
    changes.createOrReplaceTempView("c")
    on = {"id": sql.column("s", "id")}
    found["again"] = orders.merge("c", sql.not_matched().insert_all(), on=on).inserted
    found["updated"] = orders.update({"state": "it's"}, where={"id": 1})
    found["deleted"] = orders.delete(where="id > 3")
    found["rows"] = _rows(orders.rows())
    return found


def _states(orders: Table, before: str, last: str) -> dict[str, Any]:
    moments = (before, last, datetime.datetime.now())
    return {
        "as of": [_rows(orders.rows(as_of=at)) for at in moments],
        "as of nothing": _condition(lambda: orders.rows(as_of="yesterday").collect()),
        "history": [row["operation"] for row in orders.history(limit=2).collect()],
        "files": sum(row["rows"] for row in orders.files().collect()),
        "faults": orders.verify("rows").count(),
        "kept": [row["kept"] for row in orders.metadata_table().collect()],
        "buckets": sum(row["rows"] for row in orders.buckets().collect()),
    }


def _services(orders: Table, before: str) -> dict[str, Any]:
    saved = orders.savepoint(before, comment="kept")
    dry = orders.clean(dry_run=True, **SHORT).collect()[0]["dry_run"]
    return {
        "saved": [saved == before, dry],
        "cleaned": [orders.clean(**SHORT).collect()[0]["files_kept_by_savepoints"] > 0],
        "given up": [orders.delete_savepoint(before), orders.delete_savepoint(before)],
        "orphans": orders.remove_orphans(older_than_hours=1, dry_run=False).count(),
        "type": [orders.set_type(kind).collect()[0]["result"] for kind in ("mor", "mor", "cow")],
        "no metastore": _condition(lambda: orders.hive_sync("default.h", dry_run=True).collect()),
    }


def _paths(orders: Table, last: str, folder: Path) -> dict[str, Any]:
    spark: Any = orders.spark
    by_path = Table.for_path(spark, f"{folder}/wh/orders")
    found: dict[str, Any] = {"by path": _rows(by_path.rows())}
    orders.delete(where="id = 1")
    found["restored"] = [
        orders.restore(last, dry_run=True).collect()[0]["commits_undone"],
        orders.restore(last).collect()[0]["commits_undone"],
        _rows(orders.rows()) == found["by path"],
    ]
    found["missing"] = _condition(lambda: Table.for_name(spark, "no.such").rows().collect())
    double = spark.sql(DOUBLE)
    found["duplicate"] = _condition(
        lambda: orders.merge(double, sql.matched().update_all(), on=["id"])
    )
    files = f"{folder}/files"
    spark.range(3).selectExpr("id", "id * 2 AS n").write.parquet(files)
    found["adopted"] = _rows(Table.bootstrap(spark, "adopted", files, key="id").rows())
    return found


def _condition(action: Callable[[], object]) -> str | None:
    try:
        action()
    except HudiliteError as error:
        return error.condition
    return None


def _rows(frame: Any) -> list[list[str]]:
    return sorted([list(map(str, row)) for row in frame.collect()])


def _connected(folder: Path) -> Any:
    """A session of Spark Connect, whose server starts in a process of its own."""
    import pyspark
    from pyspark.sql import SparkSession

    from hudilite.launch import settings, versions

    conf = {
        "spark.sql.warehouse.dir": f"{folder}/wh",
        "spark.ui.enabled": "false",
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
    }
    builder = SparkSession.builder.remote("local[2]")
    jar = versions.jar_for(pyspark.__version__)
    for key, value in (conf | settings.to_add({}, jar)).items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


if __name__ == "__main__":
    place, results = map(Path, sys.argv[1:])
    session = _connected(place)
    results.write_text(json.dumps(answers(session, place)), encoding="utf-8")
    session.stop()
