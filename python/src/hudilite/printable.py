"""Escaping of names that come from files, so that they are safe to print."""

from __future__ import annotations


def plain(text: str) -> str:
    r"""Escapes every character that moves a cursor, breaks a line or is invisible.

    Examples:
        >>> plain("p=a\nb")
        'p=a\\nb'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
