"""Two sessions create one table at one path: one wins, and its table is whole."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness import layout
from harness.faults import Fault, run_statement
from harness.invariants import check_table
from harness.rotation import third

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOST = (
    "TABLE_OR_VIEW_ALREADY_EXISTS",
    "HUDILITE_LOCATION_NOT_EMPTY",
    "HUDILITE_BUCKET_COUNT_MISMATCH",
    "HUDILITE_PROPERTY_CONFLICT",
)
GATES = ("createNew:hoodie[.]properties$", "list:", "never:$")  # the last: both run freely
BUCKETS = (2, 5)


def creation(name: str, place: Path, buckets: int, word: str) -> str:
    return (
        f"CREATE TABLE {word} {name} (id INT, v STRING, PRIMARY KEY (id)) USING hudilite "
        f"WITH BUCKETS {buckets} LOCATION '{place}'"
    )


def race(spark: SparkSession, gate: str, texts: list[str]) -> list[Fault | None]:
    """What two sessions are told; the first waits at a gate until the second has ended."""
    jvm: Any = spark._jvm
    sessions = [spark.newSession() for _ in texts]
    with ThreadPoolExecutor(max_workers=1) as one, ThreadPoolExecutor(max_workers=1) as other:
        door = one.submit(jvm.hudilite.tests.FaultGate.stop, gate).result()
        first: Future[Fault | None] = one.submit(run_statement, sessions[0], texts[0])
        while not (gate.startswith("never") or door.isReached() or first.done()):
            time.sleep(0.002)
        second = other.submit(run_statement, sessions[1], texts[1]).result(timeout=60)
        door.release()
        return [first.result(timeout=60), second]


@pytest.mark.fault("F31")
@pytest.mark.parametrize("word", ["", "IF NOT EXISTS"])
@pytest.mark.parametrize("second_name", ["raced", "raced_again"])
def test_of_two_creations_one_wins(
    spark: SparkSession, tmp_path: Path, word: str, second_name: str
) -> None:
    """The loser is told by name, or finds the winner's table; the bucket counts never mix."""
    for number, gate in third(enumerate(GATES)):
        place = tmp_path / f"t{number}"
        names = ["raced", second_name]
        pairs = list(zip(names, BUCKETS, strict=True))
        told = race(spark, gate, [creation(name, place, n, word) for name, n in pairs])
        failed = [fault.condition for fault in told if fault is not None]
        assert set(failed) <= set(LOST), (gate, failed)
        assert len(failed) == 1 or (len(failed) == 0 and word and len(set(names)) == 1), gate
        kept = [name for name in set(names) if spark.catalog.tableExists(name)]
        assert len(kept) == 1, (gate, kept)
        count = layout.properties(place)["hudilite.bucket.count"]
        won = [str(n) for n, fault in zip(BUCKETS, told, strict=True) if fault is None]
        assert count in won, (gate, told)
        spark.sql(f"INSERT INTO {kept[0]} SELECT id, 'v' FROM range(20)")
        assert spark.sql(f"SELECT count(*) FROM {kept[0]}").collect()[0][0] == 20
        assert len(layout.latest_slices(place)) == int(count)
        assert check_table(place) == []
        spark.sql(f"DROP TABLE {kept[0]}")
