"""Command ``hudilite run FILE``: runs a SQL script in spark-sql."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from hudilite.cli import names, output, scripts
from hudilite.launch import programs

_OF_SPARK_SQL = ("-d", "-define", "-database", "-e", "-f", "-hiveconf", "-hivevar", "-i")
WITH_VALUE = {
    *_OF_SPARK_SQL,
    *(f"-{option}" for option in _OF_SPARK_SQL if len(option) > 2),
    *("-c", "--archives", "--class", "--conf", "--deploy-mode", "--driver-class-path"),
    *("--driver-cores", "--driver-default-class-path", "--driver-java-options"),
    *("--driver-library-path", "--driver-memory", "--exclude-packages", "--executor-cores"),
    *(
        "--executor-memory",
        "--extra-properties-file",
        "--files",
        "--jars",
        "--keytab",
        "--kill",
        "--master",
        "--name",
    ),
    *("--num-executors", "--packages", "--principal", "--properties-file", "--proxy-user"),
    *("--py-files", "--queue", "--remote", "--repositories", "--status"),
    "--total-executor-cores",
}
"""Options of spark-sql and spark-submit whose value is the next argument."""


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "run a SQL script in spark-sql with hudilite; other arguments are passed to spark-sql"
    parser = output.starter(subparsers, "run", run, words)
    parser.add_argument("file", metavar="FILE", help="SQL script or its URI; - is standard input")


def run(arguments: argparse.Namespace) -> int:
    """Replaces this process by spark-sql, which ends after the script or at the first error."""
    found = _split(arguments.words)
    file, others = found or arguments.wrong("the following arguments are required: FILE")
    file = "/dev/stdin" if file == scripts.STDIN else file
    # A pipe can be read only once.
    if names.is_local(file) and not (Path(file).is_fifo() or Path(file).is_char_device()):
        scripts.read(file)
    programs.spark_sql(["-f", file, *others]).take_over()


def _split(words: Sequence[str]) -> tuple[str, list[str]] | None:
    """Returns the script, which is the first word that is no option or its value, and the rest.

    A word of two dashes before the script is left out.
    """
    before = ""
    for at, word in enumerate(words):
        is_option = word.startswith("-") and word != scripts.STDIN and before != "--"
        if not is_option and before not in WITH_VALUE:
            return word, [*words[: at - (before == "--")], *words[at + 1 :]]
        before = "" if before in WITH_VALUE else word
    return None
