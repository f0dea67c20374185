"""Command ``hudilite errors [CONDITION]``: shows error conditions and what to do."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from hudilite.cli import output
from hudilite.conditions import every, named


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "show what an error condition means and what to do, or list all"
    parser = output.command(subparsers, "errors", run, words)
    parser.add_argument(
        "condition",
        metavar="CONDITION",
        nargs="?",
        help="name of the condition: HUDILITE_NULL_KEY or null_key",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints one condition, or all conditions."""
    asked = arguments.condition
    found = list(every().values()) if asked is None else [named(asked)]
    if arguments.json:
        output.document({"conditions": [asdict(condition) for condition in found]})
    else:
        rows = [(c.condition, c.sql_state, c.python, c.message) for c in found]
        output.table(("CONDITION", "SQLSTATE", "PYTHON", "MESSAGE"), rows)
    return 0
