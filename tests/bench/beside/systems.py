"""The systems that are measured: how each is opened, and its words for a table."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.beside import creations
from bench.beside.shapes import Table
from harness.setups import EXTENSIONS, JARS
from harness.stock import stock_environment

SHUFFLE_TASKS, CORES = 16, 2
BEFORE = "before"  # hudilite as another commit has it
JAVA_OPTIONS = "-Duser.timezone=UTC"
DELTA, ICEBERG = EXTENSIONS
WITHOUT_SPARK = {"duckdb": "duckdb_server.py", "delta-rs": "delta_rs_server.py"}


@dataclass(frozen=True)
class System:
    """One way to keep a keyed table.

    Attributes:
        title: As readers see it.
        kind: Of session that `server.py` opens.
        place: Stands before a table's name in SQL.
        folder: In the warehouse, above the tables' folders.
        create: CREATE TABLE of a table.
        settings: Of Spark, beside those that all have; `{warehouse}` in them is filled in.
        stock: Runs in stock Hudi's environment.
        tree: Checkout whose package it runs, built there by `make build`; this one by default.
        logs: Whether its tables have log files.
    """

    name: str
    title: str
    kind: str
    place: str
    folder: str
    create: Callable[[Table], str]
    settings: Mapping[str, str] = field(default_factory=dict)
    stock: bool = False
    tree: str = ""
    logs: bool = False

    @property
    def is_spark(self) -> bool:
        """Whether it runs in Spark and its tables are Parquet files."""
        return self.kind not in WITHOUT_SPARK

    @property
    def server(self) -> str:
        """The script beside this one that answers for it."""
        return WITHOUT_SPARK.get(self.kind, "server.py")

    def named(self, columns: Sequence[str]) -> str:
        """Columns as a query of the system lists them; `at` is a word of DuckDB."""
        return ", ".join(columns if self.is_spark else [f'"{name}"' for name in columns])

    def insert(self, table: Table) -> str:
        """INSERT of the view `s`; a format that does not place rows itself is given them placed."""
        wide = f"/*+ REPARTITION({SHUFFLE_TASKS}, {', '.join(table.spread)}) */ "
        hint = wide if self.name.startswith("delta") and self.is_spark else ""
        return f"INSERT INTO {self.place}{table.name} SELECT {hint}* FROM s"

    def files(self, table: Table) -> str:
        """A query of the paths of the table's live files of data; empty if its folder has no others."""
        if self.logs:
            return "" if self.stock else f"SELECT path FROM {table.name}.files"
        if self.place:
            return f"SELECT file_path FROM {self.place}{table.name}.data_files"
        return f"SELECT DISTINCT input_file_name() FROM {table.name}"

    def python(self) -> str:
        """The Python that has this system's Spark."""
        if self.tree:
            return str(Path(self.tree, ".venv", "bin", "python"))
        return str(_stock()[0]) if self.stock else sys.executable

    def conf(self, warehouse: str, memory: str) -> dict[str, str]:
        """All the settings that its session is opened with.

        The heap has its full size from the start: one that grows and shrinks with what is alive
        gives each system another heap, and the times would compare those.
        """
        if self.kind == "delta-rs":
            return {}
        if not self.is_spark:
            return {"threads": str(CORES), "memory_limit": memory}
        own = {key: value.format(warehouse=warehouse) for key, value in self.settings.items()}
        heap = {
            "spark.driver.memory": memory,
            "spark.driver.extraJavaOptions": f"{JAVA_OPTIONS} -Xms{memory}",
        }
        return COMMON | heap | own | self._jars()

    def _jars(self) -> dict[str, str]:
        if self.stock:
            return {"spark.driver.extraClassPath": str(_stock()[1])}
        if self.kind == "hudilite" or self.name == "spark":
            return {}
        jars = JARS.read_text(encoding="utf-8").split()
        return {"spark.driver.extraClassPath": os.pathsep.join(jars)}


COMMON = {
    "spark.master": f"local[{CORES}]",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": str(SHUFFLE_TASKS),
    "spark.sql.parquet.compression.codec": "snappy",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}


def _stock() -> tuple[object, object]:
    found = stock_environment()
    assert found is not None, "stock Hudi's environment is not there: make stock"
    return found


_DELTA = {
    "spark.sql.extensions": DELTA,
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "2",
}
_ICEBERG = {
    "spark.sql.extensions": ICEBERG,
    "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.ice.type": "hadoop",
    "spark.sql.catalog.ice.warehouse": "{warehouse}/ice",
    # With these a MERGE shuffles its source alone; `creations.iceberg` spares the shuffle before the write.
    "spark.sql.sources.v2.bucketing.enabled": "true",
    "spark.sql.sources.v2.bucketing.pushPartValues.enabled": "true",
    "spark.sql.sources.v2.bucketing.shuffle.enabled": "true",
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
    "spark.sql.iceberg.planning.preserve-data-grouping": "true",
}
_HUDI = {
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
    "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
    "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
    # A writer's settings are read from the session: of a table they are not passed on.
    "hoodie.spark.sql.insert.into.operation": "bulk_insert",
    "hoodie.metadata.enable": "false",
    "hoodie.parquet.compression.codec": "snappy",
    "hoodie.parquet.bloom.filter.enabled": "false",
    "hoodie.upsert.shuffle.parallelism": str(SHUFFLE_TASKS),
    "hoodie.bulkinsert.shuffle.parallelism": str(SHUFFLE_TASKS),
}
_HUDI_LOGS = _HUDI | {
    "hoodie.compact.inline": "false",
    # Once thirty commits are archived, its reader takes the columns of an archived plan for those of the
    # table, and the case `batches` fails at its end.
    "hoodie.archive.automatic": "false",
}
OURS = System("hudilite", "hudilite", "hudilite", "", "", creations.hudilite)
OUR_LOGS = System(
    *("hudilite-mor", "hudilite, merge on read", "hudilite", "", "", creations.hudilite_logs),
    logs=True,
)
OUR_COUNTS = replace(
    OUR_LOGS,
    name="hudilite-mor-counts",
    title="hudilite, merge on read, exact counts",
    settings={"spark.hudilite.write.counts": "exact"},
)
OWN = (OURS.name, OUR_LOGS.name, OUR_COUNTS.name)
PLAIN = System("spark", "Spark", "spark", "", "", creations.hudilite)  # makes the sources
SYSTEMS = {
    system.name: system
    for system in (
        OURS,
        OUR_LOGS,
        OUR_COUNTS,
        System(
            *("delta", "Delta 4.4, copy on write", "spark", "", ""),
            *(creations.delta(False), _DELTA),
        ),
        System(
            *("delta-dv", "Delta 4.4, deletion vectors", "spark", "", ""),
            *(creations.delta(True), _DELTA),
        ),
        System(
            *("iceberg", "Iceberg 1.12, copy on write", "spark", "ice.db.", "ice/db"),
            *(creations.iceberg("copy-on-write", 2), _ICEBERG),
        ),
        System(
            *("iceberg-mor", "Iceberg 1.12, merge on read", "spark", "ice.db.", "ice/db"),
            *(creations.iceberg("merge-on-read", 3), _ICEBERG),
        ),
        System(
            *("hudi", "Hudi 1.2 on Spark 3.5", "spark", "", ""),
            *(creations.hudi("cow"), _HUDI),
            stock=True,
        ),
        System(
            *("hudi-mor", "Hudi 1.2 on Spark 3.5, merge on read", "spark", "", ""),
            *(creations.hudi("mor"), _HUDI_LOGS),
            stock=True,
            logs=True,
        ),
        System("duckdb", "DuckDB 1.5, a table of its own", "duckdb", "", "", creations.duckdb),
        System("delta-rs", "delta-rs 1.6", "delta-rs", "", "", creations.delta_rs),
    )
}
TITLES = {name: system.title for name, system in SYSTEMS.items()} | {BEFORE: "hudilite before"}


def before(tree: str) -> System:
    """hudilite as another checkout builds it, to compare two commits in one run."""
    python = Path(tree, ".venv", "bin", "python")
    assert python.exists(), f"{tree} is not built: make build there"
    return replace(OURS, name=BEFORE, title=TITLES[BEFORE], tree=tree)
