"""The page of a table, parsed as a browser would: no JVM and no browser starts here."""

from __future__ import annotations

import json
import time
from datetime import datetime, timezone
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from hudilite.cli import main
from hudilite.format.instant_times import written_at
from hudilite.show import page, sections
from hudilite.show.charts import Bar, bars
from hudilite.show.summary import skew
from python.hand_made_table import add_commit, add_instant, group_of, make_bucketed, make_table

FIRST, SECOND, THIRD = "20240101000000000", "20240102000000000", "20240103000000000"
NOW = datetime(2024, 1, 3, 0, 30, tzinfo=timezone.utc)
VOID = {"meta"}


class Parsed(HTMLParser):
    """The elements of a page, with the id of the chart or section that each lies in."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.open: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {key: value or "" for key, value in attributes}
        inside = self.open[-1][1] if self.open else ""
        place = found.get("id", inside) if name in ("svg", "section") else inside
        self.elements.append((place, name, found))
        if name not in VOID:
            self.open.append((name, place))

    def handle_endtag(self, name: str) -> None:
        assert self.open.pop()[0] == name

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def all(self, name: str, place: str | None = None) -> list[dict[str, str]]:
        return [a for p, n, a in self.elements if n == name and place in (None, p)]


@pytest.fixture
def grown(tmp_path: Path) -> Path:
    base = make_bucketed(tmp_path / "t", buckets=4)
    writes = {"p=a": {group_of(0): 30, group_of(1): 10}, "p=b": {group_of(0, 1): 10}}
    add_commit(base, FIRST, writes, operation="INSERT")
    add_commit(base, SECOND, {"p=b": {group_of(3): 50}})
    add_instant(base, THIRD, "clean", b"Obj\1")
    add_instant(base, "20240103010000000", "commit", completed=False)
    return base


def test_one_bar_for_each_bucket_with_its_rows(grown: Path) -> None:
    found = Parsed(page(grown, now=NOW))
    bars = found.all("rect", "rows")
    assert [(b["data-bucket"], b["data-rows"]) for b in bars] == [
        ("0", "40"),
        ("1", "10"),
        ("2", "0"),
        ("3", "50"),
    ]
    heights = [float(bar["height"]) for bar in bars]
    assert heights[2] == 0
    assert heights[0] == pytest.approx(4 * heights[1], abs=0.05)
    assert heights[3] == pytest.approx(5 * heights[1], abs=0.05)
    assert all("data-group" not in bar for bar in bars)


def test_bars_lie_within_the_chart_and_beside_each_other(grown: Path) -> None:
    found = Parsed(page(grown, now=NOW))
    for chart in found.all("svg"):
        _, _, width, height = map(float, chart["viewbox"].split())
        bars = found.all("rect", chart["id"])
        assert bars
        for bar in bars:
            x, y, w, h = (float(bar[key]) for key in ("x", "y", "width", "height"))
            assert x >= 0 and y >= 0 and w > 0 and h >= 0
            assert x + w <= width and y + h <= height
    rows = found.all("rect", "rows")
    lefts = [float(bar["x"]) for bar in rows]
    assert all(b - a >= float(rows[0]["width"]) for a, b in pairwise(lefts))


def test_the_skew(grown: Path) -> None:
    (told,) = [a for a in Parsed(page(grown, now=NOW)).all("p") if a.get("id") == "skew"]
    assert float(told["data-skew"]) == 2.0
    assert skew([]) is None
    assert skew([0, 0]) is None
    assert skew([7]) == 1.0


def test_each_instant_is_drawn_with_its_state(grown: Path) -> None:
    bars = Parsed(page(grown, now=NOW)).all("rect", "timeline")
    told = {(b["data-instant"], b["data-action"], b["data-state"]) for b in bars}
    assert told == {
        (FIRST, "commit", "completed"),
        (SECOND, "commit", "completed"),
        (THIRD, "clean", "completed"),
        ("20240103010000000", "commit", "inflight"),
    }
    kinds = [bar["class"] for bar in bars if bar["data-instant"] == FIRST]
    assert kinds == ["inserted", "updated", "deleted"]
    marks = {bar["class"]: float(bar["height"]) for bar in bars if "ed" not in bar["class"]}
    assert marks.keys() == {"other", "pending"}
    assert all(height > 0 for height in marks.values())


def test_the_ages_of_the_files(grown: Path) -> None:
    bars = Parsed(page(grown, now=NOW)).all("rect", "ages")
    told = {bar["data-age"]: int(bar["data-files"]) for bar in bars}
    assert {age: count for age, count in told.items() if count} == {"under a week": 4}
    later = Parsed(page(grown, now=datetime(2026, 1, 1, tzinfo=timezone.utc))).all("rect", "ages")
    assert {b["data-age"] for b in later if b["data-files"] != "0"} == {"older"}


def test_the_moment_of_an_instant() -> None:
    exact = datetime(2024, 1, 2, 3, 4, 5, 678_000, tzinfo=timezone.utc)
    utc = timezone.utc
    assert written_at("20240102030405678", utc) == exact
    assert written_at("20240102030405", utc) == datetime(2024, 1, 2, 3, 4, 5, tzinfo=utc)
    assert written_at("00000000000001", utc) is None
    assert written_at("20241301000000000", utc) is None


def test_instants_of_a_table_in_local_time_are_of_the_zone_of_the_machine(
    grown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = grown / ".hoodie" / "hoodie.properties"
    text = facts.read_text(encoding="utf-8")
    assert "timeline.timezone=UTC\n" in text
    facts.write_text(text.replace("timezone=UTC", "timezone=LOCAL"), encoding="utf-8")
    ages = []
    try:
        for zone in ("America/Los_Angeles", "UTC", "Asia/Tokyo"):
            monkeypatch.setenv("TZ", zone)
            time.tzset()
            ages.append(written_at("20240102030405678", None))
            bars = Parsed(page(grown, now=datetime(2024, 1, 8, 3, 0, tzinfo=timezone.utc)))
            weeks = {b["data-age"]: b["data-files"] for b in bars.all("rect", "ages")}
            assert (weeks["under a week"] == "4") == (zone == "America/Los_Angeles"), weeks
    finally:
        monkeypatch.undo()
        time.tzset()
    told = [moment.astimezone(timezone.utc).isoformat() for moment in ages if moment]
    assert [text[11:16] for text in told] == ["11:04", "03:04", "18:04"]


def test_every_file_group_is_in_the_table(grown: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(Parsed(page(grown, now=NOW)).all("tr", "groups")) == 1 + 4
    monkeypatch.setattr(sections, "MAX_GROUPS", 3)
    cut = Parsed(page(grown, now=NOW))
    assert len(cut.all("tr", "groups")) == 1 + 3
    assert "The first 3 of 4." in cut.texts


def test_a_long_timeline_shows_its_end(grown: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "MAX_INSTANTS", 2)
    bars = Parsed(page(grown, now=NOW)).all("rect", "timeline")
    assert {bar["data-instant"] for bar in bars} == {THIRD, "20240103010000000"}


def test_a_table_without_buckets_has_a_bar_for_each_file_group(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t", hudilite__index="BLOOM")
    groups = ["aaaaaaaa-aaaa-4bbb-8ccc-0", "bbbbbbbb-aaaa-4bbb-8ccc-0"]
    add_commit(base, FIRST, {"p=a": {groups[0]: 2, groups[1]: 5}})
    bars = Parsed(page(base, now=NOW)).all("rect", "rows")
    assert [(b["data-group"], b["data-rows"]) for b in bars] == [(groups[0], "2"), (groups[1], "5")]
    assert all("data-bucket" not in bar for bar in bars)


def test_a_table_that_was_never_written(tmp_path: Path) -> None:
    empty = Parsed(page(make_table(tmp_path / "a"), now=NOW))
    assert empty.all("rect", "rows") == []
    bucketed = Parsed(page(make_bucketed(tmp_path / "b", buckets=3), now=NOW))
    assert [bar["data-rows"] for bar in bucketed.all("rect", "rows")] == ["0", "0", "0"]


def test_rows_by_the_footers(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t", buckets=1)
    add_commit(base, FIRST, {"p=a": {group_of(0): 9}})
    commit = base / ".hoodie" / f"{FIRST}.commit"
    commit.write_text(commit.read_text().replace("numWrites", "other"))
    unknown = Parsed(page(base, now=NOW))
    assert "0 in 0 of the file groups" in unknown.texts
    known = Parsed(page(base, footers=True, now=NOW))
    assert [bar["data-rows"] for bar in known.all("rect", "rows")] == ["9"]


def test_file_groups_with_keys_in_common(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t", hudilite__index="BLOOM")
    keys = {"a-0": ("b", "d"), "b-0": ("d", "f"), "c-0": ("g", "h"), "d-0": ("a", "z")}
    add_commit(
        base,
        FIRST,
        {"p=a": dict.fromkeys(keys, 1), "p=b": {"e-0": 1, "f-0": 0}},
        keys=keys | {"e-0": ("a", "z")},
    )
    found = Parsed(page(base, footers=True, now=NOW))
    bars = found.all("rect", "overlaps")
    assert {bar["data-group"]: int(bar["data-overlaps"]) for bar in bars} == {
        "a-0": 2,
        "b-0": 2,
        "c-0": 1,
        "d-0": 3,
        "e-0": 0,
    }
    (told,) = [a for a in found.all("p") if a.get("id") == "overlap"]
    assert float(told["data-mean"]) == pytest.approx(8 / 5 + 1)
    assert Parsed(page(base, now=NOW)).all("rect", "overlaps") == []


def test_keys_are_ordered_as_java_orders_texts(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t", hudilite__index="BLOOM")
    # By code points the second lies above the first, by units of 16 bits below.
    keys = {"a-0": ("\uff00", "\uff01"), "b-0": ("a", "\U0001f600")}
    add_commit(base, FIRST, {"p=a": {"a-0": 1, "b-0": 1}}, keys=keys)
    bars = Parsed(page(base, footers=True, now=NOW)).all("rect", "overlaps")
    assert [bar["data-overlaps"] for bar in bars] == ["0", "0"]


def test_a_bucketed_table_shows_no_key_ranges(grown: Path) -> None:
    assert Parsed(page(grown, footers=True, now=NOW)).all("rect", "overlaps") == []


def test_names_are_escaped(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t", hoodie__table__name="<b>&t")
    add_commit(base, FIRST, {"p=<script>alert('x')": {group_of(0): 1}, 'p="\x07': {group_of(1): 1}})
    text = page(base, now=NOW)
    found = Parsed(text)
    assert found.all("script") == []
    assert "<b>&t" in found.texts
    assert "p=<script>alert('x')" in found.texts
    assert "\x07" not in text


def test_the_page_loads_and_runs_nothing(grown: Path) -> None:
    text = page(grown, now=NOW)
    found = Parsed(text)
    names = {name for _, name, _ in found.elements}
    assert not names & {"script", "link", "img", "iframe", "object", "image", "use"}
    assert not [a for _, _, a in found.elements if any(k.startswith("on") for k in a)]
    assert not [a for _, _, a in found.elements if {"src", "href", "xlink:href"} & a.keys()]
    assert "url(" not in text
    assert "@import" not in text
    assert len({a["id"] for _, _, a in found.elements if "id" in a}) == len(
        [a for _, _, a in found.elements if "id" in a]
    )


@pytest.mark.parametrize("highest", [0, 1, 2, 3, 7, 10, 43, 60, 99, 1000, 1_000_001, 10**12])
def test_steps_reach_the_highest_value(highest: int) -> None:
    found = Parsed(bars([Bar("x", {"rows": highest}, "x")], title="t", name="n"))
    steps = [int(a["data-value"]) for a in found.all("text") if "data-value" in a]
    assert all(len(text) <= 5 for text in found.texts)
    assert steps[0] == 0
    assert steps[-1] >= highest
    assert 2 <= len(steps) <= 5
    (bar,) = found.all("rect")
    assert float(bar["y"]) >= 0


def test_parts_of_a_bar_stand_on_each_other() -> None:
    found = Parsed(bars([Bar("x", {"a": 30, "b": 60}, "x")], title="t", name="n", line=45))
    low, high = ({k: float(v) for k, v in a.items() if k in "y height"} for a in found.all("rect"))
    assert high["y"] + high["height"] == pytest.approx(low["y"], abs=0.02)
    assert high["height"] == pytest.approx(2 * low["height"], abs=0.02)
    (mean,) = [a for a in found.all("line") if a["class"] == "mean"]
    assert float(mean["y1"]) == pytest.approx((high["y"] + low["y"] + low["height"]) / 2, abs=0.02)


def test_the_mean_is_drawn_where_there_are_rows(grown: Path, tmp_path: Path) -> None:
    lines = [a["class"] for a in Parsed(page(grown, now=NOW)).all("line", "rows")]
    assert lines.count("mean") == 1
    empty = Parsed(page(make_bucketed(tmp_path / "empty"), now=NOW))
    assert "mean" not in [a["class"] for a in empty.all("line")]


def test_the_command_writes_the_page(
    grown: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "page.html"
    assert main(["show", str(grown), "-o", str(file)]) == 0
    assert len(Parsed(file.read_text("utf-8")).all("rect", "rows")) == 4
    assert str(file) in capsys.readouterr().out
    assert main(["show", str(grown), "-o", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {"path": str(grown), "output": str(file), "bytes": file.stat().st_size}


def test_a_page_that_cannot_be_written(
    grown: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(grown), "-o", str(tmp_path / "nowhere" / "page.html")]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: [HUDILITE_PATH_INVALID] ")
    assert "nowhere" in line
    with pytest.raises(SystemExit) as left:
        main(["show", str(grown)])
    assert left.value.code == 2
