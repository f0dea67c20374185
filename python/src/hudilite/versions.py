"""The versions of Spark and Scala that this package has a jar for, and those of a Spark found."""

from __future__ import annotations

import re
from pathlib import Path

from hudilite.conditions import session_error

SCALA = "2.13"
JAR_FOLDER = Path(__file__).parent / "jars"
_BEST = "4.1"  # all tests run on it


def supported_sparks() -> list[str]:
    """The minor versions of Spark that this package carries a jar for, oldest first.

    Raises:
        SessionError: ``HUDILITE_JAR_MISSING`` when it carries none.
    """
    names = [path.name for path in JAR_FOLDER.glob("hudilite-spark-*.jar")]
    minors = [name.removeprefix("hudilite-spark-").removesuffix(".jar") for name in names]
    if not minors:
        raise session_error("HUDILITE_JAR_MISSING", path=str(JAR_FOLDER))
    return sorted(minors, key=lambda minor: [int(part) for part in minor.split(".")])


def best_spark() -> str:
    """The minor version of Spark to install where there is a choice.

    Raises:
        SessionError: As `supported_sparks`.
    """
    supported = supported_sparks()
    return _BEST if _BEST in supported else supported[-1]


def jar_for(spark_version: str) -> Path:
    """The jar for a version of Spark.

    Args:
        spark_version: As Spark writes it, ``4.1.3``; the minor version alone will do.

    Raises:
        SessionError: ``HUDILITE_SPARK_VERSION_UNSUPPORTED``, or as `supported_sparks`.
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
    """Refuse a Spark that is built for another Scala than 2.13.

    Raises:
        SessionError: ``HUDILITE_SCALA_VERSION_UNSUPPORTED``.
    """
    if scala_version != SCALA and not scala_version.startswith(f"{SCALA}."):
        raise session_error(
            "HUDILITE_SCALA_VERSION_UNSUPPORTED", found=scala_version, supported=SCALA
        )


def versions_at(spark_home: Path) -> tuple[str, str] | None:
    """The versions of Spark and Scala of an installation, read from the names of its jars.

    Args:
        spark_home: Folder of the installation, where ``jars`` and ``bin`` are.

    Returns:
        For example ``("4.1.3", "2.13")``; None when no core jar is there.
    """
    for jar in sorted((spark_home / "jars").glob("spark-core_*.jar")):
        match = re.fullmatch(r"spark-core_(\d+\.\d+)-(.+)\.jar", jar.name)
        if match:
            return match[2], match[1]
    return None
