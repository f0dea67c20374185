"""A store that takes its time: a statement is slow and right, and can be cancelled."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from runs import Enumeration, by_path
from script import BY_NAME, ORIGINAL

from harness.faults import run_statement
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("core/io/"))
MERGE = BY_NAME["merge"]
SLOW = "*:.*:1:delay"
GROUP = "slow store"
SECONDS = 20  # within which a cancelled statement has ended


@pytest.mark.fault("F64")
def test_a_slow_store_changes_nothing(enumeration: Enumeration, spark: SparkSession) -> None:
    place = enumeration.place(MERGE)
    enumeration.door.arm(str(place), SLOW)
    began = time.monotonic()
    fault = run_statement(spark, MERGE.sql.format(t=by_path(place)))
    took, calls = time.monotonic() - began, enumeration.door.disarm().splitlines()
    assert fault is None
    assert all(call.endswith("delay") for call in calls)
    assert took > 0.015 * len(calls) > 1
    assert enumeration.look(place, [MERGE.after(ORIGINAL)])[1] == []


@pytest.mark.fault("F64")
def test_a_slow_statement_can_be_cancelled(enumeration: Enumeration, spark: SparkSession) -> None:
    """Its tasks are writing; it ends soon, and leaves nothing."""
    place = enumeration.place(MERGE)
    enumeration.door.arm(str(place), SLOW)

    def merge() -> str:
        spark.sparkContext.setJobGroup(GROUP, "a slow MERGE", interruptOnCancel=True)
        try:
            spark.sql(MERGE.sql.format(t=by_path(place)))
        except Exception as error:  # noqa: BLE001 - its text is judged
            return str(error)
        return ""

    with ThreadPoolExecutor(max_workers=1) as pool:
        told: Future[str] = pool.submit(merge)
        while not list(place.glob("p=c/*.parquet")) and not told.done():
            time.sleep(0.01)
        cancelled = time.monotonic()
        spark.sparkContext.cancelJobGroup(GROUP)
        fault = told.result(timeout=60)
    enumeration.door.disarm()
    assert fault, "it ended before: nothing was tested"
    assert "SPARK_JOB_CANCELLED" in fault
    assert time.monotonic() - cancelled < SECONDS
    assert enumeration.look(place, [ORIGINAL])[1] == []
    assert run_statement(spark, MERGE.sql.format(t=by_path(place))) is None
    assert enumeration.look(place, [MERGE.after(ORIGINAL)])[1] == []
