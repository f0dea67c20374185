"""MERGE in foreachBatch: a stream that dies between the table's commit and its own loses nothing."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout, streams
from harness.rotation import turns
from harness.seeds import asked_seed
from hudilite import Table, sql

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROUNDS = 20
SCHEMA = "id BIGINT, v BIGINT, gone BOOLEAN"
MERGE = (
    "MERGE INTO t USING batch s ON t.id = s.id WHEN MATCHED AND s.gone THEN DELETE "
    "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED AND NOT s.gone THEN INSERT (id, v) "
    "VALUES (s.id, s.v)"
)


class Killed(Exception):
    """The stream ends here."""


@pytest.mark.timeout(600)
def test_batches_that_died_behind_their_commit_are_made_again(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    chosen = asked_seed()
    print(f"HUDILITE_SEED={chosen}")
    rng = random.Random(chosen)
    source, checkpoint = tmp_path / "source", tmp_path / "checkpoint"
    spark.sql(
        "CREATE TABLE t (id BIGINT, v BIGINT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2"
    )
    expected: dict[int, int] = {}
    killed = 0

    def merge(batch: DataFrame, _: int) -> None:
        batch.createOrReplaceTempView("batch")
        batch.sparkSession.sql(MERGE).collect()
        if dies:
            raise Killed

    rounds = turns(ROUNDS)
    for n in rounds:
        rows = [(id, n, rng.random() < 0.2) for id in rng.sample(range(60), rng.randrange(5, 30))]
        streams.put(source, [{"id": id, "v": v, "gone": gone} for id, v, gone in rows])
        expected |= {id: v for id, v, gone in rows if not gone}
        expected = {k: v for k, v in expected.items() if (k, n, True) not in rows}
        for dies in [True, False] if n % 3 else [False]:
            stream = spark.readStream.schema(SCHEMA).json(str(source)).writeStream
            query = (
                stream.foreachBatch(merge)
                .option("checkpointLocation", str(checkpoint))
                .trigger(availableNow=True)
                .start()
            )
            try:
                query.awaitTermination()
            except Exception:
                assert dies
                killed += 1
            read = {row.id: row.v for row in spark.sql("SELECT id, v FROM t").collect()}
            assert read == expected, f"round {n}"
    assert killed == sum(n % 3 > 0 for n in rounds) > 3
    # Each killed batch was committed twice; the second time it changed nothing.
    assert len(layout.completed(database / "t")) == len(rounds) + killed


@pytest.mark.parametrize("way", ["clauses", "delta"])
def test_a_batch_is_merged_by_a_table_of_the_program(
    spark: SparkSession, database: Path, tmp_path: Path, way: str
) -> None:
    """The batches have a session of their own, in which the temporary view of a batch is."""
    spark.sql(
        "CREATE TABLE t (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2"
    )
    spark.sql("INSERT INTO t VALUES (1, 'old'), (2, 'old')")
    spark.sql("SELECT id, 'new' AS v FROM range(2, 4)").write.parquet(str(tmp_path / "feed"))
    table = Table.for_name(spark, "t")

    def merge(batch: DataFrame, _: int) -> None:
        if way == "clauses":
            clauses = sql.matched().update_all(), sql.not_matched().insert_all()
            assert table.merge(batch, *clauses, on=["id"]).affected == 2
        else:
            merged = table.alias("t").merge(batch.alias("s"), "t.id = s.id")
            merged.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()

    feed = spark.readStream.schema("id BIGINT, v STRING").parquet(str(tmp_path / "feed"))
    stream = feed.writeStream.foreachBatch(merge).trigger(availableNow=True)
    stream.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()
    rows = {tuple(row) for row in spark.table("t").collect()}
    assert rows == {(1, "old"), (2, "new"), (3, "new")}
    assert [view for view in spark.catalog.listTables() if view.isTemporary] == []
