"""The Spark session of a peer that is measured: two cores, the same memory, nothing open to others."""

from __future__ import annotations

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
