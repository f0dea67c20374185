"""Commands ``hudilite dbt-package`` and ``hudilite dbt-profile``: what a dbt project needs."""

from __future__ import annotations

import argparse
from pathlib import Path

from hudilite.cli import output
from hudilite.launch import installation, settings

PACKAGE = Path(__file__).parents[1] / "dbt_package"


def add(subparsers: output.Subparsers) -> None:
    """Adds the parsers of both subcommands."""
    words = "print packages.yml with hudilite's dbt package, for file_format: hudilite"
    output.command(subparsers, "dbt-package", run_package, words)
    words = "print an output for profiles.yml that runs dbt in a Spark session with hudilite"
    parser = output.command(subparsers, "dbt-profile", run_profile, words)
    parser.add_argument(
        "--schema", metavar="NAME", default="default", help="database of the models (default)"
    )


def run_package(arguments: argparse.Namespace) -> int:
    """Prints ``packages.yml``."""
    if arguments.json:
        output.document({"path": str(PACKAGE)})
    else:
        output.lines(["packages:", f"  - local: {PACKAGE}"])
    return 0


def run_profile(arguments: argparse.Namespace) -> int:
    """Prints one output of ``profiles.yml``."""
    added = settings.to_add({}, installation.jar()) | {settings.PROVIDER: "true"}
    if arguments.json:
        output.document({"server_side_parameters": added})
        return 0
    fields = {"type": "spark", "method": "session", "host": "NA", "schema": arguments.schema}
    output.lines(
        [
            *("session:", *(f"  {key}: {value}" for key, value in fields.items())),
            *("  server_side_parameters:", *(f'    {key}: "{added[key]}"' for key in added)),
        ]
    )
    return 0
