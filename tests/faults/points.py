"""Points to break, and the log of file operations that they count in."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Action of a point -> the plan's word.
ACTIONS = {"throw": "throw", "applythrow": "throwAfter", "partial": "partial", "sticky": "stop"}
WRITES = {"createNew", "replace", "write"}
KINDS = {
    "MARKER": r"/\.hoodie/\.temp",
    "HINT": r"/\.hoodie/\.hudilite/commits/\d+-\d+$",
    "CHECKPOINT": r"/\.hoodie/\.hudilite/commits/\d+\.checkpoint$",
    "NUMBER": r"/\.hoodie/\.hudilite(?!-rescale)",
    "PROPS": r"/\.hoodie/hoodie\.properties$",
    "REQ": r"/\.hoodie/(timeline/)?\d+\.[a-z.]*requested$",
    "INF": r"/\.hoodie/(timeline/)?\d+\.[a-z.]*inflight$",
    "DONE": r"/\.hoodie/(timeline/)?\d+(_\d+)?\.[a-z]+$",
    "INDEX": r"/\.hoodie/metadata(/|$)",
    "DATA": r"\.parquet$",
    "LOG": r"/\.[^/]*\.log\.\d+_[\d-]+$",
}


@dataclass(frozen=True)
class Point:
    """The k-th file operation of a statement and what becomes of it, as `merge:37:applythrow`."""

    statement: str
    k: int
    action: str

    def __str__(self) -> str:
        return f"{self.statement}:{self.k}:{self.action}"


def parse_point(text: str) -> Point:
    statement, k, action = text.split(":")
    return Point(statement, int(k), action)


@dataclass(frozen=True)
class Call:
    """A line of the log of file operations."""

    thread: str
    operation: str
    path: str
    struck: str

    @property
    def kind(self) -> str:
        return next((kind for kind, p in KINDS.items() if re.search(p, self.path)), "OTHER")

    @property
    def role(self) -> str:
        """On the driver or in a task."""
        return "task" if self.thread.startswith("Executor task") else "driver"

    def __str__(self) -> str:
        return f"{self.role} {self.operation} {self.kind}"


def parse_log(text: str) -> list[Call]:
    return [Call(*line.split("\t")[1:]) for line in text.splitlines()]
