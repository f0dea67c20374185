"""Statements of a script, each with its tree and the places of its parts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlglot import Token, TokenType, exp
from sqlglot.errors import ErrorLevel, ParseError

from hudilite.dialect import Explain, Hudilite, ReplaceTable, source_text
from hudilite.script import blocks
from hudilite.sql.expressions import one_line


@dataclass(frozen=True)
class Place:
    """Place in a script.

    Attributes:
        line: Line number, from 1.
        column: Number of the first character in its line, from 1.
    """

    line: int
    column: int


class Lines:
    """Line starts of a text, which turn an offset into a place."""

    def __init__(self, text: str) -> None:
        """Records where lines begin."""
        self._starts = [0, *(at + 1 for at, character in enumerate(text) if character == "\n")]

    def place(self, offset: int) -> Place:
        """Returns the place of a character, from its offset, which starts at 0."""
        line = bisect_right(self._starts, offset)
        return Place(line, offset - self._starts[line - 1] + 1)


@dataclass(frozen=True)
class Statement:
    """Statement of a script.

    Attributes:
        tree: Parsed statement; for EXPLAIN the statement inside. None when it is malformed.
        tokens: Tokens of the statement.
        lines: Lines of the whole script.
        error: Syntax error of a malformed statement.
        is_run: Whether the script executes it; False for a statement inside EXPLAIN.
        in_block: Whether it is inside of BEGIN and END.
        in_branch: Whether it is in a branch, a loop or a handler, so that it may not run.
    """

    tree: exp.Expr | None
    tokens: Sequence[Token]
    lines: Lines
    error: ParseError | None = None
    is_run: bool = True
    in_block: bool = False
    in_branch: bool = False

    def place(self, part: exp.Expr | None = None) -> Place:
        """Returns the place of a part's first token with a position, or of the statement."""
        starts = (
            [node.meta["start"] for node in part.walk() if "start" in node.meta] if part else []
        )
        return self.lines.place(min(starts, default=self.tokens[0].start))

    def place_of(self, token: Token) -> Place:
        """Returns the place of a token."""
        return self.lines.place(token.start)

    def word(self, *texts: str) -> Token:
        """Returns the first token with one of these upper-case texts, or the statement's first."""
        found = (token for token in self.tokens if token.text.upper() in texts)
        return next(found, self.tokens[0])


def statements(text: str) -> Iterator[Statement]:
    """Yields the statements of a script, in order, also those inside of BEGIN and END.

    The conditions in the words of a block are further ones.

    Args:
        text: Statements, separated by semicolons.

    Raises:
        sqlglot.errors.TokenError: When a quote or a comment is not closed.

    Examples:
        >>> [type(one.tree).__name__ for one in statements("SELECT 1; EXPLAIN DELETE FROM t")]
        ['Select', 'Delete']
    """
    dialect, lines = Hudilite(), Lines(text)
    for piece in blocks.simple(_pieces(dialect.tokenize(text))):
        found = Statement(
            None,
            piece.tokens,
            lines,
            piece.error,
            in_block=piece.in_block,
            in_branch=piece.in_branch,
        )
        yield found if piece.error else _parsed(found, dialect, text, piece.is_condition)


def _parsed(statement: Statement, dialect: Hudilite, text: str, is_condition: bool) -> Statement:
    """Returns a statement with its tree, or with its syntax error."""
    parser, tokens = dialect.parser(error_level=ErrorLevel.IMMEDIATE), list(statement.tokens)
    try:
        found = (
            parser.parse_into(exp.Condition, tokens, text)
            if is_condition
            else parser.parse(tokens, text)
        )
    except ParseError as error:
        return replace(statement, error=error)
    tree = found[0] if found else None
    tree = tree.this if isinstance(tree, ReplaceTable) else tree
    if isinstance(tree, Explain):
        return replace(statement, tree=tree.this, is_run=False)
    return replace(statement, tree=tree)


def written(part: exp.Expr) -> str:
    """Returns a part of a statement as it was read, on one line and without comments.

    A part whose text the parser does not keep is written as sqlglot writes it.
    """
    text = source_text.of(part)
    return part.sql("hudilite") if text is None else one_line(text)


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
