"""HTML and SVG as text. Every name and value is escaped when it is added."""

from __future__ import annotations

from html import escape

from hudilite.printable import plain


class Markup(str):
    """Text that is already markup, so it is not escaped again."""

    __slots__ = ()


def tag(name: str, *inner: object, **attributes: object) -> Markup:
    """Returns an element with its content.

    Args:
        name: Name of the element.
        *inner: Content; `Markup` is added as it is, anything else is escaped.
        **attributes: Attributes. ``data_rows`` stands for ``data-rows``, ``class_`` for ``class``.
            None is left out.

    Examples:
        >>> tag("p", "a < b", tag("br"), title='"x"', data_rows=3)
        '<p title="&quot;x&quot;" data-rows="3">a &lt; b<br></br></p>'
    """
    written = "".join(
        f' {_attribute(key)}="{_escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{written}>{joined(*inner)}</{name}>")


def joined(*parts: object) -> Markup:
    """Joins parts, and escapes those that are not `Markup`."""
    return Markup("".join(p if isinstance(p, Markup) else _escaped(p) for p in parts))


def table(heads: list[str], rows: list[list[object]]) -> Markup:
    """Returns a table. Cells with whole numbers have the class ``number``."""
    head = tag("tr", *(tag("th", name, scope="col") for name in heads))
    body = [tag("tr", *map(_cell, row)) for row in rows]
    return tag("table", tag("thead", head), tag("tbody", *body))


def _cell(value: object) -> Markup:
    if isinstance(value, int):
        return tag("td", f"{value:,}", class_="number")
    return tag("td", "" if value is None else value)


def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _escaped(value: object) -> str:
    return escape(plain(f"{value:g}" if isinstance(value, float) else str(value)))
