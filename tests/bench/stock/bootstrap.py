"""Runs inside the stock environment (pyspark 3.5, Hudi bundle): how long its run_bootstrap takes.

Usage: bootstrap.py <bundle jar> <folder> <rounds> <warm-up source> <source>. Prints the
least seconds of the rounds as JSON, and how many files have a skeleton.
"""

import sys
from pathlib import Path

from peer_session import measure, opened

PARALLELISM = 16
# The metadata table, which is on where nothing is said, makes every bootstrap fail.
CALL = """CALL run_bootstrap(table => '{name}', table_type => 'COPY_ON_WRITE',
  bootstrap_path => '{source}', base_path => '{base}', rowKey_field => 'k',
  key_generator_class => 'org.apache.hudi.keygen.NonpartitionedKeyGenerator',
  parallelism => {parallelism}, options => 'hoodie.metadata.enable=false')"""


def main() -> None:
    bundle, folder, rounds, warm_up, source = sys.argv[1:]
    spark = opened(
        "stock bootstrap",
        bundle,
        {
            "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
            "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
            "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
        },
    )
    bases: list[Path] = []

    def statement(_: str, path: str) -> str:
        base = Path(folder) / f"table_{len(bases)}"
        bases.append(base)
        return CALL.format(name=base.name, source=path, base=base, parallelism=PARALLELISM)

    def files() -> int:
        return len([found for found in bases[-1].iterdir() if found.suffix == ".parquet"])

    measure(spark, [warm_up, *[source] * int(rounds)], ["run_bootstrap"], statement, files)


if __name__ == "__main__":
    main()
