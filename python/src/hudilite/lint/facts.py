"""The rule ``fact-set-as-option``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hudilite.dialect import SetConfig, TableOptions
from hudilite.dialect.nodes import property_key
from hudilite.lint.case import Case, Fault

# What is said once, by CREATE TABLE, with every name that Hudi has for it, and the clause for it.
FACTS: Mapping[tuple[str, ...], str] = {
    (
        "primaryKey",
        "hoodie.datasource.write.recordkey.field",
        "hoodie.table.recordkey.fields",
    ): "PRIMARY KEY (...)",
    (
        "preCombineField",
        "orderingFields",
        "hoodie.datasource.write.precombine.field",
        "hoodie.table.precombine.field",
        "hoodie.table.ordering.fields",
    ): "TBLPROPERTIES (preCombineField = '...')",
    (
        "type",
        "hoodie.datasource.write.table.type",
        "hoodie.table.type",
    ): "USING hudilite",
    ("hoodie.index.type",): "WITH BUCKETS n, or no such clause for a bloom index",
    ("hoodie.bucket.index.num.buckets",): "WITH BUCKETS n",
    ("hoodie.bucket.index.hash.field",): "WITH BUCKETS n ON (...)",
    (
        "hoodie.datasource.write.partitionpath.field",
        "hoodie.table.partition.fields",
    ): "PARTITIONED BY (...)",
    ("hudilite.index.global",): "TBLPROPERTIES (hudilite.index.global = true)",
}

# What a table says of the services behind its commits, which ALTER TABLE changes.
SERVICES: Mapping[tuple[str, ...], str] = {
    (
        "hoodie.clean.automatic",
        "hoodie.clean.commits.retained",
        "hoodie.clean.hours.retained",
    ): "TBLPROPERTIES (hoodie.clean.automatic = true), as ALTER TABLE does",
    (
        "hoodie.datasource.hive_sync.enable",
        "hoodie.datasource.hive_sync.database",
        "hoodie.datasource.hive_sync.table",
        "hoodie.datasource.hive_sync.sync_as_datasource",
    ): "TBLPROPERTIES (hoodie.datasource.hive_sync.enable = true), as ALTER TABLE does",
}

_CLAUSES = {
    name.lower(): clause for names, clause in (*FACTS.items(), *SERVICES.items()) for name in names
}


def fact_set_as_option(case: Case) -> Iterator[Fault]:
    """SET, or WITH (...) behind a table, of what a table says by itself.

    Such a setting can only repeat the fact; with another value each write is refused.
    """
    tree = case.statement.tree
    if isinstance(tree, SetConfig):
        if tree.args.get("value") is not None:
            yield from _told(case, tree.key_text)
        return
    for options in tree.find_all(TableOptions) if tree else []:
        for entry in options.expressions:
            yield from _told(case, property_key(entry))


def _told(case: Case, key: str) -> Iterator[Fault]:
    clause = _CLAUSES.get(key.lower())
    if clause:
        first = case.statement.word(key.upper(), f"`{key.upper()}`", key.split(".")[0].upper())
        yield Fault(
            case.statement.place_of(first),
            f"{key} is a fact of the table: an option cannot change it",
            f"Leave it out; CREATE TABLE says it, by {clause}",
        )
