"""Command ``hudilite thriftserver``: runs Spark's Thrift server with hudilite until it ends."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from hudilite.cli import names, output
from hudilite.launch import ports, programs
from hudilite.launch.thrift_server import Server, local, signals_as_interrupts
from hudilite.printable import plain

_DONE, _INTERRUPTED = 0, 130
_SETTINGS = {
    "hive.server2.thrift.port": "use --port",
    "hive.server2.thrift.bind.host": "use --host",
    "hive.server2.transport.mode": "only the binary transport is supported",
}


def add(subparsers: output.Subparsers) -> None:
    """Adds the parser of the subcommand."""
    words = "start Spark's Thrift server with hudilite; other arguments are passed to spark-submit"
    parser = output.starter(subparsers, "thriftserver", run, words)
    parser.add_argument(
        "--port",
        type=names.port,
        default=ports.PORT,
        metavar="PORT",
        help=f"port to listen on (default: {ports.PORT})",
    )
    parser.add_argument(
        "--host",
        default=ports.HOST,
        metavar="HOST",
        help=f"address to listen on (default: {ports.HOST})",
    )
    parser.add_argument(
        "--log", metavar="FILE", help="file for the server's log output (default: a temporary file)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Starts the server, prints its JDBC URL once it answers, and stops it on Ctrl-C."""
    for word in arguments.further:
        refused = _SETTINGS.get(word.removeprefix("--hiveconf=").partition("=")[0])
        if refused:
            arguments.wrong(f"{word}: {refused}")
    host, port = arguments.host, arguments.port
    program = programs.thrift_server(arguments.further, host=host, port=port)
    ports.check_free(host, port)
    log = Path(arguments.log or _temporary())
    answered = False
    with signals_as_interrupts():
        server = Server(program, log)
        try:
            server.await_port(host, port)
            answered = True
            if sys.stderr.isatty():
                sys.stderr.write(f"log: {plain(str(log))}; Ctrl-C stops the server\n")
            sys.stdout.write(f"{ports.url(local(host), port)}\n")
            sys.stdout.flush()
            raise server.await_end()
        except KeyboardInterrupt:
            if not arguments.log:
                log.unlink()
            return _DONE if answered else _INTERRUPTED
        finally:
            server.stop()


def _temporary() -> str:
    handle, path = tempfile.mkstemp(prefix="hudilite-thriftserver-", suffix=".log")
    os.close(handle)
    return path
