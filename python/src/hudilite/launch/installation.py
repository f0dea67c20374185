"""Spark installation that pyspark would launch, inspected without launching it."""

from __future__ import annotations

import os
from pathlib import Path

from hudilite.conditions import session_error
from hudilite.errors import SessionError
from hudilite.launch import versions

UNSET_SPARK_HOME = "Unset it: pyspark contains a Spark."


def pyspark_version() -> str:
    """Returns the version of the installed pyspark.

    Raises:
        SessionError: ``HUDILITE_PACKAGE_MISSING`` when pyspark is not installed.
    """
    try:
        import pyspark
    except ImportError as error:
        raise _without_pyspark("A session") from error
    return str(pyspark.__version__)


def spark_home() -> Path:
    """Returns the folder of the Spark that pyspark launches.

    It is ``SPARK_HOME`` if set, else the Spark download that contains pyspark, else the pyspark
    package that pip installed.
    """
    import pyspark

    package = Path(pyspark.__file__).parent
    download = package.parent.parent
    installed = download if (download / "jars").is_dir() else package
    return Path(os.environ.get("SPARK_HOME") or installed)


def jar() -> Path:
    """Returns the jar for the installed Spark.

    Spark and pyspark can come from two places. hudilite must support both, and both must have the
    same minor version.

    Raises:
        SessionError: ``HUDILITE_ENVIRONMENT_INVALID`` when ``SPARK_HOME`` has another minor version
            of Spark than pyspark.
        SessionError: ``HUDILITE_SPARK_VERSION_UNSUPPORTED`` when one of the two versions has no
            jar.
        SessionError: ``HUDILITE_SCALA_VERSION_UNSUPPORTED`` when Spark is built for another Scala.
        SessionError: ``HUDILITE_JAR_MISSING`` when the package has no jar.
        SessionError: ``HUDILITE_PACKAGE_MISSING`` when pyspark is not installed.
    """
    python_half = pyspark_version()
    found = versions.versions_at(spark_home())
    if found:
        jvm_half, scala = found
        versions.check_scala(scala)
        if versions.jar_for(jvm_half) != versions.jar_for(python_half):
            reason = f"it contains Spark {jvm_half}, but pyspark is {python_half}"
            fix = f"Unset it, or run pip install 'pyspark=={jvm_half}'."
            raise environment_error("SPARK_HOME", reason, fix)
    return versions.jar_for(python_half)


def script(name: str) -> Path:
    """Returns the path of a program that comes with Spark.

    Args:
        name: Name of the program, such as ``spark-sql``.

    Raises:
        SessionError: ``HUDILITE_ENVIRONMENT_INVALID`` when ``SPARK_HOME`` has no executable of that
            name.
        SessionError: ``HUDILITE_PACKAGE_MISSING`` when pyspark is not installed or has no such
            program.
    """
    pyspark_version()
    path = spark_home() / "bin" / name
    if path.is_file() and os.access(path, os.X_OK):
        return path
    if os.environ.get("SPARK_HOME"):
        reason = f"it has no executable bin/{name}"
        raise environment_error("SPARK_HOME", reason, UNSET_SPARK_HOME)
    raise _without_pyspark(name)


def environment_error(name: str, reason: str, fix: str) -> SessionError:
    """Returns ``HUDILITE_ENVIRONMENT_INVALID``: an environment variable prevents the start.

    Args:
        name: Name of the variable.
        reason: Reason, as a clause without a full stop.
        fix: What to do, as a sentence.
    """
    value = os.environ.get(name, "")
    return session_error(
        "HUDILITE_ENVIRONMENT_INVALID", name=name, value=value, reason=reason, fix=fix
    )


def _without_pyspark(work: str) -> SessionError:
    package = f"pyspark~={versions.best_spark()}.0"
    return session_error("HUDILITE_PACKAGE_MISSING", work=work, package=package)
