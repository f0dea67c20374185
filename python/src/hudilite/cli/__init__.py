"""The command line ``hudilite``: one module a subcommand or a kind, each with ``add`` and ``run``.

Exit codes: 0 done; 1 what was asked for is wrong, and the first line on stderr is
``error: [CONDITION] text``; 2 the arguments are wrong; 3 a path is missing or may not be opened.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from hudilite.cli import (
    beeline,
    bootstrap,
    convert,
    doctor,
    errors,
    files,
    lineage,
    lint,
    output,
    run,
    services,
    show,
    sql,
    thriftserver,
    timeline,
    verify,
)
from hudilite.conditions import error_of
from hudilite.errors import HudiliteError, SparkError
from hudilite.printable import plain

DONE, WRONG, USAGE, NO_PATH, INTERRUPTED = 0, 1, 2, 3, 130

_COMMANDS = (
    *(sql, run, thriftserver, beeline),
    *(lint, convert, lineage),
    *(bootstrap, verify, services),
    *(timeline, files, show, errors, doctor),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: As the shell gives them, without the program's name; those of the process when
            None.

    Returns:
        The exit code. A pipe that its reader closes early is no fault: 0.

    Examples:
        >>> main(["errors", "--help"])  # doctest: +SKIP
    """
    output.ready()
    parser = _parser()
    asked, further = parser.parse_known_args(arguments)
    if further and not asked.passes_on:
        parser.error(f"unrecognized arguments: {' '.join(further)}")
    asked.further = further
    try:
        code = int(asked.run(asked))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # What is still buffered has no reader: the interpreter must not try again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        return _failed(
            error_of(
                "HUDILITE_PATH_INVALID",
                path=str(error.filename or "standard output"),
                reason=(error.strerror or str(error)).lower(),
                fix="Make room, or write elsewhere.",
            )
        )
    except HudiliteError as error:
        return _failed(error)
    except KeyboardInterrupt:
        return INTERRUPTED


def _failed(error: HudiliteError) -> int:
    # Spark's own texts may have several lines.
    text = " ".join(error.message.split()) if isinstance(error, SparkError) else error.message
    line = plain(f"error: [{error.condition}] {text}")
    sys.stderr.write(f"{line}\n")
    return NO_PATH if error.condition == "HUDILITE_PATH_INVALID" else WRONG


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hudilite",
        description="Work with hudilite's tables, and find out what went wrong.",
        epilog="exit codes: 0 done, 1 wrong, 2 usage, 3 no such path or not allowed",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"hudilite {version('hudilite')}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add(subparsers)
    return parser
