"""JUnit XML, the one form in which every suite tells its outcome."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

_UNSAID = re.compile(
    "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|&#(?:[0-8]|1[124-9]|2[0-9]|3[01]|655(?:34|35));"
)


@dataclass(frozen=True)
class Case:
    """One test: its name, and why it failed or was skipped.

    Attributes:
        is_set_up: Whether it failed before it began, in a fixture.
    """

    name: str
    failure: str | None = None
    skipped: str | None = None
    is_set_up: bool = False


def read(paths: Iterable[Path]) -> Iterator[Case]:
    """The tests of some reports."""
    for path in paths:
        for element in ElementTree.fromstring(_readable(path)).iter("testcase"):
            name = f"{element.get('classname', '')}.{element.get('name', '')}".strip(".")
            bad = element.find("failure")
            bad = element.find("error") if bad is None else bad
            skip = element.find("skipped")
            yield Case(
                name,
                None if bad is None else (bad.get("message") or bad.text or "failed"),
                None if skip is None else (skip.get("message") or skip.text or "no reason").strip(),
                bad is not None and (bad.get("message") or "").startswith("failed on setup"),
            )


def _readable(path: Path) -> str:
    """The text of a report without what XML cannot say: ScalaTest writes each character of a message."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return _UNSAID.sub("?", text.partition("?>")[2] if text.startswith("<?xml") else text)


def write(path: str, suite: str, found: Mapping[str, Sequence[str]]) -> None:
    """A report of checks, each with its faults."""
    failed = sum(1 for faults in found.values() if faults)
    root = ElementTree.Element("testsuite", name=suite, tests=str(len(found)), failures=str(failed))
    for name, faults in found.items():
        case = ElementTree.SubElement(root, "testcase", classname=suite, name=name)
        if faults:
            ElementTree.SubElement(case, "failure", message=faults[0]).text = "\n".join(faults)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
