"""The Spark that pyspark would launch, looked at without launching it."""

from __future__ import annotations

import os
from pathlib import Path

from hudilite import versions
from hudilite.conditions import session_error


def pyspark_version() -> str:
    """Version of the pyspark that can be imported.

    Raises:
        SessionError: ``HUDILITE_PACKAGE_MISSING`` when there is none.
    """
    try:
        import pyspark
    except ImportError as error:
        raise session_error(
            "HUDILITE_PACKAGE_MISSING",
            work="A session",
            package=f"pyspark~={versions.supported_sparks()[-1]}.0",
        ) from error
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
