"""Names of the files of a timeline, as table version 6 spells them."""

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
    """Name of the file that stands for a state.

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
    """Time, action and state that a file name stands for; None for any other name.

    Examples:
        >>> parse("20240101000000000.clean.requested")
        ('20240101000000000', 'clean', 'requested')
    """
    found = _FILE.fullmatch(name)
    meaning = _MEANINGS.get(found[2]) if found else None
    return (found[1], *meaning) if found and meaning else None


def last_of(at: str) -> str:
    """The last instant that "as of" a time takes in: a second without milliseconds is a whole one.

    Args:
        at: 14 or 17 digits.

    Raises:
        HudiliteError: ``HUDILITE_INSTANT_INVALID``.

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
