"""The methods of `hudilite.Table`, one after another, and what each answers. As a program: in Spark Connect.

python table_by_methods.py FOLDER RESULTS
"""

from __future__ import annotations

import datetime
import json
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

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
        | {"rescaled": _rescaled(orders)}
        | _delta_names(spark, folder)
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
        "differences": _differences(orders, before),
        "advised": [_advised(orders, size) for size in (None, "1g", 1 << 40)],
        "analyzed": _analyzed(orders),
    }


def _differences(orders: Table, before: str) -> list[Any]:
    same = orders.diff(as_of=datetime.datetime.now())
    counts = orders.diff(as_of=before)
    rows = orders.diff(
        "by_methods.orders", to=before, columns=["state"], where="id > 3", rows=True, limit=5
    )
    wrong = partial(orders.diff, as_of=before, columns="none")
    return [same.count(), _rows(counts), _rows(rows), _condition(wrong)]


def _advised(orders: Table, size: str | int | None) -> list[int]:
    row = orders.advise_buckets(target_file_size=size, days=7).collect()[0]
    return [row["advised_buckets"], row["bytes_to_read"]]


def _rescaled(orders: Table) -> list[Any]:
    before = _rows(orders.rows())
    plan = orders.rescale(4, dry_run=True).collect()
    done = [
        orders.rescale(n, max_bytes=most).collect() for n, most in ((4, 1), (4, None), (2, None))
    ]
    steps = [len({(row["partition"], row["bucket"]) for row in rows}) for rows in (plan, *done)]
    return [steps[0] == steps[1] + steps[2], steps[1], _rows(orders.rows()) == before]


def _analyzed(orders: Table) -> list[Any]:
    """The rows that statistics count, then what they know of a column; by path the same."""
    spark: Any = orders.spark
    found: list[Any] = []
    folder = Path(urlsplit(orders.detail().collect()[0]["location"]).path)
    stored = folder / ".hoodie" / ".hudilite" / "statistics.json"

    def statistics() -> dict[str, Any]:
        known: dict[str, Any] = json.loads(stored.read_text(encoding="utf-8"))
        return known

    for noscan in (True, False):
        stored.unlink(missing_ok=True)
        orders.analyze(noscan=noscan)
        found.append(statistics()["rows"])
    orders.analyze(["id"])
    found.append(sorted(statistics()["columns"]))
    Table.for_path(spark, str(folder)).analyze(all_columns=True)
    found.append(statistics()["columns"]["state"]["values"]["distinctCount"])
    wrong: list[dict[str, Any]] = [
        {"columns": ["id"], "noscan": True},
        {"columns": "id"},
        {"columns": ["absent"]},
    ]
    return found + [_condition(partial(orders.analyze, **of)) for of in wrong]


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


def _delta_names(spark: Any, folder: Path) -> dict[str, Any]:
    from pyspark.sql.functions import col, concat, expr, lit, upper

    builder = Table.createIfNotExists(spark).tableName("named").addColumn("id", "INT")
    named = builder.addColumn("v", "STRING").primaryKey("id").buckets(2).execute()
    fresh = spark.createDataFrame([(1, "a"), (2, "b"), (3, "it's")], "id INT, v STRING")
    merging = named.alias("old").merge(fresh.alias("new"), col("old.id") == col("new.id"))
    insert = merging.whenNotMatchedInsert(
        condition=col("new.v") != "b", values={"id": col("new.id"), "v": upper(col("new.v"))}
    )
    found: dict[str, Any] = {
        "inserted": [list(row) for row in insert.execute().collect()],
        "updated by columns": named.update(
            (col("id") == 1) & col("v").isin("A", "B"), {"v": concat(col("v"), lit("'\\"))}
        ),
    }
    again = named.merge(fresh.alias("new"), "t.id = new.id")
    evolved = again.whenMatchedUpdate("new.id = 3", {"v": expr("concat(t.v, new.v)")})
    evolved.whenNotMatchedInsertAll().whenNotMatchedBySourceDelete().execute()
    found["named"] = _rows(named.toDF())
    found["own names"] = named.update({"v": upper(col("v"))}, where=col("v").startswith("b"))
    found["aliased"] = _rows(named.alias("x").toDF().select("x.v"))
    found["details"] = [named.detail().collect()[0]["numBuckets"], named.history(1).count()]
    found["operations"] = [row["operation"] for row in named.history().collect()]
    found["restored to"] = named.restoreToVersion(1).count() and _rows(named.toDF())
    by_path = Table.create(spark).location(f"{folder}/at").addColumns(fresh.schema)
    found["at a path"] = by_path.primaryKey("id").execute().toDF().columns
    again_by_path = Table.createOrReplace(spark).location(f"{folder}/at").addColumns(fresh.schema)
    found["replaced"] = again_by_path.primaryKey("id").execute().toDF().count()
    found["short vacuum"] = _condition(lambda: named.vacuum(1))
    found["vacuum"] = named.vacuum(200).count()
    found["optimized"] = named.optimize().executeCompaction().count()
    found["refused"] = {
        name: [error.condition, _typed(spark, error)] for name, error in _refused(named, folder)
    }
    found["no sql"] = _condition(lambda: named.delete(col("id").alias("x") == 1))
    return found


def _refused(table: Table, folder: Path) -> list[tuple[str, HudiliteError]]:
    """Errors of what hudilite has no equal of."""
    files, now = f"{folder}/plain", str(datetime.datetime.now())
    table.toDF().write.parquet(files)
    calls: dict[str, Callable[[], object]] = {
        "generate": lambda: table.generate("symlink_format_manifest"),
        "clone": lambda: table.clone("cloned", True),
        "cloneAtVersion": lambda: table.cloneAtVersion(1, "cloned_version"),
        "cloneAtTimestamp": lambda: table.cloneAtTimestamp(now, "cloned_time"),
        "executeZOrderBy": lambda: table.optimize().executeZOrderBy("v"),
        "dropFeatureSupport": lambda: table.dropFeatureSupport("deletionVectors"),
        "addFeatureSupport": lambda: table.addFeatureSupport("deletionVectors"),
        "isDeltaTable": lambda: Table.isDeltaTable(table.spark, f"{folder}/at"),
        "convertToDelta": lambda: Table.convertToDelta(table.spark, f"parquet.`{files}`"),
        "upgradeTableProtocol": lambda: table.upgradeTableProtocol(1, 3),
    }
    found = []
    for name, call in calls.items():
        try:
            call()
        except HudiliteError as error:
            found.append((name, error))
    return found


def _typed(spark: Any, error: HudiliteError) -> str:
    """What comes of the statement that an error says to type."""
    text = re.split("rite: ", error.message)[1]
    try:
        spark.sql(text.rstrip(".")).collect()
    except Exception as failed:  # noqa: BLE001 - shown by the test
        return f"{text}: {failed}"
    return "done"


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
