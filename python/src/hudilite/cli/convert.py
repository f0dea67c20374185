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
    words = "write each CREATE TABLE of another format as one of hudilite; nothing is run"
    parser = output.command(subparsers, "convert", run, words)
    parser.add_argument("file", metavar="FILE", help="a script; - is standard input")
    parser.add_argument(
        "--from", dest="source", choices=sorted(SOURCES), required=True, help="the other format"
    )
    parser.add_argument(
        "--key", type=names.listed, default=(), metavar="COLUMNS", help=names.KEY_WORDS
    )
    parser.add_argument("--buckets", type=names.count, metavar="N", help="files of a partition")


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
