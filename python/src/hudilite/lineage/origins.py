"""Columns that an expression in a clause of a MERGE comes from."""

from __future__ import annotations

from sqlglot import exp

from hudilite.conditions import error_of
from hudilite.lineage.model import Origin
from hudilite.script.merges import Merge, leading

_QUALIFY = "Qualify the column with its table, or pass the declarations in tables=... (--tables)."


def when(clause: exp.When) -> str:
    """Returns the words of a WHEN clause that say which rows it applies to."""
    if clause.args.get("matched"):
        return "MATCHED"
    return "NOT MATCHED BY SOURCE" if clause.args.get("source") else "NOT MATCHED"


def origins(value: exp.Expr, clause: exp.When, parts: Merge) -> tuple[Origin, ...]:
    """Returns the columns of an expression, in the order of the text.

    Columns inside a sub-query count only if their qualifier is a relation of the MERGE. A variable
    is no column.

    Raises:
        HudiliteError: ``HUDILITE_LINEAGE_UNKNOWN`` for a column that can belong to either relation.
    """
    found: dict[Origin, None] = {}
    for column in value.find_all(exp.Column, bfs=False):
        is_default = column is value and column.name.upper() == "DEFAULT"
        if is_default or _is_of_sub_query(column):
            continue
        side = parts.side(column)
        if side is None and not column.table and column.name.lower() in parts.variables:
            continue
        side = side or _only_side(column, clause)
        found[Origin(side, path(column, parts.relations[side]))] = None
    return tuple(found)


def path(column: exp.Expr, relation: exp.Expr) -> str:
    """Returns the name of a column without the qualifier of its relation."""
    parts = column.parts if isinstance(column, exp.Column) else [column]
    names = [part.name for part in parts]
    return ".".join(names[leading([name.lower() for name in names], relation) :])


def _is_of_sub_query(column: exp.Column) -> bool:
    """Whether a column belongs to a sub-query: it has no qualifier, or one that the query reads."""
    query = column.find_ancestor(exp.Select)
    while query:
        read = {one.alias_or_name.lower() for one in query.find_all(exp.Table, exp.Subquery)}
        if not column.table or column.table.lower() in read:
            return True
        query = query.find_ancestor(exp.Select)
    return False


def _only_side(column: exp.Column, clause: exp.When) -> str:
    """Returns the one relation that a clause can use, for a column whose side is not known."""
    if when(clause) == "MATCHED":
        reason = f"{column.sql('hudilite')} can be a column of the source or of the target"
        raise error_of(
            "HUDILITE_LINEAGE_UNKNOWN", clause="WHEN MATCHED", reason=reason, fix=_QUALIFY
        )
    return "source" if when(clause) == "NOT MATCHED" else "target"
