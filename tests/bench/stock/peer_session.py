"""The Spark session of a peer that is measured: two cores, the same memory, nothing open to others."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable

from pyspark.sql import SparkSession

OF_ALL = {
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.memory": "6g",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "16",
    "spark.default.parallelism": "16",
}


def opened(name: str, jars: str, conf: dict[str, str]) -> SparkSession:
    """A session of a peer, whose jars are on the driver's class path."""
    builder = SparkSession.builder.master("local[2]").appName(name)
    for key, value in ({"spark.driver.extraClassPath": jars} | OF_ALL | conf).items():
        builder = builder.config(key, value)
    spark: SparkSession = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def measure(
    spark: SparkSession,
    sources: list[str],
    modes: Iterable[str],
    statement: Callable[[str, str], str],
    files: Callable[[], int],
) -> None:
    """Prints the least seconds of a statement by mode, and how many files it took, as JSON.

    Args:
        spark: Stopped at the end.
        sources: One for each round; that of the first is not counted.
        modes: Done one after another in each round.
        statement: What a mode runs over a source; what it does before is not timed.
        files: Number of files of the table that was made last.
    """
    least: dict[str, float] = {}
    for number, source in enumerate(sources):
        for mode in modes:
            text = statement(mode, source)
            began = time.perf_counter()
            spark.sql(text).collect()
            seconds = time.perf_counter() - began
            if number > 0:
                least[mode] = min(seconds, least.get(mode, seconds))
    print(json.dumps({"seconds": least, "files": files()}))
    spark.stop()
