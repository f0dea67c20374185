"""What a session is told besides the answers of its statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.warned import warnings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_warnings_are_heard_while_the_block_runs(spark: SparkSession) -> None:
    loggers: Any = spark._jvm
    ours = loggers.org.slf4j.LoggerFactory.getLogger("hudilite")
    ours.warn("before")
    with warnings(spark) as first:
        ours.warn("one")
        ours.info("not a warning")
        loggers.org.slf4j.LoggerFactory.getLogger("other").warn("of somebody else")
        ours.warn("two")
    ours.warn("after")
    with warnings(spark) as second:
        ours.warn("three")
    assert first == ["one", "two"]
    assert second == ["three"]
