"""How long Iceberg's add_files takes, which reads footers and no keys.

Usage: add_files.py <jars> <folder> <rounds> <warm-up source> <source>. Prints the least seconds of
the rounds by number of threads as JSON, and how many files were added.
"""

import sys

from peer_session import measure, opened

MODES = {"1 thread": 1, "2 threads": 2}


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
    spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.db")

    def statement(mode: str, path: str) -> str:
        spark.sql("DROP TABLE IF EXISTS ice.db.t")
        spark.read.parquet(path).limit(0).writeTo("ice.db.t").using("iceberg").create()
        return (
            f"CALL ice.system.add_files(table => 'db.t', source_table => '`parquet`.`{path}`', "
            f"parallelism => {MODES[mode]})"
        )

    def files() -> int:
        return spark.sql("SELECT * FROM ice.db.t.files").count()

    measure(spark, [warm_up, *[source] * int(rounds)], MODES, statement, files)


if __name__ == "__main__":
    main()
