"""A small expression language: its SQL text, and its value by three-valued logic."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]
Scope = Mapping[str, Row]
SQL_TYPES = {
    "string": "STRING",
    "int": "INT",
    "bigint": "BIGINT",
    "date": "DATE",
    "decimal": "DECIMAL(10,2)",
}


class Overflow(ArithmeticError):
    """An INT sum that does not fit; the engine's condition is ARITHMETIC_OVERFLOW."""


@dataclass(frozen=True)
class Expression:
    """SQL text with the function that gives its value in a scope of rows by alias."""

    sql: str
    value: Callable[[Scope], Any]


def literal(value: Any, kind: str) -> Expression:
    """A typed literal."""
    return Expression(literal_sql(value, kind), lambda scope: value)


def column(side: str, name: str) -> Expression:
    """A column of the target (`t`) or the source (`s`)."""
    return Expression(f"{side}.{name}", lambda scope: scope[side][name])


def equal(left: Expression, right: Expression) -> Expression:
    """`=`: null when a side is null."""
    return _compare("=", left, right, lambda a, b: a == b)


def less(left: Expression, right: Expression) -> Expression:
    """`<`: null when a side is null; strings by their UTF-8 bytes."""
    return _compare("<", left, right, lambda a, b: _ordered(a) < _ordered(b))


def null_safe_equal(left: Expression, right: Expression) -> Expression:
    """`<=>`: never null."""
    return Expression(
        f"({left.sql} <=> {right.sql})", lambda scope: left.value(scope) == right.value(scope)
    )


def is_null(inner: Expression) -> Expression:
    """`IS NULL`."""
    return Expression(f"({inner.sql} IS NULL)", lambda scope: inner.value(scope) is None)


def is_in(inner: Expression, values: list[Any], kind: str) -> Expression:
    """`IN` with a sub-query of the values: null when it is not found and a side may be null."""
    rows = ", ".join(f"({literal_sql(value, kind)})" for value in values)

    def value(scope: Scope) -> bool | None:
        held = inner.value(scope)
        if held is not None and held in values:
            return True
        return None if held is None or None in values else False

    return Expression(f"({inner.sql} IN (SELECT x FROM VALUES {rows} AS q(x)))", value)


def negation(inner: Expression) -> Expression:
    """`NOT`."""

    def value(scope: Scope) -> bool | None:
        held = inner.value(scope)
        return None if held is None else not held

    return Expression(f"(NOT {inner.sql})", value)


def conjunction(left: Expression, right: Expression) -> Expression:
    """`AND` of three-valued logic."""
    return Expression(
        f"({left.sql} AND {right.sql})", lambda s: _and(left.value(s), right.value(s))
    )


def disjunction(left: Expression, right: Expression) -> Expression:
    """`OR` of three-valued logic."""

    def value(scope: Scope) -> bool | None:
        either = (left.value(scope), right.value(scope))
        return True if True in either else None if None in either else False

    return Expression(f"({left.sql} OR {right.sql})", value)


def int_sum(left: Expression, right: Expression) -> Expression:
    """`+` of two INT expressions; raises Overflow where the engine fails."""

    def value(scope: Scope) -> int | None:
        a, b = left.value(scope), right.value(scope)
        if a is None or b is None:
            return None
        if not -(2**31) <= a + b < 2**31:
            raise Overflow
        return int(a + b)

    return Expression(f"({left.sql} + {right.sql})", value)


def coalesce(first: Expression, second: Expression) -> Expression:
    """`coalesce` of two expressions."""

    def value(scope: Scope) -> Any:
        held = first.value(scope)
        return second.value(scope) if held is None else held

    return Expression(f"coalesce({first.sql}, {second.sql})", value)


def literal_sql(value: Any, kind: str) -> str:
    """The SQL text of a value of a kind; long repetitions stay short."""
    if value is None:
        return f"CAST(NULL AS {SQL_TYPES[kind]})"
    if isinstance(value, str):
        if len(value) > 1000 and len(set(value)) == 1:
            return f"repeat('{value[0]}', {len(value)})"
        escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
        return f"'{escaped}'"
    if isinstance(value, datetime.date):
        return f"DATE'{value.isoformat()}'"
    return f"CAST('{value}' AS {SQL_TYPES[kind]})"


def _compare(
    sign: str, left: Expression, right: Expression, holds: Callable[[Any, Any], bool]
) -> Expression:
    def value(scope: Scope) -> bool | None:
        a, b = left.value(scope), right.value(scope)
        return None if a is None or b is None else holds(a, b)

    return Expression(f"({left.sql} {sign} {right.sql})", value)


def _ordered(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode()
    return value


def _and(left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True
