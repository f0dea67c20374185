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
    words = "create a table over existing Parquet files: CALL bootstrap in a new Spark session"
    parser = output.command(subparsers, "bootstrap", run, words)
    parser.add_argument("table", metavar="TABLE", type=names.table, help="name of the new table")
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="folder or URI with a slash (./events), or the name of a table",
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
        help="partition columns (default: those of the source's folders)",
    )
    parser.add_argument("--location", metavar="PATH", help="folder of the new table")
    parser.add_argument("--dry-run", action="store_true", help="only check each file")
    parser.add_argument(
        "--mode",
        choices=("metadata", "full"),
        help="metadata: adopt the files (default); full: rewrite all files",
    )
    parser.add_argument(
        "--buckets",
        type=names.count,
        metavar="N",
        help="number of buckets of each partition, in mode full",
    )
    parser.add_argument(
        "--partitions",
        metavar="CONDITION",
        help="partitions to include, as a condition after WHERE",
    )
    parser.add_argument(
        "--full-partitions",
        metavar="CONDITION",
        help="partitions to rewrite, as a condition after WHERE",
    )
    parser.add_argument(
        "--parallelism", type=names.count, metavar="N", help="maximum number of parallel tasks"
    )
    parser.add_argument(
        "--skip-corrupt", action="store_true", help="skip files that cannot be read"
    )
    parser.add_argument(
        "--type",
        choices=("cow", "mor"),
        help="cow: copy-on-write (default); mor: merge-on-read",
    )
    parser.add_argument(
        "--ordering-field",
        type=names.listed,
        default=(),
        metavar="COLUMNS",
        help="columns whose greatest values win among rows with one key",
    )
    parser.add_argument(
        "--bloom-filters",
        action="store_true",
        help="give base files of a table with buckets bloom filters",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the result, or in a dry run the planned action for each file."""
    heads, rows = sessions.answer(arguments, _statement(arguments), named=True)
    if not arguments.json:
        output.table([head.upper() for head in heads], rows)
        return 0
    found = [dict(zip(heads, row, strict=True)) for row in rows]
    answer = {"files": found} if arguments.dry_run else {"result": found[0]}
    asked = {"table": ".".join(arguments.table), "source": arguments.source}
    output.document(asked | {"dry_run": arguments.dry_run} | answer)
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
        table_type=arguments.type,
        ordering_field=arguments.ordering_field,
        bloom_filters=arguments.bloom_filters or None,
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
            fix="Write a folder with Parquet files, or the name of a table.",
        )
    return names.whole(text)
