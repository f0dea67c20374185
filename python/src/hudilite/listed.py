"""Complete list of error conditions, read from the jar of this package."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from zipfile import BadZipFile, ZipFile

from hudilite.conditions import class_of, error_of, session_error
from hudilite.errors import PREFIX
from hudilite.launch.versions import best_spark, jar_for

FILE = "hudilite-conditions.json"


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


def every() -> list[Condition]:
    """Returns all conditions, sorted by name.

    Raises:
        SessionError: ``HUDILITE_JAR_MISSING`` when the package has no readable jar.
    """
    jar = jar_for(best_spark())
    try:
        with ZipFile(jar) as archive:
            found = json.loads(archive.read(FILE))
    except (BadZipFile, KeyError, OSError) as error:
        raise session_error("HUDILITE_JAR_MISSING", path=str(jar)) from error
    return [
        Condition(name, state, class_of(name, state).__name__, message)
        for name, state, message in (
            (name, entry["sqlState"], entry["message"]) for name, entry in sorted(found.items())
        )
    ]


def named(name: str) -> Condition:
    """Returns one condition. ``null_key`` stands for ``HUDILITE_NULL_KEY``.

    Raises:
        HudiliteError: ``HUDILITE_CONDITION_UNKNOWN``, with the nearest name, when there is none.
        HudiliteError: The errors of `every`.
    """
    known = {condition.condition: condition for condition in every()}
    asked = name.strip().strip("[]").upper()
    whole = asked if asked.startswith(PREFIX) else PREFIX + asked
    if whole not in known:
        nearest = get_close_matches(whole, known, n=1, cutoff=0)
        raise error_of("HUDILITE_CONDITION_UNKNOWN", condition=name, nearest=nearest[0])
    return known[whole]
