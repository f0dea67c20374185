"""What `make faults` gave at each operation: from its lines to a record, and to tables.

The record, tests/faults/points.txt, has a line for each statement and operation: `merge 37 driver
createNew NUMBER: ` and a word for each of ACTIONS.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from files import ROOT

FOLDER = ROOT / "tests" / "faults"
RECORD = FOLDER / "points.txt"
OPS = FOLDER / "ops.txt"
ABSORBED = FOLDER / "absorbed.txt"
# Action of a point -> its column on the page.
ACTIONS = {
    "throw": "throw",
    "applythrow": "apply, then throw",
    "partial": "partial",
    "sticky": "sticky",
    "kill": "kill",
    "image": "disk image",
}
NONE = "-"  # the action does not apply to the operation, or was not asked for
HEAD = f"# Written by make reliability, from a whole run of make faults: {' '.join(ACTIONS)}\n"
POINT = re.compile(
    r"(?P<statement>\w+):(?P<k>\d+):(?P<action>\w+) (?P<call>[^:]*): "
    r"(?P<result>raised|succeeded|absorbed) (?P<condition>\S*) (?P<state>\S*)(?P<broken>.*)"
)
ROW = re.compile(r"(?P<statement>\w+) (?P<k>\d+) (?P<call>[^:]*): (?P<words>.+)")


@dataclass(frozen=True)
class Row:
    """An operation, and how the statement ended under each action."""

    statement: str
    k: int
    call: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.statement} {self.k} {self.call}: {' '.join(self.words)}"


def of_run(lines: Iterable[str]) -> list[Row]:
    """The rows of a run: statements in the order of ops.txt, operations in theirs."""
    calls: dict[tuple[str, int], str] = {}
    words: dict[tuple[str, int], dict[str, str]] = {}
    for found in filter(None, map(POINT.fullmatch, lines)):
        place = found["statement"], int(found["k"])
        calls[place] = found["call"] or calls.get(place, "")
        words.setdefault(place, {})[found["action"]] = _word(found)
    order = {name: at for at, name in enumerate(operations())}
    places = sorted(words, key=lambda place: (order.get(place[0], len(order)), place))
    return [Row(*p, calls[p], tuple(words[p].get(a, NONE) for a in ACTIONS)) for p in places]


def missing(rows: list[Row]) -> list[str]:
    """Operations on record that a run did not break: it was none of all."""
    thrown = {(row.statement, row.k) for row in rows if row.words[0] != NONE}
    return [
        f"{name}:{k}"
        for name, count in operations().items()
        for k in range(1, count + 1)
        if (name, k) not in thrown
    ]


def operations() -> dict[str, int]:
    """Operations of each statement, by ops.txt."""
    lines = [line for line in OPS.read_text("utf-8").splitlines() if line and line[0] not in "# "]
    return {name: int(count) for name, count in (line.split() for line in lines)}


def write(rows: list[Row]) -> None:
    """Writes the record."""
    RECORD.write_text(HEAD + "".join(f"{row}\n" for row in rows), encoding="utf-8")


def recorded(path: Path = RECORD) -> list[Row]:
    """The record; nothing when there is none."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = filter(None, map(ROW.fullmatch, text.splitlines()))
    return [Row(r["statement"], int(r["k"]), r["call"], tuple(r["words"].split())) for r in found]


def summary(rows: list[Row]) -> Iterator[str]:
    """One table: a line for each statement with the number of each result."""
    results = ("raised", "raised-after", "succeeded", "absorbed", "BROKEN")
    yield f"| statement | operations | runs | {' | '.join(map(_shown, results[:-1]))} | wrong |"
    yield "| --- " * (len(results) + 3) + "|"
    for name in dict.fromkeys(row.statement for row in rows):
        of_name = [row for row in rows if row.statement == name]
        words = Counter(word for row in of_name for word in row.words if word != NONE)
        counts = " | ".join(str(words[result]) for result in results)
        yield f"| {name} | {len(of_name)} | {words.total()} | {counts} |"


def tables(rows: list[Row]) -> Iterator[str]:
    """A table for each statement, its results counted above it."""
    for name in dict.fromkeys(row.statement for row in rows):
        of_name = [row for row in rows if row.statement == name]
        words = Counter(word for row in of_name for word in row.words if word != NONE)
        counted = ", ".join(f"{_shown(word)} {count}" for word, count in sorted(words.items()))
        yield f"\n### {name}\n\n{len(of_name)} operations, {words.total()} runs: {counted}.\n"
        yield f"| k | operation | {' | '.join(ACTIONS.values())} |"
        yield "| --- " * (len(ACTIONS) + 2) + "|"
        for row in of_name:
            yield f"| {row.k} | {row.call} | {' | '.join(map(_shown, row.words))} |"


def reasons() -> Iterator[str]:
    """The operations whose failure may change nothing, with the reason, as a list."""
    for line in ABSORBED.read_text(encoding="utf-8").splitlines():
        if line and line[0] not in "# ":
            yield f"- `{line}`:"
        elif line.startswith(" "):
            yield f"  {line.strip()}"


def _word(found: re.Match[str]) -> str:
    if "BROKEN" in found["broken"]:
        return "BROKEN"
    after = found["result"] == "raised" and found["state"] == "after"
    return "raised-after" if after else found["result"]


def _shown(word: str) -> str:
    return word.replace("-after", ", after") if word != NONE else NONE
