"""The tests' own list of the names of a table's metadata files."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import names

BASE = Path("/lake/t")


@pytest.mark.parametrize("layout", [names.VERSION_6, names.SECOND])
@pytest.mark.parametrize("action", ["commit", "replacecommit", "clean"])
@pytest.mark.parametrize("state", ["requested", "inflight", "completed"])
def test_names_of_instants_are_read_and_written_back(
    layout: names.Names, action: str, state: str
) -> None:
    told = names.State("20240102030405678", action, state)
    assert layout.parse(layout.name(told)) == told
    assert layout.parse(Path(layout.properties).name) is None


def test_the_names_of_version_6_are_hudis() -> None:
    time, file = "20240102030405678", names.VERSION_6.file
    assert file(BASE, time, "commit", "inflight") == BASE / ".hoodie" / f"{time}.inflight"
    assert file(BASE, time, "clean", "inflight") == BASE / ".hoodie" / f"{time}.clean.inflight"
    assert file(BASE, time, "commit", "completed") == BASE / ".hoodie" / f"{time}.commit"


def test_a_path_into_the_metadata_is_that_of_the_asked_layout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = (
        "SELECT t._hoodie_commit_time FROM hudilite.`/x/t/.hoodie` -- /x/.hoodie_partition_metadata"
    )
    assert names.in_text(text) == text
    monkeypatch.setenv("HUDILITE_LAYOUT", "second")
    assert names.in_text(text) == text.replace("/.hoodie`", "/.second`")


def test_a_metadata_folder_of_the_other_layout_is_found(tmp_path: Path) -> None:
    (tmp_path / "db" / "t" / ".second").mkdir(parents=True)
    (tmp_path / "db" / "u" / ".hoodie").mkdir(parents=True)
    assert names.strangers(tmp_path) == ["db/t/.second"]
