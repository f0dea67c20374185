"""A catch that neither rethrows nor wraps stands, with its reason, in catches.txt.

An entry of the list: a line `path text`, the text from `case`, `Try` (Scala) or `except` (Python) on,
as much of it as tells which one it is; then an indented line with the reason.
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
    """Swallowed exceptions that the list lacks, then entries of the list that fit nothing."""
    known = {(path, _squeezed(text)): reason for path, text, reason in _entries()}
    fitting: set[tuple[str, str]] = set()
    for name, line, text in [*_scala(), *_python()]:
        fits = {key for key in known if key[0] == name and _squeezed(text).startswith(key[1])}
        fitting |= fits
        if not any(known[key] for key in fits):
            shown = text.split("\n", 1)[0].rstrip()
            yield f"{name}:{line}: neither rethrows nor wraps, and catches.txt gives no reason: {shown}"
    for path, text in sorted(known.keys() - fitting):
        yield f"{relative(LIST)}: fits nothing: {path} {text}"


def _squeezed(text: str) -> str:
    """Text without blanks: however a formatter folds a line, it fits its entry."""
    return "".join(text.split())


def _entries() -> Iterator[tuple[str, str, str]]:
    lines = [line for line in LIST.read_text("utf-8").splitlines() if line and line[0] != "#"]
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if not line[0].isspace():
            path, text = line.strip().split(" ", 1)
            yield path, text, following.strip() if following[:1].isspace() else ""


def _scala() -> Iterator[tuple[str, int, str]]:
    for path in tracked("sql-extension/*/src/main/*.scala", "procedures/src/main/*.scala"):
        text = path.read_text(encoding="utf-8")
        code = code_of(text)
        for position in sorted({*_swallowing_cases(code), *_swallowing_calls(code)}):
            yield relative(path), line_of(code, position), text[position : position + 400]


def _swallowing_calls(code: str) -> Iterator[int]:
    for use in SWALLOWERS.finditer(code):
        before = code[: use.start()].rsplit("\n", 1)[-1]
        if not before.strip().startswith(("import ", "case ", "catch ")):
            yield use.start()


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
