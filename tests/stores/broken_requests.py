"""One statement on a table in S3 while one of its requests breaks, and what is found of the table afterwards."""

from __future__ import annotations

import itertools
import random
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from broken import Cell, Outcome, broken, not_struck

from harness import inv, layout
from harness.fault_proxy import FAULTS, FaultProxy, Seen
from harness.faults import run_statement
from harness.stores import NUMBER, S3Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = tuple[int, str, str]
Rows = frozenset[Row]
COLUMNS = ["id", "p", "v"]
LOST = "20240102030405678"
UNKNOWN = "HUDILITE_COMMIT_STATE_UNKNOWN"
EMPTY: Rows = frozenset()
CREATE = (
    "CREATE TABLE {name} (id INT, p STRING, v STRING, PRIMARY KEY (id)) "
    "USING hudilite PARTITIONED BY (p) WITH BUCKETS 1 LOCATION '{url}'"
)
COMMITS = (
    "INSERT INTO {t} SELECT id, IF(id % 2 = 0, 'a', 'b'), 'old' FROM range(8)",
    "UPDATE {t} SET v = 'two' WHERE id < 2",
)
ORIGINAL: Rows = frozenset((i, "ab"[i % 2], "two" if i < 2 else "old") for i in range(8))
MERGE = (
    "MERGE INTO {t} t USING (SELECT 3 id, 'b' p, 'mrg' v UNION ALL SELECT 30, 'c', 'mrg') s "
    "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)
FOLLOWING = MERGE.replace("mrg", "nxt").replace("3 id", "4 id").replace("'b' p", "'a' p")
# What a request is about.
KINDS = {
    "markers": r"/\.hoodie/\.temp",
    "number": NUMBER.pattern,
    "hint": r"/\.hoodie/\.hudilite/",
    "properties": r"/hoodie\.properties$",
    "instant": r"/\.hoodie/[^/]+$",
    "data": r"\.parquet$",
}


@dataclass(frozen=True)
class Statement:
    """A statement over the original table, `{t}` in its text, or the one that creates a table.

    Attributes:
        of_dead: A dead writer has left its pending instant LOST there.
    """

    name: str
    sql: str
    after: Rows
    creates: bool = False
    of_dead: bool = False


def merged(rows: Rows, id_: int, value: str) -> Rows:
    """What MERGE or FOLLOWING makes of a state."""
    changed = {(id_, "ab"[id_ % 2], value), (30, "c", value)}
    return frozenset({row for row in rows if row[0] not in (id_, 30)} | changed)


STATEMENTS = (
    Statement("create", CREATE, EMPTY, creates=True),
    Statement(
        "insert",
        "INSERT INTO {t} VALUES (20, 'a', 'ins'), (21, 'c', 'ins')",
        ORIGINAL | {(20, "a", "ins"), (21, "c", "ins")},
    ),
    Statement("merge", MERGE, merged(ORIGINAL, 3, "mrg")),
    Statement(
        "delete", "DELETE FROM {t} WHERE id < 2", frozenset(row for row in ORIGINAL if row[0] > 1)
    ),
    Statement(
        "overwrite",
        "INSERT OVERWRITE {t} PARTITION (p = 'a') VALUES (40, 'ovr')",
        frozenset({row for row in ORIGINAL if row[1] != "a"} | {(40, "a", "ovr")}),
    ),
    Statement(
        "rollback",
        f"CALL rollback(table => '{{t}}', instant => '{LOST}')",
        ORIGINAL,
        of_dead=True,
    ),
)


def kind(seen: Seen) -> str:
    """A request without what differs from table to table."""
    found = next((kind for kind, p in KINDS.items() if re.search(p, seen.path)), "other")
    listed = "list " if "list-type" in seen.query else ""
    return f"{seen.method} {listed}{found}"


def cells(statement: str, made: Sequence[Seen], seed: int) -> list[Cell]:
    """Every fault of every request, in an order that a seed decides: first one of each kind.

    The very first is a 404 for the first request: the table is there at the second look.
    """
    rng = random.Random(f"{seed} {statement}")
    alike: dict[tuple[str, str], list[Cell]] = {}
    for (k, seen), fault in itertools.product(enumerate(made, 1), FAULTS):
        alike.setdefault((kind(seen), fault), []).append(Cell(statement, k, fault))
    for group in alike.values():
        rng.shuffle(group)
    first = [group.pop() for group in alike.values()]
    rest = [cell for group in alike.values() for cell in group]
    rng.shuffle(first)
    rng.shuffle(rest)
    return sorted(first + rest, key=lambda cell: (cell.k, cell.fault) != (1, "s404"))


class Matrix:
    """A session, an original table, and a copy of it for each run."""

    def __init__(self, spark: SparkSession, store: S3Store, proxy: FaultProxy) -> None:
        self.spark, self.store, self.proxy = spark, store, proxy
        self._ordinals = itertools.count()
        self._made: dict[str, list[Seen]] = {}
        spark.sql(CREATE.format(name="original", url=store.url("original")))
        for sql in COMMITS:
            spark.sql(sql.format(t="original"))
        assert inv.breaks(store.folder / "original", [ORIGINAL], COLUMNS) == []

    def requests(self, statement: Statement) -> list[Seen]:
        """The requests of a statement that nothing breaks; a first run warms up."""
        if statement.name not in self._made:
            for _ in range(2):
                place = self._place(statement)
                condition, made = self._run(statement, place, lambda seen: "")
                assert condition == ""
                assert self._look(place, [statement.after])[1] == []
            self._made[statement.name] = made
        return self._made[statement.name]

    def run(self, statement: Statement, cell: Cell) -> Outcome:
        """Breaks one request, then looks at the table, merges, and looks again."""
        place = self._place(statement)
        count = itertools.count(1)
        condition, made = self._run(
            statement, place, lambda seen: cell.fault if next(count) == cell.k else ""
        )
        struck = [seen for seen in made if seen.fault]
        outcome = Outcome(cell, kind(struck[0]) if struck else "", condition)
        outcome.wrong += not_struck(cell, made)
        if condition == UNKNOWN:
            outcome.wrong.append("the state is unknown")
        elif condition and not condition.startswith("HUDILITE_"):
            outcome.wrong.append("the error is the connector's")
        if statement.creates:
            self._create_again(outcome, place)
        allowed = [statement.after] if not condition else [ORIGINAL, statement.after]
        found, broken = self._look(place, [EMPTY] if statement.creates else allowed)
        outcome.wrong += broken
        fault = run_statement(self.spark, FOLLOWING.format(t=self._table(place)))
        if fault is not None:
            outcome.wrong.append(f"the next MERGE fails: {fault.condition} {fault.parameters}")
        else:
            outcome.wrong += self._look(place, [merged(found, 4, "nxt")])[1] + left(place)
        if not outcome.wrong:
            shutil.rmtree(place)
        return outcome

    def _run(
        self, statement: Statement, place: Path, fault: Callable[[Seen], str]
    ) -> tuple[str, list[Seen]]:
        """The condition of a statement's failure, "" for success, and its requests."""

        def belongs(seen: Seen) -> bool:
            # The names in a bulk delete are in its body.
            return place.name in f"{seen.path}?{unquote(seen.query)}" or seen.method == "POST"

        text = statement.sql.format(
            t=self._table(place), name=place.name.replace("-", "_"), url=self.store.url(place.name)
        )
        return broken(
            self.spark, self.proxy, text, lambda seen: fault(seen) if belongs(seen) else "", belongs
        )

    def _place(self, statement: Statement) -> Path:
        """A folder of its own for a run: a copy of the original, or nothing yet."""
        place = self.store.folder / f"run-{next(self._ordinals):05d}"
        if not statement.creates:
            for folder in (self.store.folder, self.store.facts):
                inv.linked_copy(folder / "original", folder / place.name)
        if statement.of_dead:
            self._die(place)
        return place

    def _die(self, place: Path) -> None:
        """Leaves what a dead MERGE leaves: its two first files, a marker and a half file."""
        part = layout.latest_slices(place)[0]
        name = f"{part.file_id}_9-9-9_{LOST}.parquet"
        data = part.path.read_bytes()
        for path, content in {
            f".hoodie/{LOST}.commit.requested": b"",
            f".hoodie/{LOST}.inflight": b"{}",
            f".hoodie/.temp/{LOST}/{part.partition}/{name}.marker.MERGE": b"",
            f"{part.partition}/{name}": data[: len(data) // 2],
        }.items():
            self.store.put(f"{place.name}/{path}", content)

    def _table(self, place: Path) -> str:
        return f"hudilite.`{self.store.url(place.name)}`"

    def _look(self, place: Path, allowed: Sequence[Rows]) -> tuple[Rows, list[str]]:
        """The rows of a table, and what is wrong with it; its last commit counts as published."""
        copy = self.store.folder.parents[1] / "copies" / place.name
        inv.linked_copy(place, copy)
        inv.complete(copy)
        try:
            broken = inv.breaks(copy, allowed, COLUMNS)
            return frozenset(inv.rows(copy, COLUMNS)), broken
        finally:
            shutil.rmtree(copy)

    def _create_again(self, outcome: Outcome, place: Path) -> None:
        """A table that was not created can be created now."""
        name = place.name.replace("-", "_")
        made = (place / ".hoodie" / "hoodie.properties").exists()
        if not outcome.condition and not (made and self.spark.catalog.tableExists(name)):
            outcome.wrong.append("the client saw success, and there is no table")
        self.spark.sql(f"DROP TABLE IF EXISTS {name}")
        again = run_statement(self.spark, CREATE.format(name=name, url=self.store.url(place.name)))
        if again is not None:
            outcome.wrong.append(f"it cannot be created: {again.condition} {again.parameters}")


def left(place: Path) -> list[str]:
    """What is still there of the dead writer, but for the number that its rollback took."""
    found = (path.relative_to(place).as_posix() for path in place.rglob(f"*{LOST}*"))
    return [f"{path} is still there" for path in sorted(found) if ".hudilite" not in path]
