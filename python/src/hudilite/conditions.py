"""Error conditions that the Python package itself raises: SQLSTATE and message of each.

They concern sessions, statements and tables that Python reads. ``hudilite-conditions.json``, the
complete list in the source tree and in the jar, has them, too. They are repeated here because the
text of an error such as a missing jar cannot come from the jar.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from hudilite.errors import HudiliteError, SessionError, kind_of

CONDITIONS: Mapping[str, tuple[str, str]] = {
    "HUDILITE_BUILDER_ARGUMENT_INVALID": (
        "22023",
        "Argument <argument> cannot be written as SQL: <reason>. Change the argument, or "
        "write the statement as text.",
    ),
    "HUDILITE_CATALOG_NAME_TAKEN": (
        "42710",
        "The catalog names spark_catalog and hudilite are both taken, the second by <owner>. "
        "Set spark.sql.catalog.lake, or any free name, to hudilite.spark.HudiliteCatalog.",
    ),
    "HUDILITE_CONDITION_UNKNOWN": (
        "22023",
        "There is no condition <condition>; the nearest is <nearest>. Run hudilite errors to "
        "see all.",
    ),
    "HUDILITE_CORRUPT_DATA_FILE": (
        "XX001",
        "Data file <path> is damaged: <reason>. Restore the file, or read the table as of an "
        "earlier commit.",
    ),
    "HUDILITE_CORRUPT_TIMELINE": (
        "XX001",
        "Timeline file <path> cannot be used: <reason>. <fix>",
    ),
    "HUDILITE_ENVIRONMENT_INVALID": (
        "55000",
        "The environment variable <name> is '<value>': <reason>. <fix>",
    ),
    "HUDILITE_INSTANT_INVALID": (
        "22007",
        "Text '<instant>' is no instant. Write 14 or 17 digits, yyyyMMddHHmmss with or without "
        "milliseconds, as hudilite timeline shows them.",
    ),
    "HUDILITE_JAR_MISSING": (
        "58030",
        "The package hudilite has no jar in <path>. Install the package again; in a source "
        "tree, run make build.",
    ),
    "HUDILITE_JAVA_MISSING": (
        "58030",
        "No Java can be started: <reason>. Install JDK 17 or 21, and set JAVA_HOME to its folder.",
    ),
    "HUDILITE_JAVA_VERSION_UNSUPPORTED": (
        "0A000",
        "<path> is Java <found>, but Spark needs <supported>. Install JDK <supported>, and "
        "set JAVA_HOME to its folder.",
    ),
    "HUDILITE_LIMIT_EXCEEDED": (
        "54000",
        "File <path> has <value> bytes, but hudilite reads at most <limit> of such a file. It "
        "is damaged or was not written by Hudi; restore it from a copy.",
    ),
    "HUDILITE_MISSING_DATA_FILE": (
        "58030",
        "Data file <path> of commit <instant> is gone. It was deleted outside Hudi, or a "
        "cleaner removed it while the statement ran; run the statement again, or restore the "
        "file; where it is lost for good, DROP PARTITION, TRUNCATE or INSERT OVERWRITE give "
        "its rows up.",
    ),
    "HUDILITE_MISSING_FILE": (
        "58030",
        "File <path> is gone. If the table has just been changed, run the statement again; "
        "otherwise restore the file from a copy.",
    ),
    "HUDILITE_PACKAGE_MISSING": (
        "58030",
        "<work> needs the package <package>, which is not installed. Run pip install '<package>'.",
    ),
    "HUDILITE_PATH_INVALID": (
        "42K03",
        "Path <path> cannot be opened: <reason>. <fix>",
    ),
    "HUDILITE_PORT_SILENT": (
        "55000",
        "Nothing answers on <host>:<port>: <reason>. Start the server, or name the port that "
        "it prints.",
    ),
    "HUDILITE_PORT_UNAVAILABLE": (
        "55000",
        "Port <port> of <host> cannot be taken: <reason>. Name another with --port, or end the "
        "program that has it.",
    ),
    "HUDILITE_KEY_NOT_DECLARED": (
        "42601",
        "Table <table> has no primary key. Add PRIMARY KEY (column, ...) to the columns, "
        "or TBLPROPERTIES (primaryKey = 'column,...') in CREATE TABLE AS SELECT.",
    ),
    "HUDILITE_LINEAGE_UNKNOWN": (
        "42703",
        "The columns of <clause> cannot be traced: <reason>. <fix>",
    ),
    "HUDILITE_SCALA_VERSION_UNSUPPORTED": (
        "0A000",
        "This Spark is built for Scala <found>, but hudilite needs Scala <supported>. Use the "
        "Spark that pip install pyspark brings: unset SPARK_HOME.",
    ),
    "HUDILITE_SCRIPT_MALFORMED": (
        "42601",
        "Script <path> is malformed at line <line>, column <column>: <reason>. Run hudilite lint "
        "on it to see every such place.",
    ),
    "HUDILITE_SERVER_ENDED": (
        "55000",
        "The Thrift server ended with exit code <code>: <reason>. Read its log, <path>.",
    ),
    "HUDILITE_SESSION_CONFLICT": (
        "55000",
        "A session is running with <key> = <running>, and <asked> is asked for, which takes a "
        "new session. Run spark.stop() first, or leave the setting out.",
    ),
    "HUDILITE_SESSION_NOT_READY": (
        "55000",
        "A Spark session is running without hudilite: <missing>. Run spark.stop() and then "
        "hudilite.session(), or start it with these settings: <settings>.",
    ),
    "HUDILITE_SESSION_REMOTE": (
        "0A000",
        "Spark Connect (<url>) runs statements on its server. Start the server with these "
        "settings: <settings>. Then SparkSession.builder.remote(...) is enough.",
    ),
    "HUDILITE_SPARK_VERSION_UNSUPPORTED": (
        "0A000",
        "Spark <found> is in use, but this hudilite runs on Spark <supported>. Run pip "
        "install 'pyspark~=<best>.0', and unset SPARK_HOME if it is set.",
    ),
    "HUDILITE_UNSUPPORTED_TABLE": (
        "0AKDC",
        "The Hudi table at <path> has <fact> = '<value>', which hudilite neither reads nor "
        "writes. <fix>",
    ),
}


OF_SESSIONS = frozenset(
    {
        "HUDILITE_CATALOG_NAME_TAKEN",
        "HUDILITE_ENVIRONMENT_INVALID",
        "HUDILITE_JAR_MISSING",
        "HUDILITE_JAVA_MISSING",
        "HUDILITE_JAVA_VERSION_UNSUPPORTED",
        "HUDILITE_PACKAGE_MISSING",
        "HUDILITE_PORT_SILENT",
        "HUDILITE_PORT_UNAVAILABLE",
        "HUDILITE_SCALA_VERSION_UNSUPPORTED",
        "HUDILITE_SERVER_ENDED",
        "HUDILITE_SESSION_CONFLICT",
        "HUDILITE_SESSION_NOT_READY",
        "HUDILITE_SESSION_REMOTE",
        "HUDILITE_SPARK_VERSION_UNSUPPORTED",
    }
)
"""Conditions that are a `SessionError`, whatever their SQLSTATE."""


def class_of(condition: str, sql_state: str) -> type[HudiliteError]:
    """Returns the exception class of a condition.

    It is `SessionError` for the conditions in `OF_SESSIONS`, otherwise the class for the SQLSTATE.

    Examples:
        >>> class_of("HUDILITE_JAR_MISSING", "58030").__name__
        'SessionError'
    """
    return SessionError if condition in OF_SESSIONS else kind_of(sql_state)


def session_error(condition: str, /, **parameters: str) -> SessionError:
    """Returns the `SessionError` of a condition, with its message filled in.

    Args:
        condition: Key of `CONDITIONS`.
        **parameters: Value of each ``<name>`` in the message.

    Examples:
        >>> session_error("HUDILITE_JAR_MISSING", path="/x/jars").parameters
        {'path': '/x/jars'}
    """
    sql_state, text = _filled(condition, parameters)
    return SessionError(condition, parameters, sql_state, text)


def error_of(condition: str, /, **parameters: str) -> HudiliteError:
    """Returns the error of a condition, of the class that `class_of` gives.

    Args:
        condition: Key of `CONDITIONS`.
        **parameters: Value of each ``<name>`` in the message.

    Examples:
        >>> type(error_of("HUDILITE_MISSING_FILE", path="/lake/orders")).__name__
        'StorageError'
    """
    sql_state, text = _filled(condition, parameters)
    return class_of(condition, sql_state)(condition, parameters, sql_state, text)


def argument_error(argument: str, reason: str) -> HudiliteError:
    """Returns ``HUDILITE_BUILDER_ARGUMENT_INVALID``: an argument cannot be written as SQL.

    Args:
        argument: Name of the argument, with the key for a mapping: ``values['state']``.
        reason: Reason, as a clause without a full stop.
    """
    return error_of("HUDILITE_BUILDER_ARGUMENT_INVALID", argument=argument, reason=reason)


def _filled(condition: str, parameters: Mapping[str, str]) -> tuple[str, str]:
    sql_state, template = CONDITIONS[condition]
    return sql_state, re.sub(r"<(\w+)>", lambda name: parameters[name[1]], template)
