"""Which test raises which condition: a golden file, or a test that reproducers.txt names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from errors_doc import CONDITIONS
from files import ROOT, tracked

NAMED = ROOT / "tests" / "tools" / "reproducers.txt"
LINE = re.compile(r"(?P<condition>HUDILITE_\w+) (?P<file>tests/\S+) (?P<test>.+)")


def faults() -> Iterator[str]:
    """Conditions that nothing raises, and reproducers that are not there."""
    conditions = set(json.loads(CONDITIONS.read_text(encoding="utf-8")))
    golden = set(in_goldens())
    named = dict(in_tests())
    for condition in sorted(conditions - golden - set(named)):
        yield f"{condition}: no golden file and no line of reproducers.txt raises it; delete it"
    for condition in sorted((golden | set(named)) - conditions):
        yield f"{condition}: expected by a test, but not a condition"
    for condition, (file, test) in sorted(named.items()):
        text = (ROOT / file).read_text(encoding="utf-8") if (ROOT / file).is_file() else ""
        if condition not in text or test not in text:
            yield f"reproducers.txt: {file} has no {test!r} with {condition}"
        if condition in golden:
            yield f"reproducers.txt: {condition} has a golden file; remove the line"


def in_goldens() -> Iterator[str]:
    """Conditions of ours that a golden file expects."""
    for path in tracked("tests/sql/*.sql"):
        yield from re.findall(r"expect_error\((HUDILITE_\w+)\)", path.read_text(encoding="utf-8"))


def in_tests() -> Iterator[tuple[str, tuple[Path, str]]]:
    """The lines of reproducers.txt: condition, then file and words of the test."""
    for line in NAMED.read_text(encoding="utf-8").splitlines():
        found = LINE.fullmatch(line)
        if found:
            yield found["condition"], (Path(found["file"]), found["test"])
        elif line.strip() and not line.startswith("#"):
            raise ValueError(f"reproducers.txt: {line!r}")
