"""Source text of nodes, as the parser has read it.

sqlglot writes some expressions of Spark as others, so what must keep its meaning is written from
its source text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from sqlglot import Token, exp

_SOURCE, _CALL = "hudilite.source", "hudilite.call"  # meta keys
_SPAN = "hudilite.span"  # meta key while the parser still changes the node


def mark(node: exp.Expr, text: str, first: Token, last: Token) -> None:
    """Stores in a node that its source text reaches from one token of a text to another."""
    node.meta[_SOURCE] = (text, first.start, last.end + 1)


def of(node: exp.Expr) -> str | None:
    """Returns the source text of a node; None for a node of which the parser keeps none.

    These nodes have it: the entries of a list of expressions, such as those of SELECT and VALUES; a
    value of UPDATE SET in a MERGE; columns and clauses of CREATE TABLE with their constraints; and
    the query of AS SELECT. A change of the tree does not change the text.
    """
    return _part(node.meta_get(_SOURCE))


def before(node: exp.Expr, part: exp.Expr) -> str | None:
    """Returns the source text of a node up to one of its parts; None if it is not known."""
    whole, inner = node.meta_get(_SOURCE), part.meta_get(_SOURCE)
    return _part((whole[0], whole[1], inner[1])) if whole and inner else None


def mark_call(node: exp.Expr, first: Token, last: Token) -> None:
    """Stores in a function call that it was read from these tokens, until `settle`."""
    node.meta[_SPAN] = (first.start, last.end + 1)


def settle(trees: Iterable[exp.Expr | None], text: str, tokens: Sequence[Token]) -> None:
    """Stores the text of each marked call in complete trees, which the parser changes no more."""
    line, places = _on_one_line(text, tokens)
    for tree in trees:
        states = _states(tree) if tree else {}
        for node in tree.walk() if tree else ():
            span = node.meta.pop(_SPAN, None) if node.meta_get(_SPAN) else None
            if span and not _is_incomplete(node):
                node.meta[_CALL] = (states[id(node)], (line, *map(places.__getitem__, span)))


def call(node: exp.Expr) -> str | None:
    """Returns a function call as it was read; None for other nodes and for one that has changed."""
    found = node.meta_get(_CALL)
    return _part(found[1]) if found and found[0] == _states(node)[id(node)] else None


def joined(text: str, tokens: Sequence[Token]) -> str:
    """Returns the tokens of a text on one line, without the comments between them."""
    return _on_one_line(text, tokens)[0]


def _part(place: tuple[str, int, int] | None) -> str | None:
    return place[0][place[1] : place[2]] if place else None


def _on_one_line(text: str, tokens: Sequence[Token]) -> tuple[str, dict[int, int]]:
    """Returns the tokens of a text on one line, and where offsets in the text are in the line."""
    parts: list[str] = []
    places: dict[int, int] = {}
    end = length = 0
    for token in tokens:
        if parts and token.start < end:
            continue  # sqlglot has several tokens for a number such as 5L
        gap = _gap(text[end : token.start], parts, token) if parts else ""
        end = token.end + 1
        parts.append(gap + text[token.start : end])
        places[token.start] = length + len(gap)
        length += len(parts[-1])
        places[end] = length
    return "".join(parts), places


def _gap(between: str, before: Sequence[str], token: Token) -> str:
    """Returns a space for what is between two tokens, but none for a comment at a parenthesis."""
    is_comment = bool(between.strip())
    at_parenthesis = before[-1].endswith("(") or token.text in (")", ",")
    return " " if between and not (is_comment and at_parenthesis) else ""


def _is_incomplete(node: exp.Expr) -> bool:
    """Whether a part of a node stands before it: ``db`` in ``db.sum(a) OVER ()``."""
    return isinstance(node, exp.Window) and isinstance(node.this, exp.Dot)


def _states(tree: exp.Expr) -> dict[int, str]:
    """Returns a hash of each node of a tree, by id, that is the same in every process.

    sqlglot keeps the hash of a node also if the parser changes the node later.
    """
    nodes = [tree]
    for node in nodes:
        nodes.extend(node.iter_expressions())
    states: dict[int, str] = {}
    for node in reversed(nodes):
        parts = [node.key]
        for name, value in node.args.items():
            if value is not None and value is not False:
                parts.append(name)
                parts += [
                    states[id(one)] if isinstance(one, exp.Expr) else repr(one)
                    for one in (value if isinstance(value, list) else [value])
                ]
        text = "\0".join(parts).encode("utf-8", "surrogatepass")
        states[id(node)] = blake2b(text, digest_size=8).hexdigest()
    return states
