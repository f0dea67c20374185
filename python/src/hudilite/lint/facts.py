"""Rule ``fact-set-as-option``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hudilite.dialect import SetConfig, TableOptions, setting_key
from hudilite.dialect.nodes import property_key
from hudilite.lint.case import Case, Fault

# Facts that only CREATE TABLE sets: every name that Hudi has for a fact, and its clause.
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
    ): "TBLPROPERTIES (type = 'mor') (or nothing, for copy-on-write)",
    ("hoodie.index.type",): "WITH BUCKETS n (or nothing, for a bloom index)",
    ("hoodie.bucket.index.num.buckets",): "WITH BUCKETS n",
    ("hoodie.bucket.index.hash.field",): "WITH BUCKETS n ON (...)",
    (
        "hoodie.datasource.write.partitionpath.field",
        "hoodie.table.partition.fields",
    ): "PARTITIONED BY (...)",
    ("hoodie.table.name", "hoodie.datasource.write.table.name"): "CREATE TABLE name",
    (
        "hoodie.datasource.write.keygenerator.class",
        "hoodie.datasource.write.keygenerator.type",
        "hoodie.table.keygenerator.class",
        "hoodie.table.keygenerator.type",
    ): "PRIMARY KEY (...) and PARTITIONED BY (...)",
    ("hoodie.write.record.merge.mode",): "TBLPROPERTIES (preCombineField = 'column')",
    ("hudilite.index.global",): "TBLPROPERTIES (hudilite.index.global = true)",
}

# Table properties that ALTER TABLE can change: of services after a commit, and of the files.
TUNABLE: Mapping[tuple[str, ...], str] = {
    (
        "hoodie.clean.automatic",
        "hoodie.clean.commits.retained",
        "hoodie.clean.hours.retained",
    ): "TBLPROPERTIES (hoodie.clean.automatic = true)",
    (
        "hoodie.archive.automatic",
        "hoodie.keep.min.commits",
        "hoodie.keep.max.commits",
    ): "TBLPROPERTIES (hoodie.archive.automatic = true)",
    (
        "hoodie.datasource.hive_sync.enable",
        "hoodie.datasource.hive_sync.database",
        "hoodie.datasource.hive_sync.table",
        "hoodie.datasource.hive_sync.sync_as_datasource",
    ): "TBLPROPERTIES (hoodie.datasource.hive_sync.enable = true)",
    ("hudilite.stock.lock",): "TBLPROPERTIES (hudilite.stock.lock = 'storage')",
    ("hudilite.metadata",): "TBLPROPERTIES (hudilite.metadata = 'keep-files')",
    ("hudilite.bloom.columns",): "TBLPROPERTIES (hudilite.bloom.columns = 'a, b')",
    (
        "hoodie.parquet.bloom.filter.enabled",
    ): "TBLPROPERTIES (hoodie.parquet.bloom.filter.enabled = true)",
}

_CLAUSES = {
    name.lower(): clause for names, clause in (*FACTS.items(), *TUNABLE.items()) for name in names
}


def fact_set_as_option(case: Case) -> Iterator[Fault]:
    """Finds a SET, or WITH (...) after a table, that sets what the table itself declares.

    Such a setting can only repeat the fact. With another value every write fails.
    """
    tree = case.statement.tree
    if isinstance(tree, SetConfig):
        if tree.args.get("value") is not None:
            yield from _faults(case, setting_key(tree))
        return
    for options in tree.find_all(TableOptions) if tree else []:
        for entry in options.expressions:
            yield from _faults(case, property_key(entry))


def _faults(case: Case, key: str) -> Iterator[Fault]:
    clause = _CLAUSES.get(key.lower())
    if clause:
        first = case.statement.word(key.upper(), f"`{key.upper()}`", key.split(".")[0].upper())
        yield Fault(
            case.statement.place_of(first),
            f"{key} belongs to the table: a setting or option cannot change it",
            f"Remove it, and write {clause} in CREATE TABLE",
        )
