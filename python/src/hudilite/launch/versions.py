"""Versions of Spark and Scala: those this package has jars for, and those of an installation."""

from __future__ import annotations

import re
from pathlib import Path

from hudilite.conditions import session_error

SCALA = "2.13"
JAR_FOLDER = Path(__file__).parents[1] / "jars"
_BEST = "4.1"  # the version on which all tests run


def supported_sparks() -> list[str]:
    """Returns the Spark minor versions that this package has a jar for, oldest first.

    Raises:
        SessionError: ``HUDILITE_JAR_MISSING`` when it has none.
    """
    names = [path.name for path in JAR_FOLDER.glob("hudilite-spark-*.jar")]
    minors = [name.removeprefix("hudilite-spark-").removesuffix(".jar") for name in names]
    if not minors:
        raise session_error("HUDILITE_JAR_MISSING", path=str(JAR_FOLDER))
    return sorted(minors, key=lambda minor: [int(part) for part in minor.split(".")])


def best_spark() -> str:
    """Returns the Spark minor version to recommend.

    Raises:
        SessionError: The error of `supported_sparks`.
    """
    supported = supported_sparks()
    return _BEST if _BEST in supported else supported[-1]


def jar_for(spark_version: str) -> Path:
    """Returns the jar for a Spark version.

    Args:
        spark_version: Version such as ``4.1.3``, or only its minor version ``4.1``.

    Raises:
        SessionError: ``HUDILITE_SPARK_VERSION_UNSUPPORTED`` when no jar fits.
        SessionError: The error of `supported_sparks`.
    """
    supported = supported_sparks()
    minor = ".".join(spark_version.split(".")[:2])
    if minor not in supported:
        raise session_error(
            "HUDILITE_SPARK_VERSION_UNSUPPORTED",
            found=spark_version,
            supported=" and ".join(supported),
            best=best_spark(),
        )
    return JAR_FOLDER / f"hudilite-spark-{minor}.jar"


def check_scala(scala_version: str) -> None:
    """Checks that Spark is built for Scala 2.13.

    Raises:
        SessionError: ``HUDILITE_SCALA_VERSION_UNSUPPORTED`` for any other Scala version.
    """
    if scala_version != SCALA and not scala_version.startswith(f"{SCALA}."):
        raise session_error(
            "HUDILITE_SCALA_VERSION_UNSUPPORTED", found=scala_version, supported=SCALA
        )


def versions_at(spark_home: Path) -> tuple[str, str] | None:
    """Returns the Spark and Scala versions of an installation, from the names of its jars.

    Args:
        spark_home: Folder of the installation, which contains ``jars`` and ``bin``.

    Returns:
        Spark version and Scala version, such as ``("4.1.3", "2.13")``; None when the folder has no
        spark-core jar.
    """
    for jar in sorted((spark_home / "jars").glob("spark-core_*.jar")):
        match = re.fullmatch(r"spark-core_(\d+\.\d+)-(.+)\.jar", jar.name)
        if match:
            return match[2], match[1]
    return None
