"""CALL diff of random states against two dicts: versions of one table, and tables of other layouts."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from model.relations import DATABASE, NAMES, SEED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COMMITS = 5
COLUMNS = "id INT, v STRING, x DOUBLE, m MAP<STRING, INT>, p STRING, PRIMARY KEY (id)"
LAYOUTS = {
    "buckets": "PARTITIONED BY (p) WITH BUCKETS 3",
    "one partition": "WITH BUCKETS 4",
    "bloom": "PARTITIONED BY (p)",
    "merge-on-read": "PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (type = 'mor')",
}
Key = tuple[str, int]
Values = tuple[Any, ...]
State = dict[Key, Values]
TEXTS = (None, "", "a", "b", "é,:")
DOUBLES = (None, 0.0, -0.0, 1.5, math.nan)
MAPS = (None, {}, {"a": 1}, {"a": 1, "b": None}, {"b": None, "a": 1}, {"a": 1, "b": 0}, {"a": 2})


def values_of(rng: random.Random) -> Values:
    return rng.choice(TEXTS), rng.choice(DOUBLES), rng.choice(MAPS)


def plain(values: Values) -> Values:
    """Values that are equal in Python where they are for diff: NaN is itself, -0.0 is 0.0."""
    text, number, entries = values
    shown = None if number is None else "NaN" if math.isnan(number) else number + 0.0
    return text, shown, entries


def differences(before: State, after: State) -> Counter[tuple[Any, ...]]:
    """The rows of CALL diff, with their kinds."""
    found = Counter[tuple[Any, ...]]()

    def see(kind: str, key: Key, values: Values) -> None:
        found[kind, key, repr(plain(values))] += 1

    for key in before.keys() | after.keys():
        if key not in before:
            see("insert", key, after[key])
        elif key not in after:
            see("delete", key, before[key])
        elif plain(before[key]) != plain(after[key]):
            see("update_preimage", key, before[key])
            see("update_postimage", key, after[key])
    return found


def literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, float):
        return f"CAST('{value}' AS DOUBLE)"
    assert isinstance(value, Mapping)
    return f"map({', '.join(f'{literal(k)}, {literal(v) if v is None else v}' for k, v in value.items())})"


def source(rows: Mapping[Key, Values | None]) -> str:
    """A query of changes; a row without values is deleted."""
    chosen = [
        f"({key}, {', '.join(literal(v) for v in values or (None, None, None))}, '{place}', {values is None})"
        for (place, key), values in rows.items()
    ]
    return (
        "SELECT id, v, CAST(x AS DOUBLE) AS x, CAST(m AS MAP<STRING, INT>) AS m, p, gone "
        f"FROM VALUES {', '.join(chosen)} AS s(id, v, x, m, p, gone)"
    )


def change(spark: SparkSession, table: str, state: State, rng: random.Random) -> State:
    """Merges random rows into a table, and returns its state."""
    keys = [(place, key) for place in "xyz" for key in range(8)]
    rows = {
        key: None if key in state and rng.random() < 0.3 else values_of(rng)
        for key in rng.sample(keys, rng.randint(1, 12))
    }
    spark.sql(
        f"MERGE INTO {table} t USING ({source(rows)}) s ON t.id = s.id AND t.p = s.p "
        "WHEN MATCHED AND s.gone THEN DELETE WHEN MATCHED THEN UPDATE SET * "
        "WHEN NOT MATCHED AND NOT s.gone THEN INSERT *"
    ).collect()
    after = {**state, **{key: values for key, values in rows.items() if values is not None}}
    return {key: values for key, values in after.items() if rows.get(key, ()) is not None}


def check(spark: SparkSession, call: str, expected: Counter[tuple[Any, ...]]) -> None:
    """Compares the rows and the counts of a call with those of the model."""
    rows = spark.sql(f"CALL diff({call}, rows => true, limit => 1000)").collect()
    found = Counter(
        (row["_change_type"], (row["p"], row["id"]), repr(plain((row["v"], row["x"], row["m"]))))
        for row in rows
    )
    assert Counter(map(sorted_entries, found.elements())) == Counter(
        map(sorted_entries, expected.elements())
    )
    kinds = Counter(kind for kind, *_ in expected.elements())
    counts = spark.sql(f"CALL diff({call})").collect()
    told = [
        sum(row[f"rows_{kind}"] for row in counts) for kind in ("inserted", "updated", "deleted")
    ]
    assert told == [kinds["insert"], kinds["update_preimage"], kinds["delete"]]


def sorted_entries(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row whose map is in one order: Spark keeps the order of the entries."""
    kind, key, values = row
    return kind, key, values.replace("{'b': None, 'a': 1}", "{'a': 1, 'b': None}")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_difference_is_that_of_two_dicts(spark: SparkSession, folder: Path, layout: str) -> None:
    rng = random.Random(f"{SEED}:{layout}")
    key = COLUMNS if "PARTITIONED" in LAYOUTS[layout] else COLUMNS.replace("(id)", "(id, p)")
    table, other = (f"{DATABASE}.t{next(NAMES)}" for _ in range(2))
    spark.sql(f"CREATE TABLE {table} ({key}) USING hudilite {LAYOUTS[layout]}")
    spark.sql(f"CREATE TABLE {other} ({key}) USING hudilite {LAYOUTS['buckets']}")
    states: list[State] = [{}]
    for _ in range(COMMITS):
        states.append(change(spark, table, states[-1], rng))
    for before, after in ((1, COMMITS), (2, 3), (COMMITS, 1)):
        check(
            spark,
            f"table => '{table}', version => '{before}', to_version => '{after}'",
            differences(states[before], states[after]),
        )
    copied = change(spark, other, {}, rng)
    check(spark, f"table => '{table}', other => '{other}'", differences(copied, states[COMMITS]))
    check(
        spark,
        f"table => '{table}', version => '1', where => \"id < 4\"",
        differences(*({k: v for k, v in s.items() if k[1] < 4} for s in (states[1], states[-1]))),
    )
