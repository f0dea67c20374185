"""Command ``hudilite timeline PATH``: shows the instants of a table, oldest first."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from hudilite.cli import output
from hudilite.timeline import Instant, read

_HEADS = (
    *("INSTANT", "ACTION", "STATE", "OPERATION"),
    *("WRITTEN", "INSERTED", "UPDATED", "DELETED", "FILES", "BYTES", "PARTITIONS"),
)


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "list the instants of a table with the result of each commit, oldest first"
    parser = output.command(subparsers, "timeline", run, words)
    parser.add_argument("path", metavar="PATH", help="folder or URI of the table")


def run(arguments: argparse.Namespace) -> int:
    """Prints the timeline."""
    found = read(arguments.path)
    if arguments.json:
        instants = [asdict(instant) for instant in found.instants]
        output.document({"path": found.path, "instants": instants})
    else:
        output.table(_HEADS, [_row(instant) for instant in found.instants])
    return 0


def _row(instant: Instant) -> list[object]:
    done = instant.completion
    result: list[object] = [None] * 8
    if done:
        result = [
            *(done.operation, done.rows_written, done.rows_inserted, done.rows_updated),
            *(done.rows_deleted, done.files_written, done.bytes_written, len(done.partitions)),
        ]
    return [instant.time, instant.action, instant.state, *result]
