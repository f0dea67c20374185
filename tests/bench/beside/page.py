"""Pages of benchmarks in docs, from the JSON of runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.beside import figures, plots
from bench.beside.systems import COMMON, OUR_LOGS, OURS, SYSTEMS
from bench.beside.targets import Target

MB = 1_000_000
COLUMNS = (
    ("load s", "load", "{:.2f}"),
    ("MERGE s", "merge", "{:.2f}"),
    ("least", "least", "{:.2f}"),
    ("all batches s", "all", "{:.1f}"),
    ("first, cold", "cold", "{:.2f}"),
    ("R2", "R2", "{:.2f}"),
    ("R1", "R1", "{:.1f}"),
    ("L0 s", "L0", "{:.2f}"),
    ("L1 s", "L1", "{:.2f}"),
    ("L2 s", "L2", "{:.2f}"),
    ("written MB", "written", "{:.1f}"),
    ("scan s", "scan", "{:.2f}"),
    ("scan / plain", "scan ratio", "{:.2f}"),
    ("20 look-ups s", "look-ups", "{:.2f}"),
    ("write + scan + look-ups s", "joint", "{:.2f}"),
    ("x first", "growth", "{:.2f}"),
    ("scan x first", "scan x first", "{:.2f}"),
    ("look-ups x first", "look-ups x first", "{:.2f}"),
    ("all batches with reads s", "all joint", "{:.1f}"),
    ("slowest MERGE / median", "slowest", "{:.2f}"),
    ("slowest batch / median", "slowest joint", "{:.2f}"),
    ("fewest log files of a bucket", "fewest logs", "{:.0f}"),
    ("most", "most logs", "{:.0f}"),
    ("files opened", "opened", "{:.0f}"),
    ("bytes read", "bytes read", "{:.0f}"),
    ("most memory MB", "peak", "{:.0f}"),
)


@dataclass(frozen=True)
class Page:
    """A page of docs.

    Attributes:
        title: Its first line.
        ours: System whose time the others are compared with; None for that of each case.
    """

    title: str
    ours: str | None = None


PAGES = {
    "benchmarks": Page("Benchmarks"),
    "merge-on-read-benchmarks": Page("Benchmarks of merge-on-read tables", OUR_LOGS.name),
}
COMPARED = ("load", "merge", "joint", "all", "all joint")
WORDS = {
    "merge": "the MERGE",
    "load": "the load",
    "joint": "write + scan + look-ups",
    "all": "all batches",
    "all joint": "all batches with their reads",
}
HOW = """Each system runs in a Spark of its own on the same source files, on the same machine, in turns: every
system does a round before the next one begins, and the first rounds are not counted. A round writes,
reads the whole table, and looks up 20 keys, each by a query of its own; every round has other source
rows. Figures are medians. `x ours` is a system's time over hudilite's: above 1, hudilite is faster.

- **L0** is an empty Spark job and one with a tiny shuffle, **L1** a plain copy of the files that the
  MERGE replaces, **L2** Spark's own read and write of them, in the same process and round.
- **R2** = MERGE / L2; **R1** = MERGE / (L0 + L1). `scan / plain` is against Spark's Parquet reader on the
  same files.
- **x first** is a MERGE over that of the case's first part, and so are a scan and look-ups; the most memory
  is of the whole process, heap included.
- **Log files** are counted in each bucket after each round. Files opened and bytes read are those of the
  table, by the metrics of a MERGE that need not read it.
- Everything is snappy. hudilite has the defaults of `hudilite.session()`, which force files to disk.
- After each case the tables, and every look-up, were equal in all systems that came to its end."""


def written(told: dict[str, Any], docs: Path, name: str = "benchmarks") -> Path:
    """Writes a page and its plots.

    Args:
        told: What a run wrote.
        docs: Folder of the page; the plots lie in a folder beside it with the page's name.
        name: One of `PAGES`.

    Returns:
        The page.
    """
    page = docs / f"{name}.md"
    ours = PAGES[name].ours
    if ours:
        cases = {case: found | {"ours": ours} for case, found in told["cases"].items()}
        told = told | {"cases": cases}
    plots.draw(told["cases"], docs / name)
    page.write_text("\n".join(_lines(told, name)) + "\n", encoding="utf-8")
    return page


def read(paths: Sequence[Path]) -> dict[str, Any]:
    """What runs wrote, as if it were one; of a case that several measured, the last counts."""
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    cases = {name: case for run in runs for name, case in run["cases"].items()}
    commands = "\n".join(dict.fromkeys(run["command"] for run in runs))
    told: dict[str, Any] = runs[-1] | {"cases": cases, "command": commands}
    return told


def tables(told: dict[str, Any]) -> Iterator[str]:
    """Lines of a table for each label of a case."""
    for label, found in figures.of_case(told).items():
        yield from [f"**{label}**", "", *_table(found, told.get("ours", OURS.name)), ""]


def verdicts(cases: dict[str, Any]) -> Iterator[str]:
    """Lines of a table of the targets, and of a list of what a peer does in less time."""
    met = [
        [
            f"{target.case}, {target.label}",
            _figure(target),
            f"{'at least' if target.peer else 'at most'} {target.bound:g}",
            f"{value:.2f}",
            "yes" if reached else "**no**",
        ]
        for target, value, reached in figures.judged(cases)
    ]
    yield from _rows(["case", "figure", "target", "measured", "met"], met)
    yield from ["", "## Where hudilite does not win", ""]
    losses = list(figures.lost(cases))
    yield from (
        f"- case {case}, {label}: {SYSTEMS[peer].title} needs {ratio:.2f} x our time for "
        f"{WORDS.get(figure, figure)}"
        for case, label, figure, peer, ratio in losses
    )
    if not losses:
        yield "Nowhere in this run."


def engine_of(told: dict[str, Any]) -> str:
    """What a system ran on, and how its files are written."""
    about, facts = told["about"], told.get("written as")
    engine = f"Spark {about['spark']}" if "spark" in about else about["engine"]
    heap = f", a heap of {about['heap'] >> 20} MiB" if "heap" in about else ""
    if not facts:
        return engine + heap
    size = f"{facts['bytes'] / MB:.0f} MB"
    return f"{engine}{heap}, {facts['files']} base files, {size}, {facts['codec']}"


def settings(cases: dict[str, Any]) -> Iterator[str]:
    """What all have in common, then of each system once its table, files and further settings."""
    yield from ["All have:", "", "```", *(f"{key} = {COMMON[key]}" for key in sorted(COMMON))]
    yield from ["```", ""]
    seen: set[str] = set()
    for name, case in cases.items():
        for system, told in case.get("systems", {}).items():
            if system not in seen and "about" in told:
                seen.add(system)
                yield from _settings_of(system, name, told)


def _lines(told: dict[str, Any], page: str) -> Iterator[str]:
    cases = told["cases"]
    yield from [
        f"# {PAGES[page].title}",
        "",
        "`make bench` writes this page's figures.",
        "",
        HOW,
        "",
    ]
    yield from [f"- {name}: {value}" for name, value in told["machine"].items()]
    yield from ["", "```", told["command"], "```", "", "## Targets", "", *verdicts(cases)]
    for name, case in cases.items():
        yield from ["", f"## Case {name}: {case['title']}", ""]
        if "printed" in case:
            yield from ["```", *case["printed"], "```"]
            continue
        yield from tables(case)
        yield f"![Case {name}]({page}/case-{name}.png)"
        if case.get("course"):
            yield f"![Course of case {name}]({page}/course-{name}.png)"
        yield from _failures(case)
    yield from ["", "## Settings", "", *settings(cases)]


def _failures(case: dict[str, Any]) -> Iterator[str]:
    for name, system in case["systems"].items():
        if "failed" in system:
            yield f"\n{SYSTEMS[name].title} failed: `{system['failed'].splitlines()[0][:200]}`"


def _table(found: dict[str, dict[str, float]], own: str) -> list[str]:
    heads, rows = ["system"], [[SYSTEMS[name].title] for name in found]
    ours = found.get(own, {})
    for head, figure, form in COLUMNS:
        if not any(figure in values for values in found.values()):
            continue
        heads.append(head)
        scale = MB if figure in ("written", "peak") else 1
        for row, values in zip(rows, found.values(), strict=True):
            row.append(form.format(values[figure] / scale) if figure in values else "")
        if figure in COMPARED and figure in ours:
            heads.append("x ours")
            for row, values in zip(rows, found.values(), strict=True):
                row.append(f"{values[figure] / ours[figure]:.2f}" if figure in values else "")
    return list(_rows(heads, rows))


def _figure(target: Target) -> str:
    ours = "ours" if target.ours == OURS.name else target.ours
    if target.peer:
        return f"{target.peer} / {ours}, {target.figure}"
    return target.figure if target.ours == OURS.name else f"{target.figure} of {ours}"


def _rows(heads: list[str], rows: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _settings_of(system: str, case: str, told: dict[str, Any]) -> Iterator[str]:
    yield f"{SYSTEMS[system].title}: {engine_of(told)} in case {case}."
    own = (pair for pair in sorted(told["about"]["conf"].items()) if _is_own(*pair))
    yield from ["", "```", told["table"], *(f"{key} = {value}" for key, value in own), "```", ""]


def _is_own(key: str, value: str) -> bool:
    """Whether a setting is of this system alone; one that names a place is none."""
    shown = key.startswith(("spark.sql.", "spark.databricks.", "spark.hudilite.", "hoodie."))
    return shown and key not in COMMON and "/" not in value
