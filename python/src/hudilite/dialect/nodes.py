"""Nodes for SQL that the dialect reads and sqlglot has no node for.

Each node holds its parts as nodes, so that a tree can be changed and written again.
"""

from __future__ import annotations

from sqlglot import exp


class Buckets(exp.Property):
    """``WITH BUCKETS n [ON (columns)]``: `this` is the number, `expressions` the columns.

    ``CLUSTERED BY (columns) INTO n BUCKETS`` means the same; the dialects of Hive and Spark write
    it. Other dialects leave the clause out, with sqlglot's warning.
    """

    arg_types = {"this": True, "expressions": False}  # noqa: RUF012 (sqlglot's form)


class Call(exp.Expression):
    """``CALL name(arguments)``: `this` is the dotted name, named arguments are ``exp.Kwarg``."""

    arg_types = {"this": True, "expressions": False}  # noqa: RUF012 (sqlglot's form)


class EvolvingMerge(exp.Merge):
    """``MERGE WITH SCHEMA EVOLUTION``, with the parts of any other MERGE."""


class TableOptions(exp.Expression):
    """``WITH (key = value, ...)`` after a table: an entry of the table's ``hints``."""

    arg_types = {"expressions": True}  # noqa: RUF012 (sqlglot's form)


class AbsentPartition(exp.Partition):
    """``PARTITION (...) IF NOT EXISTS`` of INSERT OVERWRITE."""


class Explain(exp.Expression):
    """``EXPLAIN [style] statement``: `this` is the statement, `style` a word such as EXTENDED."""

    arg_types = {"this": True, "style": False}  # noqa: RUF012 (sqlglot's form)


class Show(exp.Expression):
    """``SHOW``: `this` is the kind of object (``PARTITIONS``), as an ``exp.Var``.

    The other parts are set if the statement has them: `table`, `expressions` (property keys),
    `database` (after IN), `pattern` (a literal), `partition`, `serde` (a bool).
    """

    arg_types = {  # noqa: RUF012 (sqlglot's form)
        "this": True,
        "table": False,
        "expressions": False,
        "database": False,
        "pattern": False,
        "partition": False,
        "serde": False,
    }


class SetConfig(exp.Expression):
    """``SET key = value``: both are an ``exp.Var`` with the text as it was read.

    Without a value the statement shows the value of the key; ``SET`` alone shows all settings.
    """

    arg_types = {"this": False, "value": False}  # noqa: RUF012 (sqlglot's form)

    @property
    def key_text(self) -> str:
        """Key without its backticks."""
        return self.name.strip("`").replace("``", "`")

    @property
    def value_text(self) -> str:
        """Value; empty if there is none."""
        return self.text("value")


class ResetConfig(exp.Expression):
    """``RESET [key]``: `this` is an ``exp.Var``; missing if all settings are reset."""

    arg_types = {"this": False}  # noqa: RUF012 (sqlglot's form)


class DescribeColumn(exp.Describe):
    """``DESCRIBE table column``: a Describe with `column`."""

    arg_types = {**exp.Describe.arg_types, "column": True}  # noqa: RUF012 (sqlglot's form)


class UnsetProperties(exp.Expression):
    """``UNSET TBLPROPERTIES (keys)`` of ALTER TABLE: `expressions` are keys, `exists` a bool."""

    arg_types = {"expressions": True, "exists": False}  # noqa: RUF012 (sqlglot's form)


class ChangeColumn(exp.Expression):
    """``CHANGE COLUMN`` of ALTER TABLE: `this` is the column, `action` the change.

    The action is one of ALTER COLUMN (``exp.AlterColumn``, `MoveColumn`), or in Hive's form the
    complete new ``exp.ColumnDef``.
    """

    arg_types = {"this": True, "action": True}  # noqa: RUF012 (sqlglot's form)


class MoveColumn(exp.Expression):
    """``ALTER COLUMN column FIRST`` or ``AFTER other``: `position` is an ``exp.ColumnPosition``."""

    arg_types = {"this": True, "position": True}  # noqa: RUF012 (sqlglot's form)


class PurgePartition(exp.DropPartition):
    """``DROP PARTITION (...) PURGE`` of ALTER TABLE."""


class RenamePartition(exp.Expression):
    """``RENAME TO PARTITION (...)`` of ALTER TABLE ... PARTITION: `this` is the new partition."""


def dotted(parts: list[exp.Expr]) -> exp.Expr:
    """Returns a name of one or more parts as one node."""
    return exp.Dot.build(parts) if len(parts) > 1 else parts[0]


def property_key(entry: exp.Property) -> str:
    """Returns the key of a property or an option, with dots between its parts."""
    return ".".join(_parts(entry.this))


def key_columns(create: exp.Expr) -> list[exp.Expr]:
    """Returns the key columns that a CREATE TABLE declares, in order.

    Args:
        create: Parsed CREATE TABLE.

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


def _parts(name: exp.Expr) -> list[str]:
    if isinstance(name, exp.Dot):
        return _parts(name.this) + _parts(name.expression)
    return [part.name for part in name.parts] if isinstance(name, exp.Column) else [name.name]
