"""How long Delta's CONVERT takes, which reads footers, and with statistics all columns.

Usage: convert.py <jars> <folder> <rounds> <warm-up source> <source>. Prints the least seconds of the
rounds with and without statistics as JSON, and how many files the table has.
"""

import os
import shutil
import sys
from pathlib import Path

from peer_session import measure, opened

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
    linked = Path(folder) / "linked"

    def statement(mode: str, path: str) -> str:
        # It writes its log beside the files: each time it has links to them in a folder of its own.
        shutil.rmtree(linked, ignore_errors=True)
        shutil.copytree(path, linked, copy_function=os.link)
        return f"CONVERT TO DELTA parquet.`{linked}` {MODES[mode]}"

    def files() -> int:
        return len(spark.read.format("delta").load(str(linked)).inputFiles())

    measure(spark, [warm_up, *[source] * int(rounds)], MODES, statement, files)


if __name__ == "__main__":
    main()
