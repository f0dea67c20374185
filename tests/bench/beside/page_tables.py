"""Tables of a run: its figures by case, its targets, where a peer is faster, and the settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bench.beside import figures
from bench.beside.statement_cases import STATEMENTS
from bench.beside.systems import COMMON, OURS, TITLES
from bench.beside.targets import OWN_FILES, Target

MB = 1_000_000
SIZES = ("written", "bytes", "resident", "peak")
COLUMNS = (
    ("load s", "load", "{:.2f}"),
    ("MERGE s", "merge", "{:.2f}"),
    ("least", "least", "{:.2f}"),
    ("all batches s", "all", "{:.1f}"),
    ("first, cold", "cold", "{:.2f}"),
    ("R2", "R2", "{:.2f}"),
    (OWN_FILES, OWN_FILES, "{:.2f}"),
    ("R1", "R1", "{:.1f}"),
    ("L0 s", "L0", "{:.2f}"),
    ("L1 s", "L1", "{:.2f}"),
    ("L2 s", "plain L2", "{:.2f}"),
    ("L2, own files s", "L2", "{:.2f}"),
    ("written MB", "written", "{:.1f}"),
    ("GC CPU s", "gc", "{:.2f}"),
    ("most memory of the write MB", "resident", "{:.0f}"),
    ("files MB", "bytes", "{:.1f}"),
    ("scan s", "scan", "{:.2f}"),
    ("scan / same files", "scan / same files", "{:.2f}"),
    ("scan / plain", "scan / plain", "{:.2f}"),
    ("20 look-ups s", "look-ups", "{:.2f}"),
    ("write + scan + look-ups s", "joint", "{:.2f}"),
    ("load x first", "load x first", "{:.2f}"),
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
COMPARED = ("load", "merge", "joint", "all", "all joint")
WORDS = {
    "load": "the load",
    "joint": "write + scan + look-ups",
    "all": "all batches",
    "all joint": "all batches with their reads",
}


def of_case(told: dict[str, Any]) -> Iterator[str]:
    """Lines of a table for each label of a case."""
    for label, found in figures.of_case(told).items():
        own = told.get("ours", OURS.name)
        yield from [f"**{label}**", "", *_of_label(label, found, own), ""]


def of_targets(cases: dict[str, Any], ours: str | None = None) -> Iterator[str]:
    """Lines of a table of the targets.

    Args:
        cases: Of a run.
        ours: The system whose targets they are; None for all.
    """
    met = [
        [
            f"{target.case}, {target.label}",
            _figure(target),
            f"{'at most' if target.at_most else 'at least'} {target.bound:g}",
            "not measured" if value is None else f"{value:.2f}",
            "yes" if reached else "**no**",
        ]
        for target, value, reached in figures.judged(cases)
        if ours in (None, target.ours)
    ]
    yield from rows(["case", "figure", "target", "measured", "met"], met)


def of_losses(cases: dict[str, Any]) -> Iterator[str]:
    """Lines of a list of what a peer does in less time."""
    losses = list(figures.lost(cases))
    yield from (
        f"- case {case}, {label}: {TITLES[peer]} needs {ratio:.2f} x our time for "
        f"{f'the {_statement(label)}' if figure == 'merge' else WORDS.get(figure, figure)}"
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


def of_settings(cases: dict[str, Any]) -> Iterator[str]:
    """What all have in common, then of each system once its table, files and further settings."""
    yield from ["All have:", "", "```", *(f"{key} = {COMMON[key]}" for key in sorted(COMMON))]
    yield from ["```", ""]
    seen: set[str] = set()
    for name, case in cases.items():
        for system, told in case.get("systems", {}).items():
            if system not in seen and "about" in told:
                seen.add(system)
                yield from _settings_of(system, name, told)


def rows(heads: list[str], cells: Iterable[list[str]]) -> Iterator[str]:
    """Lines of a table."""
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    yield from (f"| {' | '.join(row)} |" for row in cells)


def _of_label(label: str, found: dict[str, dict[str, float]], own: str) -> Iterator[str]:
    heads, cells = ["system"], [[TITLES[name]] for name in found]
    ours = found.get(own, {})
    for head, figure, form in COLUMNS:
        if not any(figure in values for values in found.values()):
            continue
        heads.append(head.replace("MERGE", _statement(label)))
        scale = MB if figure in SIZES else 1
        for row, values in zip(cells, found.values(), strict=True):
            row.append(form.format(values[figure] / scale) if figure in values else "")
        if figure in COMPARED and figure in ours:
            heads.append("x ours")
            for row, values in zip(cells, found.values(), strict=True):
                row.append(f"{values[figure] / ours[figure]:.2f}" if figure in values else "")
    return rows(heads, cells)


def _statement(label: str) -> str:
    return label if label in STATEMENTS else "MERGE"


def _figure(target: Target) -> str:
    ours = "ours" if target.ours == OURS.name else target.ours
    if target.peer:
        pair = (ours, target.peer) if target.most else (target.peer, ours)
        return f"{' / '.join(pair)}, {target.figure}"
    return target.figure if target.ours == OURS.name else f"{target.figure} of {ours}"


def _settings_of(system: str, case: str, told: dict[str, Any]) -> Iterator[str]:
    yield f"{TITLES[system]}: {engine_of(told)} in case {case}."
    own = (pair for pair in sorted(told["about"]["conf"].items()) if _is_own(*pair))
    yield from ["", "```", told["table"], *(f"{key} = {value}" for key, value in own), "```", ""]


def _is_own(key: str, value: str) -> bool:
    """Whether a setting is of this system alone; one that names a place is none."""
    shown = key.startswith(("spark.sql.", "spark.databricks.", "spark.hudilite.", "hoodie."))
    return shown and key not in COMMON and "/" not in value
