"""Command ``hudilite sql [ARGS...]``: starts spark-sql with hudilite."""

from __future__ import annotations

import argparse

from hudilite.cli import output
from hudilite.launch import programs


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "start spark-sql with hudilite; all arguments are passed to spark-sql"
    output.starter(subparsers, "sql", run, words)


def run(arguments: argparse.Namespace) -> int:
    """Replaces this process by spark-sql."""
    programs.spark_sql(arguments.further).take_over()
