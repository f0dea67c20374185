"""Active timeline of a table, with the parsed content of its completed commits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from hudilite.format import commit_json, commit_numbers, instant_files
from hudilite.format.commit_json import Commit, corrupt
from hudilite.format.folders import Folder
from hudilite.format.instant_files import STATES, State

_TELLING = instant_files.WRITES | {"deltacommit"}


@dataclass(frozen=True)
class Step:
    """Action at one instant, in the furthest state that it has reached."""

    time: str
    action: str
    state: State
    commit: Commit | None = None

    @property
    def is_write(self) -> bool:
        """Whether the action is a commit or a replacecommit: it writes base files or hides them."""
        return self.action in instant_files.WRITES


@dataclass(frozen=True)
class History:
    """All actions of the active timeline, oldest first.

    Attributes:
        steps: Actions, sorted by instant, then action.
        lost: Instants that were rolled back, are older than the first active commit, and have no
            file on the timeline any more.
    """

    steps: tuple[Step, ...]
    lost: frozenset[str]

    @cached_property
    def completed(self) -> Mapping[str, Step]:
        """Completed commits and replacecommits, by instant."""
        return {s.time: s for s in self.steps if s.is_write and s.state == "completed"}

    @cached_property
    def pending(self) -> set[str]:
        """Instants of commits and replacecommits that are not completed."""
        return {s.time for s in self.steps if s.is_write} - set(self.completed)

    @cached_property
    def first_active(self) -> str | None:
        """First completed write without a savepoint; older instants without a file are archived.

        Archival does not remove a commit that has a savepoint, so such a commit can be older than
        archived ones. If all writes have savepoints, it is the first write; without a write it is
        None.
        """
        return _first_active(self.steps)

    def counts(self, time: str, last: str | None = None) -> bool:
        """Whether the base files of an instant belong to the table, as of `last` or now.

        An instant before `first_active` counts as archived, unless it is pending or was rolled
        back.
        """
        if last is not None and time > last:
            return False
        if time in self.completed:
            return True
        first = self.first_active
        is_archived = first is not None and time < first
        return is_archived and time not in self.pending and time not in self.lost


def load(folder: Folder, properties: Mapping[str, str]) -> History:
    """Reads the timeline of a table of version 6; writes nothing.

    Args:
        folder: Folder of the table.
        properties: Entries of its hoodie.properties.

    Raises:
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when a file of the timeline cannot be used.
        HudiliteError: ``HUDILITE_MISSING_FILE`` when a file is deleted during the read.
    """
    names = {entry.name for entry in folder.entries(".hoodie") if not entry.is_folder}
    states = _states(names)
    contents = {
        time: folder.read(f".hoodie/{instant_files.file_name(time, action, 'completed')}")
        for (time, action), state in states.items()
        if state == "completed" and action in _TELLING
    }
    for pending in commit_numbers.unpublished(folder, names):
        states[pending.time, pending.action] = "completed"
        contents[pending.time] = pending.content
    _check_one_meaning(folder, states)
    steps = tuple(
        Step(time, action, state, _commit(folder, time, action, contents, state))
        for (time, action), state in sorted(states.items())
    )
    times = {step.time for step in steps}
    lost = commit_numbers.aborted(folder, times, _first_active(steps), properties)
    return History(steps, frozenset(lost))


def _first_active(steps: tuple[Step, ...]) -> str | None:
    saved = {s.time for s in steps if s.action == "savepoint"}
    times = [s.time for s in steps if s.is_write and s.state == "completed"]
    return next((time for time in times if time not in saved), times[0] if times else None)


def _states(names: set[str]) -> dict[tuple[str, str], State]:
    found: dict[tuple[str, str], State] = {}
    for instant in filter(None, map(instant_files.parse, names)):
        key, state = instant[:2], instant[2]
        found[key] = max(state, found.get(key, state), key=STATES.index)
    return found


def _commit(
    folder: Folder, time: str, action: str, contents: Mapping[str, bytes], state: State
) -> Commit | None:
    if state != "completed" or action not in _TELLING:
        return None
    name = instant_files.file_name(time, action, "completed")
    return commit_json.parse(contents[time], folder.path(f".hoodie/{name}"))


def _check_one_meaning(folder: Folder, states: Mapping[tuple[str, str], State]) -> None:
    """Checks that no instant is completed as two actions.

    A savepoint is exempt, because it has the instant of its commit.
    """
    meanings: dict[str, str] = {}
    for (time, action), state in sorted(states.items()):
        if state != "completed" or action == "savepoint":
            continue
        if time in meanings:
            where = folder.path(f".hoodie/{instant_files.file_name(time, action, 'completed')}")
            raise corrupt(where, f"the instant is completed as {meanings[time]} and as {action}")
        meanings[time] = action
