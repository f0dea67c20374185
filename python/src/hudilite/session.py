"""Spark sessions that speak hudilite, on the Spark that is installed.

This is the one module that asks the running JVM (over py4j); everything else in the package
reaches Spark by SQL text. pyspark is imported when a function is called, not before.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hudilite import given, installation, launch, versions
from hudilite.conditions import session_error
from hudilite.errors import SessionError

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

_WAREHOUSE = "spark.sql.warehouse.dir"
_CATALOG_FILE = launch.CATALOG_CLASS.replace(".", "/") + ".class"


def session(
    app_name: str = "hudilite",
    warehouse: str | os.PathLike[str] | None = None,
    *,
    conf: Mapping[str, str | int | float | bool] | None = None,
) -> SparkSession:
    """A Spark session in which ``USING hudilite`` and ``MERGE INTO`` work.

    A session that runs in this process already is returned when it is ready for hudilite.
    Nothing is fetched from a network: the jar is a part of this package.

    Args:
        app_name: Name of a new application, seen in Spark's UI and logs.
        warehouse: Folder for the tables; Spark's default is ``spark-warehouse`` where you are.
        conf: Further settings of Spark, by their names.

    Returns:
        The session; ``SELECT``, ``MERGE INTO`` and the rest go through its ``sql``.

    Raises:
        SessionError: ``HUDILITE_SPARK_VERSION_UNSUPPORTED``, ``HUDILITE_SCALA_VERSION_UNSUPPORTED``
            or ``HUDILITE_JAR_MISSING`` when hudilite cannot run here;
            ``HUDILITE_SESSION_NOT_READY`` when a session without it is running;
            ``HUDILITE_SESSION_CONFLICT`` when the running one has another value for a setting
            that cannot change; ``HUDILITE_SESSION_REMOTE`` for Spark Connect.

    Examples:
        >>> spark = session("orders", warehouse="/tmp/lake")  # doctest: +SKIP
        >>> spark.sql("CREATE TABLE t (id INT, PRIMARY KEY (id)) "
        ...           "USING hudilite WITH BUCKETS 4")  # doctest: +SKIP
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    asked = {key: _as_text(value) for key, value in (conf or {}).items()}
    if warehouse is not None:
        asked[_WAREHOUSE] = _as_location(warehouse)
    running = SparkContext._active_spark_context is not None
    builder = SparkSession.builder.appName(app_name)
    if not running:
        for key, value in asked.items():
            builder = builder.config(key, value)
    spark = configure(builder).getOrCreate()
    try:
        check(spark)
    except SessionError:
        if not running:
            spark.stop()
        raise
    if running:
        _change(spark, asked)
    return spark


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Ready your own session builder for hudilite.

    Extensions and jars that are set already stay: those on the builder, in
    ``spark-defaults.conf`` and in ``PYSPARK_SUBMIT_ARGS``. hudilite's catalog becomes
    ``spark_catalog``; when another one has that name (as Delta's must), hudilite's tables are in
    the catalog ``hudilite``: ``CREATE TABLE hudilite.default.t ...``.

    Args:
        builder: From ``SparkSession.builder``, with your settings on it. Set your extensions and
            jars before this call: ``builder.config`` replaces what was there.

    Returns:
        The same builder.

    Raises:
        SessionError: As `session`, but for ``HUDILITE_SESSION_CONFLICT``.

    Examples:
        >>> from pyspark.sql import SparkSession  # doctest: +SKIP
        >>> spark = configure(SparkSession.builder.appName("orders")).getOrCreate()
        ... # doctest: +SKIP
    """
    from pyspark import SparkContext

    options: dict[str, str] = {k: v for k, v in builder._options.items() if v is not None}
    check_local(options)
    jar = installation.jar()
    if SparkContext._active_spark_context is not None:
        _check_context(SparkContext._active_spark_context, jar)
    in_jvm = SparkContext._gateway is not None or "PYSPARK_GATEWAY_PORT" in os.environ
    outer = _of_jvm(jar) if in_jvm else given.inherited(os.environ, installation.spark_home())
    changes = launch.settings(outer | options, jar)
    if launch.PACKAGES in outer | options and launch.JARS not in options and not in_jvm:
        # As a builder setting it would hide the packages from the executors.
        os.environ[launch.SUBMIT] = launch.submit_with_jars(
            os.environ.get(launch.SUBMIT), changes.pop(launch.JARS)
        )
    for key, value in changes.items():
        builder.config(key, value)
    return builder


def check(spark: SparkSession) -> None:
    """See that a running session can run hudilite: versions, class path, extension, catalog.

    Args:
        spark: A session in this process (Spark Connect has no JVM to ask).

    Raises:
        SessionError: As `session`, but for ``HUDILITE_SESSION_CONFLICT``.
    """
    check_local({})
    versions.check_scala(str(_jvm().scala.util.Properties.versionNumberString()))
    jar = versions.jar_for(spark.version)
    _check_context(spark.sparkContext, jar)
    strategies = spark._jsparkSession.sessionState().planner().strategies().iterator()
    loaded = False
    while strategies.hasNext() and not loaded:
        loaded = str(strategies.next().getClass().getName()).startswith("hudilite.")
    if not loaded:
        raise launch.not_ready([f"{launch.EXTENSIONS_CLASS} is named but did not load"], jar)


def check_running() -> str | None:
    """Check the session of this process as `check` does, if one runs; none is started.

    Returns:
        Name and version of Spark's application; None when no session runs.

    Raises:
        SessionError: As `check`.
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    context = SparkContext._active_spark_context
    if context is None:
        return None
    try:
        spark = SparkSession.getActiveSession() or SparkSession._instantiatedSession
        if spark is None:
            _check_context(context, versions.jar_for(context.version))
        else:
            check(spark)
        return f"{context.appName} on Spark {context.version}"
    except SessionError:
        raise
    except Exception as error:
        raise launch.not_ready(["its JVM does not answer"], installation.jar()) from error


def check_local(options: Mapping[str, str]) -> None:
    """Refuse Spark Connect, where the jar and the extension are the server's business.

    Args:
        options: Settings of a builder; the environment is looked at too.

    Raises:
        SessionError: ``HUDILITE_SESSION_REMOTE``.
    """
    from pyspark.util import is_remote_only

    mode = options.get("spark.api.mode", os.environ.get("SPARK_API_MODE", ""))
    remote = options.get("spark.remote", os.environ.get("SPARK_REMOTE", ""))
    connected = "SPARK_CONNECT_MODE_ENABLED" in os.environ
    if remote or connected or mode.lower() == "connect" or is_remote_only():
        raise launch.remote(remote or "spark.api.mode=connect")


def _check_context(context: SparkContext, jar: Path) -> None:
    """Refuse a running application that was started without the extension, jar or catalog."""
    conf = dict(context.getConf().getAll())
    missing = []
    if launch.EXTENSIONS_CLASS not in conf.get(launch.EXTENSIONS, "").split(","):
        missing.append(f"{launch.EXTENSIONS} does not name {launch.EXTENSIONS_CLASS}")
    if not launch.has_catalog(conf):
        missing.append(f"no catalog is a {launch.CATALOG_CLASS}")
    if _loader().getResource(_CATALOG_FILE) is None:
        missing.append(f"{jar.name} is not on the class path")
    if missing:
        raise launch.not_ready(missing, jar)


def _of_jvm(jar: Path) -> dict[str, str]:
    """The settings of a JVM that runs without a session, after the jar joined its class path."""
    from pyspark import SparkConf, SparkContext

    jvm = _jvm()
    loader = _loader()
    if SparkContext._active_spark_context is None and loader.getResource(_CATALOG_FILE) is None:
        try:
            loader.addURL(jvm.java.io.File(str(jar)).toURI().toURL())
        except Exception as error:
            raise launch.not_ready([f"{jar.name} is not on the class path"], jar) from error
    return dict(SparkConf(_jvm=jvm).getAll())


def _change(spark: SparkSession, asked: Mapping[str, str]) -> None:
    """Set on a running session what can be set, and refuse what cannot."""
    for key, value in asked.items():
        current = spark.conf.get(key, None)
        if current is not None and _same(key, current, value):
            continue
        try:
            spark.conf.set(key, value)
        except Exception as error:
            raise session_error(
                "HUDILITE_SESSION_CONFLICT", key=key, running=str(current), asked=value
            ) from error


def _same(key: str, current: str, asked: str) -> bool:
    if key == _WAREHOUSE and current.startswith("file:"):
        current = "/" + current.removeprefix("file:").lstrip("/")
    return current == asked


def _as_text(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _as_location(path: str | os.PathLike[str]) -> str:
    text = os.fspath(path)
    return text if "://" in text or text.startswith("file:") else os.path.abspath(text)


def _jvm() -> Any:
    from pyspark import SparkContext

    SparkContext._ensure_initialized()
    return SparkContext._jvm


def _loader() -> Any:
    return _jvm().java.lang.Thread.currentThread().getContextClassLoader()
