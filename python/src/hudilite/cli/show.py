"""Command ``hudilite show PATH -o page.html``: writes an HTML page about a table."""

from __future__ import annotations

import argparse
from pathlib import Path

from hudilite.cli import output
from hudilite.format.folders import open_folder
from hudilite.show import page


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "write an HTML page about a table: commits, file groups, rows of each bucket"
    parser = output.command(subparsers, "show", run, words)
    parser.add_argument("path", metavar="PATH", help="folder or URI of the table")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="HTML file to write")
    parser.add_argument(
        "--footers",
        action="store_true",
        help="read row counts from the footers of the files (needs pyarrow)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the page, and prints its path and size."""
    text = page(arguments.path, footers=arguments.footers)
    file = Path(arguments.output)
    file.write_text(text, encoding="utf-8", errors="backslashreplace")
    size = file.stat().st_size
    if arguments.json:
        root = open_folder(arguments.path).root
        output.document({"path": root, "output": str(file), "bytes": size})
    else:
        output.table(("PAGE", "BYTES"), [(str(file), size)])
    return 0
