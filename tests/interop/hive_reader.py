"""Runs inside the stock environment: reads Hive tables by their input format and SerDe.

Usage: hive_reader.py <plan> <results>, both JSON.
"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession


def main(plan: Path, results: Path) -> None:
    asked = json.loads(plan.read_text(encoding="utf-8"))
    builder = SparkSession.builder.master("local[2]").appName("hive reader")
    for key, value in {
        **asked["conf"],
        "spark.driver.extraClassPath": asked["bundle"],
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.sql.hive.convertMetastoreParquet": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
    }.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    rows = [[list(row) for row in spark.sql(text).collect()] for text in asked["statements"]]
    results.write_text(json.dumps(rows, default=str), encoding="utf-8")
    spark.stop()


main(Path(sys.argv[1]), Path(sys.argv[2]))
