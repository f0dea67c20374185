"""Command ``hudilite verify TABLE|PATH``: finds faults in a table."""

from __future__ import annotations

import argparse

from hudilite.cli import names, output, sessions, tables
from hudilite.sql import calls

_LEVELS = ("meta", "files", "rows")
_ERROR = "ERROR"


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "find faults in a table: CALL verify in a new Spark session"
    parser = output.command(subparsers, "verify", run, words)
    tables.add_argument(parser)
    parser.add_argument(
        "--level", choices=_LEVELS, default="files", help="how much is checked (default: files)"
    )
    sessions.add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints the faults; the exit code is 1 if one of them is an ERROR."""
    text = arguments.table
    statement = calls.of_table("verify", tables.parts(text), {"level": arguments.level})
    heads, rows = sessions.answer(arguments, statement, named=not names.is_path(text))
    if arguments.json:
        faults = [dict(zip(heads, row, strict=True)) for row in rows]
        output.document({"table": text, "level": arguments.level, "faults": faults})
    else:
        output.table([head.upper() for head in heads], rows)
    return 1 if any(row[heads.index("severity")] == _ERROR for row in rows) else 0
