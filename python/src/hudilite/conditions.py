"""The conditions that Python raises by itself: about the session, and about text of statements.

They have the form of the one list of conditions (``hudilite-conditions.json`` in the source
tree), which holds them too: a jar that is missing cannot be asked for its own error text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from hudilite.errors import HudiliteError, SessionError, StatementError

CONDITIONS: Mapping[str, tuple[str, str]] = {
    "HUDILITE_BUILDER_ARGUMENT_INVALID": (
        "22023",
        "Argument <argument> cannot be written as SQL: <reason>. "
        "Change the argument, or write the statement as text.",
    ),
    "HUDILITE_CATALOG_NAME_TAKEN": (
        "42710",
        "The catalog names spark_catalog and hudilite are both taken, the second by <owner>. Set "
        "spark.sql.catalog.lake, or any free name, to hudilite.spark.HudiliteCatalog.",
    ),
    "HUDILITE_JAR_MISSING": (
        "58030",
        "The package hudilite has no jar in <path>. "
        "Install the package again; in a source tree, run make build.",
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
        "This Spark is built for Scala <found>, but hudilite needs Scala <supported>. "
        "Use the Spark that pip install pyspark brings: unset SPARK_HOME.",
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
        "Spark <found> is in use, but this hudilite runs on Spark <supported>. "
        "Run pip install 'pyspark~=<supported>.0', and unset SPARK_HOME if it is set.",
    ),
}


def session_error(condition: str, **parameters: str) -> SessionError:
    """The error of a condition, with its text filled in.

    Args:
        condition: A key of `CONDITIONS`.
        **parameters: A value for each name in angle brackets.

    Example:
        >>> session_error("HUDILITE_JAR_MISSING", path="/x/jars").parameters
        {'path': '/x/jars'}
    """
    sql_state, text = _filled(condition, parameters)
    return SessionError(condition, parameters, sql_state, text)


def argument_error(argument: str, reason: str) -> HudiliteError:
    """HUDILITE_BUILDER_ARGUMENT_INVALID: a builder of statements cannot write an argument as SQL.

    Args:
        argument: Its name, with the key where it is a mapping: ``values['state']``.
        reason: Half a sentence.
    """
    condition, parameters = (
        "HUDILITE_BUILDER_ARGUMENT_INVALID",
        {"argument": argument, "reason": reason},
    )
    sql_state, text = _filled(condition, parameters)
    return HudiliteError(condition, parameters, sql_state, text)


def key_error(table: str) -> StatementError:
    """HUDILITE_KEY_NOT_DECLARED: a declaration names no primary key.

    Args:
        table: Name of the table, as SQL.
    """
    condition, parameters = "HUDILITE_KEY_NOT_DECLARED", {"table": table}
    sql_state, text = _filled(condition, parameters)
    return StatementError(condition, parameters, sql_state, text)


def lineage_error(clause: str, reason: str, fix: str) -> StatementError:
    """HUDILITE_LINEAGE_UNKNOWN: the text of a statement does not tell where columns come from.

    Args:
        clause: Its words, or the statement.
        reason: Half a sentence.
        fix: A sentence.
    """
    condition, parameters = (
        "HUDILITE_LINEAGE_UNKNOWN",
        {"clause": clause, "reason": reason, "fix": fix},
    )
    sql_state, text = _filled(condition, parameters)
    return StatementError(condition, parameters, sql_state, text)


def _filled(condition: str, parameters: Mapping[str, str]) -> tuple[str, str]:
    sql_state, template = CONDITIONS[condition]
    return sql_state, re.sub(r"<(\w+)>", lambda name: parameters[name[1]], template)
