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
    from sqlglot import Token, exp


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
        text: One expression. The result has its spelling, on one line and without comments.
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


def one_line(text: str) -> str:
    """Returns SQL on one line and without comments, otherwise as it is.

    Args:
        text: SQL without syntax errors.

    Examples:
        >>> one_line("interval 1 DAY  -- not 24 hours")
        'interval 1 DAY'
    """
    from hudilite.dialect import Hudilite, source_text

    return source_text.joined(text, Hudilite().tokenize(text))


def _equals(operand: object, argument: str) -> str:
    return "IS NULL" if operand is None else f"= {value(operand, argument)}"


def _bound(text: object, values: Mapping[str, object], argument: str) -> str:
    """Returns a text on one line without its comments, with values in the place of its ``:names``.

    The text is parsed to be checked, and otherwise stays as it is: sqlglot would write some
    expressions of Spark as others.
    """
    from sqlglot import exp

    tokens, tree = _parsed(text, argument)
    holders = [holder.name for holder in tree.find_all(exp.Placeholder)]
    unknown = set(holders) - set(values)
    if unknown:
        raise argument_error(argument, f"no value was passed for {', '.join(sorted(unknown))}")
    unused = set(values) - set(holders)
    if unused:
        raise argument_error(sorted(unused)[0], f"{text!r} does not contain this name with a colon")
    written, places = _spliced(str(text), tokens, values)
    if places != len(holders):
        raise argument_error(argument, f"{text!r} contains a colon before the name of a value")
    return written


def _spliced(text: str, tokens: list[Token], values: Mapping[str, object]) -> tuple[str, int]:
    """Returns the tokens of a text, with values in the place of ``:names``, and their number."""
    from sqlglot import TokenType

    parts: list[str] = []
    places = end = 0
    following = [*tokens[1:], None]
    for token, next_token in zip(tokens, following, strict=True):
        if token.start < end or token.token_type is TokenType.SEMICOLON:
            continue
        gap = " " if parts and token.start > end else ""
        name = next_token.text if next_token else ""
        if token.token_type is TokenType.COLON and next_token and name in values:
            opens = not parts or parts[-1].endswith(("(", "["))
            parts.append(("" if opens else " ") + literal(values[name], name))
            end, places = next_token.end + 1, places + 1
        else:
            parts.append(gap + text[token.start : token.end + 1])
            end = token.end + 1
    return "".join(parts), places


def _parsed(text: object, argument: str) -> tuple[list[Token], exp.Expr]:
    from sqlglot import exp
    from sqlglot.errors import ErrorLevel, SqlglotError

    from hudilite.dialect import Hudilite

    if not isinstance(text, str):
        raise argument_error(argument, f"it must be SQL text, not {type(text).__name__}")
    if "${" in text:
        raise argument_error(argument, "it contains ${...}, which Spark replaces; bind the value")
    names.check_unicode(text, argument)
    dialect = Hudilite()
    try:
        tokens = dialect.tokenize(text)
        found = dialect.parser(error_level=ErrorLevel.RAISE).parse_into(exp.Condition, tokens, text)
    except SqlglotError as error:
        raise argument_error(argument, f"{text!r} is not a SQL expression") from error
    if len(found) != 1 or found[0] is None:
        raise argument_error(argument, f"{text!r} is not one SQL expression")
    return tokens, found[0]
