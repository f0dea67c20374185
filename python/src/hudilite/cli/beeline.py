"""Command ``hudilite beeline``: starts Spark's JDBC client on a Thrift server."""

from __future__ import annotations

import argparse

from hudilite.cli import names, output
from hudilite.launch import ports, programs


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "connect Beeline to a Thrift server; other arguments are passed to Beeline"
    parser = output.starter(subparsers, "beeline", run, words)
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "--port",
        type=names.port,
        metavar="PORT",
        help=f"port of a server on this machine (default: {ports.PORT})",
    )
    place.add_argument("--url", metavar="URL", help="JDBC URL of a server: jdbc:hive2://host:port")


def run(arguments: argparse.Namespace) -> int:
    """Replaces this process by Beeline, after checking that a server on this machine answers."""
    url = arguments.url
    if "-u" in arguments.further:
        if url or arguments.port:
            arguments.wrong("use only one of -u, --url and --port")
    elif url is None:
        port = arguments.port or ports.PORT
        ports.check_answers(ports.HOST, port)
        url = ports.url(ports.HOST, port)
    programs.beeline(arguments.further, url=url).take_over()
