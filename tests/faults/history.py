"""A run of several writing processes: its tables, its journals, its figures."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asked import LONG, SEED
from workloads import COLUMNS, CREATE, FIRST, judge, stands
from writers import Life, Writers

from harness import inv, layout
from harness.histories import Op, ops_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPEED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
EXPECTED = {"", "HUDILITE_CONCURRENT_WRITE", "HUDILITE_WRITE_ROLLED_BACK", "HUDILITE_DUPLICATE_KEY"}


class History:
    """Tables, the processes that write to them, and what is found in the end."""

    def __init__(self, spark: SparkSession, folder: Path, name: str, tables: Sequence[str]) -> None:
        self.spark, self.folder, self.name = spark, folder, name
        self.places = {table: folder / table for table in tables}
        self.ops: list[Op] = []
        self.figures: dict[str, Any] = {}

    def create(self, buckets: dict[str, int]) -> None:
        for table, place in self.places.items():
            column, count = COLUMNS[table], buckets[table]
            name = f"history_{self.name}_{table}"
            self.spark.sql(CREATE.format(name=name, column=column, buckets=count, place=place))
            if table in FIRST:
                self.spark.sql(FIRST[table].format(t=f"hudilite.`{place}`"))

    def run(
        self, conf: dict[str, str], lives: Sequence[list[Life]], acknowledged: int, **more: Any
    ) -> Writers:
        """Lets the processes write, and judges what they left."""
        asked: dict[str, Any] = {
            "conf": conf | {"spark.driver.memory": "700m", "spark.master": "local[2]"} | SPEED,
            "places": {table: str(place) for table, place in self.places.items()},
            "seed": SEED,
            "since": time.monotonic_ns(),
            "window": 1_500_000_000,
            "retries": ["20", "1"],
            "rollback_after": "3s",
        } | more
        writers = Writers(self.folder.with_name(f"{self.folder.name}-writers"), asked, lives)
        seconds = 1800 if LONG else 240
        self.ops = ops_of(writers.run(acknowledged, seconds))
        self.figures = self._figures(writers, (time.monotonic_ns() - asked["since"]) / 1e9)
        return writers

    def faults(self) -> list[str]:
        """Every anomaly; what nobody expects to fail is one, too."""
        wrong = [f"{op.id}: {op.condition}" for op in self.ops if op.condition not in EXPECTED]
        for table, place in self.places.items():
            copy = self.copy(place)
            wrong += judge(table, self.ops, copy)
            read = self.spark.newSession().sql(f"SELECT * FROM hudilite.`{place}`").collect()
            if sorted(map(tuple, read)) != sorted(inv.rows(copy)):
                wrong.append(f"hudilite reads other rows of {table}")
        return wrong

    def copy(self, place: Path) -> Path:
        """The table with its last commit completed, as the next writer would."""
        copy = place.with_name(f"{place.name}-copy")
        if not copy.exists():
            inv.linked_copy(place, copy)
            inv.complete(copy)
        return copy

    def _figures(self, writers: Writers, seconds: float) -> dict[str, Any]:
        ok = [op for op in self.ops if op.outcome == "ok"]
        unknown = [op for op in self.ops if op.outcome == "info" and op.writes]
        failed = Counter(op.condition for op in self.ops if op.outcome == "fail")
        retries = Counter(n for place in self.places.values() for n in self._retries(place))
        retried = sum(times * count for times, count in retries.items())
        after = [self._stand(table, unknown, ok) for table in self.places]
        return {
            "history": self.name,
            "seed": SEED,
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
                for place in self.places.values()
                for name in layout.instant_files(place)
            ),
            "longest_gap_seconds": max(map(longest_gap, self.places.values())),
            "kills": writers.deaths(),
            "kills_after_commit": sum(after),
            "seconds": round(seconds),
        }

    def _retries(self, place: Path) -> list[int]:
        """How often each commit was overtaken before."""
        copy = self.copy(place)
        found = (layout.commit_metadata(copy, instant) for instant in layout.completed(copy))
        return [int(told["extraMetadata"].get("hudilite.metrics.numRetries", 0)) for told in found]

    def _stand(self, table: str, unknown: Sequence[Op], ok: Sequence[Op]) -> int:
        mine = [op for op in unknown if op.table == table]
        known = [op for op in ok if op.table == table]
        return stands(table, mine, known, self.copy(self.places[table]))


def longest_gap(place: Path) -> float:
    """Seconds, at most, between a commit and the next; the first one is of the test."""
    numbers = (place / ".hoodie" / ".hudilite" / "commits").glob("?" * 20)
    times = sorted(path.stat().st_mtime for path in numbers)[1:]
    return round(max(later - one for one, later in pairwise(times)), 1)
