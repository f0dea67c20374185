"""Builders of SQL text. They quote names, and write values as literals.

A builder returns one statement, for ``spark.sql``, a shell or a JDBC connection. A ``str`` given as
a value is always a literal; use `expression` or `column` for SQL. Only a condition may be a ``str``
of SQL. Nothing here needs pyspark.

Examples:
    >>> from hudilite import sql
    >>> print(sql.update("orders", {"state": "void", "amount": sql.expression("amount * :rate",
    ...     rate=2)}, where={"id": 7}))
    UPDATE orders SET state = 'void', amount = amount * 2
    WHERE id = 7
"""

from hudilite.sql.calls import bootstrap
from hudilite.sql.changes import (
    delete,
    matched,
    merge_into,
    not_matched,
    not_matched_by_source,
    update,
)
from hudilite.sql.expressions import Expression, column, expression
from hudilite.sql.tables import Column, create_table

__all__ = [
    "Column",
    "Expression",
    "bootstrap",
    "column",
    "create_table",
    "delete",
    "expression",
    "matched",
    "merge_into",
    "not_matched",
    "not_matched_by_source",
    "update",
]
