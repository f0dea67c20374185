"""The chart of the README and the words beside it, from the figures of the two pages of benchmarks.

Usage: readme_chart.py. It measures nothing: what the pages have is drawn as it is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from files import ROOT

README = ROOT / "README.md"
CHART = ROOT / "docs" / "benchmarks" / "merge.png"
CASE = "2"
BEGIN, END = "<!-- Written by tests/tools/readme_chart.py -->", "<!-- End of the written part -->"


@dataclass(frozen=True)
class Part:
    """Bars of the chart: what one page has of the case.

    Attributes:
        title: Above them.
        page: With the figures.
        ours: The row that comes first.
        without: Rows of our other tables.
    """

    title: str
    page: Path
    ours: str
    without: tuple[str, ...] = ()


PARTS = (
    Part("Our table is copy-on-write", ROOT / "docs" / "benchmarks.md", "hudilite"),
    Part(
        "Our table is merge-on-read",
        ROOT / "docs" / "merge-on-read-benchmarks.md",
        "hudilite, merge on read",
        ("hudilite", "hudilite, merge on read, exact counts"),
    ),
)


def seconds(part: Part) -> dict[str, float]:
    """The seconds of a MERGE by system, ours first, then the fastest.

    Raises:
        ValueError: where the page has no such case.
    """
    page = part.page.read_text(encoding="utf-8")
    section = re.search(rf"^### Case {CASE}: .*?(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
    table = re.search(r"^\| system \|.*?\n\n", section[0], re.M | re.DOTALL) if section else None
    if not table:
        raise ValueError(f"{part.page.name} has no table of case {CASE}")
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines()
    ]
    at = head.index("MERGE s")
    found = {row[0]: float(row[at]) for row in rows if row != [""] and row[0] not in part.without}
    return dict(sorted(found.items(), key=lambda one: (one[0] != part.ours, one[1])))


def rows_of(part: Part) -> int:
    """The rows of the table that the case merges into, by the command of the run."""
    commands = re.findall(
        r"--rows (\d+)[^\n]*--cases (\S+?)[\"\s]", part.page.read_text(encoding="utf-8")
    )
    return next(int(rows) for rows, cases in commands if CASE in cases.split(","))


def told() -> str:
    """What the chart shows, in words."""
    parts = (
        f"{part.title}: " + ", ".join(f"{name} {one:.1f} s" for name, one in seconds(part).items())
        for part in PARTS
    )
    return f"{_title()}. {'. '.join(parts)}"


def words() -> str:
    """The lines of the README that have figures."""
    return (
        f"{BEGIN}\n\n![{told()}](docs/benchmarks/merge.png)\n\n"
        "*Medians, on two cores; each half of the chart is from one run. [All cases](docs/benchmarks.md), [merge-on-read tables](docs/merge-on-read-benchmarks.md), "
        f"and where hudilite loses.*\n\n{END}"
    )


def faults() -> Iterator[str]:
    """A README or a chart that has other figures than the pages."""
    if words() not in README.read_text(encoding="utf-8"):
        yield "README.md has other figures than the pages of benchmarks: run make fmt"
    if not CHART.is_file() or told().encode() not in CHART.read_bytes():
        yield f"{CHART.name} shows other figures than the pages of benchmarks: run make fmt"


def main() -> int:
    """Draw the chart and write the lines, if they are not those of the pages."""
    if not list(faults()):
        return 0
    from bench.beside import plots

    parts = {part.title: seconds(part) for part in PARTS}
    plots.draw_bars(f"{_title()}: seconds", parts, told(), CHART)
    readme = README.read_text(encoding="utf-8")
    before, after = readme.split(BEGIN)[0], readme.split(END)[1]
    README.write_text(before + words() + after, encoding="utf-8")
    return 0


def _title() -> str:
    (rows,) = {rows_of(part) for part in PARTS}
    return f"A MERGE that updates 1 % of {rows / 1_000_000:g} million rows"


if __name__ == "__main__":
    sys.exit(main())
