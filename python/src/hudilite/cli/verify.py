"""``hudilite verify TABLE|PATH``: what is wrong with a table."""

from __future__ import annotations

import argparse
import os

from hudilite.cli import names, output, sessions
from hudilite.progress import progress
from hudilite.storage import no_table, open_folder
from hudilite.table import Table

_LEVELS = ("meta", "files", "rows")
_ERROR = "ERROR"


def add(subparsers: output.Subparsers) -> None:
    """Add the subcommand."""
    words = "find what is wrong with a table: CALL verify, in a session of its own"
    parser = output.command(subparsers, "verify", run, words)
    parser.add_argument(
        "table",
        metavar="TABLE|PATH",
        help="a name, db.orders; with a slash in it a folder, ./orders, or its URI",
    )
    parser.add_argument(
        "--level", choices=_LEVELS, default="files", help="how much is read; files by default"
    )
    sessions.add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the faults; with one that is an ERROR, the exit code is 1."""
    text = arguments.table
    is_path = names.is_path(text)
    if is_path and names.is_local(text):
        folder = open_folder(text)
        if not os.path.isdir(folder.path(".hoodie")):
            raise no_table(folder)
    parts = ("hudilite", names.whole(text)) if is_path else names.table(text)
    with sessions.opened(arguments, named=not is_path) as spark, progress(spark):
        frame = Table.for_name(spark, parts).verify(arguments.level)
        heads, rows = frame.columns, [list(row) for row in frame.collect()]
    if arguments.json:
        faults = [dict(zip(heads, row, strict=True)) for row in rows]
        output.document({"table": text, "level": arguments.level, "faults": faults})
    else:
        output.table([head.upper() for head in heads], rows)
    return 1 if any(row[heads.index("severity")] == _ERROR for row in rows) else 0
