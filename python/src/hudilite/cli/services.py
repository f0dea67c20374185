"""Commands that run a procedure on a table, such as ``hudilite clean TABLE|PATH``.

Each option is an argument of the procedure, with hyphens. For an option that is not given the
procedure's default applies.
"""

from __future__ import annotations

import argparse
import datetime
from typing import Any

from hudilite.cli import names, output, sessions, tables
from hudilite.sql import calls

_Options = tuple[tuple[str, dict[str, Any]], ...]


def _flag(words: str, **further: object) -> dict[str, Any]:
    return {"action": "store_const", "const": True, "help": words} | further


def _number(kind: Any, words: str) -> dict[str, Any]:
    return {"type": kind, "metavar": "N", "help": words}


_DRY_RUN = ("--dry-run", _flag("only count"))
_SERVICES: tuple[tuple[str, str, _Options], ...] = (
    (
        "clean",
        "delete the base files that no kept state needs",
        (
            ("--retain-commits", _number(names.count, "latest commits whose states stay whole")),
            ("--retain-hours", _number(names.hours, "within which every state stays whole")),
            (
                "--allow-short-retention",
                _flag("fewer hours than a week: a query that began earlier then fails"),
            ),
            _DRY_RUN,
        ),
    ),
    (
        "savepoint",
        "keep the files of a state from every cleaner",
        (
            ("--instant", {"metavar": "INSTANT", "help": "of the state's commit; the latest"}),
            ("--comment", {"metavar": "TEXT", "help": "what it is for"}),
        ),
    ),
    (
        "delete_savepoint",
        "give the files of a savepoint up to the cleaner",
        (("instant", {"metavar": "INSTANT", "help": "of the savepoint"}),),
    ),
    (
        "restore",
        "undo all commits that came after one",
        (
            ("instant", {"metavar": "INSTANT", "help": "of the last commit that stays"}),
            _DRY_RUN,
        ),
    ),
    (
        "remove_orphans",
        "list base files that no commit names",
        (
            ("--older-than-hours", _number(names.count, "since the last change of a file")),
            ("--delete", _flag("and delete them", dest="dry_run", const=False)),
        ),
    ),
    (
        "hive_sync",
        "register the table in Spark's Hive metastore",
        (
            ("--target", {"metavar": "TABLE", "help": "name of the entry"}),
            ("--dry-run", _flag("only compare")),
        ),
    ),
)


def add(subparsers: output.Subparsers) -> None:
    """Adds the parsers of the subcommands."""
    for procedure, does, options in _SERVICES:
        name = procedure.replace("_", "-")
        words = f"{does}: CALL {procedure}, in a session of its own"
        parser = output.command(subparsers, name, run, words)
        tables.add_argument(parser)
        given = [parser.add_argument(flag, **told).dest for flag, told in options]
        sessions.add_options(parser)
        parser.set_defaults(procedure=procedure, given=given)


def run(arguments: argparse.Namespace) -> int:
    """Prints the rows that the procedure returns."""
    text, procedure = arguments.table, arguments.procedure
    given = {name: getattr(arguments, name) for name in arguments.given}
    statement = calls.of_table(procedure, tables.parts(text), given)
    named = procedure == "hive_sync" or not names.is_path(text)
    heads, found = sessions.answer(arguments, statement, named=named)
    rows = [[_cell(cell) for cell in row] for row in found]
    if arguments.json:
        named_rows = [dict(zip(heads, row, strict=True)) for row in rows]
        output.document({"table": text, "procedure": procedure, "rows": named_rows})
    else:
        output.table([head.upper() for head in heads], rows)
    return 0


def _cell(value: object) -> object:
    return value.isoformat(" ") if isinstance(value, datetime.datetime) else value
