"""A Hive metastore as a server of its own, on 127.0.0.1 alone, with the jars that Spark ships."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.java import TESTS, kept

SOURCES = TESTS / "clusters" / "metastore"


@contextmanager
def metastore_server(folder: Path) -> Iterator[dict[str, str]]:
    """Runs a server over a database in a folder.

    Yields:
        settings of Spark sessions that use it
    """
    import pyspark

    home = Path(pyspark.__file__).parent
    variables = {"SPARK_HOME": str(home), "SPARK_DIST_CLASSPATH": str(kept(SOURCES))}
    # spark-class opens the packages of Java that Hive's libraries look into.
    words = [str(home / "bin" / "spark-class"), "hudilite.tests.MetastoreServer", str(folder)]
    log = folder / "metastore.log"
    with log.open("w") as sink:
        process = subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            stderr=sink,
            text=True,
            cwd=folder,
            env=os.environ | variables,
        )
    assert process.stdout is not None
    try:
        uri = process.stdout.readline().strip()
        assert uri.startswith("thrift://"), f"{uri}\n{log.read_text()[-3000:]}"
        yield {
            "spark.sql.catalogImplementation": "hive",
            "spark.hadoop.hive.metastore.uris": uri,
        }
    finally:
        process.terminate()
        process.wait(timeout=30)
