"""A run of several writing processes: its tables, its journals, its figures."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import inv, layout
from harness.histories import Op, ops_of
from harness.remote import Place, on_disk
from harness.seeds import asked_seed
from harness.writers.processes import Life, Writers
from harness.writers.workloads import COLUMNS, CREATE, FIRST, judge, stands

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPEED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
EXPECTED = {"", "HUDILITE_CONCURRENT_WRITE", "HUDILITE_WRITE_ROLLED_BACK", "HUDILITE_DUPLICATE_KEY"}


def places_in(folder: Path, tables: Sequence[str]) -> dict[str, Place]:
    """Tables in a folder of the local disk, whose copies share their files."""
    return {
        table: replace(on_disk(folder / table), fetched=partial(_linked, folder / table))
        for table in tables
    }


def _linked(folder: Path, copy: Path) -> Path:
    inv.linked_copy(folder, copy)
    return copy


class History:
    """Tables, the processes that write to them, and what is found in the end.

    Args:
        spark: Makes the tables and reads them in the end.
        folder: For copies of the tables, and for what the processes leave.
        name: Of the history.
        places: The tables, by workload.
        expected: Conditions with which a statement may fail.
    """

    def __init__(
        self,
        spark: SparkSession,
        folder: Path,
        name: str,
        places: dict[str, Place],
        expected: frozenset[str] = frozenset(),
    ) -> None:
        self.spark, self.folder, self.name = spark, folder, name
        self.places, self.expected = places, EXPECTED | expected
        self.seed = asked_seed()
        self.ops: list[Op] = []
        self.figures: dict[str, Any] = {}

    def create(self, buckets: dict[str, int]) -> None:
        for table, place in self.places.items():
            column, count = COLUMNS[table], buckets[table]
            name = f"history_{self.name}_{table}"
            where = place.location
            self.spark.sql(CREATE.format(name=name, column=column, buckets=count, place=where))
            if table in FIRST:
                self.spark.sql(FIRST[table].format(t=f"hudilite.`{where}`"))

    def run(
        self,
        conf: dict[str, str],
        lives: Sequence[list[Life]],
        acknowledged: int,
        seconds: float,
        **more: Any,
    ) -> Writers:
        """Lets the processes write, and counts what they did.

        Args:
            conf: Settings of the processes.
            lives: Of each process.
            acknowledged: Writes after which they stop.
            seconds: After which it is an error that there are fewer.
            more: Further words of writers.main.
        """
        asked: dict[str, Any] = {
            "conf": conf | {"spark.driver.memory": "700m", "spark.master": "local[2]"} | SPEED,
            "places": {table: place.location for table, place in self.places.items()},
            "seed": self.seed,
            "since": time.monotonic_ns(),
            "window": 1_500_000_000,
            "retries": ["20", "1"],
            "rollback_after": "3s",
        } | more
        writers = Writers(self.folder / "writers", asked, lives, self._is_pending)
        self.ops = ops_of(writers.run(acknowledged, seconds))
        self.figures = self._figures(writers, (time.monotonic_ns() - asked["since"]) / 1e9)
        return writers

    def _is_pending(self, table: str) -> bool:
        """Whether a write of a table has begun and is not completed."""
        begun, completed = (f".hoodie/*.commit{state}" for state in (".requested", ""))
        place = self.places[table]
        return place.count(begun) > place.count(completed)

    def faults(self) -> list[str]:
        """Every anomaly; what nobody expects to fail is one, too."""
        wrong = [f"{op.id}: {op.condition}" for op in self.ops if op.condition not in self.expected]
        for table, place in self.places.items():
            copy = self.copy(table)
            wrong += judge(table, self.ops, copy)
            rows = f"SELECT * FROM hudilite.`{place.location}`"
            read = self.spark.newSession().sql(rows).collect()
            if sorted(map(tuple, read)) != sorted(inv.rows(copy)):
                wrong.append(f"hudilite reads other rows of {table}")
        return wrong

    def copy(self, table: str) -> Path:
        """The table with its last commit completed, as the next writer would."""
        copy = self.folder / "copies" / table
        if not copy.exists():
            self.places[table].fetched(copy)
            inv.complete(copy)
        return copy

    def _figures(self, writers: Writers, seconds: float) -> dict[str, Any]:
        ok = [op for op in self.ops if op.outcome == "ok"]
        unknown = [op for op in self.ops if op.outcome == "info" and op.writes]
        failed = Counter(op.condition for op in self.ops if op.outcome == "fail")
        retries = Counter(n for table in self.places for n in self._retries(table))
        retried = sum(times * count for times, count in retries.items())
        after = [self._stand(table, unknown, ok) for table in self.places]
        return {
            "history": self.name,
            "seed": self.seed,
            "processes": len({op.id.split(".")[0] for op in ok if op.writes}),
            "acknowledged": sum(op.writes for op in ok),
            "reads": sum(not op.writes for op in ok),
            "failed": dict(sorted(failed.items())),
            "unknown": len(unknown),
            "conflicts": retried + failed["HUDILITE_CONCURRENT_WRITE"],
            "retries": retried,
            "commits_by_retries": dict(sorted(retries.items())),
            "rollbacks": sum(
                name.endswith(".rollback")
                for table in self.places
                for name in layout.instant_files(self.copy(table))
            ),
            "kills": writers.deaths(),
            "kills_after_commit": sum(after),
            "seconds": round(seconds),
        }

    def _retries(self, table: str) -> list[int]:
        """How often each commit was overtaken before."""
        copy = self.copy(table)
        found = (layout.commit_metadata(copy, instant) for instant in layout.completed(copy))
        return [int(told["extraMetadata"].get("hudilite.metrics.numRetries", 0)) for told in found]

    def _stand(self, table: str, unknown: Sequence[Op], ok: Sequence[Op]) -> int:
        mine = [op for op in unknown if op.table == table]
        known = [op for op in ok if op.table == table]
        return stands(table, mine, known, self.copy(table))
