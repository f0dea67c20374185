"""The blocks of docs/python.md that need no Spark print what stands below them."""

from __future__ import annotations

import ast
import contextlib
import io
from pathlib import Path

import pytest

from harness import fences

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
SECTIONS = ["sqlglot", "Lint of a script", "Lineage of a MERGE", "Declarations of other formats"]


def outcome(block: str, names: dict[str, object]) -> list[str]:
    """What a block prints, and the value of its last line where that is an expression."""
    tree = ast.parse(block)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "block", "exec"), names)
    if isinstance(last, ast.Expr):
        printed.write(repr(eval(compile(ast.Expression(last.value), "block", "eval"), names)))
    return printed.getvalue().splitlines()


@pytest.mark.parametrize("section", SECTIONS)
def test_blocks_give_what_the_page_says(section: str) -> None:
    text = fences.section(PAGE.read_text(encoding="utf-8"), section)
    blocks = fences.fences(PAGE.name, text)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        told = [line[2:] for line in block.text.splitlines() if line.startswith("# ")]
        assert told
        assert outcome(block.text, names) == told
