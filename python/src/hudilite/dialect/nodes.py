"""Nodes for SQL that the dialect reads and sqlglot has no node for.

Each node holds its parts as nodes, so that a tree can be changed and written again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

KIND = "hudilite"  # the argument in which a node has the name of its kind
KINDS: dict[str, Kind] = {}


class Kind(type):
    """Kind of nodes, used as a class of sqlglot.

    A kind is called with the parts of a node, and can be passed to ``isinstance``, ``find`` and
    ``find_all``. Its nodes are instances of a class of sqlglot, with the name of the kind as one
    more argument: sqlglot's compiled build has no nodes of other classes than its own. Other
    dialects do not know ``exp.Expression``, and raise an error instead of leaving something out.
    """

    node_class: type[exp.Expression] = exp.Expression
    arg_types: dict[str, bool] = {}  # noqa: RUF012 (sqlglot's form)

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        """Makes the kind known by its name."""
        super().__init__(name, bases, namespace)
        KINDS[name] = cls

    def __call__(cls, **parts: Any) -> exp.Expression:
        """Returns a node with these parts."""
        return cls.node_class(**{**cls.completed(parts), KIND: cls.__name__})

    def __instancecheck__(cls, node: object) -> bool:
        """Whether a node is of this kind."""
        return isinstance(node, exp.Expression) and node.args.get(KIND) == cls.__name__

    def completed(cls, parts: dict[str, Any]) -> dict[str, Any]:
        """Returns the parts of a new node."""
        return parts

    def missing(cls, node: exp.Expr) -> list[str]:
        """Returns the names of the required parts that a node lacks."""
        return [
            part for part, needed in cls.arg_types.items() if needed and not node.args.get(part)
        ]


if TYPE_CHECKING:
    Node = exp.Expression
    ClusteredNode = exp.ClusteredByProperty
    MergeNode = exp.Merge
else:

    class Node(metaclass=Kind):
        """Base class of the kinds."""

    ClusteredNode = MergeNode = Node


class KeyColumns(Node):
    """Placeholder for the key columns of the table.

    It stands in a WITH BUCKETS without ON whose statement declares no key.
    """


class Buckets(ClusteredNode):
    """``WITH BUCKETS n [ON (columns)]``: `buckets` is the number, `expressions` the columns.

    Its nodes are sqlglot's ``exp.ClusteredByProperty``, because ``CLUSTERED BY (columns) INTO n
    BUCKETS`` has the same meaning. `on` is true if ON is written. Without ON, the columns are those
    of the key, or a `KeyColumns` if the statement does not declare the key.
    """

    arg_types = {"expressions": True, "buckets": True, "on": False}  # noqa: RUF012 (sqlglot's form)
    node_class = exp.ClusteredByProperty

    @staticmethod
    def completed(parts: dict[str, Any]) -> dict[str, Any]:
        """Returns the parts with `on`, and with a `KeyColumns` if there are no columns."""
        columns = parts.get("expressions")
        return parts | {"expressions": columns or [KeyColumns()], "on": bool(columns)}


class Call(Node):
    """``CALL name(arguments)``: `this` is the dotted name, named arguments are ``exp.Kwarg``."""

    arg_types = {"this": True, "expressions": False}  # noqa: RUF012 (sqlglot's form)


class EvolvingWhens(Node):
    """Clauses of an `EvolvingMerge`: `expressions` are the ``exp.When``."""

    arg_types = {"expressions": True}  # noqa: RUF012 (sqlglot's form)


class EvolvingMerge(MergeNode):
    """``MERGE WITH SCHEMA EVOLUTION``, with the parts of any other MERGE.

    Its nodes are sqlglot's ``exp.Merge``; `whens` is an `EvolvingWhens`.
    """

    node_class = exp.Merge

    @staticmethod
    def completed(parts: dict[str, Any]) -> dict[str, Any]:
        """Returns the parts with their clauses as an `EvolvingWhens`."""
        return parts | {"whens": EvolvingWhens(expressions=parts["whens"].expressions)}


class SchemaEvolution(Node):
    """``WITH SCHEMA EVOLUTION`` of an INSERT: the `hint` of the ``exp.Insert``."""


class TableOptions(Node):
    """``WITH (key = value, ...)`` after a table: an entry of the table's ``hints``."""

    arg_types = {"expressions": True}  # noqa: RUF012 (sqlglot's form)


class AbsentPartition(Node):
    """``PARTITION (...) IF NOT EXISTS`` of INSERT OVERWRITE: `this` is the ``exp.Partition``."""

    arg_types = {"this": True}  # noqa: RUF012 (sqlglot's form)


class Explain(Node):
    """``EXPLAIN [style] statement``: `this` is the statement, `style` a word such as EXTENDED."""

    arg_types = {"this": True, "style": False}  # noqa: RUF012 (sqlglot's form)


class ReplaceTable(Node):
    """``REPLACE TABLE``: `this` is the ``exp.Create`` of the corresponding CREATE OR REPLACE."""

    arg_types = {"this": True}  # noqa: RUF012 (sqlglot's form)


class Show(Node):
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


class SetConfig(Node):
    """``SET key = value``: `this` and `value` are an ``exp.Var`` with the text as it was read.

    Without a value the statement shows the value of the key; ``SET`` alone shows all settings.
    """

    arg_types = {"this": False, "value": False}  # noqa: RUF012 (sqlglot's form)


class ResetConfig(Node):
    """``RESET [key]``: `this` is an ``exp.Var``; missing if all settings are reset."""

    arg_types = {"this": False}  # noqa: RUF012 (sqlglot's form)


class DescribeColumn(Node):
    """``DESCRIBE table column``: `this` is the ``exp.Describe`` of the table."""

    arg_types = {"this": True, "column": True}  # noqa: RUF012 (sqlglot's form)


class TableCommand(Node):
    """Command of Delta or stock Hudi about a table: `this` are its words, as an ``exp.Var``.

    These are VACUUM, RESTORE, OPTIMIZE, RUN COMPACTION, DESCRIBE HISTORY and DESCRIBE DETAIL. The
    `table` is an ``exp.Table``, or a path as a literal. The other parts are set if the statement
    has them: `version` (an ``exp.Version``), `where` (an ``exp.Where``), `zorder` (columns),
    `limit` and `retain` (numbers), `dry_run` (a bool).
    """

    arg_types = {  # noqa: RUF012 (sqlglot's form)
        "this": True,
        "table": True,
        "version": False,
        "where": False,
        "zorder": False,
        "limit": False,
        "retain": False,
        "dry_run": False,
    }


class UnsetProperties(Node):
    """``UNSET TBLPROPERTIES (keys)`` of ALTER TABLE: `expressions` are keys, `exists` a bool."""

    arg_types = {"expressions": True, "exists": False}  # noqa: RUF012 (sqlglot's form)


class ChangeColumn(Node):
    """``CHANGE COLUMN`` of ALTER TABLE: `this` is the column, `action` the change.

    The action is one of ALTER COLUMN (``exp.AlterColumn``, `MoveColumn`), or in Hive's form the
    complete new ``exp.ColumnDef``.
    """

    arg_types = {"this": True, "action": True}  # noqa: RUF012 (sqlglot's form)


class MoveColumn(Node):
    """``ALTER COLUMN column FIRST`` or ``AFTER other``: `position` is an ``exp.ColumnPosition``."""

    arg_types = {"this": True, "position": True}  # noqa: RUF012 (sqlglot's form)


class PurgePartition(Node):
    """``DROP PARTITION (...) PURGE`` of ALTER TABLE: `this` is the ``exp.DropPartition``."""

    arg_types = {"this": True}  # noqa: RUF012 (sqlglot's form)


class RenamePartition(Node):
    """``RENAME TO PARTITION (...)`` of ALTER TABLE ... PARTITION: `this` is the new partition."""

    arg_types = {"this": True}  # noqa: RUF012 (sqlglot's form)


def kind_of(node: exp.Expr) -> Kind | None:
    """Returns the kind of a node; None for nodes that are sqlglot's alone."""
    return KINDS.get(node.args.get(KIND, ""))


def name_hashed_columns(create: exp.Expr) -> None:
    """Sets the columns of WITH BUCKETS without ON, where a CREATE TABLE declares its key."""
    for clause in create.find_all(Buckets):
        key = [] if clause.args["on"] else key_columns(create)
        if key:
            clause.set("expressions", [column.copy() for column in key])


def setting_key(setting: exp.Expr) -> str:
    """Returns the key of a `SetConfig`, without its backticks."""
    return setting.name.strip("`").replace("``", "`")


def setting_value(setting: exp.Expr) -> str:
    """Returns the value of a `SetConfig`; empty if it has none."""
    return setting.text("value")


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
