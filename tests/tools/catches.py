"""A catch that neither rethrows nor wraps stands, with its reason, in catches.txt.

A line of the list: `path | the case (Scala) or except (Python) line | reason`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from files import code_of, line_of, relative, tracked

LIST = Path(__file__).with_name("catches.txt")
SWALLOWERS = re.compile(r"\b(?:Try|Using)\s*[({]|\bNonFatal\b(?!\()|\.recover\b|\.recoverWith\b")
ENDS = re.compile(r"\bthrow\b|\bsys\.error\(|\babort\(")


def faults() -> Iterator[str]:
    """Swallowed exceptions that the list lacks, then lines of the list that fit nothing."""
    listed = {tuple(part.strip() for part in line.split("|", 2)) for line in _lines()}
    for entry in listed:
        if len(entry) != 3 or not entry[2]:
            yield f"{relative(LIST)}: a line is `path | case line | reason`: {' | '.join(entry)}"
    known = {entry[:2] for entry in listed}
    found: set[tuple[str, str]] = set()
    for name, line, text in [*_scala(), *_python()]:
        found.add((name, text))
        if (name, text) not in known:
            yield f"{name}:{line}: neither rethrows nor wraps, and is not in catches.txt: {text}"
    for path, text in sorted(known - found):
        yield f"{relative(LIST)}: nothing in {path} fits `{text}`"


def _lines() -> list[str]:
    lines = LIST.read_text(encoding="utf-8").splitlines() if LIST.exists() else []
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _scala() -> Iterator[tuple[str, int, str]]:
    for path in tracked("sql-extension/*/src/main/*.scala", "procedures/src/main/*.scala"):
        text = path.read_text(encoding="utf-8")
        code = code_of(text)
        for position in _swallowing_cases(code):
            line = line_of(code, position)
            yield relative(path), line, text.splitlines()[line - 1].strip()
        for use in SWALLOWERS.finditer(code):
            line = line_of(code, use.start())
            if not code.splitlines()[line - 1].strip().startswith(("import ", "case ")):
                yield relative(path), line, text.splitlines()[line - 1].strip()


def _swallowing_cases(code: str) -> Iterator[int]:
    for found in re.finditer(r"\bcatch\b\s*(\{)?", code):
        if found.group(1) is None:
            yield found.start()
            continue
        end = _closing(code, found.end())
        cases = [
            found.end() + case.start()
            for case in re.finditer(r"\bcase\b", code[found.end() : end])
            if _depth(code[found.end() : found.end() + case.start()]) == 0
        ]
        for start, stop in zip(cases, [*cases[1:], end], strict=True):
            if not ENDS.search(code[start:stop]):
                yield start


def _closing(code: str, start: int) -> int:
    depth = 1
    for position in range(start, len(code)):
        depth += {"{": 1, "}": -1}.get(code[position], 0)
        if depth == 0:
            return position
    return len(code)


def _depth(code: str) -> int:
    return code.count("{") - code.count("}")


def _python() -> Iterator[tuple[str, int, str]]:
    for path in tracked("python/src/*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            lenient = isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress")
            silent = isinstance(node, ast.ExceptHandler) and not any(
                isinstance(inner, ast.Raise) for inner in ast.walk(node)
            )
            if isinstance(node, (ast.ExceptHandler, ast.Call)) and (lenient or silent):
                yield relative(path), node.lineno, text.splitlines()[node.lineno - 1].strip()
