"""Spark sessions under test: the package's own when it is installed, else the same by hand."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING

from harness import one_jar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]
JAR = ROOT / "python" / "src" / "hudilite" / "jars" / "hudilite-spark-4.1.jar"
# Generated code that does not compile is a fault, not a reason to interpret expressions.
GENERATED = {
    "spark.sql.codegen.factoryMode": "CODEGEN_ONLY",
    "spark.sql.codegen.wholeStage": "true",
}
# Without code, as Spark evaluates a plan whose code is too large.
INTERPRETED = {
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
}
CLASS_PATH = "spark.driver.extraClassPath"
PAGE_ROWS = "spark.hudilite.write.pageRows"
ROW_GROUP_ROWS = "spark.hudilite.write.rowGroupRows"
SPLIT_ABOVE = "spark.hudilite.write.splitAbove"


def small_geometry() -> bool:
    """True when the run asks for tiny pages and row groups (HUDILITE_GEOMETRY=small)."""
    return os.environ.get("HUDILITE_GEOMETRY", "") == "small"


def geometry_conf() -> dict[str, str]:
    """Session settings of the asked geometry; the small one cuts a few rows many times."""
    if not small_geometry():
        return {"spark.sql.shuffle.partitions": "2"}
    return {
        PAGE_ROWS: "3",
        ROW_GROUP_ROWS: "10",
        SPLIT_ABOVE: "10k",  # files of the tests are smaller or larger
        "spark.master": "local[4]",
        "spark.default.parallelism": "4",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.leafNodeDefaultParallelism": "4",
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
    }


def expressions_conf() -> dict[str, str]:
    """Session settings of how Spark evaluates expressions, which HUDILITE_EXPRESSIONS may say."""
    asked = os.environ.get("HUDILITE_EXPRESSIONS", "")
    return (INTERPRETED if asked == "interpreted" else GENERATED) | {
        "spark.sql.codegen.fallback": "false"
    }


def open_session(
    app_name: str, warehouse: Path, conf: dict[str, str] | None = None
) -> SparkSession:
    """A session with hudilite, two local cores and UTC, overlaid with the settings given."""
    settings = {
        **expressions_conf(),
        "spark.master": "local[2]",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "1500m",
        "spark.broadcast.blockSize": "128k",  # each broadcast takes at least a block
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
    }
    settings |= conf or {}
    add_jars(settings.get(CLASS_PATH, ""))
    if importlib.util.find_spec("hudilite") is None:
        return _by_hand(app_name, warehouse, settings)
    import hudilite

    with one_jar.used():
        session: SparkSession = hudilite.session(
            app_name=app_name, warehouse=str(warehouse), conf=settings
        )
    return session


def add_jars(jars: str) -> None:
    """Adds jars to a JVM that is running; one that starts finds them on its class path."""
    from pyspark import SparkContext

    if SparkContext._jvm is None:
        return
    loader = SparkContext._jvm.Thread.currentThread().getContextClassLoader()
    for jar in filter(None, jars.split(os.pathsep)):
        loader.addURL(SparkContext._jvm.java.io.File(jar).toURI().toURL())


def _by_hand(app_name: str, warehouse: Path, settings: dict[str, str]) -> SparkSession:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(app_name)
    for key, value in {
        "spark.jars": str(JAR),
        "spark.sql.warehouse.dir": str(warehouse),
        "spark.sql.extensions": "hudilite.spark.HudiliteExtensions",
        "spark.sql.catalog.spark_catalog": "hudilite.spark.HudiliteCatalog",
        **settings,
    }.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
