"""The session of a command: opened when it is needed, quiet, and stopped behind it."""

from __future__ import annotations

import argparse
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from hudilite import given, installation
from hudilite.cli import names
from hudilite.doctor import demand
from hudilite.errors import HudiliteError, translated
from hudilite.progress import progress
from hudilite.session import session

_CATALOG = "spark.sql.catalogImplementation"
_QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that opens a session."""
    parser.add_argument(
        "--conf",
        action="append",
        type=names.setting,
        default=[],
        metavar="KEY=VALUE",
        help="a setting of Spark's; may come again",
    )
    parser.add_argument("--log", metavar="FILE", help="for what Spark prints; lost otherwise")


@contextmanager
def opened(arguments: argparse.Namespace, *, named: bool) -> Iterator[Any]:
    """A session, in which Spark's errors are raised as `HudiliteError`.

    Args:
        arguments: With those of `add_options`.
        named: Whether names of tables count: then they are those of the Hive metastore, as in
            spark-sql, unless a setting says otherwise.

    Raises:
        SessionError: As `hudilite.doctor.demand` and `hudilite.session`.
    """
    demand()
    found = given.inherited(os.environ, installation.spark_home())
    own = _QUIET | ({_CATALOG: "hive"} if named else {})
    conf = {key: value for key, value in own.items() if key not in found} | dict(arguments.conf)
    with ExitStack() as stack:
        stack.enter_context(_aside(arguments.log))
        stack.enter_context(translated())
        spark = session("hudilite", conf=conf)
        stack.callback(spark.stop)
        yield spark


def answer(
    arguments: argparse.Namespace, text: str, *, named: bool
) -> tuple[list[str], list[list[Any]]]:
    """The columns and rows of a statement in a session of its own, with a line of progress.

    Args:
        arguments: With those of `add_options`.
        text: The statement.
        named: As for `opened`.

    Raises:
        HudiliteError: As the statement, and as `opened`.
    """
    with opened(arguments, named=named) as spark, progress(spark):
        frame = spark.sql(text)
        return frame.columns, [list(row) for row in frame.collect()]


@contextmanager
def _aside(log: str | None) -> Iterator[None]:
    """Let what other programs write on this process's stderr go to a file.

    It is shown where something fails that no condition tells.
    """
    sys.stderr.flush()
    own = os.dup(2)
    ours = sys.stderr
    with open(log, "w+b") if log else tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        if _writes_to_2(ours):
            sys.stderr = io.TextIOWrapper(
                io.BufferedWriter(io.FileIO(own, "w", closefd=False)),
                encoding=ours.encoding,
                errors="backslashreplace",
                line_buffering=True,
            )
        try:
            yield
        except (HudiliteError, KeyboardInterrupt):
            raise
        except Exception:
            file.seek(0)
            os.write(own, file.read())
            raise
        finally:
            sys.stderr.flush()
            sys.stderr = ours
            os.dup2(own, 2)
            os.close(own)


def _writes_to_2(stream: Any) -> bool:
    try:
        return bool(stream.fileno() == 2)
    except (AttributeError, io.UnsupportedOperation):
        return False
