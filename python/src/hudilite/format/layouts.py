"""Places, names and content of a timeline's files, by table version."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from hudilite.format import avro, commit_json, instant_files
from hudilite.format.commit_json import Commit, corrupt
from hudilite.format.instant_files import State

_CLUSTERING = "clustering"
_FILE = re.compile(r"([0-9]{17}|[0-9]{14})(?:_([0-9]{17}|[0-9]{14}))?(\.[a-z.]+)")


class Named(NamedTuple):
    """Meaning of a file name of the timeline.

    A pending clustering has the action under which it is completed, ``replacecommit``.
    """

    time: str
    action: str
    state: State
    completion: str = ""
    is_clustering: bool = False


@dataclass(frozen=True)
class Layout:
    """Form of a table's timeline.

    Attributes:
        folder: Folder of the timeline's files, relative to the table.
        parse: Returns what a file name means; None for any other name.
        record: Parses the file of a commit in any state but requested, from its content and its
            path, into the fields of its metadata. Errors: ``HUDILITE_CORRUPT_TIMELINE``.
        names_completion: Whether the name of a completed file contains a time of completion.
    """

    folder: str
    parse: Callable[[str], Named | None]
    record: Callable[[bytes, str], Mapping[str, Any]]
    names_completion: bool

    def commit(self, data: bytes, where: str) -> Commit:
        """Parses the completed file of a commit.

        Args:
            data: Content of the file.
            where: Path of the file, for error messages.

        Raises:
            HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when the content is not that of a commit.
        """
        return commit_json.commit_of(self.record(data, where), where)


def _parse_6(name: str) -> Named | None:
    found = instant_files.parse(name)
    return Named(*found) if found else None


def _parse_8(name: str) -> Named | None:
    """Parses a name in which a completed instant has a time of completion.

    Stock Hudi also accepts one without it.
    """
    found = _FILE.fullmatch(name)
    if found is None:
        return None
    time, completion, end = found[1], found[2] or "", found[3]
    is_clustering = end.startswith(f".{_CLUSTERING}.")
    known = instant_files.parse(time + end.replace(_CLUSTERING, "replacecommit"))
    if known is None or (completion and known[2] != "completed"):
        return None
    return Named(*known, completion, is_clustering)


def _record_8(data: bytes, where: str) -> Mapping[str, Any]:
    """Parses an Avro file; a completed file without a time of completion in its name is JSON."""
    if not data:
        raise corrupt(where, "the completed file is empty")
    named = _parse_8(where.rsplit("/", 1)[-1])
    if named is not None and named.state == "completed" and not named.completion:
        return commit_json.record(data, where)
    try:
        found = avro.records(data)
    except ValueError as error:
        raise corrupt(where, f"it cannot be read ({error})") from error
    commit_json.check_sum(data, where)
    if len(found) != 1 or not isinstance(found[0], dict):
        raise corrupt(where, f"it contains {len(found)} records instead of one commit")
    return {key: value for key, value in found[0].items() if value is not None}


VERSION_6 = Layout(".hoodie", _parse_6, commit_json.record, names_completion=False)
VERSION_8 = Layout(".hoodie/timeline", _parse_8, _record_8, names_completion=True)

# Timeline layout of each table version that hudilite reads, and its form.
BY_VERSION: Mapping[int, tuple[int, Layout]] = {
    6: (1, VERSION_6),
    8: (2, VERSION_8),
    9: (2, VERSION_8),
}
