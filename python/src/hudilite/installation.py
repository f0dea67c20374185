"""The Spark that pyspark would launch, looked at without launching it."""

from __future__ import annotations

import os
from pathlib import Path

from hudilite import versions
from hudilite.conditions import session_error
from hudilite.errors import SessionError

UNSET_SPARK_HOME = "Unset it: pyspark brings its own Spark."


def pyspark_version() -> str:
    """Version of the pyspark that can be imported.

    Raises:
        SessionError: ``HUDILITE_PACKAGE_MISSING`` when there is none.
    """
    try:
        import pyspark
    except ImportError as error:
        raise _without_pyspark("A session") from error
    return str(pyspark.__version__)


def spark_home() -> Path:
    """The folder of the Spark that pyspark will launch: of pip's pyspark, or a whole download."""
    import pyspark

    package = Path(pyspark.__file__).parent
    download = package.parent.parent
    installed = download if (download / "jars").is_dir() else package
    return Path(os.environ.get("SPARK_HOME") or installed)


def jar() -> Path:
    """The jar for the Spark that is installed, checked against its Python half as well.

    Raises:
        SessionError: ``HUDILITE_SPARK_VERSION_UNSUPPORTED``, ``HUDILITE_JAR_MISSING``,
            ``HUDILITE_SCALA_VERSION_UNSUPPORTED`` or ``HUDILITE_PACKAGE_MISSING``.
    """
    python_half = pyspark_version()
    found = versions.versions_at(spark_home())
    if found:
        versions.check_scala(found[1])
        versions.jar_for(found[0])
    return versions.jar_for(python_half)


def script(name: str) -> Path:
    """One of the programs that come with Spark.

    Args:
        name: Such as ``spark-sql``.

    Raises:
        SessionError: ``HUDILITE_ENVIRONMENT_INVALID`` where SPARK_HOME has none of that name;
            ``HUDILITE_PACKAGE_MISSING`` where there is no pyspark, or one that has none.
    """
    pyspark_version()
    path = spark_home() / "bin" / name
    if path.is_file() and os.access(path, os.X_OK):
        return path
    if os.environ.get("SPARK_HOME"):
        reason = f"it has no bin/{name} that may be run"
        raise environment_error("SPARK_HOME", reason, UNSET_SPARK_HOME)
    raise _without_pyspark(name)


def environment_error(name: str, reason: str, fix: str) -> SessionError:
    """HUDILITE_ENVIRONMENT_INVALID: a variable stands in the way.

    Args:
        name: Of the variable.
        reason: Half a sentence.
        fix: A sentence.
    """
    value = os.environ.get(name, "")
    return session_error(
        "HUDILITE_ENVIRONMENT_INVALID", name=name, value=value, reason=reason, fix=fix
    )


def _without_pyspark(work: str) -> SessionError:
    package = f"pyspark~={versions.best_spark()}.0"
    return session_error("HUDILITE_PACKAGE_MISSING", work=work, package=package)
