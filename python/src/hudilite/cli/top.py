"""Command ``hudilite top PATH``: shows the running writes of a table, again and again."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise

from hudilite import top
from hudilite.cli import names, output
from hudilite.errors import HudiliteError
from hudilite.printable import plain
from hudilite.top import PendingAction, Running

_HEADS = (
    *("INSTANT", "ACTION", "OPERATION", "STATE", "STATUS", "AGE", "SILENT"),
    *("FILES", "GROUPS", "PLANNED", "BUCKETS", "PARTITIONS", "BYTES", "WRITER"),
)
_INTERVAL = 2.0


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "show the running writes of a table: age, writer, files and buckets so far"
    parser = output.command(subparsers, "top", run, words)
    parser.add_argument("path", metavar="PATH", help="folder or URI of the table")
    parser.add_argument(
        "--interval",
        metavar="SECONDS",
        type=names.seconds,
        default=_INTERVAL,
        help=f"time between two looks on a terminal (default: {_INTERVAL:g})",
    )
    parser.add_argument(
        "--once",
        action="store_true",
        help="look once and end, as always in a pipe and with --json",
    )
    parser.add_argument(
        "--rollback-after",
        metavar="HOURS",
        type=names.hours,
        default=24,
        help="spark.hudilite.write.rollbackAfter of the writers, in hours (default: 24)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Shows the pending actions until Ctrl-C, or once."""
    if arguments.json or arguments.once or not output.can_redraw():
        _show_once(arguments)
        return 0
    try:
        lines = _lines(_read(arguments))
        while True:
            output.redraw(lines)
            time.sleep(arguments.interval)
            lines = _looked_again(arguments)
    except KeyboardInterrupt:
        return 0


def _looked_again(arguments: argparse.Namespace) -> list[str]:
    """Looks at the table; an error may be momentary, as when a file is being replaced."""
    try:
        return _lines(_read(arguments))
    except HudiliteError as error:
        return [plain(str(error).partition("\n")[0])]


def _lines(found: Running) -> list[str]:
    return [*_head(found), *output.table_lines(_HEADS, _rows(found)), *_hints(found)]


def _show_once(arguments: argparse.Namespace) -> None:
    found = _read(arguments)
    if arguments.json:
        output.document(asdict(found) | {"at": found.at.isoformat()})
    else:
        output.lines(_head(found))
        output.table(_HEADS, _rows(found))
        output.lines(_hints(found))


def _read(arguments: argparse.Namespace) -> Running:
    return top.read(arguments.path, rollback_after=3600.0 * arguments.rollback_after)


def _head(found: Running) -> list[str]:
    count = len(found.actions)
    words = f"{count or 'no'} pending action{'' if count == 1 else 's'}"
    lock = f", lock held by {found.lock_owner}" if found.lock_owner else ""
    return [plain(f"{found.path}: {words}{lock}, {found.at:%Y-%m-%d %H:%M:%S} UTC"), ""]


def _rows(found: Running) -> list[list[object]]:
    return [_row(action) for action in found.actions]


def _row(of: PendingAction) -> list[object]:
    ages = duration(of.age_seconds), duration(of.silent_seconds)
    return [
        *(of.time, of.action, of.operation, of.state, of.status, *ages),
        *(of.files, of.groups, of.planned_groups, len(of.buckets) or None, len(of.partitions)),
        *(of.bytes, of.writer),
    ]


def _hints(found: Running) -> list[str]:
    hints = [plain(f"{of.time}: {of.advice}") for of in found.actions if of.advice]
    return ["", *hints] if hints else []


def duration(seconds: float) -> str:
    """Returns a duration in its two largest units.

    Examples:
        >>> [duration(s) for s in (4.9, 65, 7200, 90061)]
        ['4s', '1m05s', '2h00m', '1d01h']
    """
    whole = int(seconds)
    sizes: Sequence[tuple[str, int]] = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))
    for (unit, size), (below, part) in pairwise(sizes):
        if whole >= size:
            return f"{whole // size}{unit}{whole % size // part:02}{below}"
    return f"{whole}s"
