"""What every point gave, and the lists that it is held against.

`ops.txt` has the operations of each statement; `absorbed.txt` the operations whose failure changes
nothing for the client, with the reason that this is right: `statement role operation KIND`, `*` for
any, then an indented reason.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from points import Call
from runs import Outcome

HERE = Path(__file__).parent
OPS = HERE / "ops.txt"
ABSORBED = HERE / "absorbed.txt"
HEAD = (
    "# File operations of one clean run of each statement, by place, call and kind of file.\n"
    "# A count that shrinks fails the suite. HUDILITE_FAULT_UPDATE=1 writes this anew.\n"
)
STARTED = time.monotonic()
OUTCOMES: list[Outcome] = []
OPERATIONS: dict[str, list[Call]] = {}


@dataclass(frozen=True)
class Absorbed:
    """An entry of absorbed.txt."""

    pattern: str
    reason: str

    def fits(self, outcome: Outcome) -> bool:
        told = f"{outcome.point.statement} {outcome.call}"
        return len(told.split()) == 4 and all(
            fnmatch(word, wanted)
            for word, wanted in zip(told.split(), self.pattern.split(), strict=True)
        )


def absorbed() -> list[Absorbed]:
    """The list, each entry with its reason."""
    lines = [line for line in ABSORBED.read_text("utf-8").splitlines() if line and line[0] != "#"]
    pairs = zip(lines, [*lines[1:], ""], strict=True)
    found = [Absorbed(a, b.strip()) for a, b in pairs if not a[0].isspace() and b[:1].isspace()]
    assert all(len(entry.pattern.split()) == 4 and entry.reason for entry in found), found
    assert len(found) == sum(not line[0].isspace() for line in lines), "an entry has no reason"
    return found


def recorded() -> dict[str, int]:
    """Operations of each statement as ops.txt has them."""
    lines = [line for line in OPS.read_text("utf-8").splitlines() if line and line[0] not in "# "]
    return {name: int(count) for name, count in (line.split() for line in lines)}


def write_ops(calls: dict[str, list[Call]]) -> None:
    """Writes ops.txt anew."""
    text = HEAD
    for name, made in calls.items():
        text += f"{name} {len(made)}\n"
        kinds = Counter(str(call) for call in made)
        text += "".join(f"    {kind} {count}\n" for kind, count in sorted(kinds.items()))
    OPS.write_text(text, encoding="utf-8")


def note(outcomes: Iterable[Outcome]) -> list[str]:
    """Takes outcomes in; gives what is wrong with them, one line each."""
    known = absorbed()
    wrong = []
    for outcome in outcomes:
        OUTCOMES.append(outcome)
        if outcome.broken:
            wrong.append(str(outcome))
        elif outcome.result == "absorbed" and not any(entry.fits(outcome) for entry in known):
            wrong.append(f"{outcome}: absorbed, and absorbed.txt gives no reason")
    return wrong


def summary() -> list[str]:
    """Operations, runs, minutes, and how the runs ended."""
    results = Counter(f"{o.result} {o.state}" for o in OUTCOMES)
    minutes = (time.monotonic() - STARTED) / 60
    return [
        "operations: " + ", ".join(f"{name} {len(made)}" for name, made in OPERATIONS.items()),
        f"runs: {len(OUTCOMES)} in {minutes:.1f} minutes; "
        + ", ".join(f"{result} {count}" for result, count in sorted(results.items())),
        f"broken: {sum(bool(o.broken) for o in OUTCOMES)}",
    ]
