"""Command ``hudilite convert FILE --from FORMAT``: converts CREATE TABLE of other formats."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict

from hudilite.cli import names, output, scripts
from hudilite.convert import SOURCES, script
from hudilite.printable import plain


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "convert CREATE TABLE statements of other formats to hudilite, without running them"
    parser = output.command(subparsers, "convert", run, words)
    parser.add_argument("file", metavar="FILE", help="SQL script; - is standard input")
    parser.add_argument(
        "--from", dest="source", choices=sorted(SOURCES), required=True, help="format of the script"
    )
    parser.add_argument(
        "--key", type=names.listed, default=(), metavar="COLUMNS", help=names.KEY_WORDS
    )
    parser.add_argument(
        "--buckets",
        type=names.count,
        metavar="N",
        help="number of buckets (files) of each partition",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the new statements on stdout, and what they leave out on stderr."""
    text = scripts.read(arguments.file)
    with scripts.located(arguments.file, text):
        made = script(text, source=arguments.source, key=arguments.key, buckets=arguments.buckets)
    if arguments.json:
        output.document({"tables": [asdict(one) for one in made]})
        return 0
    for one in made:
        sys.stdout.write(f"{one.sql};\n")
        sys.stderr.writelines(f"left out: {plain(str(dropped))}\n" for dropped in one.report)
    return 0
