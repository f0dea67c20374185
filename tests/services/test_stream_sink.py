"""writeStream into a table: each batch is one INSERT that is there once, whatever dies in between."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql.functions import col, udf

from harness import layout, streams
from harness.children import run_child
from harness.faults import fault_of
from harness.invariants import check_table
from harness.opens import opened_files
from harness.rotation import product, turns
from harness.seeds import asked_seed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROUNDS = 20
WHEN = product("spark/stream/")
SCHEMA = "id BIGINT, v BIGINT"
CREATE = "CREATE TABLE {} (id BIGINT, v BIGINT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2"


def put(source: Path, rows: list[tuple[int, int]]) -> None:
    streams.put(source, [{"id": id, "v": v} for id, v in rows])


def read(spark: SparkSession, source: Path) -> DataFrame:
    return spark.readStream.schema(SCHEMA).json(str(source))


def rows_of(spark: SparkSession, table: str = "t") -> list[tuple[int, int]]:
    return sorted((row.id, row.v) for row in spark.sql(f"SELECT id, v FROM {table}").collect())


def batches(base: Path) -> list[tuple[str, int]]:
    """What the commits say of streams, in their order."""
    extras = [
        layout.commit_metadata(base, instant)["extraMetadata"]
        for instant in sorted(layout.completed(base))
    ]
    return [
        (extra["hudilite.stream"], int(extra["hudilite.stream.batch"]))
        for extra in extras
        if "hudilite.stream" in extra
    ]


@pytest.mark.timeout(600)
def test_a_batch_that_died_behind_its_commit_is_there_once(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    chosen = asked_seed()
    print(f"HUDILITE_SEED={chosen}")
    rng = random.Random(chosen)
    source, checkpoint = tmp_path / "source", tmp_path / "checkpoint"
    spark.sql(CREATE.format("t"))
    trap = streams.Trap(checkpoint)
    spring = udf(trap.spring(), "bigint")
    expected: list[tuple[int, int]] = []
    killed, rounds = 0, turns(ROUNDS)
    for n in rounds:
        new = [(100 * n + id, n) for id in rng.sample(range(100), rng.randrange(5, 30))]
        put(source, new)
        expected += new
        dies = n % 3 != 0
        if dies:
            trap.arm()
        rows = read(spark, source).withColumn("v", spring("v"))
        fault = streams.ended(streams.writer(rows, checkpoint).toTable("t"))
        assert (fault is not None) == dies, fault
        assert trap.sprang() == dies
        killed += dies
        assert rows_of(spark) == sorted(expected), f"round {n}"
        if dies:
            assert streams.ended(streams.writer(rows, checkpoint).toTable("t")) is None
            assert rows_of(spark) == sorted(expected), f"round {n}, once more"
        made = [batch for _, batch in batches(database / "t")]
        assert made == list(range(n + 1 - rounds.start))
    assert killed == sum(n % 3 > 0 for n in rounds) > 3
    assert len(layout.completed(database / "t")) == len(rounds)
    assert check_table(database / "t") == []


@dataclass(frozen=True)
class Overtaken:
    """A query that has ended after another process had written its batch.

    Attributes:
        base: Where its table lies.
        fault: What it died of.
    """

    table: str
    base: Path
    source: Path
    checkpoint: Path
    fault: str | None


DUPLICATES = ["error", "update"]


@pytest.fixture(scope="module")
def overtaken(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Overtaken]:
    """By how a session takes duplicates; the other runs are those of one process."""
    folder = tmp_path_factory.mktemp("overtaken")
    opened, queries, steps = folder / "opened", {}, []

    def gate(value: int) -> int:
        while not opened.exists():
            time.sleep(0.1)
        return value

    for duplicates in DUPLICATES:
        own = folder / duplicates
        base, source, one, two = (own / name for name in ("t", "source", "one", "two"))
        table = f"default.overtaken_{duplicates}"
        spark.sql(f"{CREATE.format(table)} LOCATION '{base}'")
        put(source, [(1, 1), (2, 2)])
        spark.conf.set("spark.hudilite.insert.duplicates", duplicates)
        rows = read(spark, source).withColumn("v", udf(gate, "bigint")("v"))
        queries[duplicates] = streams.writer(rows, one).toTable(table)
        spark.conf.unset("spark.hudilite.insert.duplicates")
        while not list((one / "offsets").glob("0")):
            time.sleep(0.1)
        shutil.copytree(one, two)
        stream = [SCHEMA, str(source), str(two), str(base)]
        steps.append({"label": duplicates, "stream": stream})
    told = run_child(folder / "child", steps)
    opened.touch()
    for duplicates in DUPLICATES:
        told.rows(duplicates)
    return {
        name: Overtaken(
            f"default.overtaken_{name}",
            folder / name / "t",
            folder / name / "source",
            folder / name / "one",
            streams.ended(query),
        )
        for name, query in queries.items()
    }


@pytest.mark.rotated(third=1, when=WHEN)
@pytest.mark.parametrize("duplicates", DUPLICATES)
def test_of_two_runs_of_one_query_one_writes_a_batch(
    spark: SparkSession, overtaken: dict[str, Overtaken], duplicates: str
) -> None:
    one = overtaken[duplicates]
    assert one.fault == "HUDILITE_STREAM_STOPPED"
    assert rows_of(spark, one.table) == [(1, 1), (2, 2)]
    assert [batch for _, batch in batches(one.base)] == [0]
    again = streams.writer(read(spark, one.source), one.checkpoint)
    assert streams.ended(again.toTable(one.table)) is None
    assert [batch for _, batch in batches(one.base)] == [0]


@pytest.mark.rotated(third=1, when=WHEN)
def test_streams_into_one_table_count_their_batches_alone(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))
    for n in range(3):
        for stream in range(2):
            put(tmp_path / f"source{stream}", [(10 * n + stream, n)])
            rows = read(spark, tmp_path / f"source{stream}")
            query = streams.writer(rows, tmp_path / f"checkpoint{stream}")
            # By name and by path.
            assert (
                streams.ended(query.start(str(database / "t")) if stream else query.toTable("t"))
                is None
            )
    assert rows_of(spark) == [(10 * n + stream, n) for n in range(3) for stream in range(2)]
    told = batches(database / "t")
    assert [batch for _, batch in told] == [0, 0, 1, 1, 2, 2]
    assert len({stream for stream, _ in told}) == 2
    marks = {
        path.name: path.read_text() for path in (database / "t/.hoodie/.hudilite/streams").iterdir()
    }
    assert marks == {told[0][0]: "0", told[1][0]: "1"}


@pytest.mark.rotated(third=2, when=WHEN)
def test_a_run_that_begins_reads_no_commit_from_before_its_stream(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))
    for n in range(5):
        spark.sql(f"INSERT INTO t VALUES ({1000 + n}, 0)")
    put(tmp_path / "source", [(1, 1)])
    rows, checkpoint = read(spark, tmp_path / "source"), tmp_path / "checkpoint"
    numbers = database / "t/.hoodie/.hudilite/commits"
    with opened_files([numbers]) as opened:
        assert streams.ended(streams.writer(rows, checkpoint).toTable("t")) is None
    assert {path.name for path in opened if len(path.name) == 20} <= {f"{6:020}"}
    with opened_files([numbers]) as opened:
        put(tmp_path / "source", [(2, 1)])
        assert streams.ended(streams.writer(rows, checkpoint).toTable("t")) is None
    assert {path.name for path in opened if len(path.name) == 20} <= {f"{6:020}", f"{7:020}"}


@pytest.mark.rotated(third=2, when=WHEN)
def test_an_existing_key_stops_the_stream_unless_duplicates_are_allowed(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))
    spark.sql("INSERT INTO t VALUES (1, 0), (2, 0)")
    put(tmp_path / "source", [(1, 1), (3, 1)])
    rows, checkpoint = read(spark, tmp_path / "source"), tmp_path / "checkpoint"
    query = streams.writer(rows, checkpoint)
    assert streams.ended(query.toTable("t")) == "HUDILITE_DUPLICATE_KEY"
    assert rows_of(spark) == [(1, 0), (2, 0)]
    key = "spark.hudilite.insert.duplicates"
    spark.conf.set(key, "keep")
    assert streams.ended(query.toTable("t")) is None
    put(tmp_path / "source", [(1, 2)])
    assert streams.ended(query.toTable("t")) is None
    assert rows_of(spark) == [(1, 0), (2, 0), (3, 1)]
    # The second changed nothing: it is no commit, and its number is gone by.
    assert [batch for _, batch in batches(database / "t")] == [0]
    spark.conf.set(key, "update")
    put(tmp_path / "source", [(1, 3)])
    assert streams.ended(query.toTable("t")) is None
    spark.conf.unset(key)
    assert rows_of(spark) == [(1, 3), (2, 0), (3, 1)]
    assert [batch for _, batch in batches(database / "t")] == [0, 2]


@pytest.mark.rotated(third=2, when=WHEN)
def test_a_table_without_a_key_gets_equal_rows(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    source, checkpoint = tmp_path / "source", tmp_path / "checkpoint"
    for _ in range(2):
        put(source, [(1, 1), (1, 1), (2, 1)])
        query = streams.writer(read(spark, source), checkpoint)
        assert streams.ended(query.toTable("t")) is None
    assert rows_of(spark) == [(1, 1)] * 4 + [(2, 1)] * 2
    assert spark.table("t").select("_hoodie_record_key").distinct().count() == 6
    assert [batch for _, batch in batches(database / "t")] == [0, 1]
    upsert = streams.writer(
        read(spark, source), checkpoint, **{"hoodie.datasource.write.operation": "upsert"}
    )
    put(source, [(1, 2)])
    assert streams.ended(upsert.toTable("t")) == "HUDILITE_UNSUPPORTED_CLAUSE"


def test_a_cached_table_shows_each_batch(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))
    spark.sql("CACHE TABLE t")
    for n in range(2):
        put(tmp_path / "source", [(n, n)])
        query = streams.writer(read(spark, tmp_path / "source"), tmp_path / "checkpoint")
        assert streams.ended(query.toTable("t")) is None
        assert rows_of(spark) == [(id, id) for id in range(n + 1)]


@pytest.mark.rotated(third=1, when=WHEN)
def test_columns_are_matched_by_name(spark: SparkSession, database: Path, tmp_path: Path) -> None:
    spark.sql(CREATE.format("t"))
    source, checkpoint = tmp_path / "source", tmp_path / "checkpoint"
    put(source, [(1, 7)])
    swapped = read(spark, source).select("v", "id")
    assert streams.ended(streams.writer(swapped, checkpoint).toTable("t")) is None
    assert rows_of(spark) == [(1, 7)]
    put(source, [(2, 7)])
    fewer = streams.writer(read(spark, source).select("id"), checkpoint)
    assert streams.ended(fewer.toTable("t")) is None
    assert spark.sql("SELECT v FROM t WHERE id = 2").collect() == [(None,)]
    put(source, [(3, 7)])
    keyless = streams.writer(read(spark, source).select("v"), checkpoint)
    assert streams.ended(keyless.toTable("t")) == "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA"
    more = streams.writer(read(spark, source).withColumn("w", col("v")), checkpoint)
    assert streams.ended(more.toTable("t")) == "HUDILITE_COLUMN_UNKNOWN"


@pytest.mark.rotated(third=1, when=WHEN)
def test_a_stream_brings_columns(spark: SparkSession, database: Path, tmp_path: Path) -> None:
    spark.sql(CREATE.format("t"))
    source, checkpoint = tmp_path / "source", tmp_path / "checkpoint"
    put(source, [(1, 7)])
    more = read(spark, source).withColumn("w", col("v") + 1)
    for n in range(2):
        put(source, [(10 + n, n)])
        query = streams.writer(more, checkpoint, mergeSchema="true")
        assert streams.ended(query.toTable("t")) is None
    assert spark.sql("SELECT sum(v), sum(w), count(*) FROM t").first() == (8, 11, 3)
    assert [batch for _, batch in batches(database / "t")] == [0, 1]
    assert check_table(database / "t") == []


def test_what_a_sink_cannot_do_is_refused_before_it_starts(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))
    put(tmp_path / "source", [(1, 1)])
    rows, checkpoint = read(spark, tmp_path / "source"), tmp_path / "checkpoint"

    def condition(start: Callable[[str], object], place: str) -> str:
        with pytest.raises(Exception) as caught:
            start(place)
        return fault_of(caught.value).condition

    counted = rows.groupBy("id").count().selectExpr("id", "`count` AS v")
    for mode in ("complete", "update"):
        query = streams.writer(counted, checkpoint).outputMode(mode)
        assert condition(query.toTable, "t") == "HUDILITE_UNSUPPORTED_CLAUSE"
    query = streams.writer(rows, checkpoint).partitionBy("v")
    assert condition(query.toTable, "t") == "HUDILITE_UNSUPPORTED_CLAUSE"
    for option in ("mergeSchemas", "hoodie.datasource.write.operation", "txnAppId"):
        query = streams.writer(rows, checkpoint, **{option: "true"})
        assert condition(query.toTable, "t") == "HUDILITE_PROPERTY_UNSUPPORTED"
    query = streams.writer(rows, checkpoint, **{"hoodie.datasource.write.operation": "delete"})
    assert condition(query.toTable, "t") == "HUDILITE_UNSUPPORTED_CLAUSE"
    query = streams.writer(rows, checkpoint, **{"hoodie.bucket.index.num.buckets": "3"})
    assert condition(query.toTable, "t") == "HUDILITE_PROPERTY_CONFLICT"
    query = streams.writer(rows, checkpoint, primaryKey="id")
    assert condition(query.toTable, "absent") == "HUDILITE_PROPERTY_CONFLICT"
    assert spark.table("absent").count() == 0
    query = streams.writer(rows, checkpoint)
    source = str(tmp_path / "source")
    assert condition(query.start, source) == "HUDILITE_LOCATION_NOT_EMPTY"
    query = streams.writer(rows, tmp_path / "new" / "checkpoint")
    assert condition(query.start, str(tmp_path / "new")) == "HUDILITE_UNSUPPORTED_CLAUSE"
    query = streams.writer(rows, checkpoint, **{"hoodie.datasource.write.operation": "delete"})
    assert condition(query.start, str(tmp_path / "new")) == "HUDILITE_UNSUPPORTED_CLAUSE"
    assert not (tmp_path / "new").exists()
    assert layout.completed(database / "t") == {}


def test_the_first_batch_creates_the_table_at_a_path(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    source, checkpoint, base = tmp_path / "source", tmp_path / "checkpoint", tmp_path / "new"
    facts = {"primaryKey": "id", "hoodie.bucket.index.num.buckets": "3", "type": "mor"}

    def run(new: list[tuple[int, int]]) -> str | None:
        put(source, new)
        query = streams.writer(read(spark, source), checkpoint, **facts).partitionBy("v")
        return streams.ended(query.start(str(base)))

    assert run([(1, 1), (2, 2)]) is None
    made = layout.properties(base)
    assert made["hoodie.table.type"] == "MERGE_ON_READ"
    assert made["hoodie.table.recordkey.fields"] == "id"
    assert made["hoodie.table.partition.fields"] == "v"
    assert run([(3, 3)]) is None
    assert rows_of(spark, f"hudilite.`{base}`") == [(1, 1), (2, 2), (3, 3)]
    assert [number for _, number in batches(base)] == [0, 1]
    assert check_table(base) == []
    # The query does not create a table again that is gone: it would lack the earlier batches.
    shutil.rmtree(base)
    assert run([(4, 4)]) == "HUDILITE_PATH_INVALID"
    assert not base.exists()


def test_a_table_that_cannot_be_created_ends_the_query(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    put(tmp_path / "source", [(1, 1)])
    rows, base = read(spark, tmp_path / "source"), tmp_path / "new"
    query = streams.writer(rows, tmp_path / "checkpoint", primaryKey="other")
    assert streams.ended(query.start(str(base))) == "HUDILITE_KEY_COLUMN_INVALID"
    assert not base.exists()
