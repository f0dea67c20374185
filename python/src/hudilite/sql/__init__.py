"""SQL text by builders: names and values are bound so that they are read as what they are.

Each gives one statement, for ``spark.sql``, a shell or a JDBC connection. Text in the place of a
value is always a literal; what is meant as SQL is said so, by `expression` or `column`. Only
conditions are SQL when they are a ``str``. Nothing here needs pyspark.

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
