"""Error conditions of hudilite: name, SQLSTATE, exception class and message of each.

The Scala code and this package read the same list, ``hudilite-conditions.json``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from hudilite.errors import PREFIX, HudiliteError, SessionError, kind_of

_FILE = "hudilite-conditions.json"
_PACKAGE = Path(__file__).parent
_PLACES = (
    _PACKAGE / _FILE,  # in a wheel
    *(
        tree / "sql-extension" / "core" / "src" / "main" / "resources" / _FILE
        for tree in (_PACKAGE.parents[2], _PACKAGE.parents[1] / "scala")  # in git and in an sdist
    ),
)

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


@dataclass(frozen=True)
class Condition:
    """Error condition.

    Attributes:
        condition: Stable name.
        sql_state: SQLSTATE of five characters.
        python: Name of the exception class in `hudilite.errors`.
        message: Message, with ``<name>`` in the place of each parameter.
    """

    condition: str
    sql_state: str
    python: str
    message: str


@cache
def every() -> Mapping[str, Condition]:
    """Returns all conditions by name, sorted.

    Examples:
        >>> every()["HUDILITE_NULL_KEY"].python
        'KeyViolationError'
    """
    file = next((place for place in _PLACES if place.is_file()), _PLACES[0])
    found = json.loads(file.read_text("utf-8"))
    return {
        name: Condition(
            name,
            entry["sqlState"],
            class_of(name, entry["sqlState"]).__name__,
            entry["message"],
        )
        for name, entry in sorted(found.items())
    }


def named(name: str) -> Condition:
    """Returns one condition. ``null_key`` stands for ``HUDILITE_NULL_KEY``.

    Raises:
        HudiliteError: ``HUDILITE_CONDITION_UNKNOWN``, with the nearest name, when there is none.
    """
    asked = name.strip().strip("[]").upper()
    whole = asked if asked.startswith(PREFIX) else PREFIX + asked
    if whole not in every():
        nearest = get_close_matches(whole, every(), n=1, cutoff=0)
        raise error_of("HUDILITE_CONDITION_UNKNOWN", condition=name, nearest=nearest[0])
    return every()[whole]


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
        condition: Name of the condition.
        **parameters: Value of each ``<name>`` in the message.

    Examples:
        >>> session_error("HUDILITE_JAR_MISSING", path="/x/jars").parameters
        {'path': '/x/jars'}
    """
    return SessionError(condition, parameters, *_filled(condition, parameters))


def error_of(condition: str, /, **parameters: str) -> HudiliteError:
    """Returns the error of a condition, of the class that `class_of` gives.

    Args:
        condition: Name of the condition.
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
    """Returns the SQLSTATE of a condition, and its message with values for the parameters."""
    known = every()[condition]
    return known.sql_state, re.sub(r"<(\w+)>", lambda name: parameters[name[1]], known.message)
