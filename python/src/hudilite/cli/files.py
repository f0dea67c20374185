"""Command ``hudilite files PATH``: lists the base files that a reader of a table opens."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from posixpath import basename

from hudilite.cli import output
from hudilite.files import BaseFile, read
from hudilite.format.folders import open_folder

_HEADS = ("PARTITION", "BUCKET", "ROWS", "BYTES", "INSTANT", "FILE", "SOURCE")


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "list the newest base file of each file group of a table"
    parser = output.command(subparsers, "files", run, words)
    parser.add_argument("path", metavar="PATH", help="folder or URI of the table")
    parser.add_argument("--at", metavar="INSTANT", help="list the table as of this instant")
    parser.add_argument(
        "--partition", metavar="P", help="list only this partition, for example month=3"
    )
    parser.add_argument(
        "--footers",
        action="store_true",
        help="read row counts from the footers of the files (needs pyarrow)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the base files."""
    found = read(
        arguments.path,
        arguments.at,
        partition=arguments.partition,
        footers=arguments.footers,
    )
    if arguments.json:
        files = [asdict(file) for file in found]
        root = open_folder(arguments.path).root
        output.document({"path": root, "at": arguments.at, "files": files})
    else:
        output.table(_HEADS, [_row(file) for file in found])
    return 0


def _row(file: BaseFile) -> list[object]:
    place = (file.partition, file.bucket, file.rows, file.bytes, file.instant)
    return [*place, basename(file.path), file.source]
