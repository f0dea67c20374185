"""Links of the docs that lead out of the docs."""

from __future__ import annotations

import logging

import pytest
from site_links import DOCS, without_outer_links


@pytest.mark.parametrize(
    ("text", "page", "told"),
    [
        ("[map](../sql-extension/README.md)", "index.md", "map (`sql-extension/README.md`)"),
        ("[see](../README.md#two-commands) it", "index.md", "see (`README.md`) it"),
        ("[`README.md`](../../README.md)", "decisions/README.md", "`README.md`"),
        ("[up](../index.md)", "decisions/README.md", "[up](../index.md)"),
        ("[here](sql-reference.md#a)", "index.md", "[here](sql-reference.md#a)"),
    ],
)
def test_a_link_out_of_the_docs_becomes_a_path(text: str, page: str, told: str) -> None:
    assert without_outer_links(text, DOCS / page) == told


def test_a_link_to_a_file_that_is_not_there_is_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "mkdocs.hooks.site_links"):
        without_outer_links("[a](../README.md)", DOCS / "index.md")
        assert not caplog.records
        without_outer_links("[a](../no/such.md)", DOCS / "index.md")
    assert len(caplog.records) == 1
