"""Statements inside the blocks of a script: BEGIN and END, conditions, loops, handlers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import Token, TokenType

_OPENING = {
    "BEGIN": "",
    "CASE": "THEN",
    "FOR": "DO",
    "IF": "THEN",
    "LOOP": "",
    "REPEAT": "",
    "WHILE": "DO",
}
_PARTS = _OPENING | {"ELSE": "", "ELSEIF": "THEN", "WHEN": "THEN"}
"""Words that begin a part of a block, each with the word after its condition, if it has one."""
_CLOSING = ("END", "UNTIL")
_WITHOUT_SQL = ("ITERATE", "LEAVE")

Tokens = list[Token]


def simple(pieces: Iterable[Tokens]) -> Iterator[Tokens]:
    """Yields the statements that blocks consist of, and those outside of blocks as they are.

    The words of a block are left out: ``IF x > 1 THEN DELETE FROM t`` becomes ``DELETE FROM t``.

    Args:
        pieces: Tokens between semicolons.
    """
    depth = 0
    for piece in pieces:
        if depth or _begins(piece):
            rest, depth = _inner(piece, depth)
            if rest:
                yield rest
        else:
            yield piece


def _begins(piece: Tokens) -> bool:
    words = [token.text.upper() for token in _unlabelled(piece)[:2]]
    return len(words) == 2 and words[0] == "BEGIN" and words[1] != "TRANSACTION"


def _inner(piece: Tokens, depth: int) -> tuple[Tokens, int]:
    """Returns a piece without the words of blocks, and how many blocks are open behind it."""
    rest = piece
    while rest:
        tokens = _unlabelled(rest)
        word = tokens[0].text.upper()
        if word in _CLOSING:
            return [], depth - 1
        end = _handler_end(tokens) if word == "DECLARE" else _part_end(tokens, word)
        if end is None:
            return ([] if word in _WITHOUT_SQL else rest), depth
        rest, depth = tokens[end:], depth + (word in _OPENING)
    return rest, depth


def _unlabelled(tokens: Tokens) -> Tokens:
    """Returns tokens without a leading ``label:``."""
    has_label = len(tokens) > 2 and tokens[1].token_type == TokenType.COLON
    return tokens[2:] if has_label else tokens


def _part_end(tokens: Tokens, word: str) -> int | None:
    """Returns the index behind the condition of a part; None if there is no part or no end."""
    last = _PARTS.get(word)
    if not last:
        return None if last is None else 1
    open_ones = 0
    for at, token in enumerate(tokens[1:], start=1):
        if token.token_type in (TokenType.L_PAREN, TokenType.CASE):
            open_ones += 1
        elif token.token_type in (TokenType.R_PAREN, TokenType.END):
            open_ones -= 1
        elif not open_ones and token.text.upper() == last:
            return at + 1
    return None


def _handler_end(tokens: Tokens) -> int | None:
    """Returns the index behind ``DECLARE .. HANDLER FOR conditions``, or of a condition's end."""
    words = [token.text.upper() for token in tokens]
    if words[2:3] == ["CONDITION"]:
        return len(words)
    if words[2:4] != ["HANDLER", "FOR"]:
        return None
    at = 4
    while at < len(words):
        if words[at] == "SQLSTATE":
            at += 3 if words[at + 1 : at + 2] == ["VALUE"] else 2
        else:
            at += 2 if words[at] == "NOT" else 1
        if words[at : at + 1] not in ([","], ["."]):
            break
        at += 1
    return at
