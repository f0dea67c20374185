"""Arguments that several commands have: columns, numbers, ports, paths."""

from __future__ import annotations

import argparse
import os
import re

KEY_WORDS = "columns of the primary key, with commas between them"

_LAST_PORT = 65535
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def listed(text: str) -> list[str]:
    """Names with commas between them."""
    found = [name.strip() for name in text.split(",")]
    if all(found):
        return found
    raise argparse.ArgumentTypeError(f"'{text}' has an empty name")


def count(text: str) -> int:
    """A whole number, 1 or more."""
    if text.isascii() and text.isdigit() and int(text) >= 1:
        return int(text)
    raise argparse.ArgumentTypeError(f"'{text}' is no whole number from 1 on")


def port(text: str) -> int:
    """A TCP port."""
    if text.isascii() and text.isdigit() and 1 <= int(text) <= _LAST_PORT:
        return int(text)
    raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1 to {_LAST_PORT}")


def setting(text: str) -> tuple[str, str]:
    """A setting of Spark's, ``key=value``."""
    key, equals, value = text.partition("=")
    if key and equals:
        return key, value
    raise argparse.ArgumentTypeError(f"'{text}' is not KEY=VALUE")


def is_path(text: str) -> bool:
    """Whether a text is a path and no name of a table: it has a slash in it."""
    return "/" in text


def is_local(path: str) -> bool:
    """Whether a path has no scheme."""
    return _SCHEME.match(path) is None


def whole(path: str) -> str:
    """A path from the root on; a URI stays as it is."""
    return os.path.abspath(path) if is_local(path) else path
