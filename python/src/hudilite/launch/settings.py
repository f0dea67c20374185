"""Settings with which Spark starts hudilite: jar, class path, extension and catalog.

Sessions take them as settings, Spark's own programs as flags. Nothing here calls a JVM;
`sessions` checks a session that is already running.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from hudilite.conditions import session_error
from hudilite.errors import SessionError
from hudilite.launch.versions import best_spark, jar_for

EXTENSIONS_CLASS = "hudilite.spark.HudiliteExtensions"
COMMANDS_CLASS = "hudilite.spark.HudiliteCommands"
CATALOG_CLASS = "hudilite.spark.HudiliteCatalog"

EXTENSIONS = "spark.sql.extensions"
SPARK_CATALOG = "spark.sql.catalog.spark_catalog"
OWN_CATALOG = "spark.sql.catalog.hudilite"
JARS = "spark.jars"
PACKAGES = "spark.jars.packages"
DRIVER_CLASS_PATH = "spark.driver.extraClassPath"
SUBMIT = "PYSPARK_SUBMIT_ARGS"
PROVIDER = "spark.hudilite.provider.hudi"

OPTION_OF_FLAG = {
    "--jars": JARS,
    "--packages": PACKAGES,
    "--driver-class-path": DRIVER_CLASS_PATH,
    "--remote": "spark.remote",
}
"""Settings of Spark that have a flag of their own, which goes before ``--conf``."""

_FLAG_OF_OPTION = {option: flag for flag, option in OPTION_OF_FLAG.items()}


def to_add(options: Mapping[str, str], jar: Path) -> dict[str, str]:
    """Returns the settings to add so that a session is ready for hudilite.

    Values that are lists keep their entries. hudilite's extension becomes the first one, unless it
    is in the list already: if Delta's extension comes first, it handles every MERGE itself. If
    there are other extensions, the extension of the commands becomes the last one, because the last
    one reads a statement first. A catalog that is set as ``spark_catalog`` stays, because Delta's
    must have that name; hudilite's catalog then gets the name ``hudilite``.

    Args:
        options: All settings in effect so far.
        jar: Jar for the class paths of driver and executors.

    Returns:
        Only the settings to change, each with its complete new value.

    Raises:
        SessionError: ``HUDILITE_CATALOG_NAME_TAKEN`` when both names belong to other catalogs.

    Examples:
        >>> added = to_add({EXTENSIONS: "io.Other"}, Path("/x/hudilite-spark-4.1.jar"))
        >>> added[EXTENSIONS]
        'hudilite.spark.HudiliteExtensions,io.Other,hudilite.spark.HudiliteCommands'
        >>> added[SPARK_CATALOG]
        'hudilite.spark.HudiliteCatalog'
    """
    class_path = options.get(DRIVER_CLASS_PATH, "").split(os.pathsep)
    return _catalog(options) | {
        EXTENSIONS: _extensions(options.get(EXTENSIONS, "").split(",")),
        JARS: _with_jar(options.get(JARS, "").split(","), jar, jar.as_uri(), ","),
        DRIVER_CLASS_PATH: _with_jar(class_path, jar, str(jar), os.pathsep),
    }


def has_catalog(options: Mapping[str, str]) -> bool:
    """Whether hudilite's catalog is registered under any name."""
    named = [key for key, value in options.items() if value == CATALOG_CLASS]
    return any(re.fullmatch(r"spark\.sql\.catalog\.\w+", key) for key in named)


def submit_with_jars(arguments: str | None, jars: str) -> str:
    """Returns a value of ``PYSPARK_SUBMIT_ARGS`` that adds jars.

    Args:
        arguments: Current value; None if it is not set.
        jars: All jars, comma-separated, including those in `arguments`.

    Examples:
        >>> submit_with_jars("--jars a.jar pyspark-shell", "a.jar,b.jar")
        '--jars a.jar --jars a.jar,b.jar pyspark-shell'
    """
    words = shlex.split(arguments or "")
    resource = words.pop() if words and words[-1] == "pyspark-shell" else "pyspark-shell"
    return shlex.join([*words, "--jars", jars, resource])


def submit_flags(current: Mapping[str, str], jar: Path) -> list[str]:
    """Returns the flags that make spark-submit, spark-sql and the like ready for hudilite.

    Append them to the user's arguments: Spark uses the last value of a repeated flag, and values
    that are lists include the user's entries.

    Args:
        current: All settings in effect so far, as `inherited_settings.of_program` returns them.
        jar: Jar for the class paths of driver and executors.

    Raises:
        SessionError: The errors of `to_add`.

    Examples:
        >>> submit_flags({JARS: "a.jar"}, Path("/x/hudilite-spark-4.1.jar"))[4:6]
        ['--jars', 'a.jar,file:///x/hudilite-spark-4.1.jar']
    """
    return [word for key, value in to_add(current, jar).items() for word in _flag(key, value)]


def not_ready(missing: Sequence[str], jar: Path) -> SessionError:
    """Returns the error for a running session that lacks something, with the settings it needs."""
    return session_error(
        "HUDILITE_SESSION_NOT_READY", missing="; ".join(missing), settings=_flags(jar)
    )


def remote(url: str) -> SessionError:
    """Returns the error for Spark Connect, whose server must be started with the jar."""
    jar = jar_for(best_spark())
    return session_error("HUDILITE_SESSION_REMOTE", url=url, settings=_flags(jar))


def _catalog(options: Mapping[str, str]) -> dict[str, str]:
    """Returns the setting that registers the catalog under the first free name.

    It is empty when the catalog is registered already.
    """
    if not options.get(SPARK_CATALOG):
        return {SPARK_CATALOG: CATALOG_CLASS}
    if has_catalog(options):
        return {}
    if options.get(OWN_CATALOG):
        raise session_error("HUDILITE_CATALOG_NAME_TAKEN", owner=options[OWN_CATALOG])
    return {OWN_CATALOG: CATALOG_CLASS}


def _flags(jar: Path) -> str:
    return (
        f"--jars {jar} --driver-class-path {jar} --conf {EXTENSIONS}={EXTENSIONS_CLASS} "
        f"--conf {SPARK_CATALOG}={CATALOG_CLASS}"
    )


def _flag(key: str, value: str) -> list[str]:
    flag = _FLAG_OF_OPTION.get(key)
    return [flag, value] if flag else ["--conf", f"{key}={value}"]


def _appended(parts: list[str], part: str, separator: str) -> str:
    present = [p.strip() for p in parts if p.strip()]
    return separator.join(present if part in present else [*present, part])


def _extensions(parts: list[str]) -> str:
    """Returns the list with hudilite's extensions; an order that they have already is kept."""
    present = [p.strip() for p in parts if p.strip()]
    if EXTENSIONS_CLASS not in present:
        present.insert(0, EXTENSIONS_CLASS)
    if present != [EXTENSIONS_CLASS] and COMMANDS_CLASS not in present:
        present.append(COMMANDS_CLASS)
    return ",".join(present)


def _with_jar(parts: list[str], jar: Path, entry: str, separator: str) -> str:
    """Returns the list with the jar. A jar of the same file name in the list is kept instead."""
    names = {part.strip().rsplit("/", 1)[-1]: part.strip() for part in parts}
    return _appended(parts, names.get(jar.name, entry), separator)
