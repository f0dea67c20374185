"""Stock Hudi-Spark in one process of its own, for all the tables of a run.

The environment names where it lies: HUDILITE_VENV35 (a virtual environment with pyspark 3.5) and
HUDILITE_HUDI_BUNDLE (the bundle jar); without them `.build/venv35` and `.build/hudi-bundle.path`. Hudi 0.15,
the last version before 1.0, is the bundle of `.build/hudi-0.15.path`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import one_jar
from harness.java import short_lived
from harness.lines import LineProcess

ROOT = Path(__file__).resolve().parents[2]
SERVER = ROOT / "tests" / "interop" / "stock_server.py"
# Asked how large an object is, Hudi would start six more JVMs to look into its own.
ALONE = "-Djol.skipHotspotSAAttach=true"

# Files in `.build` with the paths of Hudi's jars: of the newest version, and of 0.15.
BUNDLE, BUNDLE_0_15 = "hudi-bundle.path", "hudi-0.15.path"

NO_STOCK = "stock Hudi needs pyspark 3.5, which is not installed here"


def writer_options(name: str, buckets: int | None = None) -> dict[str, str]:
    """Options of stock's writer: upsert into a table with key `id`, partition `p` and ordering field `ts`.

    Args:
        name: Of the table.
        buckets: Number of buckets in a partition; None leaves the index to stock.
    """
    options = {
        "hoodie.table.name": name,
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.partitionpath.field": "p",
        "hoodie.datasource.write.precombine.field": "ts",
        "hoodie.datasource.write.operation": "upsert",
    }
    if buckets is not None:
        options["hoodie.index.type"] = "BUCKET"
        options["hoodie.bucket.index.num.buckets"] = str(buckets)
    return options


class StockFailed(AssertionError):
    """Stock Hudi could not do what was asked."""


def stock_environment(bundle: str = BUNDLE) -> tuple[Path, Path] | None:
    """The Python of the stock environment and the bundle jar, or None when they are not there.

    Args:
        bundle: Name of the file in `.build` that says where the jar lies.
    """
    venv = Path(os.environ.get("HUDILITE_VENV35", ROOT / ".build" / "venv35"))
    named = os.environ.get("HUDILITE_HUDI_BUNDLE") if bundle == BUNDLE else None
    pointer = ROOT / ".build" / bundle
    if named is None and pointer.exists():
        named = pointer.read_text(encoding="utf-8").strip()
    python = venv / "bin" / "python"
    found = named is not None and Path(named).exists() and python.exists()
    return (python, Path(named)) if found and named is not None else None


def running(
    folders: pytest.TempPathFactory, conf: dict[str, str] | None = None, bundle: str = BUNDLE
) -> Iterator[StockSpark]:
    """A running stock Hudi-Spark, for a fixture; the test is skipped where there is none.

    Args:
        conf: More settings of Spark.
        bundle: As of `stock_environment`.
    """
    environment = stock_environment(bundle)
    if environment is None:
        pytest.skip(NO_STOCK)
    server = StockSpark(*environment, folders.mktemp("stock"), conf=conf)
    yield server
    server.close()


class StockSpark:
    """A running stock Hudi-Spark; requests and answers are lines of JSON."""

    def __init__(
        self,
        python: Path,
        bundle: Path,
        work: Path,
        zone: str = "UTC",
        jars: Sequence[str] = (),
        conf: dict[str, str] | None = None,
    ) -> None:
        """Starts it.

        Args:
            python: Of the stock environment.
            bundle: The jar of Hudi.
            work: A folder of its own.
            zone: The default time zone of its JVM.
            jars: Jars and folders of classes before those of Spark.
            conf: More settings of Spark.
        """
        self.work = work
        self._ordinal = 0
        root = python.parents[1]
        home = next(map(one_jar.home, root.glob("lib/python*/site-packages/pyspark")))
        self._archive = (home or root) / f"{bundle.stem}.jsa"
        self._new_archive = self._archive.with_suffix(f".{os.getpid()}")
        java = f"{short_lived(self._archive)} {ALONE} -Duser.timezone={zone}"
        if zone == "UTC" and not jars and not self._archive.exists():
            java += f" -XX:ArchiveClassesAtExit={self._new_archive} -Xlog:disable"
        classes = os.pathsep.join([str(bundle), *jars])
        words = [str(python), str(SERVER), classes, str(work), java, json.dumps(conf or {})]
        variables = {"SPARK_HOME": str(home)} if home else {}
        log = work / "stock.log"
        self._begin = partial(LineProcess, words, work, log, StockFailed, variables=variables)
        self._process = self._begin()

    def restart(self) -> None:
        """Ends the process, with the heartbeats of writes that failed in it, and starts another one."""
        self._process.close()
        self._process = self._begin()

    def ask(self, **request: Any) -> dict[str, Any]:
        """Sends one request and returns the answer."""
        return self._process.ask(**request)

    def read(self, path: Path, **options: str) -> pa.Table:
        """All rows and columns that stock reads at a path, meta columns included."""
        return self.rows_of(op="read", path=str(path), options=options)

    def changes(self, path: Path, begin: str) -> pa.Table:
        """Rows that an incremental query returns as changed after a time of `layout.completions`."""
        options = {
            "hoodie.datasource.query.type": "incremental",
            "hoodie.datasource.read.begin.instanttime": begin,
        }
        return self.read(path, **options)

    def rows_of(self, **request: Any) -> pa.Table:
        """Sends a request that yields rows and returns them."""
        self._ordinal += 1
        out = self.work / f"rows-{self._ordinal}"
        self.ask(out=str(out), **request)
        return pq.read_table(out)

    def listing(self, path: Path) -> dict[str, dict[str, int]]:
        """Lengths of the files by partition and name, as Hudi's metadata table lists them."""
        answered: dict[str, dict[str, int]] = self.ask(op="listing", path=str(path))["listing"]
        return answered

    def buckets(self, keys: list[tuple[str, str, int]]) -> list[int]:
        """BucketIdentifier's answer for (record key, hash fields joined by commas, buckets)."""
        answered: list[int] = self.ask(op="buckets", keys=keys)["buckets"]
        return answered

    def close(self) -> None:
        """Ends the process; the first one leaves its classes to those that follow, as an archive."""
        if self._process.close() and self._new_archive.exists():
            self._new_archive.rename(self._archive)
