"""Command ``hudilite doctor``: checks whether a session can start here, and what to do if not.

With ``--location`` it also starts one, and checks whether tables can be written to a location.
"""

from __future__ import annotations

import argparse
import sys

from hudilite.cli import names, output, sessions
from hudilite.launch.checks import Check, doctor
from hudilite.sql import calls

_OK = "ok"
_FAILED = "failed"


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
    parser.add_argument(
        "--location",
        metavar="PATH",
        help="also check that tables can be written to this folder or URI: "
        "CALL check_storage in a new Spark session",
    )
    sessions.add_options(parser)
    parser.set_defaults(wrong=parser.error)


def run(arguments: argparse.Namespace) -> int:
    """Prints the report, then raises the first error, which sets stderr and the exit code.

    If there is no error, prints the steps of the check of the location; the exit code is 1 if one
    of them has failed.
    """
    location = arguments.location
    if location is None and (arguments.conf or arguments.log):
        arguments.wrong("--conf and --log are settings of the session that --location starts")
    report = doctor(port=arguments.port)
    if not arguments.json:
        rows = [(_OK if c.ok else "wrong", c.name, c.text) for c in report.checks]
        output.table(("STATE", "CHECK", "TEXT"), rows)
    steps = _steps(arguments, location) if location is not None and report.ok else []
    is_ok = all(step["outcome"] != _FAILED for step in steps)
    if arguments.json:
        checks = {"checks": [_fields(check) for check in report.checks]}
        asked = {} if location is None else {"location": location, "steps": steps}
        output.document({"ok": report.ok and is_ok} | checks | asked)
    elif steps:
        sys.stdout.write("\n")
        output.table([name.upper() for name in steps[0]], [list(step.values()) for step in steps])
    if report.errors:
        raise report.errors[0]
    return 0 if is_ok else 1


def _steps(arguments: argparse.Namespace, location: str) -> list[dict[str, object]]:
    statement = calls.call("check_storage", {"location": names.whole(location)})
    heads, rows = sessions.answer(arguments, statement, named=False)
    return [dict(zip(heads, row, strict=True)) for row in rows]


def _fields(check: Check) -> dict[str, object]:
    condition = check.error.condition if check.error else None
    return {"name": check.name, "ok": check.ok, "text": check.text, "condition": condition}
