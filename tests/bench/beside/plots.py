"""A picture for each case: what a system takes to write, to scan and to look keys up."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.beside import figures

PARTS = {"load": "#4c72b0", "merge": "#4c72b0", "scan": "#dd8452", "look-ups": "#55a868"}


def draw(cases: dict[str, Any], folder: Path) -> None:
    """Writes `case-<name>.png` for each case that was measured by system."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, told in cases.items():
        found = figures.of_case(told) if "systems" in told else {}
        if found:
            _picture(name, told["title"], found).savefig(folder / f"case-{name}.png", dpi=100)
        if found and told.get("course"):
            _course(name, told).savefig(folder / f"course-{name}.png", dpi=100)


def draw_bars(title: str, parts: Mapping[str, Mapping[str, float]], told: str, path: Path) -> None:
    """Writes a PNG with a bar for each system, all on one scale.

    Args:
        title: Of the picture.
        parts: By title the seconds by system; the first one is ours.
        told: What the picture shows, in words that the file contains, too.
        path: Of the picture.
    """
    counts = [len(seconds) for seconds in parts.values()]
    most = max(max(seconds.values()) for seconds in parts.values())
    figure = Figure(figsize=(8, 0.5 + 0.5 * len(counts) + 0.36 * sum(counts)), layout="constrained")
    figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    axes = figure.subplots(len(counts), 1, height_ratios=counts, squeeze=False)
    for (name, seconds), (place,) in zip(parts.items(), axes, strict=True):
        colours = ["#2a78c2", *["#b8c2cc"] * (len(seconds) - 1)]
        bars = place.barh(list(seconds), list(seconds.values()), color=colours, height=0.68)
        place.bar_label(bars, [f"{one:.1f} s" for one in seconds.values()], padding=4, fontsize=10)
        place.invert_yaxis()
        place.set_title(name, fontsize=10, loc="left")
        place.set_xlim(right=most * 1.1)
        place.set_xticks([])
        place.tick_params(left=False, labelsize=10)
        place.spines[:].set_visible(False)
    figure.savefig(path, format="png", dpi=150, metadata={"Description": told, "Software": None})


def _picture(name: str, title: str, found: figures.Figures) -> Figure:
    systems = max(len(values) for values in found.values())
    figure = Figure(figsize=(8, 0.9 + (0.7 + 0.3 * systems) * len(found)), layout="constrained")
    figure.suptitle(f"Case {name}: {title}", fontsize=10)
    axes = figure.subplots(len(found), 1, squeeze=False)
    for (label, values), (place,) in zip(found.items(), axes, strict=True):
        _bars(place, label, values)
    axes[-1][0].set_xlabel("seconds", fontsize=8)
    return figure


def _course(name: str, told: dict[str, Any]) -> Figure:
    """A line for each system: what each round that counts takes, to write and with the reads."""
    figure = Figure(figsize=(8, 6), layout="constrained")
    figure.suptitle(f"Case {name}: {told['title']}", fontsize=10)
    parts = (("MERGE", ("merge",)), ("MERGE, scan and look-ups", ("merge", *figures.READS)))
    places = figure.subplots(len(parts), 1, sharex=True)
    for place, (title, names) in zip(places, parts, strict=True):
        for system, found in told["systems"].items():
            rounds = [one for one in found["rounds"] if one["counts"]]
            seconds = [sum(one[part] for part in names) for one in rounds]
            place.plot(range(1, len(rounds) + 1), seconds, marker=".", lw=1, label=system)
        place.set_title(title, fontsize=8, loc="left")
        place.set_ylabel("seconds", fontsize=8)
        place.set_ylim(bottom=0)
        place.tick_params(labelsize=8)
    places[0].legend(fontsize=7)
    places[-1].set_xlabel("batch", fontsize=8)
    return figure


def _bars(place: Axes, label: str, values: dict[str, dict[str, float]]) -> None:
    names = list(values)
    left = [0.0] * len(names)
    for part, colour in PARTS.items():
        widths = [values[name].get(part, 0.0) for name in names]
        if any(widths):
            place.barh(names, widths, left=left, color=colour, label=part)
        left = [begin + width for begin, width in zip(left, widths, strict=True)]
    for row, name in enumerate(names):
        if "plain L2" in values[name]:
            place.plot(
                [values[name]["plain L2"]] * 2, [row - 0.4, row + 0.4], color="black", lw=1.5
            )
    place.invert_yaxis()
    place.set_title(f"{label} (black: L2, where it was measured)", fontsize=8, loc="left")
    place.tick_params(labelsize=8)
    place.legend(fontsize=7)
