"""Conversion of CREATE TABLE statements of other formats to hudilite.

Examples:
    >>> from hudilite import convert
    >>> made = convert.table('''CREATE TABLE t (id INT, ts BIGINT) USING hudi TBLPROPERTIES
    ...     (primaryKey = 'id', preCombineField = 'ts', 'hoodie.metadata.enable' = 'true')''',
    ...     source="hudi")
    >>> made.sql.partition(" USING ")[2]
    "hudilite TBLPROPERTIES ('preCombineField'='ts')"
    >>> print(*made.report)
    hoodie.metadata.enable = 'true': hudilite does not have this property
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from hudilite.conditions import argument_error, error_of
from hudilite.convert.clauses import declared, read
from hudilite.convert.draft import Draft, Dropped
from hudilite.convert.sources import SOURCES, Source
from hudilite.errors import HudiliteError
from hudilite.script.text import statements
from hudilite.sql import names

__all__ = ["SOURCES", "Converted", "Dropped", "script", "table"]

_ARGUMENT = "HUDILITE_BUILDER_ARGUMENT_INVALID"


@dataclass(frozen=True)
class Converted:
    """CREATE TABLE for hudilite, with a report.

    Attributes:
        sql: One CREATE TABLE.
        report: Each property and clause that it leaves out, and why.
    """

    sql: str
    report: tuple[Dropped, ...]


def table(
    text: str,
    *,
    source: str,
    key: str | Sequence[str] = (),
    buckets: int | None = None,
) -> Converted:
    """Converts a CREATE TABLE of another format to one of hudilite.

    Only the statement is read, no file. Columns with their comments and defaults, partitions and
    the user's own properties are kept.

    Args:
        text: One CREATE TABLE, also with AS SELECT.
        source: ``"hudi"``, ``"iceberg"``, ``"paimon"`` or ``"delta"``.
        key: Columns of the primary key, instead of those in the text. Iceberg and Delta declare
            none. A text of Hudi without a key gives a table without a key.
        buckets: Number of buckets in each partition, 1 to 100000, instead of the one in the text.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when the text is another statement, has
            another format than `source`, or `buckets` is out of range.
        HudiliteError: ``HUDILITE_KEY_NOT_DECLARED`` when neither the text nor `key` has a primary
            key, unless the text is of Hudi and has no buckets.
        sqlglot.errors.ParseError: When the text is malformed.

    Examples:
        >>> made = table("CREATE TABLE t (id INT, p STRING) USING iceberg "
        ...     "PARTITIONED BY (bucket(16, id), p)", source="iceberg", key="id")
        >>> made.sql.partition(" USING ")[2]
        'hudilite PARTITIONED BY (p) WITH BUCKETS 16'
    """
    return _converted(sqlglot.parse_one(text, read="hudilite"), source, key, buckets)


def script(
    text: str,
    *,
    source: str,
    key: str | Sequence[str] = (),
    buckets: int | None = None,
) -> list[Converted]:
    """Converts each CREATE TABLE of a script, as `table` does.

    Args:
        text: CREATE TABLE statements, separated by semicolons; any other statement is an error.
        source: Format of all statements, as for `table`.
        key: Columns of the primary key of all tables, as for `table`.
        buckets: Number of buckets of all tables, as for `table`.

    Raises:
        HudiliteError: The errors of `table`.
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` also for a script without a statement.
        sqlglot.errors.SqlglotError: When the text is malformed.

    Examples:
        >>> text = "CREATE TABLE a (id INT) USING delta; CREATE TABLE b (id INT) USING delta"
        >>> len(script(text, source="delta", key="id"))
        2
    """
    made = []
    for statement in statements(text):
        if statement.error:
            raise statement.error
        try:
            if statement.in_block:
                raise argument_error("text", "a block of BEGIN and END is not a declaration")
            made.append(_converted(statement.tree, source, key, buckets))
        except HudiliteError as error:
            if error.condition != _ARGUMENT:
                raise
            reason = f"{error.parameters['reason']} (line {statement.place().line})"
            raise argument_error(error.parameters["argument"], reason) from error
    if not made:
        raise argument_error("text", "it contains no statement")
    return made


def _converted(
    tree: exp.Expr | None, source: str, key: str | Sequence[str], buckets: int | None
) -> Converted:
    known = SOURCES.get(source)
    if known is None:
        raise argument_error("source", f"it must be one of {', '.join(SOURCES)}, not {source!r}")
    create = _create(tree, known, source)
    named = [key] if isinstance(key, str) else list(key)
    draft = read(create, known, names.listed(named, "key") if named else [])
    if buckets is not None:
        draft.buckets = _count(buckets)
    has_schema = isinstance(create.this, exp.Schema)
    has_columns = has_schema or create.expression is not None
    adopts = known.keeps_location and not has_columns and create.find(exp.LocationProperty)
    clause = _needs_key(draft, source)
    if not draft.key and not adopts and clause:
        table = _name(create).sql("hudilite")
        raise error_of("HUDILITE_KEY_NOT_DECLARED", table=table, clause=clause)
    made = declared(create, draft, known.keeps_location)
    if has_schema:
        _check_key(draft)
    return Converted(made.sql("hudilite"), tuple(draft.report))


def _needs_key(draft: Draft, source: str) -> str | None:
    """Returns the part of a new table that needs a key; None if there is none, as Hudi allows."""
    if source != "hudi":
        return f"the conversion from {source}"
    if draft.buckets:
        return f"WITH BUCKETS {draft.buckets}"
    if draft.is_global and draft.partitions:
        return "'hudilite.index.global' = 'true'"
    return None


def _create(tree: exp.Expr | None, known: Source, source: str) -> exp.Create:
    if not isinstance(tree, exp.Create) or tree.kind != "TABLE" or tree.find(exp.LikeProperty):
        raise argument_error("text", "it is not a CREATE TABLE with columns or AS SELECT")
    provider = tree.find(exp.FileFormatProperty)
    name = provider.name.lower() if provider else ""
    if name not in known.providers:
        raise argument_error("source", f"the text has USING {name or 'nothing'}, not {source}")
    if _name(tree).db.lower() == source:
        raise argument_error("text", "its table is a path; write a table name and LOCATION '...'")
    return tree


def _check_key(draft: Draft) -> None:
    declared = [part.name for part in draft.partitions if isinstance(part, exp.ColumnDef)]
    columns = {name.lower() for name in (*draft.columns, *declared)}
    missing = [name for name in draft.key if name.lower() not in columns]
    if missing:
        raise argument_error(
            "key", f"{', '.join(missing)} is not one of the columns of the new table"
        )


def _name(create: exp.Create) -> exp.Table:
    name = create.this.this if isinstance(create.this, exp.Schema) else create.this
    assert isinstance(name, exp.Table)
    return name


def _count(buckets: int) -> int:
    if isinstance(buckets, bool) or not isinstance(buckets, int) or not 1 <= buckets <= 100_000:
        raise argument_error(
            "buckets", f"it must be a whole number from 1 to 100000, not {buckets!r}"
        )
    return buckets
