"""Chromium without a window: what a page becomes in a real browser."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

NO_BROWSER = "there is no Chromium here"
NAMES = ("chromium", "chromium-browser", "google-chrome")

# Writes into each rectangle how the browser laid it out and filled it; the page itself runs nothing.
MEASURE = """
<script>
for (const bar of document.querySelectorAll("svg rect")) {
  const box = bar.getBoundingClientRect();
  bar.dataset.box = [box.left, box.top, box.width, box.height].join(" ");
  bar.dataset.fill = getComputedStyle(bar).fill;
}
document.documentElement.dataset.width = document.documentElement.scrollWidth;
document.documentElement.dataset.window = window.innerWidth;
</script>
"""


@dataclass(frozen=True)
class Bar:
    """A rectangle as it was drawn.

    Attributes:
        data: Its attributes ``data-...``, without that word.
        height: In pixels of the window, as `left` and `width`.
        fill: Its colour, as ``rgb(1, 2, 3)``.
    """

    data: dict[str, str]
    left: float
    width: float
    height: float
    fill: str


@dataclass(frozen=True)
class Drawn:
    """A page in a window.

    Attributes:
        bars: Of each chart, by the chart's id.
        width: Of what there is to see, in pixels.
        window: Width of the window, in pixels.
    """

    bars: dict[str, list[Bar]]
    width: int
    window: int


def chromium() -> str | None:
    """The program, where this machine has one."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def drawn(page: Path, folder: Path, *, width: int = 1280) -> Drawn:
    """The page as Chromium draws it in a window of a width.

    Raises:
        AssertionError: Chromium failed.
    """
    measured = folder / "measured.html"
    text = page.read_text(encoding="utf-8")
    measured.write_text(text.replace("</body>", f"{MEASURE}</body>"), encoding="utf-8")
    found = _Dom(_run(folder, measured, f"--window-size={width},2000", "--dump-dom"))
    return Drawn(found.bars, int(found.page["data-width"]), int(found.page["data-window"]))


def picture(page: Path, folder: Path, file: Path, *, width: int = 1280, height: int = 1800) -> None:
    """Write what Chromium shows of a page as PNG."""
    _run(folder, page, f"--window-size={width},{height}", f"--screenshot={file}")


def _run(folder: Path, page: Path, *words: str) -> str:
    program = chromium()
    assert program is not None, NO_BROWSER
    done = subprocess.run(
        [
            *(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
            *("--hide-scrollbars", f"--user-data-dir={folder / 'profile'}", *words),
            page.as_uri(),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


class _Dom(HTMLParser):
    """What the browser wrote down of its tree."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.page: dict[str, str] = {}
        self.bars: dict[str, list[Bar]] = {}
        self.chart = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {key: value or "" for key, value in attributes}
        if name == "html":
            self.page = found
        elif name == "svg":
            self.chart = found["id"]
            self.bars[self.chart] = []
        elif name == "rect":
            left, _, width, height = map(float, found["data-box"].split())
            data = {k.removeprefix("data-"): v for k, v in found.items() if k[:5] == "data-"}
            bar = Bar(data, left, width, height, found["data-fill"])
            self.bars[self.chart].append(bar)
