"""Builder of CREATE TABLE."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hudilite.conditions import argument_error
from hudilite.sql import names
from hudilite.sql.expressions import Expression, value
from hudilite.sql.literals import quoted

_DEFAULT_NONE = object()
_TOKEN = re.compile(r"""\s*(?:\w+|`(?:[^`]|``)+`|'(?:[^'\\]|\\.)*'|[<>(),:])""", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Column:
    """Column with more than a type.

    Attributes:
        type: Type in Spark's syntax, such as ``"DECIMAL(10, 2)"`` or ``"INT NOT NULL"``.
        nullable: False for NOT NULL.
        default: Value of the column in rows that are written without one: a literal or an
            `Expression`. None is DEFAULT NULL; if it is not given there is no DEFAULT.
        comment: Text that DESCRIBE shows.
        generated: Expression over other columns that gives the values of a generated column.
    """

    type: str
    nullable: bool = True
    default: object = _DEFAULT_NONE
    comment: str | None = None
    generated: Expression | None = None


def create_table(
    table: str | Sequence[str],
    columns: Mapping[str, str | Column],
    *,
    key: str | Sequence[str] = (),
    buckets: int | None = None,
    bucket_columns: str | Sequence[str] = (),
    partitioned_by: str | Sequence[str] = (),
    location: str | None = None,
    comment: str | None = None,
    properties: Mapping[str, str] | None = None,
    if_not_exists: bool = False,
    replace: bool = False,
    or_replace: bool = False,
) -> str:
    """Returns a CREATE TABLE, with buckets or with a bloom index.

    Args:
        table: Name of the table: ``"db.orders"``, or its parts.
        columns: Type, or `Column`, by column name.
        key: Columns of the primary key; empty for a table without a key.
        buckets: Number of buckets in each partition, 1 or more; None for a bloom index. Buckets
            need a key.
        bucket_columns: Key columns to hash; by default the whole key.
        partitioned_by: Partition columns.
        location: Folder of the table; None lets Spark choose.
        comment: Text that DESCRIBE TABLE EXTENDED shows.
        properties: Table properties.
        if_not_exists: Whether to do nothing if the table exists already.
        replace: Whether the statement is REPLACE TABLE, which fails if there is no table.
        or_replace: Whether the statement is CREATE OR REPLACE TABLE.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID``, with the name of the argument, when
            one cannot be written as SQL.

    Examples:
        >>> columns = {"id": "BIGINT", "day": "DATE", "state": Column(type="STRING", default="new")}
        >>> print(create_table("orders", columns, key="id", buckets=8, partitioned_by="day"))
        CREATE TABLE orders (
          id BIGINT,
          day DATE,
          state STRING DEFAULT 'new',
          PRIMARY KEY (id)
        ) USING hudilite
        PARTITIONED BY (day)
        WITH BUCKETS 8
    """
    if not isinstance(columns, Mapping):
        raise argument_error("columns", f"it must be a mapping, not {type(columns).__name__}")
    declared = [_declared(name, columns[name]) for name in names.listed(columns, "columns")]
    if key:
        declared.append(f"PRIMARY KEY ({names.columns(key, 'key')})")
    elif buckets is not None or bucket_columns:
        raise argument_error("key", "it must name a column, because buckets hash the key")
    verbs = {
        "CREATE TABLE IF NOT EXISTS": if_not_exists,
        "REPLACE TABLE": replace,
        "CREATE OR REPLACE TABLE": or_replace,
    }
    asked = [verb for verb, is_asked in verbs.items() if is_asked]
    if len(asked) > 1:
        raise argument_error("or_replace", f"one statement is not {' and '.join(asked)}")
    clauses = [
        f"{[*asked, 'CREATE TABLE'][0]} {names.qualified(table, 'table')} (",
        "  " + ",\n  ".join(declared),
        ") USING hudilite",
    ]
    if partitioned_by:
        clauses.append(f"PARTITIONED BY ({names.columns(partitioned_by, 'partitioned_by')})")
    clauses += _buckets(buckets, bucket_columns)
    if location is not None:
        clauses.append(f"LOCATION {quoted(location, 'location')}")
    if comment is not None:
        clauses.append(f"COMMENT {quoted(comment, 'comment')}")
    if properties:
        clauses.append(f"TBLPROPERTIES ({_properties(properties)})")
    return "\n".join(clauses)


def _buckets(number: int | None, hashed: str | Sequence[str]) -> list[str]:
    if number is None and not hashed:
        return []
    if isinstance(number, bool) or not isinstance(number, int):
        raise argument_error("buckets", f"it must be a whole number, not {number!r}")
    on = f" ON ({names.columns(hashed, 'bucket_columns')})" if hashed else ""
    return [f"WITH BUCKETS {number}{on}"]


def _declared(name: str, declaration: str | Column) -> str:
    column = declaration if isinstance(declaration, Column) else Column(type=declaration)
    argument = f"columns[{name!r}]"
    words = [names.identifier(name, "columns"), _type(column.type, argument)]
    if not column.nullable:
        words.append("NOT NULL")
    if column.default is not _DEFAULT_NONE:
        words.append(f"DEFAULT {value(column.default, argument)}")
    if column.generated is not None:
        words.append(f"GENERATED ALWAYS AS ({value(column.generated, argument)})")
    if column.comment is not None:
        words.append(f"COMMENT {quoted(column.comment, argument)}")
    return " ".join(words)


def _type(text: str, argument: str) -> str:
    """Returns the type unchanged, after checking that it cannot end its column's declaration."""
    if not isinstance(text, str):
        raise argument_error(argument, f"a type must be a str, not {type(text).__name__}")
    depth, at = 0, 0
    for token in _TOKEN.finditer(text):
        depth += (token[0].strip() in ("<", "(")) - (token[0].strip() in (">", ")"))
        if token.start() != at or depth < 0 or (token[0].strip() == "," and depth == 0):
            break
        at = token.end()
    if depth != 0 or at != len(text.rstrip()) or not text.strip() or "${" in text:
        raise argument_error(argument, f"{text!r} is not a type")
    return text.strip()


def _properties(properties: Mapping[str, str]) -> str:
    return ", ".join(
        f"{quoted(key, 'properties')} = {quoted(value, f'properties[{key!r}]')}"
        for key, value in properties.items()
    )
