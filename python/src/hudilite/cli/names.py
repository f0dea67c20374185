"""Arguments that several commands have: columns, numbers, ports, paths."""

from __future__ import annotations

import argparse
import os
import re

from hudilite.ports import LAST_PORT

KEY_WORDS = "columns of the primary key, with commas between them"


_PART = re.compile(r"`(?:[^`]|``)+`|[^.`]+")
_NAME = re.compile(rf"(?:{_PART.pattern})(?:[.](?:{_PART.pattern}))*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def listed(text: str) -> list[str]:
    """Names with commas between them."""
    found = [name.strip() for name in text.split(",")]
    if all(found):
        return found
    raise argparse.ArgumentTypeError(f"'{text}' has an empty name")


def count(text: str) -> int:
    """A whole number, 1 or more."""
    return _from(1, text)


def hours(text: str) -> int:
    """A whole number, 0 or more."""
    return _from(0, text)


def _from(least: int, text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) >= least:
        return int(text)
    raise argparse.ArgumentTypeError(f"'{text}' is no whole number from {least} on")


def port(text: str) -> int:
    """A TCP port."""
    if text.isascii() and text.isdigit() and 1 <= int(text) <= LAST_PORT:
        return int(text)
    raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1 to {LAST_PORT}")


def setting(text: str) -> tuple[str, str]:
    """A setting of Spark's, ``key=value``."""
    key, equals, value = text.partition("=")
    if key and equals:
        return key, value
    raise argparse.ArgumentTypeError(f"'{text}' is not KEY=VALUE")


def table(text: str) -> list[str]:
    """The parts of a table's name, as SQL reads it: cut at its dots, but for those in backticks."""
    if _NAME.fullmatch(text) is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no name of a table")
    return [part.strip("`").replace("``", "`") for part in _PART.findall(text)]


def is_path(text: str) -> bool:
    """Whether a text is a path and no name of a table: it has a slash, and none in backticks."""
    return "/" in text and "`" not in text


def is_local(path: str) -> bool:
    """Whether a path has no scheme."""
    return _SCHEME.match(path) is None


def whole(path: str) -> str:
    """A path from the root on; a URI stays as it is."""
    return os.path.abspath(path) if is_local(path) else path
