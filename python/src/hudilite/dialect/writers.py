"""Writers of the nodes in `hudilite.dialect.nodes`, for every dialect of sqlglot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlglot import exp, generator
from sqlglot.generators.hive import HiveGenerator
from sqlglot.generators.spark2 import Spark2Generator

from hudilite.dialect import nodes


def with_buckets(self: generator.Generator, clause: nodes.Buckets) -> str:
    """Writes the clause in hudilite's syntax."""
    columns = self.expressions(clause, flat=True)
    on = f" ON ({columns})" if columns else ""
    return f"WITH BUCKETS {self.sql(clause, 'this')}{on}"


def clustered_by(self: generator.Generator, clause: nodes.Buckets) -> str:
    """Writes the clause in the syntax of Hive and Spark, over the columns of ON or of the key."""
    create = clause.find_ancestor(exp.Create)
    columns = clause.expressions or (nodes.key_columns(create) if create else [])
    if not columns:
        self.unsupported("WITH BUCKETS without ON, and no PRIMARY KEY to take the columns from")
        return ""
    names = ", ".join(self.sql(column) for column in columns)
    return f"CLUSTERED BY ({names}) INTO {self.sql(clause, 'this')} BUCKETS"


def call(self: generator.Generator, call: nodes.Call) -> str:
    """Writes CALL, with name and arguments in the dialect's spelling."""
    return f"CALL {self.sql(call, 'this')}({self.expressions(call, flat=True)})"


def evolving_merge(self: generator.Generator, merge: nodes.EvolvingMerge) -> str:
    """Writes a MERGE; WITH SCHEMA EVOLUTION only in dialects of Spark's family."""
    parts = {key: part for key, part in merge.copy().args.items() if key != "with_"}
    text = self.sql(exp.Merge(**parts))
    if isinstance(self, Spark2Generator):
        text = text.replace("MERGE INTO", "MERGE WITH SCHEMA EVOLUTION INTO", 1)
    else:
        self.unsupported("MERGE WITH SCHEMA EVOLUTION")
    return self.prepend_ctes(merge, text)


def no_options(self: generator.Generator, _: nodes.TableOptions) -> str:
    """Leaves the options of a table out, and reports them as unsupported."""
    self.unsupported("WITH (options) of a table")
    return ""


def absent_partition(self: generator.Generator, partition: nodes.AbsentPartition) -> str:
    """Writes PARTITION with IF NOT EXISTS."""
    return _spaced(self.sql(exp.Partition(**partition.copy().args)), "IF NOT EXISTS")


def explain(self: generator.Generator, statement: nodes.Explain) -> str:
    """Writes EXPLAIN, with the statement in the dialect's spelling."""
    return _spaced("EXPLAIN", statement.text("style"), self.sql(statement, "this"))


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
    parts = {key: part for key, part in statement.copy().args.items() if key != "column"}
    as_json = "AS JSON" if parts.pop("as_json", None) else ""
    return _spaced(self.sql(exp.Describe(**parts)), self.sql(statement, "column"), as_json)


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
    return _spaced(self.sql(exp.DropPartition(**action.copy().args)), "PURGE")


def rename_partition(self: generator.Generator, action: nodes.RenamePartition) -> str:
    """Writes RENAME TO PARTITION."""
    return _spaced("RENAME TO", self.sql(action, "this"))


WRITERS: Mapping[type[exp.Expr], Callable[[Any, Any], str]] = {
    nodes.Call: call,
    nodes.EvolvingMerge: evolving_merge,
    nodes.TableOptions: no_options,
    nodes.AbsentPartition: absent_partition,
    nodes.Explain: explain,
    nodes.Show: show,
    nodes.SetConfig: set_config,
    nodes.ResetConfig: reset_config,
    nodes.DescribeColumn: describe_column,
    nodes.UnsetProperties: unset_properties,
    nodes.ChangeColumn: change_column,
    nodes.MoveColumn: move_column,
    nodes.PurgePartition: purge_partition,
    nodes.RenamePartition: rename_partition,
}


def teach() -> None:
    """Registers the nodes in all generators of sqlglot, which fail for unknown classes."""
    for writer in _with_descendants(generator.Generator):
        clustered = issubclass(writer, HiveGenerator)
        place = exp.Properties.Location
        if clustered:
            writer.TRANSFORMS.setdefault(nodes.Buckets, clustered_by)
        for node, written in WRITERS.items():
            writer.TRANSFORMS.setdefault(node, written)
        writer.PROPERTIES_LOCATION.setdefault(
            nodes.Buckets, place.POST_SCHEMA if clustered else place.UNSUPPORTED
        )
    vars(generator).get("_DISPATCH_CACHE", {}).clear()  # sqlglot fills it from those tables once


def _spaced(*words: str) -> str:
    return " ".join(word for word in words if word)


def _behind(word: str, text: str) -> str:
    return f"{word} {text}" if text else ""


def _with_descendants(writer: type[generator.Generator]) -> Iterator[type[generator.Generator]]:
    yield writer
    for child in writer.__subclasses__():
        yield from _with_descendants(child)
