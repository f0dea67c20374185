"""SQL scripts that commands read, from files or from standard input."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hudilite.conditions import error_of
from hudilite.errors import HudiliteError

STDIN = "-"


def read(name: str) -> str:
    """Returns the text of a file, or of standard input for ``-``.

    Raises:
        HudiliteError: ``HUDILITE_PATH_INVALID`` when the file cannot be read or is not text in
            UTF-8.
    """
    try:
        raw = _stdin() if name == STDIN else Path(name).read_bytes()
        return raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise error_of(
            "HUDILITE_PATH_INVALID",
            path=name,
            reason=(reason or str(error)).lower(),
            fix="Write the path of a SQL script.",
        ) from error


def _stdin() -> bytes:
    if sys.stdin is None:  # it was closed before the command started
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return sys.stdin.buffer.read()


@contextmanager
def located(name: str, text: str) -> Iterator[None]:
    """Raises an error of sqlglot as a `HudiliteError` with file, line and column.

    Raises:
        HudiliteError: ``HUDILITE_SCRIPT_MALFORMED`` when sqlglot raises an error.
    """
    from sqlglot.errors import SqlglotError

    try:
        yield
    except SqlglotError as error:
        raise _malformed(name, text) from error


def _malformed(name: str, text: str) -> HudiliteError:
    from hudilite.lint import SYNTAX, script

    place = next(found for found in script(text) if found.rule == SYNTAX)
    return error_of(
        "HUDILITE_SCRIPT_MALFORMED",
        path=name,
        line=str(place.line),
        column=str(place.column),
        reason=place.message,
    )
