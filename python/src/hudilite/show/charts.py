"""Bar charts as inline SVG, with the values as attributes for programs to read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hudilite.show.markup import Markup, joined, tag

WIDTH, HEIGHT = 960, 220

_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 8, 12, 26
_PLOT_WIDTH, _PLOT_HEIGHT = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM
_MAX_BAR, _MARK, _MAX_LABELS = 72.0, 5.0, 16


@dataclass(frozen=True)
class Bar:
    """Bar of a chart.

    Attributes:
        label: Text below the bar, shown where there is room.
        parts: Value of each part by its CSS class, lowest part first.
        title: Tooltip.
        data: Further facts, written as ``data-...`` attributes of each rectangle of the bar.
        is_mark: Whether a bar without height is drawn as a small mark.
    """

    label: str
    parts: Mapping[str, int]
    title: str
    data: Mapping[str, object] = field(default_factory=dict)
    is_mark: bool = False

    @property
    def total(self) -> int:
        """Value of the whole bar."""
        return sum(self.parts.values())


def bars(bars: Sequence[Bar], *, title: str, name: str, line: float | None = None) -> Markup:
    """Returns a chart of bars side by side.

    Args:
        bars: Bars from left to right.
        title: Title of the chart, also for screen readers.
        name: Id of the chart in the document.
        line: Value at which to draw a horizontal line, such as the mean; None for no line.
    """
    highest = max([bar.total for bar in bars] + [math.ceil(line or 0)], default=0)
    steps = _steps(highest)
    top = steps[-1]
    slot = _PLOT_WIDTH / max(len(bars), 1)
    drawn = [_bar(bar, i, slot, top) for i, bar in enumerate(bars)]
    every = max(1, math.ceil(len(bars) / _MAX_LABELS))
    labels = [_label(bar.label, i, slot) for i, bar in enumerate(bars) if i % every == 0]
    mean = [] if line is None else [_line(_y(line, top), "mean")]
    return tag(
        "svg",
        tag("title", title),
        *(_grid(step, top) for step in steps),
        *drawn,
        *labels,
        *mean,
        id=name,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
    )


def _bar(bar: Bar, index: int, slot: float, top: int) -> Markup:
    width = min(slot * 0.8, _MAX_BAR)
    left = _LEFT + slot * index + (slot - width) / 2
    data = {f"data_{key}": value for key, value in bar.data.items()}
    drawn: list[Markup] = []
    below = 0
    for kind, value in bar.parts.items():
        y = _y(below + value, top)
        height = _y(below, top) - y
        below += value
        # A bar of one row among a million stays visible.
        seen = max(height, 1.0) if value else _MARK if bar.is_mark else 0.0
        drawn.append(
            tag(
                "rect",
                tag("title", bar.title),
                class_=kind,
                x=round(left, 2),
                y=round(y + height - seen, 2),
                width=round(width, 2),
                height=round(seen, 2),
                **data,
            )
        )
    return joined(*drawn)


def _label(text: str, index: int, slot: float) -> Markup:
    x = round(_LEFT + slot * (index + 0.5), 2)
    return tag("text", text, x=x, y=HEIGHT - 8, class_="label")


def _grid(step: int, top: int) -> Markup:
    y = round(_y(step, top), 2)
    text = tag("text", _short(step), x=_LEFT - 8, y=y + 4, class_="step", data_value=step)
    return joined(_line(y, "grid"), text)


def _short(number: int) -> str:
    """Returns a number in short form.

    Examples:
        >>> _short(1_500_000)
        '1.5M'
    """
    for unit, name in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= unit:
            return f"{number / unit:g}{name}"
    return str(number)


def _line(y: float, kind: str) -> Markup:
    return tag("line", x1=_LEFT, x2=WIDTH - _RIGHT, y1=round(y, 2), y2=round(y, 2), class_=kind)


def _y(value: float, top: int) -> float:
    return _TOP + _PLOT_HEIGHT * (1 - value / top)


def _steps(highest: int) -> list[int]:
    """Returns round numbers from 0 to the first one that is not below the highest value.

    Examples:
        >>> _steps(43)
        [0, 20, 40, 60]
    """
    if highest <= 1:
        return [0, 1]
    rough = highest / 3
    power = 10 ** math.floor(math.log10(rough)) if rough >= 1 else 1
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough or m == 10)
    return [i * step for i in range(math.ceil(highest / step) + 1)]
