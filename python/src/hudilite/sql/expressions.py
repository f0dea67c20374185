"""SQL expressions: text that is parsed before it is used, with values bound into it.

sqlglot is imported when a text is parsed, not before: importing it takes longer than importing the
whole package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from hudilite.conditions import argument_error
from hudilite.sql import names, spark_columns
from hudilite.sql.literals import literal

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True)
class Expression:
    """SQL expression, made by `expression` or `column`.

    Attributes:
        text: SQL of one complete expression.
    """

    text: str


Condition: TypeAlias = "str | Expression | Mapping[str, object] | spark_columns.Column"


def expression(text: str, /, **values: object) -> Expression:
    """Returns a SQL expression with values in the place of its ``:names``.

    Args:
        text: One expression. The result has sqlglot's spelling.
        **values: Value of each ``:name`` in the text, of a type that `literals.literal` accepts.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when the text is not one expression or
            contains ``${``, a name has no value, a value has no name, or a value has no literal.

    Examples:
        >>> expression("s.amount > :least AND s.state <> :state", least=5, state="void").text
        "s.amount > 5 AND s.state <> 'void'"
    """
    return Expression(_bound(text, values, "text"))


def column(*parts: str) -> Expression:
    """Returns a column as an expression: ``column("s", "amount")``.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when a part is not a valid name, see
            `names.identifier`.

    Examples:
        >>> column("s", "order").text
        's.`order`'
    """
    return Expression(names.qualified(parts, "parts"))


def value(operand: object, argument: str) -> str:
    """Returns a value as SQL.

    An `Expression` and a Column of pyspark are SQL; anything else, also text, is a literal.
    """
    if spark_columns.is_column(operand):
        return spark_columns.text(operand, argument)
    return operand.text if isinstance(operand, Expression) else literal(operand, argument)


def condition(operand: Condition, argument: str, alias: str | None = None) -> str:
    """Returns a condition as SQL.

    Args:
        operand: SQL text, an `Expression`, a Column of pyspark, or a mapping from columns to the
            values that they equal; None stands for IS NULL.
        argument: Name of the argument in error messages.
        alias: Alias to write before each column of a mapping.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when a text is not one expression, a
            mapping is empty, a value has no literal, or a Column has no SQL.
    """
    if spark_columns.is_column(operand):
        return spark_columns.text(operand, argument)
    if isinstance(operand, Expression):
        return operand.text
    if isinstance(operand, Mapping):
        before = f"{names.identifier(alias, argument)}." if alias else ""
        return " AND ".join(
            f"{before}{names.column(name, argument)} {_equals(operand[name], argument)}"
            for name in names.listed(operand, argument)
        )
    return _bound(operand, {}, argument)


def assignments(operand: Mapping[str | Sequence[str], object], argument: str) -> str:
    """Returns ``column = value`` for each entry, comma-separated.

    The key of a nested field is a tuple of its parts.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when `operand` is not a mapping or is
            empty, or a column or value cannot be written as SQL.
    """
    if not isinstance(operand, Mapping):
        raise argument_error(argument, f"it must be a mapping, not {type(operand).__name__}")
    return ", ".join(
        f"{names.column(name, argument)} = {value(operand[name], f'{argument}[{name!r}]')}"
        for name in names.listed(operand, argument)
    )


def _equals(operand: object, argument: str) -> str:
    return "IS NULL" if operand is None else f"= {value(operand, argument)}"


def _bound(text: object, values: Mapping[str, object], argument: str) -> str:
    from sqlglot import exp

    from hudilite.dialect import Hudilite

    tree = _parsed(text, argument)
    holders = list(tree.find_all(exp.Placeholder))
    unknown = {holder.name for holder in holders} - set(values)
    if unknown:
        raise argument_error(argument, f"no value was passed for {', '.join(sorted(unknown))}")
    unused = set(values) - {holder.name for holder in holders}
    if unused:
        raise argument_error(sorted(unused)[0], f"{text!r} does not contain this name with a colon")
    for holder in holders:
        written = exp.Var(this=literal(values[holder.name], holder.name))
        tree = written if holder is tree else tree
        holder.replace(written)
    return tree.sql(Hudilite, comments=False)


def _parsed(text: object, argument: str) -> exp.Expr:
    from sqlglot import exp
    from sqlglot.errors import ErrorLevel, SqlglotError

    from hudilite.dialect import Hudilite

    if not isinstance(text, str):
        raise argument_error(argument, f"it must be SQL text, not {type(text).__name__}")
    if "${" in text:
        raise argument_error(argument, "it contains ${...}, which Spark replaces; bind the value")
    names.check_unicode(text, argument)
    try:
        found = Hudilite().parse_into(exp.Condition, text, error_level=ErrorLevel.RAISE)
    except SqlglotError as error:
        raise argument_error(argument, f"{text!r} is not a SQL expression") from error
    if len(found) != 1 or found[0] is None:
        raise argument_error(argument, f"{text!r} is not one SQL expression")
    return found[0]
