"""The chart of the README: its figures are those of the page of the benchmarks."""

from __future__ import annotations

from pathlib import Path

import pytest
import readme_chart

PAGE = """make bench BENCH="--rows 2500000 --rounds 3 --cases 2"

## Case 2: medium

**MERGE**

| system | MERGE s | x ours |
|---|---|---|
| Slow 1.0 | 9.04 | 3.00 |
| hudilite | 3.01 | 1.00 |
| Fast 1.0 | 1.50 | 0.50 |

## Case 3: other

| system | MERGE s |
|---|---|
| hudilite | 8.00 |
"""


def test_the_figures_are_those_of_the_case_and_ours_comes_first() -> None:
    assert list(readme_chart.seconds(PAGE).items()) == [
        ("hudilite", 3.01),
        ("Fast 1.0", 1.5),
        ("Slow 1.0", 9.04),
    ]
    assert readme_chart.told(PAGE).endswith(
        "1 % of 2.5 million rows: hudilite 3.0 s, Fast 1.0 1.5 s, Slow 1.0 9.0 s"
    )


def test_a_page_without_the_case_is_an_error() -> None:
    with pytest.raises(ValueError, match="no table of case 2"):
        readme_chart.seconds(PAGE.replace("Case 2", "Case 4"))


def test_another_figure_is_drawn_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {name: tmp_path / name for name in ("PAGE", "README", "CHART")}
    for name, path in places.items():
        monkeypatch.setattr(readme_chart, name, path)
    places["PAGE"].write_text(PAGE)
    places["README"].write_text(f"# a\n\n{readme_chart.BEGIN}\n{readme_chart.END}\n\nb\n")
    assert len(list(readme_chart.faults())) == 2
    readme_chart.main()
    assert list(readme_chart.faults()) == []
    assert places["README"].read_text().endswith(f"{readme_chart.END}\n\nb\n")
    places["PAGE"].write_text(PAGE.replace("9.04", "9.14"))
    assert len(list(readme_chart.faults())) == 2


def test_the_readme_has_the_figures_on_record() -> None:
    assert list(readme_chart.faults()) == []
