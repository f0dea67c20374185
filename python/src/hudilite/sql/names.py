"""Names as SQL identifiers, in backticks where Spark needs them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from hudilite.conditions import argument_error

Name = TypeVar("Name", bound=str | Sequence[str])

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

# Words that Spark 4.1 does not read as a name, whether reserved keywords are enforced or not.
_RESERVED = frozenset(
    """
    all and anti any array as authorization between both call case cast check collate
    collation column constraint create cross current_date current_time current_timestamp
    current_user default distinct else end escape except execute exists extract false fetch
    filter for foreign from full grant group having identifier in inner intersect interval
    into is join lateral leading left like map minus natural not null offset on only or order
    outer overlaps primary recursive references right select semi session_user some sql struct
    table then time to trailing true union unique unknown user using values when where with
    within
    """.split()  # noqa: SIM905 (a list of words is read more easily)
)


def identifier(name: str, argument: str) -> str:
    """Returns one name as a SQL identifier.

    Args:
        name: Any text that is not empty. A dot in it is part of the name.
        argument: Name of the argument in error messages.

    Returns:
        The name itself where Spark reads it as a name, otherwise the name in backticks.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when the name is not a str, is empty,
            is not valid Unicode, or contains ``${``, which Spark replaces even in backticks.

    Examples:
        >>> identifier("id", "column"), identifier("order", "column"), identifier("a`b", "column")
        ('id', '`order`', '`a``b`')
    """
    if not isinstance(name, str):
        raise argument_error(argument, f"a name must be a str, not {type(name).__name__}")
    if not name:
        raise argument_error(argument, "a name must not be empty")
    if "${" in name:
        raise argument_error(argument, f"{name!r} contains ${{...}}, which Spark replaces")
    check_unicode(name, argument)
    if _PLAIN.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


def qualified(name: str | Sequence[str], argument: str) -> str:
    """Returns a name of one or more parts: of a table, or of a field in a struct.

    Args:
        name: ``"db.orders"``, split at its dots, or the parts: ``("db", "odd.name")``. A table by
            its path is ``("hudilite", "/path")``.
        argument: Name of the argument in error messages.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when a part is not a valid name, see
            `identifier`.

    Examples:
        >>> qualified("db.orders", "table"), qualified(("hudilite", "/a.b"), "table")
        ('db.orders', 'hudilite.`/a.b`')
    """
    parts = name.split(".") if isinstance(name, str) else listed(name, argument)
    return ".".join(identifier(part, argument) for part in parts)


def column(name: str | Sequence[str], argument: str) -> str:
    """Returns a column name: a ``str`` is one part, a nested field is a sequence of its parts."""
    return identifier(name, argument) if isinstance(name, str) else qualified(name, argument)


def columns(names: str | Iterable[str], argument: str) -> str:
    """Returns column names, comma-separated. A ``str`` is one name."""
    found = [names] if isinstance(names, str) else listed(names, argument)
    return ", ".join(identifier(name, argument) for name in found)


def listed(names: Iterable[Name], argument: str) -> list[Name]:
    """Returns the names as a list.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when `names` is not a collection or is
            empty.
    """
    if isinstance(names, bytes) or not isinstance(names, Iterable):
        raise argument_error(argument, f"names must be a list of str, not {type(names).__name__}")
    found = list(names)
    if not found:
        raise argument_error(argument, "it is empty")
    return found


def encoded(text: str, argument: str) -> bytes:
    """Returns the text in UTF-8.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` for half a surrogate pair.
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        found = f"{text!r} is not valid Unicode"
        raise argument_error(argument, found) from error


def check_unicode(text: str, argument: str) -> None:
    """Raises the error of `encoded` for a text that has no UTF-8 bytes."""
    encoded(text, argument)


def catalog_of(parts: Sequence[str]) -> str | None:
    """Returns the catalog in a table's name.

    None for one or two parts, which use the current catalog.
    """
    return parts[0] if len(parts) > 2 else None
