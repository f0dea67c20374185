"""Clauses of a table declaration: read from the old one, written for the new one."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from hudilite.convert.columns import carried
from hudilite.convert.draft import Draft, as_read
from hudilite.convert.sources import Source
from hudilite.dialect import Buckets, key_columns, source_text
from hudilite.dialect.nodes import property_key
from hudilite.script.text import written

_KEPT = (exp.FileFormatProperty, exp.LocationProperty, exp.SchemaCommentProperty)


def read(create: exp.Create, source: Source, key: list[str]) -> Draft:
    """Reads what a declaration says besides its columns; reports what no hudilite table has.

    Args:
        create: The declaration.
        source: Its format.
        key: Columns of the primary key, instead of those in the declaration.
    """
    inline = create.find(exp.PrimaryKey, exp.PrimaryKeyColumnConstraint)
    stated = [column.name for column in key_columns(create)] if inline else []
    draft = Draft(key=key or stated)
    if create.args.get("replace"):
        draft.drop("OR REPLACE", "drop the old table first, or use INSERT OVERWRITE")
    for clause in _clauses(create):
        if isinstance(clause, exp.PartitionedByProperty):
            draft.partitions += clause.this.expressions
        elif isinstance(clause, exp.ClusteredByProperty) and not isinstance(clause, Buckets):
            draft.clustered = clause
        elif isinstance(clause, exp.OptionsProperty):
            draft.options.update(map(_option, clause.expressions))
        elif type(clause) is exp.Property:
            draft.options.update([_option(clause)])
        elif isinstance(clause, exp.ClusterProperty):
            why = "it does not apply to hudilite tables; set buckets=n for buckets"
            draft.drop(written(clause), why)
        elif not isinstance(clause, _KEPT):
            draft.drop(written(clause), "hudilite does not have this clause")
    source.read(draft)
    return draft


def declared(create: exp.Create, draft: Draft, keeps_location: bool) -> exp.Create:
    """Returns the new declaration; reports parts of columns that it cannot have."""
    made = create.copy()
    made.set("replace", None)
    key = exp.PrimaryKey(expressions=[exp.to_identifier(name) for name in draft.key])
    if isinstance(made.this, exp.Schema):
        columns = list(carried(made.this.expressions, draft))
        made.this.set("expressions", [*columns, key] if draft.key else columns)
    elif draft.key:
        draft.properties = {"primaryKey": ",".join(draft.key), **draft.properties}
    query = create.expression
    text = source_text.of(query) if query else None
    if text is not None:
        made.set("expression", as_read(query, text))
    made.set(
        "properties", exp.Properties(expressions=list(_written(create, draft, keeps_location)))
    )
    return made


def _written(create: exp.Create, draft: Draft, keeps_location: bool) -> Iterator[exp.Expr]:
    yield exp.FileFormatProperty(this=exp.var("hudilite"))
    if draft.partitions:
        parts = [as_read(part, written(part)) for part in draft.partitions]
        yield exp.PartitionedByProperty(this=exp.Schema(expressions=parts))
    if draft.buckets:
        yield Buckets(buckets=exp.Literal.number(draft.buckets), expressions=_hashed(draft))
    for clause in _clauses(create):
        if isinstance(clause, exp.LocationProperty) and not keeps_location:
            draft.drop(written(clause), "this folder contains a table of another format")
        elif isinstance(clause, (exp.LocationProperty, exp.SchemaCommentProperty)):
            yield clause.copy()
    if draft.is_global and draft.partitions:
        draft.properties["hudilite.index.global"] = "true"
    for name, value in draft.properties.items():
        yield exp.Property(this=exp.Literal.string(name), value=exp.Literal.string(value))


def _hashed(draft: Draft) -> list[exp.Expr]:
    """Returns the columns of ON: the hashed key columns, if they are not the whole key."""
    key = [name.lower() for name in draft.key]
    others = [name for name in draft.hashed if name.lower() not in key]
    if key and others:
        draft.drop(f"buckets by {', '.join(others)}", "bucket columns must be key columns")
        return []
    if [name.lower() for name in draft.hashed] == key:
        return []
    return [exp.to_identifier(name) for name in draft.hashed]


def _clauses(create: exp.Create) -> list[exp.Expr]:
    clauses = create.args.get("properties")
    return list(clauses.expressions) if clauses else []


def _option(entry: exp.Property) -> tuple[str, str]:
    value = entry.args["value"]
    if isinstance(value, exp.Literal):
        return property_key(entry), value.name
    text = value.sql("hudilite")
    return property_key(entry), text.lower() if isinstance(value, exp.Boolean) else text
