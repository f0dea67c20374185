"""Reports of suites, also those that are no XML."""

from __future__ import annotations

from pathlib import Path

import junit
import pytest


@pytest.mark.parametrize("said", ["\x00", "\uffff", "&#0;", "&#11;", "&#65535;", "\x1b[0m"])
def test_a_message_with_any_character_is_read(tmp_path: Path, said: str) -> None:
    report = tmp_path / "r.xml"
    case = f'<testcase classname="a.B" name="n"><failure message="it is {said} and é">x</failure>'
    report.write_text(
        f'<?xml version="1.0" encoding="UTF-8"?><testsuite>{case}</testcase></testsuite>', "utf-8"
    )
    (found,) = junit.read([report])
    assert found.name == "a.B.n"
    assert found.failure is not None
    assert found.failure.startswith("it is ?")
    assert found.failure.endswith("and é")


def test_what_is_written_is_read(tmp_path: Path) -> None:
    report = tmp_path / "sub" / "r.xml"
    junit.write(str(report), "lint", {"fine": [], "bad": ["one", "two"]})
    assert [(case.name, case.failure) for case in junit.read([report])] == [
        ("lint.fine", None),
        ("lint.bad", "one"),
    ]
