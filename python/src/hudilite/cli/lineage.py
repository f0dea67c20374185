"""Command ``hudilite lineage FILE``: shows the origins of each column that MERGE clauses write."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict

from hudilite.cli import output, scripts
from hudilite.lineage import Clause, Merged, Origin, script
from hudilite.lint import Declared, declarations

_HEADS = ("LINE", "TARGET", "CLAUSE", "WHEN", "ACTION", "COLUMN", "ORIGINS", "CONDITION")


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "show from which columns each clause of a MERGE computes each column"
    parser = output.command(subparsers, "lineage", run, words)
    parser.add_argument("file", metavar="FILE", help="SQL script; - is standard input")
    parser.add_argument(
        "--tables",
        action="append",
        default=[],
        metavar="FILE",
        help="script with declarations that also apply to FILE; can be repeated",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints one row for each column that a clause writes."""
    known: dict[str, Declared] = {}
    for name in arguments.tables:
        known |= declarations(scripts.read(name))
    text = scripts.read(arguments.file)
    with scripts.located(arguments.file, text):
        found = script(text, tables=known)
    if arguments.json:
        output.document({"merges": [asdict(one) for one in found]})
    else:
        output.table(_HEADS, [row for one in found for row in _rows(one)])
    return 0


def _rows(one: Merged) -> Iterator[list[object]]:
    for clause in one.clauses:
        place = [one.line, one.target, clause.number, clause.when, clause.action]
        for column, origins in _columns(clause):
            yield [*place, column, origins, _words(clause.condition)]


def _columns(clause: Clause) -> list[tuple[str, str]]:
    """Returns the columns that a clause writes, with their origins; one empty pair for DELETE."""
    return [(one.column, _words(one.origins)) for one in clause.columns] or [("", "")]


def _words(origins: tuple[Origin, ...]) -> str:
    return ", ".join(map(str, origins))
