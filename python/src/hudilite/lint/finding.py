"""What the lint of a script finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Finding:
    """One thing in a script that Spark would refuse, or that does something else than it seems to.

    Attributes:
        line: From 1.
        column: From 1, of the first character.
        rule: Name of the rule, such as ``"key-not-pinned"``.
        message: What is wrong, in one line.
        fix: What to write or do instead, in one line.
    """

    line: int
    column: int
    rule: str
    message: str
    fix: str
