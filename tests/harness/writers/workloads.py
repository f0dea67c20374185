"""The statements of the histories: their tables, and which of them comes next."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import inv
from harness.histories import Op, counter_faults, unique_faults
from harness.serial import OTHER, list_faults

COLUMNS = {"counter": "n BIGINT", "lists": "v STRING", "uniques": "who STRING"}
BUCKETS = {"counter": 4, "lists": 2, "uniques": 1}
COUNTERS = 8
CREATE = (
    "CREATE TABLE {name} (id INT, {column}, PRIMARY KEY (id)) USING hudilite "
    "WITH BUCKETS {buckets} LOCATION '{place}'"
)
FIRST = {
    "counter": f"INSERT INTO {{t}} SELECT id, 0 FROM range({COUNTERS})",
    "lists": "INSERT INTO {t} VALUES (1, ''), (2, '')",  # in different buckets
}
ADD = (
    "MERGE INTO {t} t USING (SELECT explode(array({keys})) id) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET n = t.n + 1"
)
APPEND = (
    "MERGE INTO {t} t USING (SELECT explode(array({keys})) id, ',{id}' v) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET v = concat(t.v, s.v)"
)
CROSS = (
    "MERGE INTO {t} t USING (SELECT {keys} id, concat(',{id}/', size(split(v, ',')) - 1) v "
    "FROM {t} WHERE id = {other}) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET v = concat(t.v, s.v)"
)
INSERT = "INSERT INTO {t} VALUES ({keys}, '{id}')"
READ = {"counter": "SELECT id, n FROM {t}", "lists": "SELECT id, v FROM {t}"}


@dataclass(frozen=True)
class Statement:
    """What a session asks next."""

    table: str
    kind: str
    keys: tuple[int, ...]
    sql: str

    def seen(self, rows: Sequence[Any]) -> dict[int, Any]:
        """What a read found for each key."""
        if self.kind != "read":
            return {}
        return {key: elements(value) if self.table == "lists" else value for key, value in rows}


def elements(text: str) -> list[str]:
    """A list as it is stored: each element after a comma."""
    return text.split(",")[1:]


def choose(rng: random.Random, places: dict[str, str], id_: str, window: int) -> Statement:
    """The next statement.

    Args:
        places: The tables of this history, by workload.
        id_: Of the operation; lists and unique keys keep it.
        window: Number of a span of time, in which all insert the same two keys.
    """
    table = rng.choice(sorted(places))
    if table == "counter":
        kind, template = rng.choices([("add", ADD), ("read", READ[table])], [5, 1])[0]
        keys = tuple(rng.sample(range(COUNTERS), rng.randint(1, 2)))
    elif table == "lists":
        known = [("append", APPEND), ("cross", CROSS), ("read", READ[table])]
        kind, template = rng.choices(known, [3, 2, 2])[0]
        keys = rng.choice([(1,), (2,), (1, 2)] if kind == "append" else [(1,), (2,)])
    else:
        kind, template, keys = "insert", INSERT, (2 * window + rng.randrange(2),)
    text = template.format(
        t=f"hudilite.`{places[table]}`",
        keys=", ".join(map(str, keys)),
        id=id_,
        other=OTHER.get(keys[0]),
    )
    return Statement(table, kind, keys, text)


def found_in(copy: Path) -> dict[int, Any]:
    """Key -> value of a completed copy of a table."""
    return dict(inv.rows(copy))


def judge(table: str, ops: Sequence[Op], copy: Path) -> list[str]:
    """Every anomaly of one table's history, and every break of its files."""
    rows = inv.rows(copy)
    mine = [op for op in ops if op.table == table]
    broken = inv.breaks(copy, [rows])
    if table == "counter":
        return [*broken, *counter_faults(mine, dict(rows))]
    if table == "lists":
        return [*broken, *list_faults(mine, {key: elements(text) for key, text in rows})]
    return [*broken, *unique_faults(mine, rows)]


def stands(table: str, unknown: Sequence[Op], known: Sequence[Op], copy: Path) -> int:
    """How many operations that were never answered have taken effect; for counters at least."""
    values = found_in(copy)
    if table == "counter":
        surplus: int = sum(values.values()) - sum(len(op.keys) for op in known if op.kind == "add")
        return (surplus + 1) // 2
    texts = values.values()
    present = {e.split("/")[0] for text in texts for e in elements(f",{text}")}
    return sum(op.id in present for op in unknown)
