"""File names of the timeline, as Hudi table version 6 writes them."""

from __future__ import annotations

import re
from typing import Literal

from hudilite.conditions import error_of

State = Literal["requested", "inflight", "completed"]

STATES: tuple[State, ...] = ("requested", "inflight", "completed")
WRITES = frozenset({"commit", "replacecommit"})
BOOTSTRAP = "00000000000001"
FULL_BOOTSTRAP = "00000000000002"
BOOTSTRAPS = (BOOTSTRAP, FULL_BOOTSTRAP)

_ACTIONS = (
    *sorted(WRITES),
    "clean",
    "compaction",
    "deltacommit",
    "indexing",
    "logcompaction",
    "restore",
    "rollback",
    "savepoint",
)
_FILE = re.compile(r"([0-9]{17}|[0-9]{14})\.([a-z.]+)")
_TIME = re.compile(r"[0-9]{17}|[0-9]{14}")


def file_name(time: str, action: str, state: State) -> str:
    """Returns the name of the file for a state of an action.

    The inflight file of a commit has no action in its name.

    Examples:
        >>> file_name("20240101000000000", "commit", "inflight")
        '20240101000000000.inflight'
    """
    if state == "completed":
        return f"{time}.{action}"
    if state == "inflight" and action == "commit":
        return f"{time}.inflight"
    return f"{time}.{action}.{state}"


def parse(name: str) -> tuple[str, str, State] | None:
    """Parses a file name into instant, action and state; returns None for any other name.

    Examples:
        >>> parse("20240101000000000.clean.requested")
        ('20240101000000000', 'clean', 'requested')
    """
    found = _FILE.fullmatch(name)
    meaning = _MEANINGS.get(found[2]) if found else None
    return (found[1], *meaning) if found and meaning else None


def last_of(at: str) -> str:
    """Returns the last instant that a read "as of" a time includes.

    14 digits have no milliseconds and include the whole second.

    Args:
        at: 14 or 17 digits.

    Raises:
        HudiliteError: ``HUDILITE_INSTANT_INVALID`` for any other text.

    Examples:
        >>> last_of("20240101000000")
        '20240101000000999'
    """
    if not _TIME.fullmatch(at):
        raise error_of("HUDILITE_INSTANT_INVALID", instant=at)
    return at if len(at) == 17 else f"{at}999"


_MEANINGS: dict[str, tuple[str, State]] = {
    file_name("", action, state).removeprefix("."): (action, state)
    for action in _ACTIONS
    for state in STATES
}
