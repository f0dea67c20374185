"""The house rules that no ready linter knows; each check gives one line a fault.

Usage: house.py [--junit FILE]. Exits 1 when a check finds something.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

import catches
import errors_doc
import junit
import packages
import places
import python_imports
import readme_chart
import reliability
import reproducers
import rooms
import settings_doc
import support_doc
import texts

CHECKS: dict[str, Callable[[], Iterator[str]]] = {
    "packages import only what packages.py allows": rooms.scala_faults,
    "no packages import each other": rooms.circle_faults,
    "the table in sql-extension/README.md is what its generator writes": packages.faults,
    "Python modules import only what their table allows": python_imports.faults,
    "exec uses no Dataset": rooms.dataset_faults,
    "no two classes have one name": rooms.twin_faults,
    "core casts nothing": rooms.cast_faults,
    "files are opened in io alone": rooms.file_faults,
    "data files are created by one class": rooms.data_file_faults,
    "names of metadata files stand in the layout": places.name_faults,
    "the layout's codec alone knows the content of instants' files": places.form_faults,
    "a catch rethrows, wraps or is on the list": catches.faults,
    "no address or machine path in a tracked file": texts.address_faults,
    "no banned word in a file name": texts.name_faults,
    "no ignored block in a golden file": texts.ignored_faults,
    "docs/errors.md is what its generator writes": errors_doc.faults,
    "docs/reliability.md is what its generator writes": reliability.faults,
    "docs/settings.md is what its generator writes": settings_doc.faults,
    "docs/support.md is what its generator writes": support_doc.faults,
    "the README has the figures of the pages of benchmarks": readme_chart.faults,
    "every condition has a test that raises it": reproducers.faults,
    "no mark of an unfinished merge": texts.conflict_faults,
}


def main() -> int:
    """Run every check; print what they found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--junit")
    arguments = parser.parse_args()
    found = {name: list(check()) for name, check in CHECKS.items()}
    for faults in found.values():
        print("\n".join(faults), end="\n" if faults else "")
    if arguments.junit:
        junit.write(arguments.junit, "house", found)
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
