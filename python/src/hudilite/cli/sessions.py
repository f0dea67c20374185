"""Session of a command: started when needed, without Spark's output, stopped at the end."""

from __future__ import annotations

import argparse
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from hudilite.cli import names
from hudilite.errors import HudiliteError, translated
from hudilite.launch import inherited_settings, installation
from hudilite.launch.checks import demand
from hudilite.launch.sessions import session
from hudilite.launch.stage_progress import progress

_CATALOG = "spark.sql.catalogImplementation"
_QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of every command that starts a session."""
    parser.add_argument(
        "--conf",
        action="append",
        type=names.setting,
        default=[],
        metavar="KEY=VALUE",
        help="Spark setting; can be repeated",
    )
    parser.add_argument(
        "--log", metavar="FILE", help="file for Spark's log output (default: discarded)"
    )


@contextmanager
def opened(arguments: argparse.Namespace, *, named: bool) -> Iterator[Any]:
    """Starts a session and stops it after the block; Spark's errors are raised as `HudiliteError`.

    Args:
        arguments: Parsed arguments, with those of `add_options`.
        named: Whether the command uses table names. They are then names in the Hive metastore, as
            in spark-sql, unless a setting says otherwise.

    Raises:
        SessionError: The errors of `hudilite.doctor.demand` and `hudilite.session`.
    """
    demand()
    found = inherited_settings.of_session(os.environ, installation.spark_home())
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
    """Runs a statement in a new session, with a progress line; returns its columns and rows.

    Args:
        arguments: Parsed arguments, with those of `add_options`.
        text: The statement.
        named: Whether the command uses table names, as for `opened`.

    Raises:
        HudiliteError: The errors of the statement.
        HudiliteError: The errors of `opened`.
    """
    with opened(arguments, named=named) as spark, progress(spark):
        frame = spark.sql(text)
        return frame.columns, [list(row) for row in frame.collect()]


@contextmanager
def _aside(log: str | None) -> Iterator[None]:
    """Redirects what other code writes to this process's stderr to a file.

    The text is shown when the block raises an exception other than `HudiliteError` and Ctrl-C.
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
