"""What a page of benchmarks begins with: one chart and one table of what users do most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.beside import figures, page_tables, plots
from bench.beside.systems import TITLES
from bench.beside.targets import LOAD, MERGE
from bench.beside.tpch import PAIR

PICTURE = "summary.png"


@dataclass(frozen=True)
class Line:
    """One of the table: what is done, and which figure tells its seconds."""

    title: str
    case: str
    label: str
    figure: str


LINES = (
    Line("MERGE of 1 %", "2", MERGE, "merge"),
    Line("load", "load", LOAD, "load"),
    Line("scan", "2", MERGE, "scan"),
    Line("20 look-ups", "2", MERGE, "look-ups"),
    Line("TPC-H refresh", "tpch", PAIR, "merge"),
)
Seconds = dict[str, dict[str, float]]


def seconds(cases: dict[str, Any], systems: Sequence[str]) -> Seconds:
    """By title and system what was measured; the first system is ours, and a line without it is left out."""
    found: Seconds = {}
    for line in LINES:
        told = cases.get(line.case, {})
        by_system = figures.of_case(told).get(line.label, {}) if "systems" in told else {}
        measured = {
            name: by_system[name][line.figure]
            for name in systems
            if line.figure in by_system.get(name, {})
        }
        if systems[0] in measured:
            found[line.title] = measured
    return found


def lines(told: dict[str, Any], systems: Sequence[str], folder: Path) -> Iterator[str]:
    """Draws the chart, and gives the lines above the first heading.

    Args:
        told: What a run wrote.
        systems: The columns of the table, ours first.
        folder: Of the chart, beside the page.
    """
    found = seconds(told["cases"], systems)
    if not found:
        return
    title = f"{told['rows'] / 1_000_000:g} million rows on {told['machine']['processor']}"
    words = f"Seconds: {title}. {_words(found)}"
    parts = {line: {TITLES[name]: one for name, one in by.items()} for line, by in found.items()}
    folder.mkdir(parents=True, exist_ok=True)
    plots.draw_bars(f"{title}: seconds", parts, words, folder / PICTURE)
    yield from [f"![{words}]({folder.name}/{PICTURE})", ""]
    heads = ["", *(TITLES[name] for name in systems)]
    cells = (
        [line, *(_cell(by, name, systems[0]) for name in systems)] for line, by in found.items()
    )
    yield from page_tables.rows(heads, cells)
    yield from [
        "",
        f"{title}. The scan and the look-ups are those after the MERGE. `x` is the time over hudilite's; "
        "where the other system is faster, it is bold. An empty cell was not measured.",
        "",
    ]


def _words(found: Seconds) -> str:
    told = (
        f"{line}: " + ", ".join(f"{TITLES[name]} {one:.1f} s" for name, one in by.items())
        for line, by in found.items()
    )
    return ". ".join(told)


def _cell(by_system: dict[str, float], name: str, ours: str) -> str:
    if name not in by_system:
        return ""
    shown = f"{by_system[name]:.2f} s"
    if name == ours:
        return shown
    times = by_system[name] / by_system[ours]
    return f"**{shown}, {times:.2f} x**" if times < 1 else f"{shown}, {times:.2f} x"
