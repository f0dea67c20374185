"""Python values as SQL literals that have one meaning under every setting of Spark's parser."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping
from decimal import Decimal

from hudilite.conditions import argument_error
from hudilite.sql.names import check_unicode, encoded

_DIGITS = 38  # maximum precision of Spark's DECIMAL

# spark.sql.parser.escapedStringLiterals changes what quotes and backslashes mean, Spark replaces
# ${...}, and the spark-sql shell splits a statement into lines.
_AWKWARD = re.compile(r"['\\\x00-\x1f\x7f\u2028\u2029]|\$\{")


def literal(value: object, argument: str) -> str:
    """Returns a value as a SQL literal.

    Args:
        value: None, bool, int, float, Decimal, str, bytes, date, datetime, a list or tuple (an
            ARRAY) or a mapping (a MAP) of these. A datetime with a time zone is a TIMESTAMP, one
            without is a TIMESTAMP_NTZ.
        argument: Name of the value in error messages.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when the value has another type, a
            number has more than 38 digits, or text is not valid Unicode.

    Examples:
        >>> literal(5, "x"), literal("open", "x"), literal([None, True], "x")
        ('5', "'open'", 'array(NULL, TRUE)')
        >>> literal("it's", "x")
        "CAST(X'69742773' AS STRING)"
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return _text(value, argument)
    if isinstance(value, (bytes, bytearray)):
        return f"X'{bytes(value).hex().upper()}'"
    if isinstance(value, (int, float, Decimal)):
        return _number(value, argument)
    if isinstance(value, datetime.datetime):
        return _moment(value, argument)
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, (list, tuple)):
        return f"array({', '.join(literal(one, argument) for one in value)})"
    if isinstance(value, Mapping):
        pairs = [literal(one, argument) for pair in value.items() for one in pair]
        return f"map({', '.join(pairs)})"
    raise argument_error(argument, f"{type(value).__name__} has no SQL literal")


def quoted(text: str, argument: str) -> str:
    r"""Returns text in quotes, for a comment, a location or a property: no expression fits there.

    In these places Spark reads escapes under every setting.

    Args:
        text: Any text.
        argument: Name of the text in error messages.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when `text` is not a str or not valid
            Unicode.

    Examples:
        >>> print(quoted("it's ${x}", "comment"))
        'it\'s \u0024{x}'
    """
    if not isinstance(text, str):
        raise argument_error(argument, f"it must be a str, not {type(text).__name__}")
    check_unicode(text, argument)
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{")
    return "'" + re.sub(r"[\x00-\x1f\x7f\u2028\u2029]", _escape, escaped) + "'"


def _escape(character: re.Match[str]) -> str:
    return f"\\u{ord(character[0]):04x}"


def _text(value: str, argument: str) -> str:
    data = encoded(value, argument)
    text = data.decode("utf-8")  # a str that is an Enum becomes its value
    return f"CAST(X'{data.hex().upper()}' AS STRING)" if _AWKWARD.search(text) else f"'{text}'"


def _number(value: int | float | Decimal, argument: str) -> str:
    if isinstance(value, float):
        if math.isfinite(value):
            return f"{float.__repr__(value).upper()}D"
        return f"CAST('{'NaN' if math.isnan(value) else value}' AS DOUBLE)"
    text = int.__repr__(value) if isinstance(value, int) else _decimal(value, argument)
    if sum(character.isdigit() for character in text.lstrip("-0.")) > _DIGITS:
        raise argument_error(argument, f"DECIMAL has at most {_DIGITS} digits, {value} has more")
    return text


def _decimal(value: Decimal, argument: str) -> str:
    if not value.is_finite():
        raise argument_error(argument, f"DECIMAL does not have the value {value}")
    scale = max(0, -int(value.as_tuple().exponent))
    if scale > _DIGITS or value.adjusted() >= _DIGITS:
        raise argument_error(argument, f"DECIMAL has at most {_DIGITS} digits, {value} has more")
    return f"{value:f}BD"


def _moment(value: datetime.datetime, argument: str) -> str:
    if value != value:
        raise argument_error(argument, "NaT has no SQL literal; write None for NULL")
    text = value.replace(tzinfo=None).isoformat(sep=" ")
    if value.tzinfo is None:
        return f"TIMESTAMP_NTZ '{text}'"
    try:
        utc = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    except OverflowError as error:
        raise argument_error(argument, f"{value} is outside the years 1 to 9999") from error
    return f"TIMESTAMP_LTZ '{utc.isoformat(sep=' ')} UTC'"
