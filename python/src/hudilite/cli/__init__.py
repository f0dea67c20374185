"""Command line ``hudilite``: one module per subcommand, or per several subcommands of one kind.

Each module has ``add``, which adds the parser, and ``run``. Only the module of the given command is
imported: importing sqlglot takes most of the start time, and few commands read SQL.

Exit codes: 0 done; 1 the request failed, and the first line on stderr is ``error: [CONDITION]
text``; 2 the arguments are wrong; 3 a path does not exist or cannot be opened; 130 Ctrl-C.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

from hudilite.cli import output
from hudilite.conditions import error_of
from hudilite.errors import HudiliteError, SparkError
from hudilite.printable import plain
from hudilite.version import __version__

DONE, WRONG, USAGE, NO_PATH, INTERRUPTED = 0, 1, 2, 3, 130

_SERVICES = ("clean", "savepoint", "delete-savepoint", "restore", "remove-orphans", "hive-sync")
_MODULES = (
    {name: name for name in ("sql", "run", "thriftserver", "beeline")}
    | {name: name for name in ("lint", "convert", "lineage", "bootstrap", "verify")}
    | dict.fromkeys(_SERVICES, "services")
    | {name: name for name in ("timeline", "files", "show", "top", "why", "errors", "doctor")}
    | dict.fromkeys(("dbt-package", "dbt-profile"), "dbt")
)
"""The module of each command, in the order of the help."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        arguments: Arguments from the shell, without the program's name; None for those of the
            process.

    Returns:
        The exit code. It is 0 also when the reader of a pipe closes it early.

    Examples:
        >>> main(["errors", "--help"])  # doctest: +SKIP
    """
    output.ready()
    words = sys.argv[1:] if arguments is None else arguments
    try:
        parser = _parser(words)
        asked, further = parser.parse_known_args(words)
        if further and not asked.passes_on:
            parser.error(f"unrecognized arguments: {' '.join(further)}")
        asked.further, asked.words = further, words[1:]
        with warnings.catch_warnings():
            warnings.showwarning = output.warn
            code = int(asked.run(asked))
        sys.stdout.flush()
        return code
    except SystemExit:  # --help, --version and wrong arguments
        output.finish()
        raise
    except BrokenPipeError:
        output.discard()
        return DONE
    except OSError as error:
        if error.filename is None:
            output.discard()
        return _failed(
            error_of(
                "HUDILITE_PATH_INVALID",
                path=str(error.filename or "standard output"),
                reason=(error.strerror or str(error)).lower(),
                fix="Free disk space, or write to another path.",
            )
        )
    except HudiliteError as error:
        return _failed(error)
    except KeyboardInterrupt:
        return INTERRUPTED


def _failed(error: HudiliteError) -> int:
    # Messages of Spark can have several lines.
    text = " ".join(error.message.split()) if isinstance(error, SparkError) else error.message
    line = plain(f"error: [{error.condition}] {text}")
    with suppress(OSError):
        sys.stderr.write(f"{line}\n")
    return NO_PATH if error.condition == "HUDILITE_PATH_INVALID" else WRONG


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Returns the parser of the command that the first word names, or of all commands."""
    parser = argparse.ArgumentParser(
        prog="hudilite",
        description="Run Spark with hudilite, check SQL scripts, and inspect and maintain tables.",
        epilog="exit codes: 0 success, 1 failure, 2 wrong arguments, 3 no access to a path",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"hudilite {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    asked = [_MODULES[word] for word in words[:1] if word in _MODULES]
    for module in asked or dict.fromkeys(_MODULES.values()):
        import_module(f"hudilite.cli.{module}").add(subparsers)
    return parser
