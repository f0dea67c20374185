"""One statement under the lock of stock Hudi while a request about the lock breaks, and what is found afterwards."""

from __future__ import annotations

import itertools
import json
import random
import shutil
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from broken import Cell, Outcome, broken, not_struck

from harness.fault_proxy import FAULTS, FaultProxy, Seen
from harness.faults import run_statement
from harness.stores import NUMBER, S3Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "locked/t"
LOCK = f"{NAME}/.hoodie/.locks/table_lock.json"
TABLE = (
    "CREATE TABLE locked (id INT, n INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 "
    "LOCATION '{url}' TBLPROPERTIES "
    "('hoodie.write.table.version' = '9', 'hudilite.stock.lock' = 'storage')"
)
# States of the lock file when the statement begins; in the last case its second holding takes so long
# that the lock is renewed.
BEGINNINGS = ("absent", "released", "expired", "renewed")
RENEWED = 33.0  # seconds
VALID = 300.0  # seconds for which a lock is valid
# Conditions with which a statement may fail if a request about its lock breaks.
NAMED = ("HUDILITE_LOCK_TIMEOUT", "HUDILITE_CONCURRENT_WRITE", "HUDILITE_STORAGE_FAILED")


def cells(beginning: str, made: Sequence[Seen], seed: int) -> list[Cell]:
    """Every fault of every request, or of the renewal alone, in an order that a seed decides."""
    struck = range(1, len(made) + 1)
    if beginning == "renewed":
        struck = range(renewal(made), renewal(made) + 1)
    every = [Cell(beginning, k, fault) for k in struck for fault in FAULTS]
    random.Random(f"{seed} {beginning}").shuffle(every)
    return every


def renewal(made: Sequence[Seen]) -> int:
    """The number of the request that renews the lock: its fourth write, before it is given back again."""
    return [k for k, seen in enumerate(made, 1) if seen.method == "PUT"][3]


class Locked:
    """A table whose statements hold the lock of stock Hudi, behind a proxy."""

    def __init__(self, spark: SparkSession, store: S3Store, proxy: FaultProxy) -> None:
        self.spark, self.store, self.proxy = spark, store, proxy
        self._ids = itertools.count(1)
        spark.sql(TABLE.format(url=store.url(NAME)))
        spark.sql("INSERT INTO locked VALUES (0, 0)")

    def requests(self, beginning: str) -> list[Seen]:
        """The requests about the lock of a statement that nothing breaks."""
        outcome, made = self._run(Cell(beginning, 0, ""))
        assert (outcome.condition, outcome.wrong) == ("", [])
        return made

    def run(self, cell: Cell) -> Outcome:
        """Breaks one request, then looks at the table and the lock, and writes again."""
        outcome, made = self._run(cell)
        struck = [seen for seen in made if seen.fault]
        outcome.request = struck[0].method if struck else ""
        outcome.wrong += not_struck(cell, made)
        return outcome

    def _run(self, cell: Cell) -> tuple[Outcome, list[Seen]]:
        self._begin(cell.of)
        before, own = self._rows(), next(self._ids)
        condition, made = self._statement(cell, own)
        outcome = Outcome(cell, "", condition)
        found = self._rows()
        after = before | {0: before[0] + 1, own: 1}
        if found not in ([after] if not condition else [before, after]):
            outcome.wrong.append(f"it has the rows {found} instead of {before} or {after}")
        if condition and condition not in NAMED:
            outcome.wrong.append("its failure has no name of its own")
        outcome.wrong += self._release()
        following = run_statement(self.spark, "UPDATE locked SET n = n + 1 WHERE id = 0")
        if following is not None:
            outcome.wrong.append(f"the next UPDATE fails: {following}")
        elif self._rows() != found | {0: found[0] + 1}:
            outcome.wrong.append(f"the next UPDATE makes {self._rows()} of {found}")
        if not self._lock()["expired"]:
            outcome.wrong.append("the next UPDATE leaves the lock")
        return outcome, made

    def _begin(self, beginning: str) -> None:
        """Leaves the lock file as the statement shall find it."""
        if beginning == "absent":
            (self.store.folder / LOCK).unlink(missing_ok=True)
            shutil.rmtree(self.store.facts / LOCK, ignore_errors=True)
        elif beginning == "expired":
            past = int(1000 * (time.time() - 1))
            self._put({"expired": False, "validUntil": past, "owner": "dead"})

    def _statement(self, cell: Cell, own: int) -> tuple[str, list[Seen]]:
        """The condition of a statement's failure, "" for success, and its requests about the lock."""
        count, until = itertools.count(1), 0.0

        def chance(seen: Seen) -> str:
            nonlocal until
            if seen.path.endswith(LOCK):
                return cell.fault if next(count) == cell.k else ""
            if cell.of == "renewed" and seen.method == "PUT" and NUMBER.search(seen.path):
                until = until or time.monotonic() + RENEWED
                return "s503" if time.monotonic() < until else ""
            return ""

        merge = (
            f"MERGE INTO locked t USING (SELECT 0 id, 1 n UNION ALL SELECT {own}, 1) s "
            "ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = t.n + s.n WHEN NOT MATCHED THEN INSERT *"
        )
        return broken(self.spark, self.proxy, merge, chance, lambda seen: seen.path.endswith(LOCK))

    def _rows(self) -> dict[int, int]:
        return {row.id: row.n for row in self.spark.sql("SELECT id, n FROM locked").collect()}

    def _lock(self) -> dict[str, Any]:
        held: dict[str, Any] = json.loads((self.store.folder / LOCK).read_bytes())
        return held

    def _put(self, content: dict[str, Any]) -> None:
        self.store.put(LOCK, json.dumps(content, separators=(",", ":")).encode())

    def _release(self) -> list[str]:
        """Mistakes in the lock that the statement has left; one that is still held expires now."""
        lock = self._lock()
        if lock["expired"]:
            return []
        if lock["validUntil"] / 1000 > time.time() + VALID:
            return [f"the lock is held until {lock['validUntil']}"]
        self._put(lock | {"validUntil": int(1000 * (time.time() - 1))})
        return []
