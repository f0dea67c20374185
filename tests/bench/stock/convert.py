"""How long Delta's CONVERT takes, which reads footers, and with statistics all columns.

Usage: convert.py <jars> <folder> <rounds> <warm-up source> <source>. Prints the least seconds of the
rounds with and without statistics as JSON, and how many files the table has.
"""

import json
import os
import shutil
import sys
import time
from pathlib import Path

from peer_session import opened

MODES = {"with statistics": "", "without": "NO STATISTICS"}


def main() -> None:
    jars, folder, rounds, warm_up, source = sys.argv[1:]
    spark = opened(
        "convert",
        jars,
        {
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
        },
    )
    least: dict[str, float] = {}
    files = 0
    for number, path in enumerate([warm_up, *[source] * int(rounds)]):
        for mode, words in MODES.items():
            # It writes its log beside the files: each round has links to them in a folder of its own.
            linked = Path(folder) / "linked"
            shutil.rmtree(linked, ignore_errors=True)
            shutil.copytree(path, linked, copy_function=os.link)
            text = f"CONVERT TO DELTA parquet.`{linked}` {words}"
            began = time.perf_counter()
            spark.sql(text).collect()
            seconds = time.perf_counter() - began
            if number > 0:
                least[mode] = min(seconds, least.get(mode, seconds))
            files = len(spark.read.format("delta").load(str(linked)).inputFiles())
            spark.catalog.clearCache()
    print(json.dumps({"seconds": least, "files": files}))
    spark.stop()


if __name__ == "__main__":
    main()
