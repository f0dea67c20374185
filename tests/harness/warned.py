"""What hudilite warns of: the lines under its logger while a block runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOGGER = "hudilite"


@contextmanager
def warnings(spark: SparkSession) -> Iterator[list[str]]:
    """The warnings of the block, in order; the list is filled when the block ends.

    Whatever level the session shows. Of a session whose driver is this machine's own process.
    """
    jvm: Any = spark._jvm
    log4j = jvm.org.apache.logging.log4j
    context = log4j.LogManager.getContext(False)
    layout = log4j.core.layout.PatternLayout.newBuilder().withPattern("%level %msg%n").build()
    text = jvm.java.io.StringWriter()
    appender = log4j.core.appender.WriterAppender.createAppender(
        layout, None, text, "warnings", False, False
    )
    appender.start()
    config = log4j.core.config.LoggerConfig(LOGGER, log4j.Level.WARN, False)
    config.addAppender(appender, log4j.Level.WARN, None)
    context.getConfiguration().addLogger(LOGGER, config)
    context.updateLoggers()
    said: list[str] = []
    try:
        yield said
    finally:
        context.getConfiguration().removeLogger(LOGGER)
        context.updateLoggers()
        said += [line.removeprefix("WARN ") for line in text.toString().splitlines()]
