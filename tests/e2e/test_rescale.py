"""CALL rescale beside readers and writers: no row is lost, none comes twice, and no statement is refused."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.faults import run_statement
from harness.gate import at_once, held
from harness.invariants import check_table
from oracle import file_id

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(by="test")
CREATE = (
    "CREATE TABLE t (id INT, p STRING, n INT, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p) "
    "WITH BUCKETS 2 TBLPROPERTIES (type = '{kind}', hoodie.table.version = '{version}')"
)
KEYS = 120
ADD = (
    "MERGE INTO t USING (SELECT CAST(id AS INT) id, 'p' || id % 2 p, 1 n FROM range({first}, {last})) s "
    "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET n = t.n + 1 WHEN NOT MATCHED THEN INSERT *"
)


def counts(base: Path) -> dict[str, set[int]]:
    """The numbers of buckets that the files of each partition tell; 0 is the table's own."""
    found: dict[str, set[int]] = {}
    for of in layout.latest_slices(base):
        found.setdefault(of.partition, set()).add(file_id.count_of(of.file_id) or 0)
    return found


def sums(spark: SparkSession, where: str = "true") -> tuple[int, int, int]:
    row = spark.sql(f"SELECT count(*), count(DISTINCT id), sum(n) FROM t WHERE {where}").collect()[
        0
    ]
    return row[0], row[1], row[2]


@pytest.mark.parametrize(("kind", "version"), [("cow", 6), ("mor", 9)])
def test_writers_and_readers_go_on_while_a_table_is_rescaled(
    spark: SparkSession, database: Path, kind: str, version: int
) -> None:
    spark.sql(CREATE.format(kind=kind, version=version))
    spark.sql(ADD.format(first=0, last=KEYS))
    wrong: list[object] = []
    done = threading.Event()

    def read() -> None:
        session = spark.newSession()
        session.sql(f"USE {spark.catalog.currentDatabase()}")
        while not done.is_set():
            all_, keys, _ = sums(session, f"id < {KEYS}")
            one = session.sql("SELECT count(*) FROM t WHERE id = 7 AND p = 'p1'").collect()[0][0]
            if (all_, keys, one) != (KEYS, KEYS, 1):
                wrong.append((all_, keys, one))

    reader = threading.Thread(target=read)
    reader.start()
    adds = [ADD.format(first=i * 7, last=i * 7 + KEYS // 2) for i in range(6)]
    try:
        faults = at_once(
            spark,
            [["CALL rescale(table => 't', buckets => 6)"], adds, adds],
            {"spark.hudilite.write.maxRetries": "50"},
        )
    finally:
        done.set()
        reader.join()
    assert faults == [None] * 13
    assert wrong == []
    assert run_statement(spark, "CALL rescale(table => 't', buckets => 6)") is None
    written = KEYS + 2 * sum(KEYS // 2 for _ in adds)
    assert sums(spark)[2] == written
    assert {n for of in counts(database / "t").values() for n in of} <= {0, 6}
    assert check_table(database / "t") == []
    facts = layout.properties(database / "t")
    assert facts["hudilite.bucket.count"] == "6"


def test_a_statement_that_was_planned_before_a_rescale_starts_again(
    spark: SparkSession, database: Path
) -> None:
    """The plan of a MERGE is older than the number of buckets: the retry tags its rows anew."""
    spark.sql(CREATE.format(kind="cow", version=6))
    spark.sql(ADD.format(first=0, last=KEYS))
    later = spark.sql("SELECT * FROM t").count  # a plan of before, of a reader
    assert run_statement(spark, "CALL rescale(table => 't', buckets => 8, max_bytes => 1)") is None
    assert later() == KEYS
    spark.sql(ADD.format(first=0, last=KEYS + 10))
    assert sums(spark) == (KEYS + 10, KEYS + 10, 2 * KEYS + 10)
    assert check_table(database / "t") == []


def test_steps_are_replacecommits_of_one_bucket_each(spark: SparkSession, database: Path) -> None:
    base = database / "t"
    spark.sql(CREATE.format(kind="cow", version=6))
    spark.sql(ADD.format(first=0, last=KEYS))
    before = {(s.partition, s.file_id) for s in layout.latest_slices(base)}
    told = spark.sql("CALL rescale(table => 't', buckets => 4)").collect()
    steps = [i for i, action in layout.completed(base).items() if action == "replacecommit"]
    assert len(steps) == len(before) == len(told) == 4
    hidden = [layout.hidden(base, instant) for instant in steps]
    assert all(len(ids) == 1 for of in hidden for ids in of.values())
    assert {(p, ids[0]) for of in hidden for p, ids in of.items()} == before
    assert {layout.commit_metadata(base, i)["operationType"] for i in steps} == {"CLUSTER"}
    assert sum(row["rows"] for row in told) == KEYS
    assert counts(base) == {"p=p0": {4}, "p=p1": {4}}
    assert sums(spark) == (KEYS, KEYS, KEYS)
    assert check_table(base) == []
    first = min(layout.completed(base))
    assert spark.sql(f"SELECT * FROM hudilite_changes('t', '{first}')").count() == 0


def test_a_rescale_beside_a_rescale_is_named_and_loses_nothing(
    spark: SparkSession, database: Path
) -> None:
    spark.sql(CREATE.format(kind="cow", version=6))
    spark.sql(ADD.format(first=0, last=KEYS))
    faults = at_once(spark, [[f"CALL rescale(table => 't', buckets => {n})"] for n in (4, 8)])
    named = {fault.condition for fault in faults if fault is not None}
    assert named <= {"HUDILITE_CONCURRENT_WRITE", "HUDILITE_ARGUMENT_INVALID"}
    assert sums(spark) == (KEYS, KEYS, KEYS)
    assert check_table(database / "t") == []


STEP = "CALL rescale(table => 't', buckets => 4, max_bytes => 1)"


@contextmanager
def beside(spark: SparkSession, statement: str) -> Iterator[threading.Thread]:
    """Runs a statement in a thread and a session of its own; it has succeeded after the block."""
    faults: list[object] = []
    thread = threading.Thread(target=lambda: faults.extend(at_once(spark, [[statement]])))
    thread.start()
    yield thread
    thread.join()
    assert faults == [None]


def retries(base: Path) -> list[str]:
    """Numbers of retries that the commits have recorded, but those of steps, in their order."""
    found = [layout.commit_metadata(base, instant) for instant in sorted(layout.completed(base))]
    extra = [of["extraMetadata"] for of in found if of["operationType"] != "CLUSTER"]
    return [of["hudilite.metrics.numRetries"] for of in extra]


@pytest.mark.parametrize("begun", [False, True])
def test_a_step_waits_until_a_running_write_has_ended(
    spark: SparkSession, database: Path, begun: bool
) -> None:
    base = database / "t"
    step = base / ".hoodie" / ".hudilite-rescale" / "step"
    spark.sql(CREATE.format(kind="cow", version=6))
    spark.sql(ADD.format(first=0, last=KEYS))
    if begun:
        spark.sql(STEP)
    before = layout.completed(base)
    merge = ADD.format(first=0, last=KEYS).replace("1 n", "gate(1) n")
    with ExitStack() as later, held(spark, base, merge, database / "opened") as faults:
        rescale = later.enter_context(beside(spark, STEP))
        until = time.monotonic() + 30
        while begun and not step.exists() and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(1)
        assert step.exists() == begun
        assert rescale.is_alive()
        assert layout.completed(base) == before
    assert faults == [None]
    assert retries(base) == ["0", "0"]
    assert not step.exists()
    assert sums(spark) == (KEYS, KEYS, 2 * KEYS)
    assert check_table(base) == []


def test_a_write_waits_for_a_step_and_shows_that_it_waits(
    spark: SparkSession, database: Path
) -> None:
    base = database / "t"
    step = base / ".hoodie" / ".hudilite-rescale" / "step"
    spark.sql(CREATE.format(kind="cow", version=6))
    step.parent.mkdir()
    step.touch()
    spark.sql(ADD.format(first=0, last=KEYS))
    assert step.exists(), "a write of a table with one number of buckets looks for no step"
    spark.sql(STEP)
    before = layout.completed(base)
    step.touch()
    with beside(spark, ADD.format(first=0, last=KEYS)):
        for _ in range(30):
            time.sleep(0.1)
            step.write_bytes(b"")  # as a rescale repeats it
        waiting = [path.name for path in step.parent.iterdir() if path != step]
        assert len(waiting) == 1
        assert waiting[0].startswith("waits-")
        assert layout.completed(base) == before
        assert layout.pending(base) == set()
        step.unlink()
    assert list(step.parent.iterdir()) == []
    assert retries(base) == ["0", "0"]
    assert sums(spark) == (KEYS, KEYS, 2 * KEYS)


def test_a_join_is_partitioned_again_if_a_step_comes_in_between(
    spark: SparkSession, database: Path
) -> None:
    """A MERGE from a join of bucket to bucket waits, and finds more buckets afterwards."""
    step = database / "t" / ".hoodie" / ".hudilite-rescale" / "step"
    for name in "to":
        spark.sql(
            f"CREATE TABLE {name} (id INT, n INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 8"
        )
        spark.sql(f"INSERT INTO {name} SELECT CAST(id AS INT), 1 FROM range({KEYS})")
    spark.sql("CALL rescale(table => 't', buckets => 16, max_bytes => 1)")
    merge = (
        "MERGE INTO t USING (SELECT /*+ MERGE(o) */ t.id, o.n FROM t JOIN o ON t.id = o.id) s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = t.n + s.n"
    )
    (plan,) = spark.sql(f"EXPLAIN FORMATTED {merge}").collect()
    below = plan[0].partition("SortMergeJoin Inner")[2].partition("\n\n")[0]
    assert "Sort" in below
    assert "Exchange" not in below, "the join goes from bucket to bucket"
    step.touch()
    with beside(spark, merge):
        until = time.monotonic() + 30
        while not list(step.parent.glob("waits-*")) and time.monotonic() < until:
            step.touch()
            time.sleep(0.1)
        spark.sql("CALL rescale(table => 't', buckets => 16)")
    assert counts(database / "t") == {"": {16}}
    assert sums(spark) == (KEYS, KEYS, 2 * KEYS)
    assert check_table(database / "t") == []


def test_partitions_that_do_not_exist_begin_no_rescale(spark: SparkSession, database: Path) -> None:
    spark.sql(CREATE.format(kind="cow", version=6))
    spark.sql(ADD.format(first=0, last=KEYS))
    call = "CALL rescale(table => 't', buckets => {}, partitions => \"p = 'none'\")"
    assert spark.sql(call.format(4)).collect() == []
    assert spark.sql(call.format(6)).collect() == []
    spark.sql("CALL rescale(table => 't', buckets => 6)")
    assert counts(database / "t") == {"p=p0": {6}, "p=p1": {6}}


def test_a_state_of_a_rescale_is_restored_as_the_errors_say(
    spark: SparkSession, database: Path
) -> None:
    spark.sql(CREATE.format(kind="cow", version=6))
    spark.sql(ADD.format(first=0, last=KEYS))
    spark.sql(STEP)
    during = max(layout.completed(database / "t"))
    spark.sql("CALL rescale(table => 't', buckets => 4)")
    spark.sql("DELETE FROM t WHERE n = 1")
    restore = f"CALL restore(table => 't', instant => '{during}')"
    for _ in range(2):
        fault = run_statement(spark, restore)
        assert fault is not None
        assert fault.condition == "HUDILITE_ARGUMENT_INVALID"
        told = fault.parameters["fix"].partition("First run ")[2].partition(", or read")[0]
        spark.sql(told)
    spark.sql(restore)
    assert sums(spark) == (KEYS, KEYS, KEYS)
    assert check_table(database / "t") == []


@pytest.mark.parametrize("spans", [False, True])
def test_keys_of_the_whole_table_are_found_in_both_numbers_of_buckets(
    spark: SparkSession, database: Path, spans: bool
) -> None:
    """Two writers insert the same new keys at once, into partitions with different numbers."""
    key = "" if spans else ", p"
    spark.sql(
        f"CREATE TABLE t (id INT, p STRING, n INT, PRIMARY KEY (id{key})) USING hudilite "
        "PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES ('hudilite.index.global' = 'true')"
    )
    spark.sql("INSERT INTO t SELECT CAST(id AS INT), 'p' || id % 2, 1 FROM range(40)")
    spark.sql("CALL rescale(table => 't', buckets => 6, partitions => \"p = 'p0'\")")
    texts = [
        [
            f"INSERT INTO t SELECT CAST(id AS INT), '{p}', 1 FROM range({n}, {n + 3})"
            for n in (100, 110)
        ]
        for p in ("p0", "p1")
    ]
    faults = at_once(spark, texts, {"spark.hudilite.write.maxRetries": "50"})
    conditions = [fault.condition for fault in faults if fault is not None]
    assert conditions == (["HUDILITE_DUPLICATE_KEY"] * 2 if spans else [])
    row = spark.sql("SELECT count(*), count(DISTINCT id) FROM t WHERE id >= 100").collect()[0]
    assert tuple(row) == ((6, 6) if spans else (12, 6))
    assert check_table(database / "t") == []


def test_the_last_step_of_a_finished_rescale_is_restored(
    spark: SparkSession, database: Path
) -> None:
    """It is the only instant of the table after the rescale and before a mistake."""
    base = database / "t"
    spark.sql(CREATE.format(kind="cow", version=6))
    spark.sql(ADD.format(first=0, last=KEYS))
    spark.sql("CALL rescale(table => 't', buckets => 4)")
    last = max(layout.completed(base))
    spark.sql("TRUNCATE TABLE t")
    assert spark.table("t").count() == 0
    spark.sql(f"CALL restore(table => 't', instant => '{last}')")
    assert sums(spark) == (KEYS, KEYS, KEYS)
    spark.sql(ADD.format(first=0, last=2 * KEYS))
    assert sums(spark) == (2 * KEYS, 2 * KEYS, 3 * KEYS)
    assert set().union(*counts(base).values()) == {4}
    assert check_table(base) == []
