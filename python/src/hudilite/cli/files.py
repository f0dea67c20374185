"""Command ``hudilite files PATH``: lists the base and log files that a reader of a table opens."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from posixpath import basename

from hudilite import table_facts
from hudilite.cli import output
from hudilite.files import FileSlice, slices
from hudilite.format.folders import open_folder

_HEADS = ("PARTITION", "BUCKET", "ROWS", "BYTES", "INSTANT", "FILE", "SOURCE")


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "list the newest base file of each file group of a table, and its log files"
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
    """Prints the files."""
    found = slices(
        arguments.path,
        arguments.at,
        partition=arguments.partition,
        footers=arguments.footers,
    )
    if arguments.json:
        facts = table_facts.read(arguments.path)
        root = open_folder(arguments.path).root
        document: dict[str, object] = {"path": root, "at": arguments.at}
        if facts.type == "COPY_ON_WRITE" and not any(of.logs for of in found):
            document["files"] = [asdict(of.base) for of in found if of.base]
        else:
            document["slices"] = [asdict(of) | {"needs": of.needs} for of in found]
        output.document(document)
    else:
        output.table(_HEADS, [row for of in found for row in _rows(of)])
    return 0


def _rows(found: FileSlice) -> list[list[object]]:
    """Returns the lines of a slice: its base file, then its log files, which have no row count."""
    place = [found.partition, found.bucket]
    base = found.base
    of_base: list[list[object]] = [
        [*place, file.rows, file.bytes, file.instant, basename(file.path), file.source]
        for file in ([base] if base else [])
    ]
    return of_base + [
        [*place, None, log.bytes, log.instant, basename(log.path), None] for log in found.logs
    ]
