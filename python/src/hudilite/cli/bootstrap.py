"""Command ``hudilite bootstrap TABLE SOURCE``: creates a table from existing Parquet files."""

from __future__ import annotations

import argparse
import os

from hudilite import sql
from hudilite.cli import names, output, sessions
from hudilite.conditions import error_of
from hudilite.sql.names import catalog_of


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "make a table of Parquet files that are there: CALL bootstrap, in a session of its own"
    parser = output.command(subparsers, "bootstrap", run, words)
    parser.add_argument("table", metavar="TABLE", type=names.table, help="the new one's name")
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="with a slash in it a folder, ./events, or its URI; otherwise a table's name",
    )
    parser.add_argument(
        "--key", type=names.listed, required=True, metavar="COLUMNS", help=names.KEY_WORDS
    )
    _add_choices(parser)
    sessions.add_options(parser)


def _add_choices(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--partitioned-by",
        type=names.listed,
        default=(),
        metavar="COLUMNS",
        help="partition columns; those of the source's folders where nothing is said",
    )
    parser.add_argument("--location", metavar="PATH", help="folder of the new table")
    parser.add_argument("--dry-run", action="store_true", help="only look at each file")
    parser.add_argument(
        "--mode", choices=("metadata", "full"), help="adopt the files, or write all rows anew"
    )
    parser.add_argument(
        "--buckets", type=names.count, metavar="N", help="of each partition, in mode full"
    )
    parser.add_argument(
        "--partitions", metavar="CONDITION", help="only these: a condition as after WHERE"
    )
    parser.add_argument(
        "--full-partitions", metavar="CONDITION", help="of these the rows are written anew"
    )
    parser.add_argument("--parallelism", type=names.count, metavar="N", help="most tasks at a time")
    parser.add_argument(
        "--skip-corrupt", action="store_true", help="leave out files that cannot be read"
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the result, or in a dry run the planned action for each file."""
    heads, rows = sessions.answer(arguments, _statement(arguments), named=True)
    if not arguments.json:
        output.table([head.upper() for head in heads], rows)
        return 0
    found = [dict(zip(heads, row, strict=True)) for row in rows]
    told = {"files": found} if arguments.dry_run else {"result": found[0]}
    asked = {"table": ".".join(arguments.table), "source": arguments.source}
    output.document(asked | {"dry_run": arguments.dry_run} | told)
    return 0


def _statement(arguments: argparse.Namespace) -> str:
    parts, location = arguments.table, arguments.location
    return sql.bootstrap(
        parts,
        _source(arguments.source),
        key=arguments.key,
        partitioned_by=arguments.partitioned_by,
        partitions=arguments.partitions,
        full_partitions=arguments.full_partitions,
        location=names.whole(location) if location else None,
        dry_run=arguments.dry_run or None,
        mode=arguments.mode,
        buckets=arguments.buckets,
        parallelism=arguments.parallelism,
        skip_corrupt=arguments.skip_corrupt or None,
        catalog=catalog_of(parts),
    )


def _source(text: str) -> str:
    if not names.is_path(text):
        return text
    if names.is_local(text) and not os.path.exists(text):
        raise error_of(
            "HUDILITE_PATH_INVALID",
            path=text,
            reason="no such file or directory",
            fix="Name a folder of Parquet files, or a table without a slash.",
        )
    return names.whole(text)
