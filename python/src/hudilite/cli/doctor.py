"""Command ``hudilite doctor``: checks whether a session can start here, and what to do if not."""

from __future__ import annotations

import argparse

from hudilite.cli import names, output
from hudilite.launch.checks import Check, doctor


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "check whether hudilite can run here, and show what to do if not"
    parser = output.command(subparsers, "doctor", run, words)
    parser.add_argument(
        "--port",
        type=names.port,
        metavar="PORT",
        help="also check that a Thrift server answers at this port",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the report, then raises the first error, which sets stderr and the exit code."""
    report = doctor(port=arguments.port)
    if arguments.json:
        output.document({"ok": report.ok, "checks": [_fields(check) for check in report.checks]})
    else:
        rows = [("ok" if c.ok else "wrong", c.name, c.text) for c in report.checks]
        output.table(("STATE", "CHECK", "TEXT"), rows)
    if report.errors:
        raise report.errors[0]
    return 0


def _fields(check: Check) -> dict[str, object]:
    condition = check.error.condition if check.error else None
    return {"name": check.name, "ok": check.ok, "text": check.text, "condition": condition}
