"""Command ``hudilite why PATH INSTANT``: shows what a commit did and what it cost."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime

from hudilite import why
from hudilite.cli import output
from hudilite.printable import plain
from hudilite.why import Account, Totals

_HEADS = (
    *("PARTITION", "CREATED", "REWRITTEN", "LOGS", "REPLACED"),
    *("INSERTED", "UPDATED", "DELETED", "WRITTEN", "BYTES"),
)
_SHOWN = 10
_ROW_GROUPS = {
    "copied": "copied",
    "partly_copied": "partly copied",
    "by_columns": "encoded by columns",
    "by_rows": "encoded by rows",
}
_COMPLETED_BY = {
    "name": "",
    "time": " (by the time of its file)",
    "archive": " (by the archive)",
    "": "",
}


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "show what a commit did and what it cost: files, rows, row groups, bytes, seconds"
    parser = output.command(subparsers, "why", run, words)
    parser.add_argument("path", metavar="PATH", help="folder or URI of the table")
    parser.add_argument(
        "instant",
        metavar="INSTANT",
        nargs="?",
        default="latest",
        help="instant of a completed commit, also an archived one (default: latest)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the account of the commit."""
    found = why.read(arguments.path, arguments.instant)
    if arguments.json:
        fields = asdict(found)
        fields |= {name: _iso(getattr(found, name)) for name in ("began", "completed")}
        named = fields["partitions"].items()
        fields["partitions"] = [{"partition": name} | totals for name, totals in named]
        output.document(fields)
        return 0
    output.lines([plain(f"{found.action} {found.time} of {found.path}"), ""])
    figures = {name: text for name, text in _figures(found).items() if text}
    width = max(map(len, figures))
    output.lines([plain(f"{name:{width}}  {text}") for name, text in figures.items()])
    _print_partitions(found.partitions)
    return 0


def _figures(of: Account) -> dict[str, str]:
    totals = of.totals
    read = "" if of.bytes_read is None else f", {of.bytes_read:,} read"
    return {
        "operation": of.operation,
        "began": _moment(of.began),
        "completed": _moment(of.completed) + _COMPLETED_BY[of.completed_by],
        "took": "" if of.seconds is None else f"{of.seconds:,.3f} s",
        "file groups": f"{of.groups_written:,} written, {totals.groups_replaced:,} replaced",
        "files": f"{totals.files_created:,} created, {totals.files_rewritten:,} rewritten, "
        f"{totals.logs_written:,} log files",
        "rows": f"{totals.rows_inserted:,} inserted, {totals.rows_updated:,} updated, "
        f"{totals.rows_deleted:,} deleted, {totals.rows_written:,} in the new files",
        "bytes": f"{totals.bytes_written:,} written{read}",
        "row groups": ", ".join(f"{n:,} {_ROW_GROUPS[kind]}" for kind, n in of.row_groups.items()),
        "not copied": ", ".join(f"{n:,} files {word}" for word, n in of.files_not_copied.items()),
        "phases": _seconds(of.phases),
        "tasks": _seconds(of.task_seconds),
        "retries": "" if of.retries is None else str(of.retries),
        "writer": f"hudilite {of.writer}" if of.writer else "",
        "not recorded": ", ".join(of.unrecorded),
    }


def _print_partitions(partitions: Mapping[str, Totals]) -> None:
    """Prints the totals of the largest partitions, unless the table has no partitions."""
    if set(partitions) <= {""}:
        return
    largest = sorted(partitions, key=lambda p: (-partitions[p].bytes_written, p))
    output.lines([""])
    output.table(_HEADS, [_row(p, partitions[p]) for p in largest[:_SHOWN]])
    if len(largest) > _SHOWN:
        output.lines([f"{len(largest) - _SHOWN} more partitions: see --json"])


def _row(partition: str, of: Totals) -> list[object]:
    return [
        *(partition, of.files_created, of.files_rewritten, of.logs_written, of.groups_replaced),
        *(of.rows_inserted, of.rows_updated, of.rows_deleted, of.rows_written, of.bytes_written),
    ]


def _seconds(phases: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {seconds:,.3f} s" for name, seconds in phases.items())


def _moment(of: datetime | None) -> str:
    return "" if of is None else of.isoformat(" ", "milliseconds")


def _iso(of: datetime | None) -> str | None:
    return of.isoformat() if of else None
