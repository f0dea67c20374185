"""Writers of the nodes in `hudilite.dialect.nodes`, in the spelling of any dialect of sqlglot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sqlglot import exp, generator

from hudilite.dialect import interpreted, nodes

if TYPE_CHECKING:
    from sqlglot.generators.hive import HiveGenerator
    from sqlglot.generators.spark2 import Spark2Generator
else:
    HiveGenerator = interpreted.module("sqlglot.generators.hive").HiveGenerator
    Spark2Generator = interpreted.module("sqlglot.generators.spark2").Spark2Generator

Writer = Callable[[Any, Any], str]


def with_buckets(self: generator.Generator, clause: nodes.Buckets) -> str:
    """Writes the clause in hudilite's syntax."""
    on = f" ON ({self.expressions(clause, flat=True)})" if clause.args["on"] else ""
    return f"WITH BUCKETS {self.sql(clause, 'buckets')}{on}"


def clustered_by(self: generator.Generator, clause: nodes.Buckets, plain: Writer) -> str:
    """Writes the clause as CLUSTERED BY, its equivalent in dialects of Hive's family."""
    if not isinstance(self, HiveGenerator):
        self.unsupported("WITH BUCKETS")
        return ""
    if isinstance(clause.expressions[0], nodes.KeyColumns):
        self.unsupported("WITH BUCKETS without ON, and no PRIMARY KEY to take the columns from")
        return ""
    return plain(self, clause)


def call(self: generator.Generator, call: nodes.Call) -> str:
    """Writes CALL, with name and arguments in the dialect's spelling."""
    return f"CALL {self.sql(call, 'this')}({self.expressions(call, flat=True)})"


def evolving_merge(self: generator.Generator, merge: nodes.EvolvingMerge, plain: Writer) -> str:
    """Writes a MERGE; WITH SCHEMA EVOLUTION only in dialects of Spark's family."""
    parts = {key: part for key, part in merge.copy().args.items() if key not in ("with_", "whens")}
    whens = exp.Whens(expressions=merge.copy().args["whens"].expressions)
    text = plain(self, exp.Merge(**parts, whens=whens))
    if isinstance(self, Spark2Generator):
        text = text.replace("MERGE INTO", "MERGE WITH SCHEMA EVOLUTION INTO", 1)
    else:
        self.unsupported("MERGE WITH SCHEMA EVOLUTION")
    return self.prepend_ctes(merge, text)


def schema_evolution(self: generator.Generator, _: nodes.SchemaEvolution) -> str:
    """Writes WITH SCHEMA EVOLUTION right after INSERT, only in dialects of Spark's family."""
    if isinstance(self, Spark2Generator):
        return " WITH SCHEMA EVOLUTION"
    self.unsupported("INSERT WITH SCHEMA EVOLUTION")
    return ""


def with_options(self: generator.Generator, options: nodes.TableOptions) -> str:
    """Writes the options of a table."""
    return f"WITH ({self.expressions(options, flat=True)})"


def no_options(self: generator.Generator, _: nodes.TableOptions) -> str:
    """Leaves the options of a table out, and reports them as unsupported."""
    self.unsupported("WITH (options) of a table")
    return ""


def absent_partition(self: generator.Generator, partition: nodes.AbsentPartition) -> str:
    """Writes PARTITION with IF NOT EXISTS."""
    return _spaced(self.sql(partition, "this"), "IF NOT EXISTS")


def explain(self: generator.Generator, statement: nodes.Explain) -> str:
    """Writes EXPLAIN, with the statement in the dialect's spelling."""
    return _spaced("EXPLAIN", statement.text("style"), self.sql(statement, "this"))


def replace_table(self: generator.Generator, statement: nodes.ReplaceTable) -> str:
    """Writes REPLACE TABLE, without CREATE OR."""
    created = self.sql(statement, "this")
    return "REPLACE" + created.removeprefix("CREATE").removeprefix(" OR REPLACE")


def show(self: generator.Generator, statement: nodes.Show) -> str:
    """Writes SHOW, always with IN instead of FROM, and with LIKE before a pattern."""
    table = self.sql(statement, "table")
    keys = self.expressions(statement, flat=True)
    pattern = self.sql(statement, "pattern")
    return _spaced(
        "SHOW",
        self.sql(statement, "this"),
        f"IN {table}" if statement.name.upper() == "COLUMNS" else table,
        keys and f"({keys})",
        _behind("IN", self.sql(statement, "database")),
        _behind("LIKE", pattern),
        self.sql(statement, "partition"),
        "AS SERDE" if statement.args.get("serde") else "",
    )


def set_config(self: generator.Generator, statement: nodes.SetConfig) -> str:
    """Writes SET, with key and value as they were read."""
    value = statement.args.get("value")
    return _spaced("SET", self.sql(statement, "this"), "" if value is None else f"= {value.name}")


def reset_config(self: generator.Generator, statement: nodes.ResetConfig) -> str:
    """Writes RESET of one key or of all."""
    return _spaced("RESET", self.sql(statement, "this"))


def describe_column(self: generator.Generator, statement: nodes.DescribeColumn) -> str:
    """Writes DESCRIBE, with the column after the table."""
    described = statement.this.copy()
    as_json = "AS JSON" if described.args.pop("as_json", None) else ""
    return _spaced(self.sql(described), self.sql(statement, "column"), as_json)


def table_command(self: generator.Generator, statement: nodes.TableCommand) -> str:
    """Writes a command about a table, always with RESTORE TABLE and TO."""
    words = statement.name.upper()
    retain = self.sql(statement, "retain")
    zorder = self.expressions(statement, key="zorder", flat=True)
    return _spaced(
        {"RESTORE": "RESTORE TABLE", "RUN COMPACTION": "RUN COMPACTION ON"}.get(words, words),
        self.sql(statement, "table"),
        _behind("TO", self.sql(statement, "version").removeprefix("FOR ")),
        self.sql(statement, "where").strip(),
        f"ZORDER BY ({zorder})" if zorder else "",
        _behind("LIMIT", self.sql(statement, "limit")),
        f"RETAIN {retain} HOURS" if retain else "",
        "DRY RUN" if statement.args.get("dry_run") else "",
    )


def unset_properties(self: generator.Generator, action: nodes.UnsetProperties) -> str:
    """Writes UNSET TBLPROPERTIES."""
    exists = "IF EXISTS" if action.args.get("exists") else ""
    return _spaced("UNSET TBLPROPERTIES", exists, f"({self.expressions(action, flat=True)})")


def change_column(self: generator.Generator, action: nodes.ChangeColumn) -> str:
    """Writes CHANGE COLUMN, with the text of ALTER COLUMN or the new column definition."""
    text = self.sql(action, "action")
    if isinstance(action.args["action"], exp.ColumnDef):
        return _spaced("CHANGE COLUMN", self.sql(action, "this"), text)
    return text.replace("ALTER", "CHANGE", 1)


def move_column(self: generator.Generator, action: nodes.MoveColumn) -> str:
    """Writes ALTER COLUMN with the new position."""
    return _spaced("ALTER COLUMN", self.sql(action, "this"), self.sql(action, "position"))


def purge_partition(self: generator.Generator, action: nodes.PurgePartition) -> str:
    """Writes DROP PARTITION with PURGE."""
    return _spaced(self.sql(action, "this"), "PURGE")


def rename_partition(self: generator.Generator, action: nodes.RenamePartition) -> str:
    """Writes RENAME TO PARTITION."""
    return _spaced("RENAME TO", self.sql(action, "this"))


WRITERS: Mapping[str, Writer] = {
    nodes.Call.__name__: call,
    nodes.SchemaEvolution.__name__: schema_evolution,
    nodes.TableOptions.__name__: no_options,
    nodes.AbsentPartition.__name__: absent_partition,
    nodes.Explain.__name__: explain,
    nodes.ReplaceTable.__name__: replace_table,
    nodes.Show.__name__: show,
    nodes.SetConfig.__name__: set_config,
    nodes.ResetConfig.__name__: reset_config,
    nodes.DescribeColumn.__name__: describe_column,
    nodes.TableCommand.__name__: table_command,
    nodes.UnsetProperties.__name__: unset_properties,
    nodes.ChangeColumn.__name__: change_column,
    nodes.MoveColumn.__name__: move_column,
    nodes.PurgePartition.__name__: purge_partition,
    nodes.RenamePartition.__name__: rename_partition,
}
"""Writers of the nodes that are ``exp.Expression``, by the names of their kinds."""


def transforms(
    base: type[generator.Generator],
    own: Mapping[str, Writer] = WRITERS,
    buckets: Writer | None = None,
) -> dict[Any, Any]:
    """Returns the table ``TRANSFORMS`` of a generator that writes our nodes, too.

    Args:
        base: Generator that writes all other nodes.
        own: Writers of the nodes that are ``exp.Expression``, by the names of their kinds.
        buckets: Writer of `Buckets`; by default they are written as CLUSTERED BY.
    """
    clustered = _plain(base, exp.ClusteredByProperty)
    merge = _plain(base, exp.Merge)

    def bucketed(self: Any, node: Any) -> str:
        if not isinstance(node, nodes.Buckets):
            return clustered(self, node)
        return buckets(self, node) if buckets else clustered_by(self, node, clustered)

    def merged(self: Any, node: Any) -> str:
        evolving = isinstance(node, nodes.EvolvingMerge)
        return evolving_merge(self, node, merge) if evolving else merge(self, node)

    return {
        **base.TRANSFORMS,
        exp.Expression: lambda self, node: own[node.args[nodes.KIND]](self, node),
        exp.ClusteredByProperty: bucketed,
        exp.Merge: merged,
    }


def _plain(base: type[generator.Generator], node: type[exp.Expr]) -> Writer:
    """Returns how a generator writes a node of sqlglot."""
    found: Writer = base.TRANSFORMS.get(node) or getattr(base, f"{node.key}_sql")
    return found


def _spaced(*words: str) -> str:
    return " ".join(word for word in words if word)


def _behind(word: str, text: str) -> str:
    return f"{word} {text}" if text else ""
