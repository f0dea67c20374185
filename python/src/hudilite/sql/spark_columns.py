"""Columns of pyspark as SQL text, of a session in this process and of Spark Connect.

Nothing here imports pyspark before a caller passes one of its columns.
"""

from __future__ import annotations

import datetime
import re
import sys
from typing import TYPE_CHECKING, Any, TypeGuard

from hudilite.conditions import argument_error
from hudilite.errors import HudiliteError
from hudilite.sql import names
from hudilite.sql.literals import literal

if TYPE_CHECKING:
    from pyspark.sql import Column as Column

_PART = re.compile(r"`((?:[^`]|``)+)`|([^.`]+)")
_ANOTHER_WAY = "write it as SQL text with sql.expression"
# Expressions of Spark whose SQL is not the expression: code of the user, and names in a SELECT.
_WITHOUT_SQL = re.compile(
    r"UDF|UDAF|UserDefined|Aggregator|Alias|LambdaFunction|UpdateFields|WithField|DropField"
)
_ESCAPES = "spark.sql.parser.escapedStringLiterals"


def is_column(value: object) -> TypeGuard[Column]:
    """Whether a value is a Column of pyspark."""
    module = sys.modules.get("pyspark.sql.column")
    return module is not None and isinstance(value, module.Column)


def text(column: Any, argument: str) -> str:
    """Returns a Column as SQL text.

    Args:
        column: Column over names: ``col("s.id")``, ``lit(1)``, ``expr("a + b")`` and what is
            computed from them.
        argument: Name of the argument in error messages.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when the column has no SQL, such as a
            function of Python, an alias or a column of one DataFrame in Spark Connect.
    """
    found = _classic(column, argument) if hasattr(column, "_jc") else _connect(column, argument)
    if "${" in found:
        raise argument_error(argument, "it contains ${...}, which Spark replaces")
    return found


def _refused(argument: str, kind: str) -> HudiliteError:
    return argument_error(argument, f"a Column with {kind} has no SQL; {_ANOTHER_WAY}")


def parts_of(name: str) -> list[str]:
    """Returns the parts of a column's name as Spark splits it: at dots outside of backticks.

    Examples:
        >>> parts_of("s.`a.b`")
        ['s', 'a.b']
    """
    return [quoted.replace("``", "`") or plain for quoted, plain in _PART.findall(name)]


def alias_of(frame: Any) -> str | None:
    """Returns the alias that ``frame.alias(...)`` gave to a DataFrame of pyspark, or None."""
    if hasattr(frame, "_jdf"):
        plan = frame._jdf.queryExecution().logical()
        named = plan.getClass().getSimpleName() == "SubqueryAlias"
        return str(plan.alias()) if named else None
    plan = getattr(frame, "_plan", None)
    return getattr(plan, "_alias", None) if type(plan).__name__ == "SubqueryAlias" else None


def _classic(column: Any, argument: str) -> str:
    from pyspark.sql import SparkSession

    session: Any = SparkSession.active()
    expression = session._jsparkSession.expression(column._jc)
    _check(expression, argument)
    found = str(expression.sql())
    if "\\" in found and session.conf.get(_ESCAPES, "false") == "true":
        raise argument_error(argument, f"it contains a backslash, and {_ESCAPES} is true")
    return found


def _check(expression: Any, argument: str) -> None:
    kind = expression.getClass().getSimpleName()
    if _WITHOUT_SQL.search(kind):
        raise _refused(argument, kind)
    children = expression.children()
    for place in range(children.size()):
        _check(children.apply(place), argument)


def _connect(column: Any, argument: str) -> str:
    return _of_message(column.to_plan(None), argument)


def _of_message(message: Any, argument: str) -> str:
    """Returns the SQL of an expression in Spark Connect's protocol."""
    kind = message.WhichOneof("expr_type")
    one = getattr(message, kind)
    if kind == "literal":
        return _literal(one, argument)
    if kind == "expression_string":
        return f"({one.expression})"
    if kind == "unresolved_attribute":
        if one.HasField("plan_id"):
            raise _refused(argument, "a column of one DataFrame, df['x'] instead of col('s.x'),")
        return names.qualified(parts_of(one.unparsed_identifier), argument)
    if kind == "unresolved_function" and not one.is_distinct:
        inner = ", ".join(_of_message(operand, argument) for operand in one.arguments)
        return f"{names.identifier(one.function_name, argument)}({inner})"
    if kind == "call_function":
        inner = ", ".join(_of_message(operand, argument) for operand in one.arguments)
        return f"{one.function_name}({inner})"
    if kind == "unresolved_extract_value":
        child = _of_message(one.child, argument)
        return f"{child}[{_of_message(one.extraction, argument)}]"
    if kind == "cast":
        return _cast(one, argument)
    raise _refused(argument, kind.replace("_", " "))


def _literal(message: Any, argument: str) -> str:
    from pyspark.sql.connect.expressions import LiteralExpression

    value = LiteralExpression._to_value(message)
    if message.WhichOneof("literal_type") == "timestamp" and isinstance(value, datetime.datetime):
        value = value.astimezone()
    return literal(value, argument)


def _cast(message: Any, argument: str) -> str:
    from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type

    if message.WhichOneof("cast_to_type") == "type":
        kind = proto_schema_to_pyspark_data_type(message.type).simpleString()
    else:
        kind = message.type_str
    verb = {0: "CAST", 1: "CAST", 2: "CAST", 3: "TRY_CAST"}[message.eval_mode]
    return f"{verb}({_of_message(message.expr, argument)} AS {kind})"
