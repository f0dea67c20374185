"""A hook of mkdocs: links of the docs to files of the source tree, which are no pages of the site.

In the tree they lead somewhere, and readers of the site get the file's path. A link to a file that is not
there is a warning, which fails a strict build.
"""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<path>(?:\.\./)+[^)#\s]*)(?:#[^)]*)?\)")
_log = logging.getLogger("mkdocs.hooks.site_links")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Called by mkdocs for each page, with what it holds."""
    return without_outer_links(markdown, DOCS / page.file.src_uri)


def without_outer_links(markdown: str, page: Path) -> str:
    """The page's text, with paths instead of links that lead out of the docs.

    Args:
        markdown: The text.
        page: Where it lies, below `docs`.
    """

    def replaced(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(page.parent / link["path"]))
        if target.is_relative_to(DOCS):
            return link[0]
        if not target.exists():
            _log.warning("%s links to %s, which is not there", page.name, link["path"])
        path = target.relative_to(ROOT).as_posix()
        return link["text"] if link["text"] == f"`{path}`" else f"{link['text']} (`{path}`)"

    return _LINK.sub(replaced, markdown)
