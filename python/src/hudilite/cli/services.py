"""Commands that run a procedure on a table, such as ``hudilite clean TABLE|PATH``.

Each option is an argument of the procedure, with hyphens. For an absent option the
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


_WITHOUT_YES: dict[str, Any] = {"dest": "dry_run", "const": False, "default": True}
_YES = ("--yes", _flag("do it; without this, the command only lists", **_WITHOUT_YES))
_SERVICES: tuple[tuple[str, str, _Options], ...] = (
    (
        "clean",
        "delete old base and log files that no kept version needs",
        (
            (
                "--retain-commits",
                _number(names.count, "number of latest commits whose files are kept"),
            ),
            ("--retain-hours", _number(names.hours, "hours for which all files are kept")),
            (
                "--allow-short-retention",
                _flag("allow fewer hours than a week; older queries that still run then fail"),
            ),
            _YES,
        ),
    ),
    (
        "savepoint",
        "protect the files of a version from being cleaned",
        (
            (
                "--instant",
                {"metavar": "INSTANT", "help": "instant of the version (default: the latest)"},
            ),
            ("--comment", {"metavar": "TEXT", "help": "comment that is stored in the savepoint"}),
        ),
    ),
    (
        "delete_savepoint",
        "delete a savepoint, so that a clean may delete its files",
        (("instant", {"metavar": "INSTANT", "help": "instant of the savepoint"}),),
    ),
    (
        "restore",
        "undo all commits after the given one",
        (
            ("instant", {"metavar": "INSTANT", "help": "instant of the last commit to keep"}),
            _YES,
        ),
    ),
    (
        "remove_orphans",
        "delete base files of failed writers, which no commit lists",
        (
            ("--older-than-hours", _number(names.count, "hours since the last change of a file")),
            _YES,
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
        words = f"{does}: CALL {procedure} in a new Spark session"
        parser = output.command(subparsers, name, run, words)
        tables.add_argument(parser)
        names_of_options = [
            parser.add_argument(flag, **settings).dest for flag, settings in options
        ]
        sessions.add_options(parser)
        parser.set_defaults(procedure=procedure, procedure_arguments=names_of_options)


def run(arguments: argparse.Namespace) -> int:
    """Prints the rows that the procedure returns."""
    text, procedure = arguments.table, arguments.procedure
    values = {name: getattr(arguments, name) for name in arguments.procedure_arguments}
    statement = calls.of_table(procedure, tables.parts(text), values)
    named = procedure == "hive_sync" or not names.is_path(text)
    heads, found = sessions.answer(arguments, statement, named=named)
    rows = [[_cell(cell) for cell in row] for row in found]
    if arguments.json:
        named_rows = [dict(zip(heads, row, strict=True)) for row in rows]
        output.document({"table": text, "procedure": procedure, "rows": named_rows})
    else:
        output.table([head.upper() for head in heads], rows)
    if values.get("dry_run") and procedure != "hive_sync":
        output.note("Nothing was changed. To do it, add --yes.")
    return 0


def _cell(value: object) -> object:
    return value.isoformat(" ") if isinstance(value, datetime.datetime) else value
