"""Source text of nodes, as the parser has read it.

sqlglot writes some expressions of Spark as others, so what must keep its meaning is written from
its source text.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import Token, exp

_SOURCE, _CALL = "hudilite.source", "hudilite.call"  # meta keys


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


def mark_call(node: exp.Expr, text: str, tokens: Sequence[Token]) -> None:
    """Stores in a function call that it was read from these tokens of a text."""
    node.meta[_CALL] = (_state(node), joined(text, tokens))


def call(node: exp.Expr) -> str | None:
    """Returns a function call as it was read; None for other nodes and for one that has changed."""
    found = node.meta.get(_CALL)
    return found[1] if found and found[0] == _state(node) else None


def joined(text: str, tokens: Sequence[Token]) -> str:
    """Returns the tokens of a text on one line, without the comments between them."""
    parts: list[str] = []
    end = 0
    for token in tokens:
        if parts and token.start < end:
            continue  # sqlglot has several tokens for a number such as 5L
        gap = " " if parts and token.start > end else ""
        parts.append(gap + text[token.start : token.end + 1])
        end = token.end + 1
    return "".join(parts)


def _state(node: exp.Expr) -> int:
    # A node keeps its hash, also if the parser changes it later. The hash of a copy is dropped.
    return hash(node.copy())
