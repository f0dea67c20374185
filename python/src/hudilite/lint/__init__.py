"""Lint of SQL scripts, before Spark runs them.

Examples:
    >>> from hudilite import lint
    >>> text = '''CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4;
    ... MERGE INTO t USING s ON t.v = s.v WHEN MATCHED THEN DELETE'''
    >>> for found in lint.script(text):
    ...     print(f"{found.line}:{found.column} {found.rule}: {found.fix}")
    2:25 key-not-pinned: Add AND t.id = s.id
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from hudilite.lint.case import Case
from hudilite.lint.finding import Finding
from hudilite.lint.procedures import PROCEDURES
from hudilite.lint.registry import RULES
from hudilite.script.merges import Merge
from hudilite.script.tables import Declared, Tables
from hudilite.script.text import Lines, Statement, statements

__all__ = ["PROCEDURES", "RULES", "SYNTAX", "Declared", "Finding", "declarations", "script"]

SYNTAX = "syntax"
"""The rule that a malformed statement breaks; no other rule looks at such a statement."""
_TOKEN = re.compile(
    r"<Token token_type: TokenType[.](?P<type>\w+), text: (?P<text>.*?), line: .*?>"
)
_LEXEME = re.compile(
    r"""(?xs) /[*] | --[^\n]* | `[^`]*` | \b[rR]'[^']*' | \b[rR]"[^"]*"
    | '[^'\\]*(?:\\.[^'\\]*)*' | "[^"\\]*(?:\\.[^"\\]*)*" """
)
"""The beginning of a comment, or a text in which no comment begins."""
_COMMENT = re.compile(r"/[*]|[*]/")
_MEND = "Correct the statement; no other rule was checked for it"


def script(
    text: str,
    *,
    tables: Mapping[str, Declared] | None = None,
    procedures: Mapping[str, Sequence[str]] | None = None,
) -> list[Finding]:
    r"""Returns the faults of a script, in the order of its text.

    CREATE, ALTER, DROP, USE and CALL bootstrap change what is known of tables for the statements
    after them. In a branch, a loop or a handler they make the tables unknown. A rule that does not
    know enough of a table reports nothing. A malformed statement is one finding of the rule
    ``syntax``; the other statements are still checked.

    Args:
        text: Statements, separated by semicolons.
        tables: Known facts of tables, by name: ``{"db.orders": Declared(...)}``.
        procedures: Argument names of further procedures, by procedure name. The name has one part,
            or also the catalog and the namespace.

    Returns:
        Findings; empty for a script without faults.

    Examples:
        >>> script("SELECT 1;\nCALL verifi(table => 't')")[0].fix
        'Write verify'
    """
    known = Tables(tables)
    called = {**PROCEDURES, **{name.lower(): names for name, names in (procedures or {}).items()}}
    found: list[Finding] = []
    try:
        for statement in statements(text):
            found += _findings(statement, known, called)
            if statement.is_run:
                known.learn(statement.tree, is_certain=not statement.in_branch)
    except TokenError as error:
        found.append(_unended(error, text))
    return sorted(found)


def declarations(text: str) -> dict[str, Declared]:
    """Returns what a script declares about tables, as input for `script`.

    Args:
        text: Statements, separated by semicolons. Malformed ones are skipped.

    Returns:
        Facts of tables after the last statement, by name.

    Examples:
        >>> declarations("CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite")
        {'`t`': Declared(columns=('id', 'v'), key=('id',))}
    """
    known = Tables()
    try:
        for statement in statements(text):
            if statement.is_run and not statement.error:
                known.learn(statement.tree, is_certain=not statement.in_branch)
    except TokenError:
        pass  # No statement can follow a quote or comment that is not closed.
    return known.named()


def _findings(
    statement: Statement, known: Tables, procedures: Mapping[str, Sequence[str]]
) -> Iterator[Finding]:
    if statement.error:
        yield _malformed(statement, statement.error)
        return
    tree = statement.tree
    merge = Merge.of(tree, known) if isinstance(tree, exp.Merge) else None
    case = Case(statement, merge, procedures)
    for name, rule in RULES.items():
        for fault in rule(case):
            place = fault.place
            yield Finding(place.line, place.column, name, fault.message, fault.fix)


def _malformed(statement: Statement, error: ParseError) -> Finding:
    first = error.errors[0]
    line = int(first["line"] or 1)
    column = int(first["col"] or 1) - len(first["highlight"] or "") + 1
    message = _TOKEN.sub(_word, str(first["description"]))
    return Finding(line, max(1, column), SYNTAX, message, _MEND)


def _word(token: re.Match[str]) -> str:
    """Returns a token as messages show it. sqlglot's last token of a statement has no text."""
    return "the end of the statement" if token["type"] == "SENTINEL" else token["text"]


def _unended(error: TokenError, text: str) -> Finding:
    """Returns the finding for a quote or comment that is not closed.

    The statements behind it cannot be separated.
    """
    inner = error.__cause__ or error.__context__  # the compiled sqlglot sets the second alone
    message = str(inner or error).splitlines()[0]
    begins = re.search(r" from \d+:(\d+)$", message)
    comment = None if begins else _open_comment(text)
    place = Lines(text).place(int(begins[1]) if begins else comment or 0)
    message = message if comment is None else "The comment is not closed"
    return Finding(place.line, place.column, SYNTAX, message, _MEND)


def _open_comment(text: str) -> int | None:
    """Returns the offset of the comment that is not closed; None if there is none."""
    at = depth = 0
    start = None
    while found := (_COMMENT if depth else _LEXEME).search(text, at):
        at = found.end()
        if found[0] == "/*":
            start = start if depth else found.start()
            depth += 1
        elif found[0] == "*/":
            depth -= 1
    return start if depth else None
