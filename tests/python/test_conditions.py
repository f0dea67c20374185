"""The list of conditions that the JVM and Python share, and what Python takes from it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hudilite import conditions
from hudilite.conditions import every, session_error

ROOT = Path(__file__).parents[2]
LISTED = ROOT / "sql-extension/core/src/main/resources/hudilite-conditions.json"
RAISING = {"error_of", "session_error"}


def parameters(condition: str) -> set[str]:
    """The names in a message."""
    return set(re.findall(r"<(\w+)>", every()[condition].message))


def raised() -> Iterator[tuple[str, str, set[str]]]:
    """Place, condition and names of the values of each error that the package builds."""
    for path in sorted((ROOT / "python/src/hudilite").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or ast.unparse(node.func) not in RAISING:
                continue
            if node.args and isinstance(node.args[0], ast.Constant):
                names = {word.arg or "**" for word in node.keywords}
                yield f"{path.name}:{node.lineno}", str(node.args[0].value), names


RAISED = list(raised())


def test_the_list_is_that_of_the_jvm() -> None:
    listed = json.loads(LISTED.read_text("utf-8"))
    assert {
        name: {"message": one.message, "sqlState": one.sql_state} for name, one in every().items()
    } == listed
    assert list(every()) == sorted(listed)


@pytest.mark.parametrize("condition", every())
def test_every_text_can_be_filled(condition: str) -> None:
    values = dict.fromkeys(parameters(condition), "X")
    error = session_error(condition, **values)
    assert str(error).startswith(f"[{condition}] ")
    assert "<" not in error.message
    assert error.parameters == values


def test_errors_of_the_package_have_the_parameters_of_their_condition() -> None:
    assert len({condition for _, condition, _ in RAISED}) > 20
    wrong = {place: name for place, name, given in RAISED if given != parameters(name)}
    assert not wrong


def test_conditions_that_are_errors_of_sessions_exist() -> None:
    assert set(every()) >= conditions.OF_SESSIONS


def test_a_wheel_has_the_list_in_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list beside the module goes before the list of a source tree."""
    own = tmp_path / LISTED.name
    own.write_text(json.dumps({"HUDILITE_ONE": {"message": "One.", "sqlState": "58030"}}))
    monkeypatch.setattr(conditions, "_PLACES", (own, LISTED))
    every.cache_clear()
    try:
        assert list(every()) == ["HUDILITE_ONE"]
        own.unlink()
        every.cache_clear()
        assert "HUDILITE_NULL_KEY" in every()
    finally:
        every.cache_clear()
