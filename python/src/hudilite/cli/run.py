"""Command ``hudilite run FILE``: runs a SQL script in spark-sql."""

from __future__ import annotations

import argparse

from hudilite.cli import names, output, scripts
from hudilite.launch import programs


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "run a SQL script in spark-sql with hudilite; other arguments are passed to spark-sql"
    parser = output.starter(subparsers, "run", run, words)
    parser.add_argument("file", metavar="FILE", help="SQL script or its URI")


def run(arguments: argparse.Namespace) -> int:
    """Replaces this process by spark-sql, which ends after the script or at the first error."""
    if names.is_local(arguments.file):
        scripts.read(arguments.file)
    programs.spark_sql(["-f", arguments.file, *arguments.further]).take_over()
