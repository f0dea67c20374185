"""Two ways to one result: each relation compares the engine with itself, and needs no model of rows.

The model only picks statements that pass and change something. HUDILITE_SEED gives others.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.canonical import assert_same_rows
from model.expressions import SQL_TYPES, literal_sql
from model.relations import (
    DATABASE,
    NAMES,
    SEED,
    Example,
    Outcome,
    assert_same,
    by_key,
    drawn,
    run,
    settings,
    upsert_of,
)
from model.statements import KEY_POOL

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def example() -> Example:
    """A MERGE by key and one that joins, with changes of every kind."""
    return drawn(
        lambda merge, counts: by_key(merge) and min(counts.row) > 0,
        lambda merge, counts: not by_key(merge) and counts.updated + counts.deleted > 0,
    )


@pytest.fixture(scope="module")
def usual(spark: SparkSession, folder: Path, example: Example) -> Outcome:
    """The example in a session of two shuffle partitions, adaptive, with compiled stages."""
    return run(spark, folder, example)


def test_one_merge_is_the_merges_of_its_halves(spark: SparkSession, folder: Path) -> None:
    whole = drawn(
        lambda merge, counts: (
            by_key(merge)
            and all(clause.when != "not matched by source" for clause in merge.clauses)
            and len(merge.rows) > 4
            and counts.inserted > 0 < counts.updated + counts.deleted
        )
    )
    fill, merge = whole.script
    halves = [replace(merge, rows=merge.rows[start::2]) for start in (0, 1)]
    at_once = run(spark, folder, whole)
    in_halves = run(spark, folder, replace(whole, script=(fill, *halves)))
    assert_same_rows(at_once.rows, in_halves.rows)
    assert [tuple(map(sum, zip(*in_halves.answers, strict=True)))] == at_once.answers


def test_the_same_upsert_again_changes_nothing(spark: SparkSession, folder: Path) -> None:
    found = drawn(
        lambda merge, counts: by_key(merge) and counts.inserted > 0 < counts.updated,
        merges=upsert_of,
    )
    fill, upsert = found.script
    once = run(spark, folder, found)
    twice = run(spark, folder, replace(found, script=(fill, upsert, upsert)))
    assert_same_rows(once.rows, twice.rows)
    count = len(upsert.rows)
    assert twice.answers == [*once.answers, (count, count, 0, 0)]


@pytest.mark.rotated(third=0)
@pytest.mark.parametrize("buckets", [0, 1, 7])
def test_rows_do_not_depend_on_the_bucket_count(
    spark: SparkSession, folder: Path, example: Example, usual: Outcome, buckets: int
) -> None:
    other = run(spark, folder, in_buckets(example, buckets))
    assert_same(usual, other)
    if buckets:
        used = {found.bucket for found in layout.base_files(other.base)}
        assert used <= set(range(buckets))
        assert len(used) > 1 or buckets == 1


def in_buckets(example: Example, buckets: int) -> Example:
    """The same statements on a table of so many buckets; 0 is one with a bloom index."""
    shape = replace(example.shape, buckets=buckets)
    return Example(shape, tuple(replace(one, shape=shape) for one in example.script))


@pytest.mark.rotated(third=0)
@pytest.mark.parametrize("partitions", [1, 5])
def test_rows_do_not_depend_on_shuffle_partitions(
    spark: SparkSession, folder: Path, example: Example, usual: Outcome, partitions: int
) -> None:
    """In seven buckets: a table without partitions is not written by more tasks than it has buckets."""
    conf = {"spark.sql.shuffle.partitions": partitions}
    other = run(spark, folder, in_buckets(example, 7), conf)
    assert_same(usual, other)
    fill = replace(example.script[0], table=f"{DATABASE}.{other.base.name}")
    with settings(spark, conf):
        plan = spark.sql(f"EXPLAIN {fill.sql}").collect()[0][0]
    assert re.search(rf"Exchange hashpartitioning\(.*, {partitions}\)", plan), plan


@pytest.mark.rotated(third=0)
@pytest.mark.parametrize("order", ["backwards", "shuffled"])
def test_rows_do_not_depend_on_the_order_of_the_source(
    spark: SparkSession, folder: Path, example: Example, usual: Outcome, order: str
) -> None:
    rng = random.Random(SEED)

    def moved(rows: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(rows[::-1] if order == "backwards" else rng.sample(rows, len(rows)))

    script = tuple(replace(statement, rows=moved(statement.rows)) for statement in example.script)
    assert_same(usual, run(spark, folder, replace(example, script=script)))


@pytest.mark.rotated(third=0)
@pytest.mark.parametrize(
    "conf",
    [
        {"spark.sql.adaptive.enabled": "false"},
        {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"},
    ],
    ids=["not adaptive", "interpreted"],
)
def test_rows_do_not_depend_on_how_spark_runs_a_plan(
    spark: SparkSession, folder: Path, example: Example, usual: Outcome, conf: dict[str, str]
) -> None:
    for key, value in conf.items():
        assert str(spark.conf.get(key)).lower() != value.lower(), f"{key} is the usual"
    assert_same(usual, run(spark, folder, example, conf))


@pytest.mark.parametrize("kind", ["string", "decimal"])
def test_a_pruned_select_gives_what_a_filter_of_all_rows_gives(
    spark: SparkSession, folder: Path, kind: str
) -> None:
    table, rng = f"{DATABASE}.t{next(NAMES)}", random.Random(SEED)
    pool = [value for value in KEY_POOL[kind] if value != ""]
    fill(spark, table, kind, rng.sample(pool, len(pool) - 2))
    whole = [tuple(row) for row in spark.sql(f"SELECT id, n FROM {table}").collect()]
    assert len(whole) == len(pool) - 2
    for size in (1, 1, 1, 2, 3):
        asked = rng.sample(pool, size)
        texts = [literal_sql(key, kind) for key in asked]
        where = f"id = {texts[0]}" if size == 1 else f"id IN ({', '.join(texts)})"
        for also, least in (("", 0), (" AND n > 0", 1)):
            found = spark.sql(f"SELECT id, n FROM {table} WHERE {where}{also}")
            wanted = [(key, n) for key, n in whole if key in asked and n >= least]
            assert_same_rows(wanted, [tuple(row) for row in found.collect()], where + also)
            read = re.search(r"buckets (\d) of 7", found._jdf.queryExecution().toString())
            assert read is not None and int(read[1]) <= size, where


def fill(spark: SparkSession, table: str, kind: str, keys: Sequence[Any]) -> None:
    """A table of seven buckets with a row for each key."""
    spark.sql(
        f"CREATE TABLE {table} (id {SQL_TYPES[kind]}, n INT, PRIMARY KEY (id)) "
        "USING hudilite WITH BUCKETS 7"
    )
    tuples = ", ".join(f"({literal_sql(key, kind)}, {n % 3})" for n, key in enumerate(keys))
    spark.sql(f"INSERT INTO {table} VALUES {tuples}")


def test_count_is_the_sum_over_files(spark: SparkSession, folder: Path, usual: Outcome) -> None:
    table = f"{DATABASE}.{usual.base.name}"
    ((count,),) = spark.sql(f"SELECT count(*) FROM {table}").collect()
    groups = spark.sql(f"SELECT _hoodie_file_name, count(*) FROM {table} GROUP BY 1").collect()
    assert count == sum(number for _, number in groups) == len(usual.rows) > 0
    files = {
        s.path.name: pq.read_metadata(s.path).num_rows for s in layout.latest_slices(usual.base)
    }
    assert {name: number for name, number in files.items() if number} == dict(map(tuple, groups))
