"""The faults of tests/faults/faults.txt, and the marks of the tests that show them.

A pytest function is marked by `@pytest.mark.fault("F01", ...)`, a golden file by a head line
`-- Faults: F76, F77`, a Scala test by a line `// F34, F35` directly above it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import junit
from files import ROOT, relative, tracked

LIST = ROOT / "tests" / "faults" / "faults.txt"
LONGEST = 60
LINE = re.compile(r"(?P<number>F\d\d) (?P<words>[^|]+?)(?: \| (?P<left>.+))?")
GOLDEN = re.compile(r"^--\s*Faults:\s*(?P<numbers>.+?)\s*$", re.MULTILINE)
SCALA = re.compile(r'^ *// (?P<numbers>F\d\d(?:, F\d\d)*)\n\s*test\(\s*s?"(?P<title>.+?)"', re.M)


@dataclass(frozen=True)
class Fault:
    """A row of the list.

    Attributes:
        left: What a later issue brings, or nobody here can test; "" for nothing.
    """

    number: str
    words: str
    left: str


@dataclass(frozen=True)
class Mark:
    """A test that shows some faults.

    Attributes:
        file: Of the test, below the root of the tree.
        test: Name of the function or of the file, or title; `*` in it stands for any text.
        group: The class name that the test has in a JUnit report.
    """

    file: str
    test: str
    group: str
    numbers: tuple[str, ...]

    @property
    def key(self) -> str:
        """Name in the record of the last run."""
        return f"{self.file}: {self.test}"

    def fits(self, case: junit.Case) -> bool:
        """Whether a case of a report is of this test."""
        pattern = re.escape(f"{self.group}.{self.test}").replace(r"\*", ".*")
        return re.fullmatch(rf"{pattern}(\[.*\])?", case.name, re.DOTALL) is not None


def faults() -> list[Fault]:
    """The list, in order."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    found = [LINE.fullmatch(line) for line in lines if line and line[0] != "#"]
    return [Fault(row["number"], row["words"], row["left"] or "") for row in found if row]


def marks() -> list[Mark]:
    """Every mark of the tests, sorted."""
    found = [
        *(mark for path in tracked("tests/**/test_*.py") for mark in _functions(path)),
        *(mark for path in tracked("tests/sql/*.sql") for mark in _golden(path)),
        *(mark for path in tracked("tests/unit/**/*.scala") for mark in _titles(path)),
    ]
    return sorted(found, key=lambda mark: (mark.file, mark.test))


def wrong() -> Iterator[str]:
    """Rows of the list and marks that cannot be."""
    rows = [line for line in LIST.read_text("utf-8").splitlines() if line and line[0] != "#"]
    known = [fault.number for fault in faults()]
    if known != [f"F{n:02d}" for n in range(1, 99)] or len(rows) != len(known):
        yield f"{relative(LIST)}: a line for each of F01 to F98, in order"
    for fault in faults():
        if len(fault.words) > LONGEST:
            yield f"{relative(LIST)}: {fault.number} has more than {LONGEST} characters"
    for mark in marks():
        for number in sorted(set(mark.numbers) - set(known)):
            yield f"{mark.key}: {number!r} is not in {relative(LIST)}"


def _functions(path: Path) -> Iterator[Mark]:
    group = ".".join(path.relative_to(ROOT / "tests").with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            numbers = tuple(number for d in node.decorator_list for number in _numbers(d))
            if numbers:
                yield Mark(relative(path), node.name, group, numbers)


def _numbers(decorator: ast.expr) -> list[str]:
    if not isinstance(decorator, ast.Call) or ast.unparse(decorator.func) != "pytest.mark.fault":
        return []
    return [str(ast.literal_eval(argument)) for argument in decorator.args]


def _golden(path: Path) -> Iterator[Mark]:
    found = GOLDEN.search(path.read_text(encoding="utf-8"))
    if found:
        group = ".".join(path.relative_to(ROOT / "tests").parts)
        yield Mark(relative(path), path.stem, group, _split(found["numbers"]))


def _titles(path: Path) -> Iterator[Mark]:
    text = path.read_text(encoding="utf-8")
    package = re.findall(r"^package (\S+)", text, re.MULTILINE)
    for found in SCALA.finditer(text):
        title = re.sub(r"\$\w+", "*", found["title"])
        group = ".".join([*package, path.stem])
        yield Mark(relative(path), title, group, _split(found["numbers"]))


def _split(numbers: str) -> tuple[str, ...]:
    return tuple(re.split(r",\s*", numbers))
