"""Rewrites in steps: a conflict costs one step, and every call ends beside steady writers."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.faults import run_statement
from harness.invariants import check_table
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    by="test",
    when=product(
        "procedures/Cluster.scala",
        "procedures/Compact.scala",
        "procedures/SetTableType.scala",
        "spark/repair/",
        "spark/write/ConflictRetries.scala",
    ),
)
PARTITIONS = ("a", "b", "c")
ROWS = 30  # of each partition
CLUSTERED = ""  # small inserts fill the file that is there
LOGS = "WITH BUCKETS {buckets} TBLPROPERTIES (type = 'mor', hoodie.table.version = '{version}')"
CLUSTER = "CALL cluster(table => 't', order_by => 'n')"
SMALL = "CALL cluster(table => 't', order_by => 'id', target_file_size => '3k')"
COMPACT = "CALL compact(table => 't')"


def create(spark: SparkSession, layout_of: str) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, n INT, p STRING, PRIMARY KEY (id, p)) USING hudilite "
        f"PARTITIONED BY (p) {layout_of}"
    )
    for first in (0, ROWS // 2):
        spark.sql(
            f"INSERT INTO t SELECT CAST(id AS INT), 0, p FROM range({first}, {first + ROWS // 2}) "
            "LATERAL VIEW explode(array('a', 'b', 'c')) AS p"
        )


def sums(spark: SparkSession) -> tuple[int, ...]:
    text = "SELECT count(*), count(DISTINCT id, p), sum(n) FROM t"
    return tuple(spark.sql(text).collect()[0])


def commits(base: Path, operation: str) -> list[str]:
    """The completed instants with an operation type."""
    return [
        time
        for time, action in layout.completed(base).items()
        if "commit" in action and layout.commit_metadata(base, time)["operationType"] == operation
    ]


class Writers:
    """Threads that update each partition again and again, until the block ends."""

    def __init__(self, spark: SparkSession, threads: int = 2) -> None:
        self.updates = 0
        self.faults: list[object] = []
        self._ends = threading.Event()
        self._lock = threading.Lock()
        self._spark = spark
        self._database = spark.catalog.currentDatabase()
        self._threads = [threading.Thread(target=self._write, args=(i,)) for i in range(threads)]

    def __enter__(self) -> Writers:
        for thread in self._threads:
            thread.start()
        while self.updates < len(self._threads) and not self.faults:
            time.sleep(0.1)
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        for thread in self._threads:
            thread.join()

    def _write(self, number: int) -> None:
        session = self._spark.newSession()
        session.sql(f"USE {self._database}")
        session.conf.set("spark.hudilite.write.maxRetries", "100")
        while not self._ends.is_set():
            partition = PARTITIONS[number % len(PARTITIONS)]
            number += 1
            fault = run_statement(session, f"UPDATE t SET n = n + 1 WHERE p = '{partition}'")
            with self._lock:
                if fault is None:
                    self.updates += 1
                else:
                    self.faults.append(fault)


@pytest.mark.parametrize(
    ("layout_of", "call"),
    [
        (CLUSTERED, SMALL),
        (LOGS.format(buckets=2, version=6), COMPACT),
        (LOGS.format(buckets=2, version=9), COMPACT),
    ],
    ids=["cluster", "compact 6", "compact 9"],
)
def test_every_call_ends_beside_steady_writers(
    spark: SparkSession, database: Path, layout_of: str, call: str
) -> None:
    create(spark, layout_of)
    with Writers(spark) as writers:
        found = [run_statement(spark, call) for _ in range(5)]
    assert found == [None] * len(found)
    assert writers.faults == []
    rows = ROWS * len(PARTITIONS)
    assert sums(spark) == (rows, rows, ROWS * writers.updates)
    assert check_table(database / "t") == []


def test_each_partition_is_clustered_by_one_commit(spark: SparkSession, database: Path) -> None:
    create(spark, CLUSTERED + "TBLPROPERTIES ('hoodie.parquet.small.file.limit' = '0')")
    rows = spark.sql(CLUSTER).collect()
    assert [row["partition"] for row in rows] == ["p=a", "p=b", "p=c"]
    hidden = [layout.hidden(database / "t", i) for i in commits(database / "t", "CLUSTER")]
    assert sorted(partition for of in hidden for partition in of) == ["p=a", "p=b", "p=c"]
    assert {len(of) for of in hidden} == {1}
    assert {len(ids) for of in hidden for ids in of.values()} == {2}


def test_small_partitions_are_compacted_by_one_commit(spark: SparkSession, database: Path) -> None:
    create(spark, LOGS.format(buckets=2, version=6))
    spark.sql("UPDATE t SET n = n + 1")
    assert len(spark.sql(COMPACT).collect()) == 2 * len(PARTITIONS)
    assert len(commits(database / "t", "COMPACT")) == 1
    assert sums(spark)[2] == ROWS * len(PARTITIONS)


@pytest.mark.parametrize("kind", ["cluster", "compact"])
def test_an_error_after_some_steps_tells_how_to_go_on(
    spark: SparkSession, database: Path, kind: str
) -> None:
    base = database / "t"
    create(
        spark,
        LOGS.format(buckets=16, version=6)
        if kind == "compact"
        else "TBLPROPERTIES ('hoodie.parquet.small.file.limit' = '0')",
    )
    spark.sql("UPDATE t SET n = n + 1")
    damaged = next(s.path for s in layout.latest_slices(base) if s.partition == "p=c")
    whole = damaged.read_bytes()
    damaged.write_bytes(bytes(len(whole)))
    damaged.with_name(f".{damaged.name}.crc").unlink(missing_ok=True)
    call = CLUSTER.replace(")", ", partitions => 'p < ''x''')") if kind == "cluster" else COMPACT
    fault = run_statement(spark, call)
    assert fault is not None
    assert fault.condition == "HUDILITE_PARTLY_COMMITTED", fault
    assert fault.parameters["done"] == "p=a, p=b"
    assert fault.parameters["partition"] == "p=c"
    assert "HUDILITE_CORRUPT_DATA_FILE" in fault.parameters["reason"]
    damaged.write_bytes(whole)
    added = 0
    if kind == "cluster":  # another call for all partitions would cluster this one again
        spark.sql("INSERT INTO t VALUES (1000, 0, 'a')")
        added = 1
    done = {s.path for s in layout.latest_slices(base) if s.partition != "p=c"}
    rows = spark.sql(fault.parameters["fix"].removeprefix("Type: ")).collect()
    assert {row["partition"] for row in rows} == {"p=c"}
    assert done <= {s.path for s in layout.latest_slices(base)}
    assert sums(spark) == (ROWS * 3 + added, ROWS * 3 + added, ROWS * 3)
    assert check_table(base) == []


def test_a_change_of_the_type_that_stops_keeps_what_is_compacted(
    spark: SparkSession, database: Path
) -> None:
    base = database / "t"
    create(spark, LOGS.format(buckets=16, version=6))
    damaged = next(s.path for s in layout.latest_slices(base) if s.partition == "p=c")
    whole = damaged.read_bytes()
    damaged.write_bytes(bytes(len(whole)))
    damaged.with_name(f".{damaged.name}.crc").unlink(missing_ok=True)
    fault = run_statement(spark, "CALL set_table_type(table => 't', type => 'cow')")
    assert fault is not None
    assert fault.condition == "HUDILITE_PARTLY_COMMITTED", fault
    assert (fault.parameters["done"], fault.parameters["partition"]) == ("p=a, p=b", "p=c")
    assert layout.properties(base)["hoodie.table.type"] == "MERGE_ON_READ"
    damaged.write_bytes(whole)
    before = {s.path for s in layout.latest_slices(base)}
    left = spark.sql(fault.parameters["fix"].removeprefix("Type: ")).first()
    assert left is not None
    assert (left.from_type, left.to_type, left.result) == ("mor", "cow", "changed")
    new = {s.path for s in layout.latest_slices(base)} - before
    assert {path.parent.name for path in new} == {"p=c"}
    assert left.file_groups_compacted == len(new)
    assert layout.properties(base)["hoodie.table.type"] == "COPY_ON_WRITE"
    assert sums(spark) == (ROWS * 3, ROWS * 3, 0)
    assert check_table(base) == []
