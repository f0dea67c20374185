"""Parsers for arguments that several commands have: columns, numbers, ports, paths."""

from __future__ import annotations

import argparse
import os
import re
import threading

from hudilite.launch.ports import LAST_PORT

KEY_WORDS = "columns of the primary key, separated by commas"


_PART = re.compile(r"`(?:[^`]|``)+`|[^.`]+")
_NAME = re.compile(rf"(?:{_PART.pattern})(?:[.](?:{_PART.pattern}))*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def listed(text: str) -> list[str]:
    """Parses comma-separated names."""
    found = [name.strip() for name in text.split(",")]
    if all(found):
        return found
    raise argparse.ArgumentTypeError(f"'{text}' contains an empty name")


def count(text: str) -> int:
    """Parses a whole number, 1 or more."""
    return _from(1, text)


def seconds(text: str) -> float:
    """Parses a number of seconds above 0."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if 0.0 < found < threading.TIMEOUT_MAX:
        return found
    raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds above 0")


def hours(text: str) -> int:
    """Parses a whole number, 0 or more."""
    return _from(0, text)


def _from(least: int, text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) >= least:
        return int(text)
    raise argparse.ArgumentTypeError(f"'{text}' is not a whole number that is at least {least}")


def port(text: str) -> int:
    """Parses a TCP port, 1 to 65535."""
    if text.isascii() and text.isdigit() and 1 <= int(text) <= LAST_PORT:
        return int(text)
    raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1 to {LAST_PORT}")


def setting(text: str) -> tuple[str, str]:
    """Parses a Spark setting, ``key=value``."""
    key, equals, value = text.partition("=")
    if key and equals:
        return key, value
    raise argparse.ArgumentTypeError(f"'{text}' does not have the form KEY=VALUE")


def table(text: str) -> list[str]:
    """Parses a table name into its parts: split at dots, except inside backticks."""
    if _NAME.fullmatch(text) is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not a table name")
    return [part.strip("`").replace("``", "`") for part in _PART.findall(text)]


def is_path(text: str) -> bool:
    """Whether a text is a path, not a table name: it has a slash and no backtick."""
    return "/" in text and "`" not in text


def is_local(path: str) -> bool:
    """Whether a path has no URI scheme."""
    return _SCHEME.match(path) is None


def whole(path: str) -> str:
    """Returns the absolute path; a URI is returned unchanged."""
    return os.path.abspath(path) if is_local(path) else path
