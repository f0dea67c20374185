"""Column lineage of a MERGE: what each clause makes each column of.

Examples:
    >>> from hudilite import lineage
    >>> text = "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = t.n + s.more"
    >>> (clause,) = lineage.merge(text)
    >>> [(one.column, [str(origin) for origin in one.origins]) for one in clause.columns]
    [('n', ['target.n', 'source.more'])]
"""

from __future__ import annotations

from collections.abc import Mapping

import sqlglot
from sqlglot import exp

from hudilite.conditions import error_of
from hudilite.dialect import Explain
from hudilite.lineage.clauses import traced
from hudilite.lineage.model import Assigned, Clause, Origin
from hudilite.script.merges import Merge
from hudilite.script.tables import Declared, Tables

__all__ = ["Assigned", "Clause", "Declared", "Origin", "merge"]


def merge(text: str, *, tables: Mapping[str, Declared] | None = None) -> list[Clause]:
    """What each clause of a MERGE makes each column of.

    ``UPDATE SET *`` and ``INSERT *`` are taken apart where the columns of the target are known.

    Args:
        text: One MERGE, or EXPLAIN of it.
        tables: What is known of tables, by name: ``{"db.orders": Declared(columns=(...))}``.

    Raises:
        HudiliteError: HUDILITE_LINEAGE_UNKNOWN for another statement, for a star over unknown
            columns, and for a column of which nothing tells whether it is the source's.
        sqlglot.errors.ParseError: For malformed text.

    Examples:
        >>> facts = {"t": Declared(columns=("id", "v"))}
        >>> text = "MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *"
        >>> [str(one.origins[0]) for one in merge(text, tables=facts)[0].columns]
        ['source.id', 'source.v']
    """
    tree = sqlglot.parse_one(text, read="hudilite")
    tree = tree.this if isinstance(tree, Explain) else tree
    if not isinstance(tree, exp.Merge):
        reason = f"it is no MERGE but {type(tree).__name__}"
        raise error_of(
            "HUDILITE_LINEAGE_UNKNOWN",
            clause="the statement",
            reason=reason,
            fix="Name one MERGE INTO.",
        )
    parts = Merge.of(tree, Tables(tables))
    return [traced(number, when, parts) for number, when in enumerate(parts.clauses, start=1)]
