"""Cases on tables of other shapes than T1: an uneven bucket, nested columns, and many columns."""

from __future__ import annotations

from dataclasses import replace

from bench.beside.other_cases import KEY
from bench.beside.shapes import Case, Change, Round, Rows, Table
from bench.beside.t1_cases import counted
from tables import t1

PEERS = ("iceberg", "delta")
EVEN, SKEWED, MERGE = "even", "skewed", "MERGE"
GROUPS = (
    "id % 1600 * 7919"  # spreads over the buckets, of which the fullest has a tenth more than even
)
GROUPED = f"g BIGINT, {t1.SCHEMA}"
WIDTH = 200
FLAT = (
    ("BIGINT", "xxhash64(id, {n}, {salt}) & 16777215"),
    ("DOUBLE", "(xxhash64(id, {n}, {salt}) & 65535) / 7.0D"),
    ("STRING", "concat('value ', xxhash64(id, {n}, {salt}) & 4095)"),
    ("DATE", "date_add(DATE'2020-01-01', CAST((id + {n}) % 1500 AS INT))"),
)
NESTED = Table(
    "t",
    "k STRING, l1 BIGINT, "
    "person STRUCT<name:STRING,age:BIGINT,place:STRUCT<city:STRING,zip:BIGINT>>, tags ARRAY<STRING>, "
    "lines ARRAY<STRUCT<item:BIGINT,price:DOUBLE>>, flag STRING",
    ("k",),
    16,
    ("k",),
    "l1",
)
NESTED_COLUMNS = f"""
  {KEY} k, id l1,
  named_struct(
    'name', concat('customer ', id % 90000), 'age', xxhash64(id, 1, {{salt}}) & 127,
    'place', named_struct('city', concat('city ', id % 700), 'zip', xxhash64(id, 2, {{salt}}) & 65535)
  ) person,
  transform(sequence(0, CAST(id % 3 AS INT)), i -> concat('tag ', xxhash64(id, i, {{salt}}) & 1023)) tags,
  transform(sequence(0, CAST(id % 4 AS INT)), i -> named_struct(
    'item', xxhash64(id, i, 3, {{salt}}) & 65535, 'price', (xxhash64(id, i, 4, {{salt}}) & 1048575) / 100.0D
  )) lines,
  array('new', 'open', 'paid', 'sent', 'closed')[CAST(id % 5 AS INT)] flag
"""


def skew(rows: int, rounds: int, warm_ups: int) -> Case:
    """Load and 1 % MERGE of a table with even buckets, and of one where a bucket has half of the rows."""
    groups = {EVEN: GROUPS, SKEWED: f"IF(id % 2 = 0, 0, {GROUPS})"}
    forms = {
        label: f"SELECT {group} g, {t1.COLUMNS} FROM range(0, {rows})"
        for label, group in groups.items()
    }
    tables = [Table(label, GROUPED, ("g", "k"), 16, ("g",), "l1", hashed="g") for label in groups]
    plan = [
        replace(_loaded("skew", label, table.name, form, number), limits=False, table=table.name)
        for number in range(rounds + warm_ups)
        for table, (label, form) in zip(tables, forms.items(), strict=True)
    ]
    title = "skew: load, and 1 %, SET *, of a table where one bucket has half of the rows"
    return Case("skew", title, tables, [], counted(plan, len(tables) * warm_ups), beside=PEERS)


def nested(rows: int, rounds: int, warm_ups: int) -> Case:
    """Load and 1 % MERGE of a table with structs and arrays."""
    title = "nested: load, and 1 %, SET *, of a table with structs and arrays, a third of the rows"
    form = f"SELECT {NESTED_COLUMNS} FROM range(0, {rows // 3})"
    return _of_shape("nested", title, NESTED, form, rounds, warm_ups)


def wide(rows: int, rounds: int, warm_ups: int) -> Case:
    """Load and 1 % MERGE of a table of two hundred columns."""
    numbers = range(2, WIDTH)
    names = [f"c{n} {FLAT[n % len(FLAT)][0]}" for n in numbers]
    values = [f"{FLAT[n % len(FLAT)][1].format(n=n, salt='{salt}')} c{n}" for n in numbers]
    table = replace(NESTED, columns=", ".join(["k STRING", "l1 BIGINT", *names]))
    form = f"SELECT {KEY} k, id l1, {', '.join(values)} FROM range(0, {rows // 10})"
    title = f"wide: load, and 1 %, SET *, of a table of {WIDTH} columns, a tenth of the rows"
    return _of_shape("wide", title, table, form, rounds, warm_ups)


def _of_shape(name: str, title: str, table: Table, form: str, rounds: int, warm_ups: int) -> Case:
    steps = [_loaded(name, MERGE, table.name, form, n) for n in range(rounds + warm_ups)]
    return Case(name, title, [table], [], counted(steps, warm_ups), beside=PEERS)


def _loaded(case: str, label: str, table: str, form: str, number: int) -> Round:
    """A fresh load, and a MERGE of a hundredth of its rows."""
    base = Rows(table, form.format(salt=0), f"{case}_{label}")
    picked = f"{form.format(salt=number + 1)} WHERE xxhash64(id, 99, {number}) % 100 = 0"
    change = Change(Rows(table, picked, f"case_{case}_{label}_{number}"))
    return Round(label, [change], [base], fresh=True)
