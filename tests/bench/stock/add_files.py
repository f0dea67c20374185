"""How long Iceberg's add_files takes, which reads footers and no keys.

Usage: add_files.py <jars> <folder> <rounds> <warm-up source> <source>. Prints the least seconds of
the rounds by number of threads as JSON, and how many files were added.
"""

import json
import sys
import time

from peer_session import opened

THREADS = (1, 2)


def main() -> None:
    jars, folder, rounds, warm_up, source = sys.argv[1:]
    spark = opened(
        "add files",
        jars,
        {
            "spark.sql.extensions": (
                "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
            ),
            "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.ice.type": "hadoop",
            "spark.sql.catalog.ice.warehouse": f"{folder}/ice",
        },
    )
    least: dict[int, float] = {}
    files = 0
    spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.db")
    for number, path in enumerate([warm_up, *[source] * int(rounds)]):
        for threads in THREADS:
            spark.sql("DROP TABLE IF EXISTS ice.db.t")
            spark.read.parquet(path).limit(0).writeTo("ice.db.t").using("iceberg").create()
            text = (
                f"CALL ice.system.add_files(table => 'db.t', source_table => '`parquet`.`{path}`', "
                f"parallelism => {threads})"
            )
            began = time.perf_counter()
            files = int(spark.sql(text).collect()[0][0])
            seconds = time.perf_counter() - began
            if number > 0:
                least[threads] = min(seconds, least.get(threads, seconds))
    print(json.dumps({"seconds": least, "files": files}))
    spark.stop()


if __name__ == "__main__":
    main()
