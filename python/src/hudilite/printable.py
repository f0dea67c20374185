"""Names that come from files, made safe to print."""

from __future__ import annotations


def plain(text: str) -> str:
    r"""Text in which nothing can move a terminal's cursor, break a line or hide.

    Examples:
        >>> plain("p=a\nb")
        'p=a\\nb'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
