"""Source text of nodes, as the parser has read it.

sqlglot writes some expressions of Spark as others, so what must keep its meaning is written from
its source text.
"""

from __future__ import annotations

from sqlglot import Token, exp

_SOURCE = "hudilite.source"  # meta key


def mark(node: exp.Expr, text: str, first: Token, last: Token) -> None:
    """Stores in a node that its source text reaches from one token of a text to another."""
    node.meta[_SOURCE] = (first.start, text[first.start : last.end + 1])


def of(node: exp.Expr) -> str | None:
    """Returns the source text of a node; None for a node of which the parser keeps none.

    These nodes have it: the entries of a list of expressions, such as those of SELECT and VALUES; a
    value of UPDATE SET in a MERGE; columns and clauses of CREATE TABLE with their constraints; and
    the query of AS SELECT. A change of the tree does not change the text.
    """
    found = node.meta.get(_SOURCE)
    return found[1] if found else None


def before(node: exp.Expr, part: exp.Expr) -> str | None:
    """Returns the source text of a node up to one of its parts; None if it is not known."""
    whole, inner = node.meta.get(_SOURCE), part.meta.get(_SOURCE)
    if not whole or not inner:
        return None
    text: str = whole[1][: inner[0] - whole[0]]
    return text
