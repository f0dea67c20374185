"""The catalogs that golden files run under; HUDILITE_CATALOG names one.

`memory` is what a user gets: hudilite as `spark_catalog`, names kept while the session lives.
`hive` keeps them in a Hive metastore of embedded Derby. `named` is a session of three: Delta is
`spark_catalog`, Iceberg has a catalog of its own, and hudilite is a named catalog beside them.
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "tests" / "tools" / "matrix.txt"
JARS = ROOT / ".build" / "peers.path"
NAMES = ("memory", "hive", "named")
OWN = "hudilite_lake"
EXTENSIONS = (
    "io.delta.sql.DeltaSparkSessionExtension",
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
)


def asked_setup() -> str:
    """The set-up that the run asks for.

    Raises:
        ValueError: for a name that is none.
    """
    name = os.environ.get("HUDILITE_CATALOG", "memory")
    if name not in NAMES:
        raise ValueError(f"HUDILITE_CATALOG={name}: one of {', '.join(NAMES)}")
    return name


def setup_conf(name: str, warehouse: Path) -> dict[str, str]:
    """Spark's settings of a set-up, over those of every session under test."""
    if name == "hive":
        return hive_conf(warehouse)
    return peers_conf(warehouse) if name == "named" else {}


def hive_conf(warehouse: Path) -> dict[str, str]:
    """A Hive metastore of embedded Derby beside the warehouse."""
    place = f"jdbc:derby:;databaseName={warehouse / 'metastore_db'};create=true"
    return {
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL": place,
        "spark.hadoop.datanucleus.schema.autoCreateTables": "true",
        "spark.hadoop.hive.metastore.schema.verification": "false",
    }


def peers_conf(warehouse: Path) -> dict[str, str]:
    """Delta as `spark_catalog`, Iceberg as `ice`, hudilite as a named catalog."""
    jars = JARS.read_text(encoding="utf-8").split()
    return {
        "spark.jars": ",".join(jars),
        "spark.driver.extraClassPath": os.pathsep.join(jars),
        "spark.sql.extensions": ",".join(EXTENSIONS),
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type": "hadoop",
        "spark.sql.catalog.ice.warehouse": str(warehouse / "ice"),
        f"spark.sql.catalog.{OWN}": "hudilite.spark.HudiliteCatalog",
        "spark.databricks.delta.snapshotPartitions": "2",
    }


def own_catalog(name: str) -> str:
    """The catalog in which a set-up's hudilite tables lie."""
    return OWN if name == "named" else "spark_catalog"


def matrix() -> list[Path]:
    """The golden files that run under every set-up."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return [ROOT / "tests" / "sql" / line for line in lines if line and line[0] != "#"]
