"""A script as statements, each with its tree and the places of its parts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import Token, TokenType, exp
from sqlglot.errors import ErrorLevel, ParseError

from hudilite.dialect import Explain, Hudilite


@dataclass(frozen=True)
class Place:
    """Where something stands.

    Attributes:
        line: From 1.
        column: From 1, of the first character.
    """

    line: int
    column: int


class Lines:
    """Places by offset in a text."""

    def __init__(self, text: str) -> None:
        """Note where lines begin."""
        self._starts = [0, *(at + 1 for at, character in enumerate(text) if character == "\n")]

    def place(self, offset: int) -> Place:
        """The place of a character, by its number from 0."""
        line = bisect_right(self._starts, offset)
        return Place(line, offset - self._starts[line - 1] + 1)


@dataclass(frozen=True)
class Statement:
    """One statement of a script.

    Attributes:
        tree: What it is; of EXPLAIN the statement inside. None when it is malformed.
        tokens: Its words.
        lines: Those of the whole script.
        error: What is malformed in it.
        is_run: Whether it does what it says; what EXPLAIN holds is only looked at.
    """

    tree: exp.Expr | None
    tokens: Sequence[Token]
    lines: Lines
    error: ParseError | None = None
    is_run: bool = True

    def place(self, part: exp.Expr | None = None) -> Place:
        """Where a part begins: its first word with a known place; without one the statement."""
        starts = (
            [node.meta["start"] for node in part.walk() if "start" in node.meta] if part else []
        )
        return self.lines.place(min(starts, default=self.tokens[0].start))

    def place_of(self, token: Token) -> Place:
        """Where a word begins."""
        return self.lines.place(token.start)

    def word(self, *texts: str) -> Token:
        """The first word that is one of these, in upper case; the statement's first without."""
        found = (token for token in self.tokens if token.text.upper() in texts)
        return next(found, self.tokens[0])


def statements(text: str) -> Iterator[Statement]:
    """The statements of a script, in their order.

    Args:
        text: Statements with semicolons between them.

    Raises:
        sqlglot.errors.TokenError: For a text whose quotes or comments never end.

    Examples:
        >>> [type(one.tree).__name__ for one in statements("SELECT 1; EXPLAIN DELETE FROM t")]
        ['Select', 'Delete']
    """
    dialect, lines = Hudilite(), Lines(text)
    for tokens in _pieces(dialect.tokenize(text)):
        try:
            found = dialect.parser(error_level=ErrorLevel.IMMEDIATE).parse(tokens, text)
        except ParseError as error:
            yield Statement(None, tokens, lines, error)
            continue
        tree = found[0] if found else None
        if isinstance(tree, Explain):
            yield Statement(tree.this, tokens, lines, is_run=False)
        else:
            yield Statement(tree, tokens, lines)


def _pieces(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    piece: list[Token] = []
    for token in tokens:
        if token.token_type != TokenType.SEMICOLON:
            piece.append(token)
        elif piece:
            yield piece
            piece = []
    if piece:
        yield piece
