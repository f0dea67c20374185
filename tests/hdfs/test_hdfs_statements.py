"""Tables on HDFS: rows, and what a write leaves when HDFS is out of order."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from harness.children import run_child
from harness.faults import run_statement
from harness.hdfs import Hdfs
from harness.invariants import check_table, check_table_after_crash, check_table_settled
from harness.rotation import ninth, product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LARGE = 1 << 40
WHEN = product("core/io/")
COLUMNS = "(id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2"
ROWS = "SELECT v, count(*), sum(id) FROM {} GROUP BY v ORDER BY v"
MERGE = (
    "MERGE INTO {} t USING (SELECT 7 id, 'b' p, 'new' v UNION ALL SELECT 30, 'c', 'new') s "
    "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)


def rows(spark: SparkSession, name: str) -> list[list[object]]:
    return [list(row) for row in spark.sql(ROWS.format(name)).collect()]


def create(spark: SparkSession, hdfs: Hdfs, name: str) -> str:
    """A table of 20 rows; its location."""
    place = f"{hdfs.uri}/tables/{uuid4()}"
    spark.sql(f"CREATE TABLE {name} {COLUMNS} PARTITIONED BY (p) LOCATION '{place}'")
    spark.sql(f"INSERT INTO {name} SELECT id, if(id % 2 = 0, 'a', 'b'), 'old' FROM range(20)")
    return place


@ninth(7, when=WHEN)
def test_rows_are_those_of_any_other_storage(
    spark: SparkSession, hdfs: Hdfs, database: Path, tmp_path: Path
) -> None:
    place = create(spark, hdfs, "t")
    assert [list(row) for row in spark.sql(MERGE.format("t")).collect()] == [[2, 1, 0, 1]]
    spark.sql("DELETE FROM t WHERE id < 3")
    spark.sql("INSERT OVERWRITE t PARTITION (p = 'c') VALUES (40, 'over')")
    assert rows(spark, "t") == [["new", 1, 7], ["old", 16, 180], ["over", 1, 40]]
    spark.sql("CALL clean(table => 't', retain_commits => 1)")
    assert rows(spark, f"hudilite.`{place}`") == rows(spark, "t")
    assert [
        list(row) for row in spark.sql("CALL verify(table => 't', level => 'rows')").collect()
    ] == []
    assert check_table(hdfs.fetched(place, tmp_path / "copy")) == []


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        pytest.param(*fault, id=name, marks=ninth(7, when=WHEN))
        for name, *fault in (
            ("safe mode", ("safe-mode", "on"), "safe mode"),
            ("no more names", ("quota", "{}", "1", str(LARGE)), "quota of files and folders"),
            ("no more space", ("quota", "{}", str(LARGE), "1"), "quota of space"),
        )
    ],
)
def test_a_write_that_hdfs_refuses_changes_nothing(
    spark: SparkSession,
    hdfs: Hdfs,
    database: Path,
    tmp_path: Path,
    fault: tuple[str, ...],
    said: str,
) -> None:
    place = create(spark, hdfs, "t")
    path = place.removeprefix(hdfs.uri)
    before = rows(spark, "t")
    hdfs.ask(*(word.format(path) for word in fault))
    try:
        refused = run_statement(spark, MERGE.format("t"))
        assert rows(spark, "t") == before
    finally:
        hdfs.ask("safe-mode", "off")
        hdfs.ask("quota", path, str(LARGE), str(LARGE))
    assert refused is not None
    assert refused.condition == "HUDILITE_STORAGE_FAILED"
    assert said in refused.parameters["reason"]
    spark.sql(MERGE.format("t"))
    assert rows(spark, "t") == [["new", 2, 37], ["old", 19, 183]]
    assert check_table_settled(hdfs.fetched(place, tmp_path / "copy")) == []


@ninth(7, when=WHEN)
def test_a_user_without_rights_is_told_so(
    spark: SparkSession, hdfs: Hdfs, database: Path, tmp_path: Path
) -> None:
    place = create(spark, hdfs, "t")
    before = rows(spark, "t")
    steps = [
        {"label": "merge", "sql": MERGE.format(f"hudilite.`{place}`")},
        {"label": "rows", "sql": ROWS.format(f"hudilite.`{place}`")},
    ]
    told = run_child(tmp_path / "child", steps, prefix=("env", "HADOOP_USER_NAME=stranger"))
    refused = told.steps[0]
    assert refused["error"] == "HUDILITE_STORAGE_FAILED", refused
    assert "no right" in refused["text"]
    assert told.rows("rows") == before == rows(spark, "t")
    assert check_table(hdfs.fetched(place, tmp_path / "copy")) == []


@ninth(7, when=WHEN)
def test_a_location_is_checked(spark: SparkSession, hdfs: Hdfs) -> None:
    name = f"/checked-{uuid4()}"
    call = f"CALL check_storage(location => '{hdfs.uri}{name}/lake/t')"
    good = {row.step: row.outcome for row in spark.sql(call).collect()}
    assert set(good.values()) == {"ok"}, good
    assert hdfs.ask("count", f"{name}*") == "0"
    hdfs.ask("safe-mode", "on")
    try:
        refused = spark.sql(call).collect()
    finally:
        hdfs.ask("safe-mode", "off")
    assert [row.step for row in refused if row.outcome == "failed"] == ["create"], refused
    assert any("safe mode" in row.detail for row in refused)


@ninth(7, when=WHEN)
def test_servers_that_die_in_the_middle_lose_nothing(
    hdfs: Hdfs, tmp_path: Path, java_functions: str
) -> None:
    """A data node is killed during the first MERGE, the name node is started again during the second.

    The client goes on without a data node. Without a name node it may fail: then nothing is written.
    """
    place = f"{hdfs.uri}/tables/{uuid4()}"
    begun = f"{place.removeprefix(hdfs.uri)}/.hoodie/*.inflight"
    merge = (
        "MERGE INTO t USING (SELECT CAST(id AS INT) id, concat('{0}', rand() < 2) v "
        "FROM range({1}, 900)) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = slow(s.v, 8) WHEN NOT MATCHED THEN INSERT *"
    )
    first, second = merge.format("new", 300), merge.format("last", 600)
    steps: list[dict[str, Any]] = [
        {
            "label": "create",
            "sql": "CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite "
            f"WITH BUCKETS 2 LOCATION '{place}'",
        },
        {"label": "insert", "sql": "INSERT INTO t SELECT id, 'old' FROM range(600)"},
        {"label": "first", "sql": first},
        {"label": "second", "sql": second},
        {"label": "pause", "wait": 10},
        {"label": "left", "sql": ROWS.format("t")},
        {"label": "again", "sql": second},
        {"label": "rows", "sql": ROWS.format("t")},
    ]
    late: list[str] = []

    def strike() -> None:
        for number, command in ((2, "kill-data-node"), (3, "restart-name-node")):
            while int(hdfs.ask("count", begun)) < number:
                time.sleep(0.1)
            hdfs.ask(command)
            if int(hdfs.ask("count", begun.replace("inflight", "commit"))) >= number:
                late.append(command)

    with ThreadPoolExecutor(1) as side:
        striking = side.submit(strike)
        try:
            conf = {"spark.jars": java_functions}
            told = run_child(tmp_path / "child", steps, conf, {"slow": "hudilite.tests.Slow"})
            striking.result(timeout=60)
        finally:
            hdfs.ask("restart-data-nodes")
    assert late == [], "the write was over: nothing was tested"
    before = [["newtrue", 600, 359700], ["old", 300, 44850]]
    after = [["lasttrue", 300, 224850], ["newtrue", 300, 134850], ["old", 300, 44850]]
    failed = {step["label"]: step["error"] for step in told.steps if "error" in step}
    assert failed in ({}, {"second": "HUDILITE_STORAGE_FAILED"}), told.steps
    assert told.rows("left") == (before if failed else after)
    assert told.rows("rows") == after
    assert check_table_after_crash(hdfs.fetched(place, tmp_path / "copy")) == []
