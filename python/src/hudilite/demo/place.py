"""Directory of the demo. It holds everything the demo writes, Spark's and Java's files included."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

_NOTE = "hudilite-demo.txt"
_LOGGING = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {log}
appender.file.append = false
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d %p %c: %m%n%ex
"""


class PlaceError(Exception):
    """Error: the demo cannot run with this directory or without a package."""


def prepare(directory: Path) -> Path:
    """Creates the directory, or deletes what an earlier run left in it.

    Args:
        directory: New, empty, or from an earlier run.

    Returns:
        The directory as an absolute path.

    Raises:
        PlaceError: When the path is a file, or the directory contains anything else.
    """
    directory = directory.absolute()
    if directory.exists() and not directory.is_dir():
        raise PlaceError(f"{directory} is a file. Write the path of a new directory.")
    if directory.is_dir() and any(directory.iterdir()):
        if not (directory / _NOTE).is_file():
            raise PlaceError(
                f"{directory} contains other files. Write the path of a new directory."
            )
        shutil.rmtree(directory)
    for name in ("tmp", "spark"):
        (directory / name).mkdir(parents=True, exist_ok=True)
    (directory / _NOTE).write_text(
        "Written by the demo of hudilite, and emptied by its next run.\n"
    )
    (directory / "log4j2.properties").write_text(_LOGGING.format(log=directory / "spark.log"))
    return directory


def settings(directory: Path) -> dict[str, str]:
    """Returns the settings that keep Spark inside the directory, quiet and off the network."""
    java = {
        "java.io.tmpdir": directory / "tmp",
        "derby.system.home": directory / "metastore",
        "log4j2.configurationFile": (directory / "log4j2.properties").as_uri(),
    }
    options = " ".join(f"'-D{key}={value}'" for key, value in java.items())
    return {
        "spark.driver.extraJavaOptions": f"-XX:-UsePerfData {options}",
        "spark.local.dir": str(directory / "spark"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.session.timeZone": "America/New_York",
    }


def enter(directory: Path) -> None:
    """Directs the temporary files of this process and of its JVM into the directory."""
    os.environ["TMPDIR"] = str(directory / "tmp")
    os.environ["SPARK_LOCAL_DIRS"] = str(directory / "spark")
    tempfile.tempdir = str(directory / "tmp")
