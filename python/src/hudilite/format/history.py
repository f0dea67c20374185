"""Active timeline of a table, with the parsed content of its completed commits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from hudilite.format import commit_json, commit_numbers, instant_files
from hudilite.format.commit_json import Commit, corrupt
from hudilite.format.folders import Folder
from hudilite.format.instant_files import STATES, State
from hudilite.format.layouts import VERSION_6, Layout, Named

_TELLING = instant_files.WRITES | {"deltacommit"}
_COMPLETED_AS = {"compaction": "commit", "logcompaction": "deltacommit"}
"""Actions as which stock Hudi plans commits of merge-on-read tables, with the completed action."""


@dataclass(frozen=True)
class Step:
    """Action at one instant, in the furthest state that it has reached.

    Attributes:
        completion: Time of completion in the name of its file; "" if it has none.
    """

    time: str
    action: str
    state: State
    commit: Commit | None = None
    completion: str = ""

    @property
    def is_write(self) -> bool:
        """Whether the action writes files or hides them; a clustering is a replacecommit."""
        return self.action in _TELLING or self.action == "clustering"


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
        """Completed commits, deltacommits and replacecommits, by instant."""
        return {s.time: s for s in self.steps if s.is_write and s.state == "completed"}

    @cached_property
    def pending(self) -> set[str]:
        """Instants of writes and compactions that are not completed."""
        planned = {s.time for s in self.steps if s.is_write or s.action in _COMPLETED_AS}
        return planned - set(self.completed)

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


def load(folder: Folder, properties: Mapping[str, str], layout: Layout = VERSION_6) -> History:
    """Reads the timeline of a table; writes nothing.

    Args:
        folder: Folder of the table.
        properties: Entries of its hoodie.properties.
        layout: Form of the timeline, by the version of the table.

    Raises:
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when a file of the timeline cannot be used.
        HudiliteError: ``HUDILITE_MISSING_FILE`` when a file is deleted during the read.
    """
    names, unpublished = _at_one_moment(folder, layout)
    found = furthest(names, layout)
    contents = {
        (time, action): folder.read(f"{layout.folder}/{name}")
        for (time, action), (named, name) in found.items()
        if named.state == "completed" and action in _TELLING
    }
    states = {key: named.state for key, (named, _) in found.items()}
    paths = {key: folder.path(f"{layout.folder}/{name}") for key, (_, name) in found.items()}
    for pending in unpublished:
        key = (pending.time, pending.action)
        states[key] = "completed"
        paths[key] = folder.path(f"{layout.folder}/{pending.file_name}")
    _check_one_meaning(paths, states)
    commits = {
        time: layout.commit(content, paths[time, action])
        for (time, action), content in contents.items()
    } | {
        pending.time: commit_json.parse(pending.content, paths[pending.time, pending.action])
        for pending in unpublished
    }
    steps = tuple(
        Step(
            time,
            "clustering" if state != "completed" and is_clustering(found, time) else action,
            state,
            commits.get(time) if state == "completed" and action in _TELLING else None,
            found[time, action][0].completion if (time, action) in found else "",
        )
        for (time, action), state in sorted(states.items())
        if states.get((time, _COMPLETED_AS.get(action, ""))) != "completed"
    )
    times = {step.time for step in steps}
    lost = commit_numbers.aborted(folder, times, _first_active(steps), properties)
    return History(steps, frozenset(lost))


def _at_one_moment(folder: Folder, layout: Layout) -> tuple[set[str], list[commit_numbers.Pending]]:
    """Returns the names of the timeline's files, and the committed writes without a completed file.

    A write of the highest number may lack this file. The names are listed again after the numbers
    were, until no other write has got its completed file in between.
    """
    names = _names(folder, layout)
    while True:
        unpublished = commit_numbers.unpublished(folder, names, layout)
        now = _names(folder, layout) if unpublished else names
        if _completed(now, layout) == _completed(names, layout):
            return names, unpublished
        names = now


def _names(folder: Folder, layout: Layout) -> set[str]:
    return {entry.name for entry in folder.entries(layout.folder) if not entry.is_folder}


def _completed(names: Iterable[str], layout: Layout) -> set[str]:
    parsed = ((name, layout.parse(name)) for name in names)
    return {name for name, named in parsed if named and named.state == "completed"}


def furthest(names: Iterable[str], layout: Layout) -> dict[tuple[str, str], tuple[Named, str]]:
    """Returns the furthest state of each action at an instant, and the name of its file.

    Of two completed files that differ only in the time of completion, the earlier one counts.
    """
    found: dict[tuple[str, str], tuple[Named, str]] = {}
    for name in sorted(names):
        named = layout.parse(name)
        if named is None:
            continue
        known = found.get((named.time, named.action))
        if known is None or _rank(named) > _rank(known[0]):
            found[named.time, named.action] = (named, name)
    return found


def is_clustering(found: Mapping[tuple[str, str], tuple[Named, str]], time: str) -> bool:
    """Whether an instant of `furthest` is a pending clustering of table version 8 or 9."""
    return any(key[0] == time and named.is_clustering for key, (named, _) in found.items())


def _first_active(steps: tuple[Step, ...]) -> str | None:
    saved = {s.time for s in steps if s.action == "savepoint"}
    times = [s.time for s in steps if s.is_write and s.state == "completed"]
    return next((time for time in times if time not in saved), times[0] if times else None)


def _rank(named: Named) -> int:
    return STATES.index(named.state)


def _check_one_meaning(
    paths: Mapping[tuple[str, str], str], states: Mapping[tuple[str, str], State]
) -> None:
    """Checks that no instant is completed as two actions.

    A savepoint is exempt, because it has the instant of its commit.
    """
    meanings: dict[str, str] = {}
    for (time, action), state in sorted(states.items()):
        if state != "completed" or action == "savepoint":
            continue
        if time in meanings:
            reason = f"the instant is completed as {meanings[time]} and as {action}"
            raise corrupt(paths[time, action], reason)
        meanings[time] = action
