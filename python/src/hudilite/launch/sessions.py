"""Spark sessions with hudilite, on the installed Spark.

This is the only module that uses ``_jvm``, the running JVM behind py4j. Other modules use SQL text
and Spark's Python API. pyspark is imported when a function is called, not before.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hudilite.conditions import session_error
from hudilite.errors import SessionError
from hudilite.launch import inherited_settings, installation, settings, versions

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

_WAREHOUSE = "spark.sql.warehouse.dir"
_CATALOG_FILE = settings.CATALOG_CLASS.replace(".", "/") + ".class"


def session(
    app_name: str = "hudilite",
    warehouse: str | os.PathLike[str] | None = None,
    *,
    conf: Mapping[str, str | int | float | bool] | None = None,
    hudi: bool = False,
) -> SparkSession:
    """Returns a Spark session in which ``USING hudilite`` and ``MERGE INTO`` work.

    If a session is already running in this process, it is checked and returned, with `warehouse`
    and `conf` applied to it. Nothing is downloaded: the jar is part of this package.

    Args:
        app_name: Name of a new application, shown in Spark's UI and logs.
        warehouse: Folder for the tables; by default Spark's, ``spark-warehouse`` in the current
            directory.
        conf: Further Spark settings, by name.
        hudi: Whether ``USING hudi`` and ``format("hudi")`` mean hudilite, for programs that are
            written for stock Hudi. It sets ``spark.hudilite.provider.hudi``.

    Returns:
        The session. Run ``SELECT``, ``MERGE INTO`` and all other statements with its ``sql``.

    Raises:
        SessionError: ``HUDILITE_SPARK_VERSION_UNSUPPORTED``, ``HUDILITE_SCALA_VERSION_UNSUPPORTED``
            or ``HUDILITE_JAR_MISSING`` when hudilite cannot run here.
        SessionError: ``HUDILITE_ENVIRONMENT_INVALID`` when ``SPARK_HOME`` has another Spark than
            pyspark, or the quotes in ``PYSPARK_SUBMIT_ARGS`` are not closed.
        SessionError: ``HUDILITE_CATALOG_NAME_TAKEN`` when the catalog names ``spark_catalog`` and
            ``hudilite`` are both taken.
        SessionError: ``HUDILITE_SESSION_NOT_READY`` when a session without hudilite is running.
        SessionError: ``HUDILITE_SESSION_CONFLICT`` when the running session has another value for a
            setting that cannot change.
        SessionError: ``HUDILITE_SESSION_REMOTE`` for Spark Connect.
        ImportError: When pyspark is not installed.

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
    if hudi:
        asked[settings.PROVIDER] = "true"
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


def configure(builder: SparkSession.Builder, *, hudi: bool = False) -> SparkSession.Builder:
    """Makes your own session builder ready for hudilite.

    Extensions and jars that are already set are kept: those on the builder, in
    ``spark-defaults.conf`` and in ``PYSPARK_SUBMIT_ARGS``. hudilite's catalog becomes
    ``spark_catalog``. If another catalog has that name, as Delta's must, hudilite's tables are in
    the catalog ``hudilite``: ``CREATE TABLE hudilite.default.t ...``.

    Args:
        builder: Builder from ``SparkSession.builder``, with your settings. Set your extensions and
            jars before this call: ``builder.config`` replaces the current value.
        hudi: As in `session`.

    Returns:
        The same builder.

    Raises:
        SessionError: The errors of `session`, except ``HUDILITE_SESSION_CONFLICT``.

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
    outer = (
        _of_jvm(jar)
        if in_jvm
        else inherited_settings.of_session(os.environ, installation.spark_home())
    )
    changes = settings.to_add(outer | options, jar)
    if settings.PACKAGES in outer | options and settings.JARS not in options and not in_jvm:
        # As a builder setting, spark.jars would hide the packages' jars from the executors.
        os.environ[settings.SUBMIT] = settings.submit_with_jars(
            os.environ.get(settings.SUBMIT), changes.pop(settings.JARS)
        )
    if hudi:
        changes[settings.PROVIDER] = "true"
    for key, value in changes.items():
        builder.config(key, value)
    return builder


def check(spark: SparkSession) -> None:
    """Checks that a running session can run hudilite: versions, class path, extension, catalog.

    Args:
        spark: Session of this process. Spark Connect has no JVM to check.

    Raises:
        SessionError: The errors of `session`, except ``HUDILITE_SESSION_CONFLICT``.
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
        raise settings.not_ready([f"{settings.EXTENSIONS_CLASS} is set but was not loaded"], jar)


def check_running() -> str | None:
    """Checks the session of this process with `check`, if one is running; starts none.

    Returns:
        Name and Spark version of the application; None when no session is running.

    Raises:
        SessionError: The errors of `check`.
        SessionError: ``HUDILITE_SESSION_NOT_READY`` also when the JVM does not answer.
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
        raise settings.not_ready(["its JVM does not answer"], installation.jar()) from error


def check_local(options: Mapping[str, str]) -> None:
    """Checks that Spark Connect is not in use: there the server needs the jar and the extension.

    Args:
        options: Settings of a builder. The environment is checked, too.

    Raises:
        SessionError: ``HUDILITE_SESSION_REMOTE`` when Spark Connect is in use.
    """
    from pyspark.util import is_remote_only

    mode = options.get("spark.api.mode", os.environ.get("SPARK_API_MODE", ""))
    remote = options.get("spark.remote", os.environ.get("SPARK_REMOTE", ""))
    connected = "SPARK_CONNECT_MODE_ENABLED" in os.environ
    if remote or connected or mode.lower() == "connect" or is_remote_only():
        raise settings.remote(remote or "spark.api.mode=connect")


def _check_context(context: SparkContext, jar: Path) -> None:
    """Checks that a running application was started with the extension, the jar and the catalog."""
    conf = dict(context.getConf().getAll())
    missing = []
    if settings.EXTENSIONS_CLASS not in conf.get(settings.EXTENSIONS, "").split(","):
        missing.append(f"{settings.EXTENSIONS} does not contain {settings.EXTENSIONS_CLASS}")
    if not settings.has_catalog(conf):
        missing.append(f"no catalog is a {settings.CATALOG_CLASS}")
    if _loader().getResource(_CATALOG_FILE) is None:
        missing.append(f"{jar.name} is not on the class path")
    if missing:
        raise settings.not_ready(missing, jar)


def _of_jvm(jar: Path) -> dict[str, str]:
    """Returns the settings of the running JVM.

    If no application runs in it, the jar is added to its class path first.
    """
    from pyspark import SparkConf, SparkContext

    jvm = _jvm()
    loader = _loader()
    if SparkContext._active_spark_context is None and loader.getResource(_CATALOG_FILE) is None:
        try:
            loader.addURL(jvm.java.io.File(str(jar)).toURI().toURL())
        except Exception as error:
            raise settings.not_ready([f"{jar.name} is not on the class path"], jar) from error
    return dict(SparkConf(_jvm=jvm).getAll())


def _change(spark: SparkSession, asked: Mapping[str, str]) -> None:
    """Applies settings to a running session, and raises an error for one that cannot change."""
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
