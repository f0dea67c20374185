"""Table argument of commands that start a session: a name or a path."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from hudilite.cli import names
from hudilite.format.folders import no_table, open_folder


def add_argument(parser: argparse.ArgumentParser) -> None:
    """Adds the table to the arguments of a command."""
    parser.add_argument(
        "table",
        metavar="TABLE|PATH",
        type=_text,
        help="table name (db.orders), or folder or URI with a slash (./orders)",
    )


def parts(text: str) -> Sequence[str]:
    """Returns the name parts of the table, as `hudilite.Table` takes them.

    Raises:
        HudiliteError: ``HUDILITE_PATH_INVALID`` when a local path has no table.
    """
    if not names.is_path(text):
        return names.table(text)
    if names.is_local(text):
        folder = open_folder(text)
        if not os.path.isdir(folder.path(".hoodie")):
            raise no_table(folder)
    return "hudilite", names.whole(text)


def _text(text: str) -> str:
    """Returns the text unchanged, after checking that it is a path or a table name."""
    if not names.is_path(text):
        names.table(text)
    return text
