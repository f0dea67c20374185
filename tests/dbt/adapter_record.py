"""Record of dbt's adapter suite: with which file formats each test passes on Thrift servers.

`adapter_outcomes.txt` has a line for each test, under its module: `both`, `neither` or the one format,
the test, and why it does not pass with the others.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

RECORD = Path(__file__).with_name("adapter_outcomes.txt")
FORMATS = ("hudilite", "delta")
WORDS = {"both": FORMATS, "neither": (), "hudilite": ("hudilite",), "delta": ("delta",)}
LINE = re.compile(r"(\w+) (\w+::\w+)(?:: (.+))?")


@dataclass(frozen=True)
class Known:
    """Line of the record.

    Attributes:
        module: Module of dbt's suite, without `dbt.tests.adapter`.
        test: Class and name.
        passes: File formats with which it passes.
        reason: Why it does not pass with the others.
    """

    module: str
    test: str
    passes: tuple[str, ...]
    reason: str

    @property
    def group(self) -> str:
        """The class of the test."""
        return self.test.partition("::")[0]


def record() -> list[Known]:
    """All lines of the record.

    Raises:
        ValueError: for a line of another form, and for a reason that is absent or too much.
    """
    found, module = [], ""
    for line in RECORD.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            module = line.strip("[]")
        elif line and line[0] != "#":
            match = LINE.fullmatch(line)
            if match is None or (match[1] == "both") == bool(match[3]):
                raise ValueError(f"{RECORD.name}: {line}")
            found.append(Known(module, match[2], WORDS[match[1]], match[3] or ""))
    return found


def one_class_of_each_module(known: list[Known]) -> list[str]:
    """The classes to run: of each module the one with the fewest tests, the first of equal ones."""
    modules = dict.fromkeys(line.module for line in known)
    tests = [Counter(line.group for line in known if line.module == module) for module in modules]
    return [min(classes, key=classes.__getitem__) for classes in tests]
