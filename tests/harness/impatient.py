"""A Spark session on a store in S3 whose connector does not wait long for an answer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.session import add_jars, open_session
from harness.stores import SHORT_PAUSES, S3Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HANG = 1500  # milliseconds that the connector waits for an answer
QUICK = {
    "spark.hadoop.fs.s3a.connection.request.timeout": f"{HANG}ms",
    **SHORT_PAUSES,
    "spark.master": "local[1]",
    "spark.sql.shuffle.partitions": "1",
}


@contextmanager
def impatient_session(
    store: S3Store, warehouse: Path, conf: dict[str, str]
) -> Iterator[SparkSession]:
    """A session with one core: its requests have an order. It logs nothing, because a test plans its errors."""
    add_jars(os.pathsep.join(store.jars()))  # of the JVM of an earlier suite
    found = open_session("hudilite stores", warehouse, store.conf() | QUICK | conf)
    found.sparkContext.setLogLevel("OFF")
    jvm: Any = found._jvm
    # The connector waits at least 15 seconds for an answer, whatever its settings say.
    jvm.org.apache.hadoop.fs.s3a.impl.AWSClientConfig.setMinimumOperationDuration(
        jvm.java.time.Duration.ofMillis(HANG)
    )
    yield found
    found.stop()
