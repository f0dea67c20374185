"""docs/support.md, written from support.txt and from the tests that its lines name.

Usage: support_doc.py. A line of support.txt has five parts: the row of the comparison with other
formats, the form, `works` or `error`, a file below tests, and a text in this file.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from files import ROOT

from harness.golden import parse_golden

LIST = ROOT / "tests" / "tools" / "support.txt"
PAGE = ROOT / "docs" / "support.md"
TESTS = ROOT / "tests"
HEAD = """# What works and what is refused

<!-- Written by tests/tools/support_doc.py from tests/tools/support.txt: `make fmt` rewrites it. -->

Each form of each statement and its status: `works`, or the condition of the error with which it fails. A statement that fails
leaves the table as it was. The [SQL reference](sql-reference.md) describes the statements, [Errors](errors.md) lists the
conditions, and [Limits](limits.md) explains the refusals that matter most. Every line names a test that shows it.
"""


@dataclass(frozen=True)
class Line:
    """A form of a statement.

    Attributes:
        row: The row of the comparison with other formats.
        status: `works` or `error`.
        file: The test, as a path.
        keyword: A text of the test.
    """

    section: str
    row: str
    form: str
    status: str
    file: Path
    keyword: str

    def __str__(self) -> str:
        return f"{self.row}: {self.form}"


def lines(text: str) -> list[Line]:
    """The lines of support.txt.

    Raises:
        ValueError: for a line that does not have five parts.
    """
    found: list[Line] = []
    section = ""
    for line in text.splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif line and not line.startswith("#"):
            parts = line.split(" | ", 4)
            if len(parts) != 5:
                raise ValueError(f"{LIST.name}: {line!r} does not have five parts")
            row, form, status, file, keyword = parts
            found.append(Line(section, row, form, status, TESTS / file, keyword))
    return found


def squeezed(text: str) -> str:
    """A text whose case and white space do not count."""
    return " ".join(text.split()).lower()


def conditions(line: Line) -> list[str]:
    """The conditions with which the form fails in its test."""
    text = line.file.read_text(encoding="utf-8")
    keyword = squeezed(line.keyword)
    if line.file.suffix == ".py":
        functions = re.split(r"^(?=def )", text, flags=re.MULTILINE)
        within = " ".join(one for one in functions if keyword in squeezed(one))
        found = re.findall(r"\bHUDILITE_[A-Z_]+", within)
    else:
        blocks = parse_golden(text).blocks
        found = [
            b.expected_error for b in blocks if b.expected_error and keyword in squeezed(b.text)
        ]
    return list(dict.fromkeys(found))


def render() -> str:
    """The whole page."""
    every = lines(LIST.read_text(encoding="utf-8"))
    parts = [HEAD]
    for section in dict.fromkeys(line.section for line in every):
        parts.append(f"## {section}\n\n| | form | result | shown by |\n| --- | --- | --- | --- |")
        parts += [_row(line) for line in every if line.section == section]
        parts.append("")
    return "\n".join(parts)


def faults() -> Iterator[str]:
    """A page that is not what this module would write."""
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != render():
        yield "docs/support.md is stale: run make fmt"


def _row(line: Line) -> str:
    name = line.file.relative_to(TESTS).as_posix()
    told = "works" if line.status == "works" else _told(conditions(line))
    shown = name.removeprefix("sql/") if line.file.suffix == ".sql" else line.file.name
    return f"| {line.row} | {line.form} | {told} | [{shown}](../tests/{name}) |"


def _told(found: list[str]) -> str:
    # A condition that Spark has not named yet tells a reader nothing.
    named = [name for name in found if not name.startswith("_LEGACY")]
    return named[0] if named else "an error of Spark"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
