"""Search for a completed commit: on the timeline, in the numbered commits, in the archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from hudilite.conditions import error_of
from hudilite.errors import HudiliteError
from hudilite.format import archive, commit_json, commit_numbers, history
from hudilite.format.commit_json import Commit
from hudilite.format.folders import Entry, Folder
from hudilite.format.instant_files import WRITES, last_of
from hudilite.format.instant_times import written_at
from hudilite.format.layouts import Layout, Named
from hudilite.table_facts import TableFacts

LATEST = "latest"

_NOW = "~"  # greater than each time
_SHOWN = 3  # latest commits that an error names
_COMMITS = WRITES | {"deltacommit"}

States = Mapping[tuple[str, str], tuple[Named, str]]


@dataclass(frozen=True)
class Found:
    """Completed commit.

    Attributes:
        time: Its instant.
        action: ``commit``, ``deltacommit`` or ``replacecommit``.
        commit: Its content.
        completed: When it was completed; None if that is not known.
        completed_by: Source of `completed`: ``name`` or ``time`` of its file, or ``archive``; "" if
            there is none.
    """

    time: str
    action: str
    commit: Commit
    completed: datetime | None
    completed_by: str


def find(folder: Folder, facts: TableFacts, layout: Layout, instant: str) -> Found:
    """Finds a completed commit of a table.

    Args:
        folder: Folder of the table.
        facts: Its facts.
        layout: Form of its timeline.
        instant: 14 or 17 digits, where 14 digits stand for the last commit of that second; or
            ``latest``, for the commit that was completed last.

    Raises:
        HudiliteError: ``HUDILITE_INSTANT_INVALID`` when `instant` has another form.
        HudiliteError: ``HUDILITE_INSTANT_UNKNOWN`` when no completed commit has this instant.
        HudiliteError: The errors of `history.load` and `archive.find`.
    """
    if instant != LATEST:
        last_of(instant)  # checks its form
    entries = {e.name: e for e in folder.entries(layout.folder) if not e.is_folder}
    states = history.furthest(entries, layout)
    unpublished = {p.time: p for p in commit_numbers.unpublished(folder, entries, layout)}
    completions = {
        time: named.completion or f"{entries[name].modified_seconds:020.6f}"
        for (time, action), (named, name) in states.items()
        if named.state == "completed" and action in _COMMITS
    } | {p.time: p.completion or _NOW for p in unpublished.values()}
    time = _chosen(completions, instant)
    if time in unpublished:
        pending = unpublished[time]
        where = folder.path(f"{layout.folder}/{pending.file_name}")
        commit = commit_json.parse(pending.content, where)
        moment = written_at(pending.completion, facts.zone)
        return Found(time, pending.action, commit, moment, "name" if moment else "")
    if time is not None:
        return _on_timeline(folder, facts, layout, states, entries, time)
    archived = archive.find(folder, facts.properties, instant) if instant != LATEST else None
    if archived is None:
        raise _unknown(folder, layout, states, sorted(completions), instant)
    moment = written_at(archived.completion, facts.zone)
    by = "archive" if moment else ""
    return Found(archived.time, archived.action, archived.commit, moment, by)


def _chosen(completions: Mapping[str, str], instant: str) -> str | None:
    """Returns the instant that is meant.

    Args:
        completions: For each commit, a text by which they are in the order of their completion.
        instant: Argument of `find`.
    """
    if instant == LATEST:
        return max(completions, key=lambda time: (completions[time], time), default=None)
    is_second = len(instant) == 14
    fitting = [t for t in completions if t == instant or (is_second and t.startswith(instant))]
    return max(fitting, default=None)


def _on_timeline(
    folder: Folder,
    facts: TableFacts,
    layout: Layout,
    states: States,
    entries: Mapping[str, Entry],
    time: str,
) -> Found:
    named, name = next(
        states[time, action]
        for action in sorted(_COMMITS)
        if (time, action) in states and states[time, action][0].state == "completed"
    )
    place = f"{layout.folder}/{name}"
    commit = layout.commit(folder.read(place), folder.path(place))
    by_name = written_at(named.completion, facts.zone)
    by_file = datetime.fromtimestamp(entries[name].modified_seconds, timezone.utc)
    return Found(time, named.action, commit, by_name or by_file, "name" if by_name else "time")


def _unknown(
    folder: Folder, layout: Layout, states: States, commits: Sequence[str], instant: str
) -> HudiliteError:
    here = [named for (time, _), (named, _) in states.items() if time == instant]
    undone = commit_numbers.rollback_of(
        folder, [name for _, name in states.values()], layout, instant
    )
    latest = ", ".join(reversed(commits[-_SHOWN:]))
    fix = f"Its latest commits are {latest}." if latest else "The table has no commit yet."
    if instant == LATEST:
        reason, fix = "the table has no commit", "Write to the table first."
    elif undone is not None:
        by = f"by {undone}" if undone else "and its rollback has left the timeline"
        reason = f"it was rolled back ({by}), so nothing of it counts"
    elif here and here[0].state != "completed":
        reason = f"its {here[0].action} is pending ({here[0].state})"
        fix = f"Watch it with hudilite top {folder.root}. {fix}"
    elif here:
        reason = f"it is a {here[0].action}, which writes no rows"
    else:
        reason = "neither its timeline nor its archive has this instant"
    return error_of(
        "HUDILITE_INSTANT_UNKNOWN", instant=instant, path=folder.root, reason=reason, fix=fix
    )
