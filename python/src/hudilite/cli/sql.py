"""``hudilite sql [ARGS...]``: Spark's shell for SQL, ready for hudilite."""

from __future__ import annotations

import argparse

from hudilite import programs
from hudilite.cli import output


def add(subparsers: output.Subparsers) -> None:
    """Add the subcommand."""
    words = "start spark-sql with hudilite; all further arguments are spark-sql's"
    output.starter(subparsers, "sql", run, words)


def run(arguments: argparse.Namespace) -> int:
    """Become spark-sql."""
    programs.spark_sql(arguments.further).take_over()
