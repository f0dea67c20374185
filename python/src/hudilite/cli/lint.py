"""Command ``hudilite lint FILE...``: finds faults in SQL scripts before Spark runs them."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict

from hudilite.cli import output, scripts
from hudilite.lint import RULES, SYNTAX, Declared, Finding, declarations, script
from hudilite.printable import plain


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "find mistakes in SQL scripts, without running them"
    parser = output.command(subparsers, "lint", run, words)
    parser.add_argument("files", metavar="FILE", nargs="+", help="SQL script; - is standard input")
    parser.add_argument(
        "--rule",
        action="append",
        choices=[*RULES, SYNTAX],
        metavar="RULE",
        help=f"check only this rule (and {SYNTAX}); can be repeated: {', '.join(RULES)}",
    )
    parser.add_argument(
        "--tables",
        action="append",
        default=[],
        metavar="FILE",
        help="script with declarations that also apply to the others; can be repeated",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the findings; the exit code is 1 if there are any."""
    texts = [(name, scripts.read(name)) for name in (*arguments.tables, *arguments.files)]
    declaring, asked = texts[: len(arguments.tables)], texts[len(arguments.tables) :]
    known: dict[str, Declared] = {}
    for _, text in declaring:
        known |= declarations(text)
    rules = {SYNTAX, *(arguments.rule or RULES)}
    found = [(name, one) for name, text in declaring for one in script(text) if one.rule == SYNTAX]
    found += [
        (name, one)
        for name, text in asked
        for one in script(text, tables=known)
        if one.rule in rules
    ]
    if arguments.json:
        output.document({"findings": [{"file": name} | asdict(one) for name, one in found]})
    else:
        sys.stdout.writelines(f"{plain(_line(name, one))}\n" for name, one in found)
    return 1 if found else 0


def _line(name: str, one: Finding) -> str:
    return f"{name}:{one.line}:{one.column} {one.rule} {one.message}. {one.fix}"
