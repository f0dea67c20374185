"""The process behind harness.metastore: metastore_main.py <plan> <results>.

A plain PySpark session: neither hudilite's jar nor Hudi's.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession


def main(plan: Path, results: Path) -> None:
    asked = json.loads(plan.read_text(encoding="utf-8"))
    builder = SparkSession.builder.appName("plain")
    for key, value in asked["conf"].items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    told = {
        "entries": {name: _entry(spark, name) for name in asked["entries"]},
        "rows": {text: _rows(spark, text) for text in asked["queries"]},
    }
    results.write_text(json.dumps(told, default=str), encoding="utf-8")
    spark.stop()


def _entry(spark: SparkSession, name: str) -> dict[str, Any]:
    """What Hive's own client says of a table."""
    jvm: Any = spark._jvm
    state: Any = spark._jsparkSession.sessionState()
    conf_class = jvm.java.lang.Class.forName("org.apache.hadoop.hive.conf.HiveConf")
    conf = jvm.org.apache.hadoop.hive.conf.HiveConf(state.newHadoopConf(), conf_class)
    client = jvm.org.apache.hadoop.hive.metastore.HiveMetaStoreClient(conf)
    database, table = name.split(".")
    found = client.getTable(database, table)
    stored = found.getSd()
    partitions = client.listPartitions(database, table, -1)
    client.close()
    return {
        "type": found.getTableType(),
        "owner": found.getOwner(),
        "parameters": dict(found.getParameters()),
        "columns": _columns(stored.getCols()),
        "keys": _columns(found.getPartitionKeys()),
        "location": stored.getLocation(),
        "formats": _formats(stored),
        "serde": dict(stored.getSerdeInfo().getParameters()),
        "partitions": [
            {
                "values": list(one.getValues()),
                "location": one.getSd().getLocation(),
                "columns": _columns(one.getSd().getCols()),
                "formats": _formats(one.getSd()),
            }
            for one in partitions
        ],
    }


def _columns(found: Any) -> list[list[str]]:
    return [[one.getName(), one.getType(), one.getComment()] for one in found]


def _formats(stored: Any) -> list[str]:
    library = stored.getSerdeInfo().getSerializationLib()
    return [stored.getInputFormat(), stored.getOutputFormat(), library]


def _rows(spark: SparkSession, text: str) -> list[list[Any]]:
    return [list(row) for row in spark.sql(text).collect()]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
