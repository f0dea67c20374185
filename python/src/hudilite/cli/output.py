"""Output of the commands: one JSON document, or a table that is aligned by spaces."""

from __future__ import annotations

import argparse
import io
import json
import logging
import os
import shutil
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO

from hudilite.printable import plain

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"

_HOME, _TO_LINE_END, _TO_SCREEN_END = "\x1b[H", "\x1b[K", "\x1b[J"

Subparsers = Any  # argparse has no public name for the type of add_subparsers()


def ready() -> None:
    """Prepares the standard streams.

    Characters that the encoding of an output does not have become escapes. Instead of a closed
    stdin there is one that cannot be read, and instead of a closed stdout one that cannot be
    written: no file that is opened later gets their numbers. Log lines of sqlglot are not printed:
    its errors are reported.
    """
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        _fill(number, mode)
    for number, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w"))
    log = logging.getLogger("sqlglot")
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def discard() -> None:
    """Drops what stdout could not write: the interpreter must not flush it again when it exits."""
    if isinstance(getattr(sys.stdout, "buffer", None), io.BufferedWriter):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def finish() -> None:
    """Writes the rest of stdout, or drops it if it cannot be written."""
    try:
        sys.stdout.flush()
    except OSError:
        discard()


def warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Prints a warning on stderr, without its place in the code: a `warnings.showwarning`."""
    del category, filename, lineno, file, line
    sys.stderr.write(f"warning: {plain(str(message))}\n")


def note(text: str) -> None:
    """Prints a line on stderr."""
    sys.stderr.write(f"{text}\n")


def command(
    subparsers: Subparsers, name: str, run: Callable[[argparse.Namespace], int], words: str
) -> argparse.ArgumentParser:
    """Adds the parser of a subcommand that has ``--json``."""
    parser = _added(subparsers, name, run, words)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def starter(
    subparsers: Subparsers, name: str, run: Callable[[argparse.Namespace], int], words: str
) -> argparse.ArgumentParser:
    """Adds the parser of a subcommand that starts one of Spark's programs.

    Arguments that it does not know are passed to that program, as ``further``.
    """
    parser = _added(subparsers, name, run, words, add_help=False)
    parser.set_defaults(passes_on=True, wrong=parser.error)
    # No -h: argparse would read -hiveconf as -h.
    parser.add_argument(
        "--help", action="help", help="show this help and exit; -h is passed to the program"
    )
    return parser


def document(fields: Mapping[str, Any]) -> None:
    """Prints one JSON document."""
    sys.stdout.write(json.dumps(fields, indent=2) + "\n")


def lines(texts: Sequence[str]) -> None:
    """Prints lines of text."""
    sys.stdout.writelines(f"{text}\n" for text in texts)


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Prints rows under a header that is bold on a terminal. Numbers are right-aligned.

    Args:
        heads: Header of each column.
        rows: Rows with one cell per column; None is printed as blank.
    """
    head, *below = table_lines(heads, rows)
    sys.stdout.write(f"{BOLD}{head}{PLAIN}\n" if _is_terminal() else f"{head}\n")
    lines(below)


def table_lines(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Returns the lines of a table, the header first; arguments as of `table`."""
    cells = [["" if cell is None else plain(str(cell)) for cell in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(heads, *cells, strict=True)]
    numeric = [
        all(cell is None or isinstance(cell, int) for cell in column)
        for column in zip(*rows, strict=True)
    ] or [False] * len(heads)
    return [_line(heads, widths, numeric), *(_line(row, widths, numeric) for row in cells)]


def redraw(texts: Sequence[str]) -> None:
    """Draws lines over the whole terminal, in place of what it shows. Longer ones are cut."""
    size = shutil.get_terminal_size()
    shown = [f"{cut(text, size.columns)}{_TO_LINE_END}" for text in texts[: size.lines - 1]]
    sys.stdout.write(_HOME + "\n".join(shown) + "\n" + _TO_SCREEN_END)
    sys.stdout.flush()


def cut(text: str, columns: int) -> str:
    """Returns the beginning of a text that fits into a number of terminal columns.

    Examples:
        >>> cut("你好", 3)
        '你'
    """
    end = len(text)
    while _width(text[:end]) > columns:
        end -= 1
    return text[:end]


def can_redraw() -> bool:
    """Whether the output is a terminal that can move its cursor."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _fill(number: int, mode: int) -> None:
    """Opens a descriptor that is closed. The descriptors below it are open."""
    try:
        os.fstat(number)
    except OSError:
        os.set_inheritable(os.open(os.devnull, mode), True)


def _added(
    subparsers: Subparsers,
    name: str,
    run: Callable[[argparse.Namespace], int],
    words: str,
    **options: Any,
) -> argparse.ArgumentParser:
    description = f"{words[0].upper()}{words[1:]}."
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name, help=words, description=description, allow_abbrev=False, **options
    )
    parser.set_defaults(run=run, passes_on=False)
    return parser


def _line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    padded = [
        " " * (width - _width(cell)) + cell if right else cell + " " * (width - _width(cell))
        for cell, width, right in zip(cells, widths, numeric, strict=True)
    ]
    return "  ".join(padded).rstrip()


def _width(text: str) -> int:
    """Returns the number of terminal columns that a text takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


def _is_terminal() -> bool:
    is_dumb = os.environ.get("TERM") == "dumb" or bool(os.environ.get("NO_COLOR"))
    return sys.stdout.isatty() and not is_dumb
