"""One engine in a process of its own, on Spark 4.1 or 3.5: answers requests line by line.

Usage: server.py hudilite|spark <warehouse> <settings as JSON>. Requests and answers are JSON
objects; every request that is timed answers with its `seconds`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.beside.answering import Answer, Watched, as_texts, serve, timed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TIMED_TASKS = 16


def opened(kind: str, warehouse: str, settings: dict[str, str]) -> SparkSession:
    """hudilite's own session with its defaults, or a plain one with the settings given."""
    if kind == "hudilite":
        import hudilite

        return hudilite.session("bench", warehouse, conf=settings)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("bench")
    for key, value in {"spark.sql.warehouse.dir": warehouse, **settings}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


class Server:
    """What can be asked; each method is one `op`."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.jvm: Any = spark._jvm
        self.watched = Watched(self._process())

    def view(self, name: str, path: str) -> Answer:
        """Names the rows of a Parquet folder."""
        self.spark.read.parquet(path).createOrReplaceTempView(name)
        return {}

    def make(self, text: str, path: str, files: int) -> Answer:
        """Writes the rows of a query as Parquet."""
        self.spark.sql(text).repartition(files).write.parquet(path)
        return {}

    def write(self, text: str, path: str) -> Answer:
        """Writes the rows of a query as Parquet, in the place of what is there."""
        self.spark.sql(text).write.mode("overwrite").parquet(path)
        return {}

    def run(self, texts: list[str]) -> Answer:
        """Statements one after another."""
        return timed(lambda: [self._rows(text) for text in texts])

    def rows(self, text: str) -> Answer:
        """The rows of one query."""
        return {"rows": self._rows(text)}

    def scan(self, text: str) -> Answer:
        """A query whose rows go nowhere."""
        frame = self.spark.sql(text)
        return timed(lambda: _to_nowhere(frame))

    def scan_files(self, files: list[str], columns: list[str]) -> Answer:
        """The same columns of Parquet files, by Spark's own reader."""
        frame = self.spark.read.parquet(*files).select(*columns)
        return timed(lambda: _to_nowhere(frame))

    def copy(self, files: list[str], target: str) -> Answer:
        """Spark's own read and write of files."""
        frame = self.spark.read.parquet(*files)
        return timed(lambda: frame.write.mode("overwrite").parquet(target))

    def idle(self) -> Answer:
        """A job of one task and a job with a shuffle, both of next to nothing."""

        def jobs() -> None:
            self.spark.range(1).selectExpr("sum(id)").collect()
            self.spark.range(1000).repartition(TIMED_TASKS).selectExpr("id").count()

        return timed(jobs)

    def collect_garbage(self) -> Answer:
        """Leaves the next request the whole heap."""
        self.jvm.java.lang.System.gc()
        self.watched.begin()
        return {}

    def spent(self) -> Answer:
        """The most memory, and the work of the garbage collector, since then."""
        return self.watched.spent()

    def about(self) -> Answer:
        """The version and settings of Spark, and the most memory that its process has held."""
        return {
            "spark": self.spark.version,
            "conf": dict(self.spark.sparkContext.getConf().getAll()),
            "peak": self.watched.most(),
            "heap": self.jvm.java.lang.Runtime.getRuntime().maxMemory(),
        }

    def _process(self) -> int:
        return int(self.jvm.java.lang.ProcessHandle.current().pid())

    def _rows(self, text: str) -> list[list[str]]:
        return as_texts(self.spark.sql(text).collect())


def _to_nowhere(frame: DataFrame) -> None:
    """Makes every row; Delta refuses a write of the format `noop` from files with vectors."""
    frame._jdf.queryExecution().toRdd().count()


def main() -> None:
    """Answers until its input ends."""
    kind, warehouse, settings = sys.argv[1:]
    spark = opened(kind, warehouse, json.loads(settings))
    spark.sparkContext.setLogLevel("ERROR")
    serve(Server(spark))
    spark.stop()


if __name__ == "__main__":
    main()
