"""SQL expressions: text that is parsed before it is used, with values bound into it.

sqlglot is imported when a text is parsed, not before: it costs more than all of the package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hudilite.conditions import argument_error
from hudilite.sql import names
from hudilite.sql.literals import literal

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True)
class Expression:
    """An SQL expression, made by `expression` or `column`.

    Attributes:
        text: The SQL, complete in itself.
    """

    text: str


Condition = str | Expression | Mapping[str, object]


def expression(text: str, /, **values: object) -> Expression:
    """An SQL expression with values in the place of its ``:names``.

    Args:
        text: One expression; it comes out in sqlglot's spelling.
        **values: One for each ``:name`` in the text; what `literals.literal` takes.

    Raises:
        HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID for text that is not one expression, a name
            without a value, a value without a name, or a value that has no literal.

    Examples:
        >>> expression("s.amount > :least AND s.state <> :state", least=5, state="void").text
        "s.amount > 5 AND s.state <> 'void'"
    """
    return Expression(_bound(text, values, "text"))


def column(*parts: str) -> Expression:
    """A column as an expression: ``column("s", "amount")``.

    Raises:
        HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID, see `names.identifier`.

    Examples:
        >>> column("s", "order").text
        's.`order`'
    """
    return Expression(names.qualified(parts, "parts"))


def value(given: object, argument: str) -> str:
    """A value to assign: an `Expression` as it is, everything else, text too, as a literal."""
    return given.text if isinstance(given, Expression) else literal(given, argument)


def condition(given: Condition, argument: str, alias: str | None = None) -> str:
    """A condition as SQL.

    Args:
        given: SQL text, an `Expression`, or columns with the values they equal, None for IS NULL.
        argument: What an error calls it.
        alias: Stands before each column of a mapping.

    Raises:
        HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID for text that is not one expression,
            an empty mapping, or a value that has no literal.
    """
    if isinstance(given, Expression):
        return given.text
    if isinstance(given, Mapping):
        before = f"{names.identifier(alias, argument)}." if alias else ""
        return " AND ".join(
            f"{before}{names.column(name, argument)} {_equals(given[name], argument)}"
            for name in names.listed(given, argument)
        )
    return _bound(given, {}, argument)


def assignments(given: Mapping[str | Sequence[str], object], argument: str) -> str:
    """``column = value`` for each entry; the parts of a nested field are a tuple.

    Raises:
        HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID for what is no mapping or an empty one,
            and for a name or value that cannot be written.
    """
    if not isinstance(given, Mapping):
        raise argument_error(argument, f"{type(given).__name__} maps no columns to values")
    return ", ".join(
        f"{names.column(name, argument)} = {value(given[name], f'{argument}[{name!r}]')}"
        for name in names.listed(given, argument)
    )


def _equals(given: object, argument: str) -> str:
    return "IS NULL" if given is None else f"= {value(given, argument)}"


def _bound(text: str, values: Mapping[str, object], argument: str) -> str:
    from sqlglot import exp

    from hudilite.dialect import Hudilite

    tree = _parsed(text, argument)
    holders = list(tree.find_all(exp.Placeholder))
    unknown = {holder.name for holder in holders} - set(values)
    if unknown:
        raise argument_error(argument, f"no value is given for {', '.join(sorted(unknown))}")
    unused = set(values) - {holder.name for holder in holders}
    if unused:
        raise argument_error(sorted(unused)[0], f"no such name with a colon stands in {text!r}")
    for holder in holders:
        written = exp.Var(this=literal(values[holder.name], holder.name))
        tree = written if holder is tree else tree
        holder.replace(written)
    return tree.sql(Hudilite, comments=False)


def _parsed(text: str, argument: str) -> exp.Expr:
    from sqlglot import exp
    from sqlglot.errors import ErrorLevel, SqlglotError

    from hudilite.dialect import Hudilite

    if not isinstance(text, str):
        raise argument_error(argument, f"it is SQL text, not {type(text).__name__}")
    if "${" in text:
        raise argument_error(argument, "Spark replaces ${...} in statements; bind the value")
    names.encoded(text, argument)
    try:
        found = Hudilite().parse_into(exp.Condition, text, error_level=ErrorLevel.RAISE)
    except SqlglotError as error:
        raise argument_error(argument, f"{text!r} is no SQL expression") from error
    if len(found) != 1 or found[0] is None:
        raise argument_error(argument, f"{text!r} is not one SQL expression")
    return found[0]
