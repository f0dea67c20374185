"""Runs inside the stock environment (pyspark 3.5, Hudi bundle): how long its BLOOM index takes.

Usage: tagging.py <bundle jar> <classes> <rounds> <warm-up table> <table> <keys>. Prints the
seconds of each round as JSON, and how many keys were found.
"""

import json
import sys
import time

from pyspark.sql import SparkSession


def main() -> None:
    bundle, classes, rounds, warm_up, table, keys = sys.argv[1:]
    builder = SparkSession.builder.master("local[2]").appName("stock tagging")
    for key, value in {
        "spark.driver.extraClassPath": f"{classes}:{bundle}",
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
        "spark.driver.memory": "6g",
        "spark.sql.shuffle.partitions": "16",
        "spark.default.parallelism": "16",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
    }.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    tagging = spark._jvm.hudilite.tests.StockTagging
    for _ in range(3):
        tagging.found(spark._jsparkSession, warm_up, keys)
    seconds, found = [], 0
    for _ in range(int(rounds)):
        began = time.perf_counter()
        found = tagging.found(spark._jsparkSession, table, keys)
        seconds.append(time.perf_counter() - began)
    print(json.dumps({"seconds": seconds, "found": found}))
    spark.stop()


if __name__ == "__main__":
    main()
