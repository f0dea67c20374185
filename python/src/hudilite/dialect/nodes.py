"""The nodes of what hudilite adds to Spark's SQL, and how each dialect of sqlglot writes them."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp, generator
from sqlglot.generators.hive import HiveGenerator


class Buckets(exp.Property):
    """``WITH BUCKETS n [ON (columns)]``: `this` is the number, `expressions` the columns.

    ``CLUSTERED BY (columns) INTO n BUCKETS`` says the same, and is what the dialects of Hive and
    Spark write for it. Other dialects leave it out and tell so in sqlglot's way.
    """

    arg_types = {"this": True, "expressions": False}  # noqa: RUF012 (sqlglot's form)


class Call(exp.Expression):
    """``CALL name(arguments)``: `this` is the dotted name, named arguments are ``exp.Kwarg``."""

    arg_types = {"this": True, "expressions": False}  # noqa: RUF012 (sqlglot's form)


def dotted(parts: list[exp.Expr]) -> exp.Expr:
    """A name of several parts."""
    return exp.Dot.build(parts) if len(parts) > 1 else parts[0]


def key_columns(create: exp.Expr) -> list[exp.Expr]:
    """Key columns that a CREATE TABLE declares, in their order.

    Args:
        create: A parsed CREATE TABLE.

    Returns:
        Identifiers from PRIMARY KEY, or else from the property ``primaryKey``; empty without both.

    Examples:
        >>> import sqlglot
        >>> text = "CREATE TABLE t USING hudilite TBLPROPERTIES (primaryKey = 'a, b') AS SELECT 1"
        >>> [column.name for column in key_columns(sqlglot.parse_one(text, read="hudilite"))]
        ['a', 'b']
    """
    for key in create.find_all(exp.PrimaryKey):
        return [part.this if isinstance(part, exp.Ordered) else part for part in key.expressions]
    for constraint in create.find_all(exp.PrimaryKeyColumnConstraint):
        column = constraint.find_ancestor(exp.ColumnDef)
        return [column.this] if column else []
    for entry in create.find_all(exp.Property):
        if type(entry) is exp.Property and entry.name.lower() == "primarykey":
            return [exp.to_identifier(name.strip()) for name in entry.text("value").split(",")]
    return []


def with_buckets(self: generator.Generator, clause: Buckets) -> str:
    """The clause as hudilite reads it."""
    columns = self.expressions(clause, flat=True)
    on = f" ON ({columns})" if columns else ""
    return f"WITH BUCKETS {self.sql(clause, 'this')}{on}"


def clustered_by(self: generator.Generator, clause: Buckets) -> str:
    """The clause in the grammar of Hive and Spark, over the columns of ON or of the key."""
    create = clause.find_ancestor(exp.Create)
    columns = clause.expressions or (key_columns(create) if create else [])
    if not columns:
        self.unsupported("WITH BUCKETS without ON, and no PRIMARY KEY to take the columns from")
        return ""
    names = ", ".join(self.sql(column) for column in columns)
    return f"CLUSTERED BY ({names}) INTO {self.sql(clause, 'this')} BUCKETS"


def call(self: generator.Generator, call: Call) -> str:
    """CALL, with the name and the arguments in the dialect's own spelling."""
    return f"CALL {self.sql(call, 'this')}({self.expressions(call, flat=True)})"


def _with_descendants(writer: type[generator.Generator]) -> Iterator[type[generator.Generator]]:
    yield writer
    for child in writer.__subclasses__():
        yield from _with_descendants(child)


def _teach(writer: type[generator.Generator]) -> None:
    """Enter our nodes in the tables of another dialect, which raises for a class it lacks."""
    clustered = issubclass(writer, HiveGenerator)
    place = exp.Properties.Location
    if clustered:
        writer.TRANSFORMS.setdefault(Buckets, clustered_by)
    writer.TRANSFORMS.setdefault(Call, call)
    writer.PROPERTIES_LOCATION.setdefault(
        Buckets, place.POST_SCHEMA if clustered else place.UNSUPPORTED
    )


for _writer in _with_descendants(generator.Generator):
    _teach(_writer)
vars(generator).get("_DISPATCH_CACHE", {}).clear()  # filled from those tables at first use
