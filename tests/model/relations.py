"""Examples for the relations between runs of the engine, and one run of an example."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.canonical import Row, assert_same_rows, canonical_rows
from harness.seeds import asked_seed
from model.duel import expected
from model.expressions import column, conjunction, equal
from model.oracle import Clause, Counts, ModelTable, Shape
from model.statements import Statements, random_shape
from model.texts import Statement, create_sql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEED = asked_seed()
DATABASE = "metamorphic"
NAMES = itertools.count()


@dataclass(frozen=True)
class Example:
    """A table, and statements that all pass; the first fills it."""

    shape: Shape
    script: tuple[Statement, ...]


@dataclass(frozen=True)
class Outcome:
    """What a run gave: the folder of its table, the answers of MERGE, the rows."""

    base: Path
    answers: list[Row]
    rows: list[Row]


def drawn(
    *wanted: Callable[[Statement, Counts], bool],
    merges: Callable[[Statement], Statement] = lambda merge: merge,
) -> Example:
    """The first random table of the seed, in three buckets, with a MERGE for each wish.

    Args:
        merges: Makes of each random MERGE the one that is meant.
    """
    for attempt in itertools.count():
        rng = random.Random(f"{SEED}:{attempt}")
        shape = replace(random_shape(rng), buckets=3)
        stream, model = Statements(rng, "t", shape), ModelTable(shape)
        script: tuple[Statement, ...] = ()
        for _ in range(40):
            if len(script) > len(wanted):
                return Example(shape, script)
            statement = stream.next(list(model.rows.values()))
            statement = merges(statement) if statement.kind == "merge" else statement
            tried = replace(model, rows=dict(model.rows), writer=dict(model.writer))
            told = expected(tried, len(script), statement)
            if not isinstance(told, Counts):
                continue
            if not script or (
                statement.kind == "merge" and wanted[len(script) - 1](statement, told)
            ):
                model, script = tried, (*script, of_any_size(statement))
    raise AssertionError("not reached")


def of_any_size(statement: Statement) -> Statement:
    """With a source that Spark cannot prove small: its rows are exchanged, not grouped on the driver."""
    return replace(statement, hint="", tail=" LATERAL VIEW explode(array(0)) AS one")


def by_key(merge: Statement) -> bool:
    """True when ON demands all of the key, and no source row has the key of another."""
    assert merge.on is not None
    pinned = all(f"(t.{name} = s.{name})" in merge.on.sql for name in merge.shape.key)
    keys = [tuple(row[name] for name in merge.shape.key) for row in merge.rows]
    return pinned and " OR " not in merge.on.sql and len(set(keys)) == len(keys)


def upsert_of(merge: Statement) -> Statement:
    """The MERGE of the same rows that updates with star and inserts with star."""
    pairs = [equal(column("t", name), column("s", name)) for name in merge.shape.key]
    everything = {c.name: column("s", c.name) for c in merge.shape.columns}
    clauses = (
        Clause("matched", "update", None, everything, star=True),
        Clause("not matched", "insert", None, everything, star=True),
    )
    return replace(merge, on=functools.reduce(conjunction, pairs), clauses=clauses)


def run(
    spark: SparkSession, folder: Path, example: Example, conf: Mapping[str, Any] | None = None
) -> Outcome:
    """The example on a new table, under other settings."""
    name = f"t{next(NAMES)}"
    table = f"{DATABASE}.{name}"
    names = ", ".join(c.name for c in example.shape.columns)
    print(f"{create_sql(table, example.shape)}; under {conf or 'the usual settings'}")
    print(*(statement.sql for statement in example.script), sep=";\n")
    with settings(spark, conf or {}):
        spark.sql(create_sql(table, example.shape))
        answers = [
            tuple(row)
            for statement in example.script
            for row in spark.sql(replace(statement, table=table).sql).collect()
        ]
        rows = canonical_rows(spark.sql(f"SELECT {names} FROM {table}").toArrow())
    return Outcome(folder / name, answers, rows)


@contextmanager
def settings(spark: SparkSession, conf: Mapping[str, Any]) -> Iterator[None]:
    """Within it the session has these settings."""
    before = {key: spark.conf.get(key, None) for key in conf}
    for key, value in conf.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            spark.conf.unset(key) if old is None else spark.conf.set(key, old)


def assert_same(usual: Outcome, other: Outcome) -> None:
    assert_same_rows(usual.rows, other.rows)
    assert other.answers == usual.answers
