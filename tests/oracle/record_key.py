"""Text of `_hoodie_record_key`, from the rules of Apache Hudi's key generators."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from decimal import Decimal


def is_complex(key_fields: Sequence[str], partition_fields: Sequence[str]) -> bool:
    """Whether stock Hudi 1.2 writes `f:v,..` for a table, by the generator that it infers."""
    return len(key_fields) > 1 or len(partition_fields) > 1


def generator(key_fields: Sequence[str], partition_fields: Sequence[str]) -> str:
    """The hoodie.table.keygenerator.type that stock Hudi 1.2 infers."""
    if not partition_fields:
        return "NON_PARTITION"
    return "SIMPLE" if len(key_fields) == 1 and len(partition_fields) == 1 else "COMPLEX"


def record_key(
    key_fields: Sequence[str], partition_fields: Sequence[str], values: Sequence[str | None]
) -> str:
    """Key text of one row; values are the texts of the key columns in key order.

    Raises:
        ValueError: when every value is null or empty, which Hudi does not store.
    """
    if not any(values):
        raise ValueError("a key needs a value that is neither null nor empty")
    if not is_complex(key_fields, partition_fields):
        return str(values[0])
    texts = ["__null__" if v is None else v or "__empty__" for v in values]
    return ",".join(f"{f}:{t}" for f, t in zip(key_fields, texts, strict=True))


def key_text(value: object) -> str | None:
    """Text of a key value as stock Hudi 1.2 writes it by its upsert: no time zone, no session.

    Raises:
        TypeError: for a type that has no exact text.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, datetime.datetime):
        epoch = datetime.datetime(1970, 1, 1, tzinfo=value.tzinfo and datetime.timezone.utc)
        return str((value - epoch) // datetime.timedelta(microseconds=1))
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return _decimal_text(value)
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"{type(value).__name__} has no exact text")


def _decimal_text(value: Decimal) -> str:
    """java.math.BigDecimal.toString: an exponent where the value is below 1E-6."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    adjusted = exponent + len(digits) - 1
    minus, text = "-" if sign else "", "".join(map(str, digits))
    if adjusted >= -6:
        return format(value, "f")
    point = f"{text[0]}.{text[1:]}" if len(text) > 1 else text
    return f"{minus}{point}E{adjusted}"
