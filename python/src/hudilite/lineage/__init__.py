"""Column lineage of a MERGE: the origins of each column that a clause writes.

Examples:
    >>> from hudilite import lineage
    >>> text = "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = t.n + s.more"
    >>> (clause,) = lineage.merge(text)
    >>> [(one.column, [str(origin) for origin in one.origins]) for one in clause.columns]
    [('n', ['target.n', 'source.more'])]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import sqlglot
from sqlglot import exp

from hudilite.conditions import error_of
from hudilite.dialect import Explain
from hudilite.errors import HudiliteError
from hudilite.lineage.clauses import traced
from hudilite.lineage.model import Assigned, Clause, Merged, Origin
from hudilite.script.merges import Merge
from hudilite.script.tables import Declared, Tables
from hudilite.script.text import statements

__all__ = ["Assigned", "Clause", "Declared", "Merged", "Origin", "merge", "script"]


def merge(text: str, *, tables: Mapping[str, Declared] | None = None) -> list[Clause]:
    """Returns the clauses of a MERGE, each with the origins of the columns that it writes.

    ``UPDATE SET *`` and ``INSERT *`` are expanded if the columns of the target are known.

    Args:
        text: One MERGE, or EXPLAIN of one.
        tables: Known facts of tables, by name: ``{"db.orders": Declared(columns=(...))}``.

    Raises:
        HudiliteError: ``HUDILITE_LINEAGE_UNKNOWN`` when the text is not a MERGE, a star needs
            columns that are not known, or a column can belong to either side.
        sqlglot.errors.ParseError: When the text is malformed.

    Examples:
        >>> facts = {"t": Declared(columns=("id", "v"))}
        >>> text = "MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *"
        >>> [str(one.origins[0]) for one in merge(text, tables=facts)[0].columns]
        ['source.id', 'source.v']
    """
    tree = sqlglot.parse_one(text, read="hudilite")
    tree = tree.this if isinstance(tree, Explain) else tree
    if not isinstance(tree, exp.Merge):
        reason = f"it is not a MERGE but {type(tree).__name__}"
        raise error_of(
            "HUDILITE_LINEAGE_UNKNOWN",
            clause="the statement",
            reason=reason,
            fix="Pass one MERGE INTO statement.",
        )
    return _clauses(tree, Tables(tables))


def script(text: str, *, tables: Mapping[str, Declared] | None = None) -> list[Merged]:
    """Returns each MERGE of a script, with the origins of the columns that its clauses write.

    CREATE TABLE and other statements give the facts of tables for the statements after them. In a
    branch, a loop or a handler they make the tables unknown.

    Args:
        text: Statements, separated by semicolons.
        tables: Known facts of tables, by name.

    Raises:
        HudiliteError: ``HUDILITE_LINEAGE_UNKNOWN`` as for `merge`, and for a script without a
            MERGE.
        sqlglot.errors.SqlglotError: When the text is malformed.

    Examples:
        >>> text = '''CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite;
        ... MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *'''
        >>> [(one.line, one.target, len(one.clauses[0].columns)) for one in script(text)]
        [(2, 't', 2)]
    """
    known = Tables(tables)
    found: list[Merged] = []
    for statement in statements(text):
        if statement.error:
            raise statement.error
        if isinstance(statement.tree, exp.Merge):
            target = statement.tree.this.copy()
            target.set("alias", None)
            line = statement.place().line
            with _in_line(line):
                clauses = tuple(_clauses(statement.tree, known))
            found.append(Merged(line, target.sql("hudilite"), clauses))
        elif statement.is_run:
            known.learn(statement.tree, is_certain=not statement.in_branch)
    if not found:
        raise error_of(
            "HUDILITE_LINEAGE_UNKNOWN",
            clause="the script",
            reason="it contains no MERGE",
            fix="Pass a script with a MERGE INTO statement.",
        )
    return found


@contextmanager
def _in_line(line: int) -> Iterator[None]:
    """Adds the line in which the statement begins to a lineage error."""
    try:
        yield
    except HudiliteError as error:
        known = error.parameters
        raise error_of(
            error.condition, **known | {"clause": f"{known['clause']} (line {line})"}
        ) from error


def _clauses(tree: exp.Merge, known: Tables) -> list[Clause]:
    parts = Merge.of(tree, known)
    return [traced(number, when, parts) for number, when in enumerate(parts.clauses, start=1)]
