"""The chart of the README: its figures are those of the pages of benchmarks."""

from __future__ import annotations

from pathlib import Path

import pytest
import readme_chart
from readme_chart import Part

PAGE = """make bench BENCH="--rows 2500000 --rounds 3 --cases 2"

### Case 2: medium

**MERGE**

| system | MERGE s | x ours |
|---|---|---|
| Slow 1.0 | 9.04 | 3.00 |
| hudilite | 3.01 | 1.00 |
| Fast 1.0 | 1.50 | 0.50 |

### Case 3: other

| system | MERGE s |
|---|---|
| hudilite | 8.00 |
"""


LOGS = PAGE.replace("| Slow 1.0 | 9.04", "| hudilite, logs | 0.50 | 1.00 |\n| Slow 1.0 | 9.50")


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Part, Part]:
    """Two pages in the place of those of the docs."""
    of_base, of_logs = tmp_path / "base.md", tmp_path / "logs.md"
    of_base.write_text(PAGE)
    of_logs.write_text(LOGS)
    found = (
        Part("Base", of_base, "hudilite"),
        Part("Logs", of_logs, "hudilite, logs", ("hudilite",)),
    )
    monkeypatch.setattr(readme_chart, "PARTS", found)
    return found


def test_the_figures_are_those_of_the_case_and_ours_comes_first(parts: tuple[Part, Part]) -> None:
    assert list(readme_chart.seconds(parts[0]).items()) == [
        ("hudilite", 3.01),
        ("Fast 1.0", 1.5),
        ("Slow 1.0", 9.04),
    ]
    assert readme_chart.told().endswith(
        "1 % of 2.5 million rows. Base: hudilite 3.0 s, Fast 1.0 1.5 s, Slow 1.0 9.0 s. "
        "Logs: hudilite, logs 0.5 s, Fast 1.0 1.5 s, Slow 1.0 9.5 s"
    )


def test_a_page_without_the_case_is_an_error(parts: tuple[Part, Part]) -> None:
    parts[0].page.write_text(PAGE.replace("Case 2", "Case 4"))
    with pytest.raises(ValueError, match="no table of case 2"):
        readme_chart.seconds(parts[0])


def test_another_figure_is_drawn_and_written(
    parts: tuple[Part, Part], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {name: tmp_path / name for name in ("README", "CHART")}
    for name, path in places.items():
        monkeypatch.setattr(readme_chart, name, path)
    places["README"].write_text(f"# a\n\n{readme_chart.BEGIN}\n{readme_chart.END}\n\nb\n")
    assert len(list(readme_chart.faults())) == 2
    readme_chart.main()
    assert list(readme_chart.faults()) == []
    assert places["README"].read_text().endswith(f"{readme_chart.END}\n\nb\n")
    for part in parts:
        before = part.page.read_text()
        part.page.write_text(before.replace("| 1.50 |", "| 1.70 |"))
        assert len(list(readme_chart.faults())) == 2
        part.page.write_text(before)
    assert list(readme_chart.faults()) == []
