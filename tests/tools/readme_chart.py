"""The chart of the README and the words beside it, from the figures of docs/benchmarks.md.

Usage: readme_chart.py. It measures nothing: what the page of the benchmarks has is drawn as it is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from files import ROOT

PAGE = ROOT / "docs" / "benchmarks.md"
README = ROOT / "README.md"
CHART = ROOT / "docs" / "benchmarks" / "merge.png"
CASE = "2"
BEGIN, END = "<!-- Written by tests/tools/readme_chart.py -->", "<!-- End of the written part -->"
OURS = "hudilite"


def seconds(page: str) -> dict[str, float]:
    """The seconds of a MERGE by system, ours first, then the fastest.

    Raises:
        ValueError: where the page has no such case.
    """
    section = re.search(rf"^## Case {CASE}: .*?(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    table = re.search(r"^\| system \|.*?\n\n", section[0], re.M | re.DOTALL) if section else None
    if not table:
        raise ValueError(f"docs/benchmarks.md has no table of case {CASE}")
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines()
    ]
    at = head.index("MERGE s")
    found = {row[0]: float(row[at]) for row in rows if row != [""]}
    return dict(sorted(found.items(), key=lambda one: (one[0] != OURS, one[1])))


def rows_of(page: str) -> int:
    """The rows of the table that the case merges into, by the command of the run."""
    commands = re.findall(r"--rows (\d+)[^\n]*--cases (\S+?)[\"\s]", page)
    return next(int(rows) for rows, cases in commands if CASE in cases.split(","))


def told(page: str) -> str:
    """What the chart shows, in words."""
    figures = ", ".join(f"{name} {one:.1f} s" for name, one in seconds(page).items())
    return f"{_title(page)}: {figures}"


def words(page: str) -> str:
    """The lines of the README that have figures."""
    return (
        f"{BEGIN}\n\n![{told(page)}](docs/benchmarks/merge.png)\n\n"
        f"*Medians, on two cores. [All cases](docs/benchmarks.md), [merge-on-read tables](docs/merge-on-read-benchmarks.md), and where hudilite loses.*\n\n{END}"
    )


def faults() -> Iterator[str]:
    """A README or a chart that has other figures than the page."""
    page = PAGE.read_text(encoding="utf-8")
    if words(page) not in README.read_text(encoding="utf-8"):
        yield "README.md has other figures than docs/benchmarks.md: run make fmt"
    if not CHART.is_file() or told(page).encode() not in CHART.read_bytes():
        yield f"{CHART.name} shows other figures than docs/benchmarks.md: run make fmt"


def main() -> int:
    """Draw the chart and write the lines, if they are not those of the page."""
    if not list(faults()):
        return 0
    from bench.beside import plots

    page, readme = PAGE.read_text(encoding="utf-8"), README.read_text(encoding="utf-8")
    plots.draw_merge(f"{_title(page)}: seconds", seconds(page), told(page), CHART)
    before, after = readme.split(BEGIN)[0], readme.split(END)[1]
    README.write_text(before + words(page) + after, encoding="utf-8")
    return 0


def _title(page: str) -> str:
    millions = rows_of(page) / 1_000_000
    return f"A MERGE that updates 1 % of {millions:g} million rows"


if __name__ == "__main__":
    sys.exit(main())
