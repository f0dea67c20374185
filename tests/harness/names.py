"""Names of the files and folders in which a table keeps its metadata, for each layout that is tested.

HUDILITE_LAYOUT=second runs sessions with the layout of the test class `hudilite.tests.SecondLayout`.
By default tables have the layout of Hudi's table version 6; HUDILITE_TABLE_VERSION=9 gives new tables version
9, whose layout versions 8 and 9 share. Paths are relative to the table.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

OPTION = "-Dhudilite.timeline.layout=hudilite.tests.SecondLayout"
V9_FILE = re.compile(r"(?P<time>\d+)(?:_\d+)?(?P<rest>[.][a-z.]+)")
LATER = re.compile(r"^hoodie[.]table[.]version=[89]$", re.MULTILINE)
V6_FILE = re.compile(r"(?P<time>\d+)\.(?P<rest>[a-z.]+)")
SECOND_FILE = re.compile(r"(?P<state>asked|begun|done)-(?P<time>\d+)(?:_\d+)?\.(?P<action>[a-z]+)")
SECOND_STATES = {"asked": "requested", "begun": "inflight", "done": "completed"}


class State(NamedTuple):
    """State of an instant (requested, inflight or completed), as the name of a timeline file gives it."""

    time: str
    action: str
    state: str


@dataclass(frozen=True)
class Names:
    """The places of a layout.

    Attributes:
        parse: Gives what a file name in the timeline's folder stands for; None for any other name.
        name: Gives the file name of an instant's state.
    """

    metadata: str
    properties: str
    timeline: str
    markers: str
    bootstrap_index: str
    commits: str
    parse: Callable[[str], State | None]
    name: Callable[[State], str]

    def file(self, base: Path, time: str, action: str, state: str) -> Path:
        """The file of an instant's state; one that is there, where its name tells more."""
        wanted, folder = State(time, action, state), base / self.timeline
        found = folder.iterdir() if folder.exists() else iter(())
        named = (path for path in sorted(found) if self.parse(path.name) == wanted)
        return next(named, self.new_file(base, wanted))

    def new_file(self, base: Path, of: State) -> Path:
        """The file of an instant's state that is not there yet; lists nothing."""
        return base / self.timeline / self.name(of)


def _parse_version_6(name: str) -> State | None:
    found = V6_FILE.fullmatch(name)
    if found is None:
        return None
    action, _, state = found["rest"].partition(".")
    if action == "inflight":
        return State(found["time"], "commit", "inflight")
    return State(found["time"], action, state or "completed")


def _name_version_6(of: State) -> str:
    action = "" if (of.action, of.state) == ("commit", "inflight") else f".{of.action}"
    return f"{of.time}{action}" + ("" if of.state == "completed" else f".{of.state}")


def _parse_version_9(name: str) -> State | None:
    found = V9_FILE.fullmatch(name)
    return _parse_version_6(found["time"] + found["rest"]) if found else None


def _parse_second(name: str) -> State | None:
    found = SECOND_FILE.fullmatch(name)
    if found is None:
        return None
    return State(found["time"], found["action"], SECOND_STATES[found["state"]])


def _name_second(of: State) -> str:
    word = next(word for word, state in SECOND_STATES.items() if state == of.state)
    completion = f"_{of.time}" if of.state == "completed" else ""
    return f"{word}-{of.time}{completion}.{of.action}"


VERSION_6 = Names(
    metadata=".hoodie",
    properties=".hoodie/hoodie.properties",
    timeline=".hoodie",
    markers=".hoodie/.temp",
    bootstrap_index=".hoodie/.aux/.bootstrap",
    commits=".hoodie/.hudilite/commits",
    parse=_parse_version_6,
    name=_name_version_6,
)
VERSION_9 = replace(VERSION_6, timeline=".hoodie/timeline", parse=_parse_version_9)
SECOND = Names(
    metadata=".second",
    properties=".second/table.properties",
    timeline=".second/instants",
    markers=".second/marks",
    bootstrap_index=".second/sources/index",
    commits=".second/own/numbers",
    parse=_parse_second,
    name=_name_second,
)


def is_second() -> bool:
    """Whether this run asks for the second layout."""
    asked = os.environ.get("HUDILITE_LAYOUT", "")
    if asked not in ("", "second"):
        raise ValueError(f"HUDILITE_LAYOUT={asked}: second, or nothing")
    return asked == "second"


def current() -> Names:
    """The layout of the tables that this run writes."""
    return SECOND if is_second() else VERSION_6


def at(base: Path) -> Names:
    """The layout of a table, by the version in its properties."""
    facts = base / VERSION_6.properties
    is_later = facts.exists() and LATER.search(facts.read_text(encoding="utf-8"))
    return VERSION_9 if is_later else current()


def table_version() -> str:
    """The version of new tables that HUDILITE_TABLE_VERSION asks for; "" for that of hudilite."""
    return os.environ.get("HUDILITE_TABLE_VERSION", "")


def version_conf() -> dict[str, str]:
    """The session setting of that version."""
    return {"hoodie.write.table.version": table_version()} if table_version() else {}


def in_text(text: str) -> str:
    """A text in which a path into the metadata folder of version 6 leads into that of this run."""
    return re.sub(r"/\.hoodie(?![\w.])", f"/{current().metadata}", text)


def strangers(folder: Path) -> list[str]:
    """Folders below a folder that have the name of the other layout's metadata folder."""
    other = VERSION_6 if is_second() else SECOND
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob(other.metadata))
