"""Finding of the lint."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Finding:
    """Place in a script that Spark would reject, or that does not do what it seems to do.

    Attributes:
        line: Line number, from 1.
        column: Number of the first character in its line, from 1.
        rule: Name of the rule, such as ``"key-not-pinned"``.
        message: What is wrong, in one line.
        fix: What to write or do instead, in one line.
    """

    line: int
    column: int
    rule: str
    message: str
    fix: str
