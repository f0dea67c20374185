"""Statements inside the blocks of a script: BEGIN and END, conditions, loops, handlers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot import ParseError, Token, TokenType

_OPENING = ("BEGIN", "CASE", "FOR", "IF", "LOOP", "REPEAT", "WHILE")
_WITHIN = {"ELSE": ("CASE", "IF"), "ELSEIF": ("IF",), "UNTIL": ("REPEAT",), "WHEN": ("CASE",)}
"""Words that begin a further part of a block, each with the words that open such a block."""
_UP_TO = {
    **{"CASE": "WHEN", "ELSEIF": "THEN", "FOR": "DO", "IF": "THEN", "UNTIL": "END"},
    **{"WHEN": "THEN", "WHILE": "DO"},
}
"""Words that a condition or a query follows, each with the word behind that."""
_BEHIND_CONDITIONS = ("DO", "ELSE", "END", "THEN", "WHEN")
_WITHOUT_SQL = ("ITERATE", "LEAVE")
_QUOTED = (
    TokenType.IDENTIFIER,
    TokenType.NATIONAL_STRING,
    TokenType.RAW_STRING,
    TokenType.STRING,
)
_BETWEEN_VALUES = (
    *(TokenType.EQ, TokenType.NEQ, TokenType.NULLSAFE_EQ, TokenType.GT, TokenType.GTE),
    *(TokenType.LT, TokenType.LTE, TokenType.AND, TokenType.OR, TokenType.PLUS, TokenType.SLASH),
    *(TokenType.DPIPE, TokenType.BETWEEN, TokenType.LIKE, TokenType.RLIKE, TokenType.COMMA),
)
_BEFORE_VALUE = (
    *_BETWEEN_VALUES,
    *(TokenType.DASH, TokenType.DOT, TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.NOT),
    *(TokenType.CASE, TokenType.WHEN, TokenType.THEN, TokenType.ELSE, TokenType.SELECT),
    *(TokenType.DISTINCT, TokenType.ALIAS, TokenType.FROM, TokenType.JOIN, TokenType.ON),
    *(TokenType.WHERE, TokenType.HAVING, TokenType.GROUP_BY, TokenType.ORDER_BY),
)
_BEHIND_VALUE = (
    *_BETWEEN_VALUES,
    *(TokenType.DOT, TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.STAR, TokenType.IS),
    *(TokenType.IN, TokenType.THEN, TokenType.ELSE, TokenType.END, TokenType.ALIAS),
)

Tokens = list[Token]


@dataclass(frozen=True)
class Piece:
    """Part of a script that is a statement or, in the words of a block, a condition.

    Attributes:
        tokens: Its tokens.
        in_block: Whether it is inside of BEGIN and END.
        in_branch: Whether it is in a branch, a loop or a handler, so that it may not run.
        is_condition: Whether it is an expression.
        error: Fault in the words of the block; the tokens are not SQL then.
    """

    tokens: Tokens
    in_block: bool = False
    in_branch: bool = False
    is_condition: bool = False
    error: ParseError | None = None


@dataclass(frozen=True)
class _Block:
    word: str
    first: Token
    label: str
    in_branch: bool


def simple(pieces: Iterable[Tokens]) -> Iterator[Piece]:
    """Yields the statements and conditions that blocks consist of, and the statements elsewhere.

    The words of a block are left out: of ``IF x > 1 THEN DELETE FROM t``, the pieces are ``x > 1``
    and ``DELETE FROM t``.

    Args:
        pieces: Tokens between semicolons.
    """
    blocks: list[_Block] = []
    for piece in pieces:
        if blocks or _begins(piece):
            try:
                yield from _inner(piece, blocks)
            except ParseError as error:
                yield Piece(piece, in_block=True, error=error)
        else:
            yield Piece(piece)
    if blocks:
        first = blocks[-1].first
        yield Piece([first], in_block=True, error=_fault(first, f"{first.text} is not closed"))


def _begins(piece: Tokens) -> bool:
    words = [_word(token) for token in _labelled(piece)[1][:2]]
    return len(words) == 2 and words[0] == "BEGIN" and words[1] != "TRANSACTION"


def _inner(tokens: Tokens, blocks: list[_Block]) -> Iterator[Piece]:
    """Yields the parts of a piece, and opens and closes blocks by its words."""
    in_handler = False
    while tokens:
        label, tokens = _labelled(tokens)
        first, word = tokens[0], _word(tokens[0])
        in_branch = in_handler or (bool(blocks) and blocks[-1].in_branch)
        if word == "END":
            _close(tokens, blocks)
            return
        if word in _WITHIN and blocks[-1].word not in _WITHIN[word]:
            raise _fault(first, f"{first.text} does not continue {blocks[-1].first.text}")
        if word in _OPENING:
            is_branch = in_branch or word != "BEGIN"
            blocks.append(_Block(word, first, label, is_branch))
        if word in _UP_TO:
            start, end = _start(tokens, word), _end(tokens, _UP_TO[word])
            if end > start:
                yield Piece(tokens[start:end], True, in_branch, is_condition=word != "FOR")
            tokens = tokens[end + (_UP_TO[word] in ("DO", "THEN")) :]
        elif word in _OPENING or word in _WITHIN:
            words = [_word(token) for token in tokens[:3]]
            tokens = tokens[3 if words == ["BEGIN", "NOT", "ATOMIC"] else 1 :]
        elif _handler_end(tokens):
            in_handler, tokens = True, tokens[_handler_end(tokens) :]
        else:
            if word not in _WITHOUT_SQL:
                yield Piece(tokens, True, in_branch)
            return


def _close(tokens: Tokens, blocks: list[_Block]) -> None:
    """Closes the innermost block, which must be the one that the words behind END name."""
    block = blocks.pop()
    words = [] if block.word == "BEGIN" else [block.word]
    found = [token.text.upper() for token in tokens[1:]]
    if found != words and (not block.label or found != [*words, block.label]):
        expected = " ".join(["END", *words])
        raise _fault(tokens[min(1, len(tokens) - 1)], f"Expected {expected}")


def _labelled(tokens: Tokens) -> tuple[str, Tokens]:
    """Returns the label before tokens, empty without one, and the tokens behind it."""
    has_label = len(tokens) > 2 and tokens[1].token_type == TokenType.COLON
    return (tokens[0].text.upper(), tokens[2:]) if has_label else ("", tokens)


def _start(tokens: Tokens, word: str) -> int:
    """Returns the index behind a word, and behind the name in ``FOR name AS query``."""
    is_named = word == "FOR" and len(tokens) > 2 and tokens[2].token_type == TokenType.ALIAS
    return 3 if is_named and tokens[1].token_type != TokenType.WITH else 1


def _end(tokens: Tokens, last: str) -> int:
    """Returns the index of the word behind the condition that follows the first token."""
    inner: list[str] = []  # parentheses and CASE that are open
    needs_value = True
    for at, token in enumerate(tokens[1:], start=1):
        word = "" if _is_name(tokens, at, needs_value) else _word(token)
        if word in ("(", "[", "CASE"):
            inner.append(word)
        elif word in (")", "]"):
            while inner and inner.pop() == "CASE":
                continue
        elif word == "END" and inner[-1:] == ["CASE"]:
            inner.pop()
        elif word == last and not inner:
            return at
        needs_value = bool(word) and token.token_type in _BEFORE_VALUE
    raise _fault(tokens[-1], f"Expected {last} behind {tokens[0].text}")


def _is_name(tokens: Tokens, at: int, needs_value: bool) -> bool:
    """Whether a token is a name by its place: behind a dot, or a word where a value must be."""
    before, word = tokens[at - 1].token_type, _word(tokens[at])
    if word == "CASE":
        behind = [token.token_type for token in tokens[at + 1 : at + 2]]
        return before == TokenType.DOT or not behind or behind[0] in _BEHIND_VALUE
    is_first_when = word == "WHEN" and before == TokenType.CASE
    is_value = needs_value and word in _BEHIND_CONDITIONS and not is_first_when
    return before == TokenType.DOT or is_value


def _handler_end(tokens: Tokens) -> int:
    """Returns the index behind ``DECLARE .. HANDLER FOR conditions``; 0 for other statements.

    Of the declaration of a condition it is the end.
    """
    words = [_word(token) for token in tokens]
    if words[0] == "DECLARE" and words[2:3] == ["CONDITION"]:
        return len(words)
    if words[0] != "DECLARE" or words[2:4] != ["HANDLER", "FOR"]:
        return 0
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


def _word(token: Token) -> str:
    """Returns a word in upper case; nothing for a string or a quoted name."""
    return "" if token.token_type in _QUOTED else token.text.upper()


def _fault(token: Token, words: str) -> ParseError:
    return ParseError.new(words, words, line=token.line, col=token.col, highlight=token.text)
