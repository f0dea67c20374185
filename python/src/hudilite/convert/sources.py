"""Source formats: how each declares key, buckets and ordering, and which properties it owns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from hudilite.convert.draft import Draft, listed
from hudilite.lint.facts import FACTS
from hudilite.script.text import written

_KEY, _ORDERING, _TYPE, _INDEX, _BUCKETS, _HASHED, _PARTITIONS = tuple(FACTS)[:7]
_SIZES = ("hoodie.parquet.small.file.limit", "hoodie.parquet.max.file.size")
_SERVICES = (
    ("hoodie.clean.automatic",),
    ("hoodie.clean.commits.retained", "hoodie.cleaner.commits.retained"),
    ("hoodie.clean.hours.retained", "hoodie.cleaner.hours.retained"),
    ("hoodie.archive.automatic",),
    ("hoodie.keep.min.commits",),
    ("hoodie.keep.max.commits",),
)
_FILTERS = "hoodie.parquet.bloom.filter.enabled"
_LEAST_HOURS = 168
_HUDIS = ("hoodie.", "hudilite.", "hive.", "index.", "path")
_ICEBERGS = (
    "branch.",
    "commit.",
    "compatibility.",
    "engine.",
    "format-version",
    "format.version",
    "gc.",
    "history.",
    "read.",
    "schema.",
    "snapshot.",
    "write.",
)
_BLOOM = "the table gets a bloom index; set buckets=n for buckets"


def hudi(draft: Draft) -> None:
    """Reads a declaration of Hudi, whose properties become facts of the new table."""
    stated = listed(draft.take(*_KEY))
    draft.key = draft.key or stated
    _order(draft, listed(draft.take(*_ORDERING)))
    kind = draft.take(*_TYPE)
    if kind and kind.lower() in ("mor", "merge_on_read"):
        draft.properties["type"] = "mor"
    elif kind and kind.lower() not in ("cow", "copy_on_write"):
        draft.drop_option("type", kind, "a table is copy-on-write (cow) or merge-on-read (mor)")
    columns = [exp.to_identifier(name) for name in listed(draft.take(*_PARTITIONS))]
    draft.partitions = draft.partitions or list(columns)
    _hudi_index(draft)
    for name in _SIZES:
        size = draft.take(name)
        if size and draft.buckets:
            draft.drop_option(name, size, "the number of buckets determines the file size")
        elif size:
            draft.properties[name] = size
    filters = draft.take(_FILTERS)
    if filters and filters.lower() == "false" and not draft.buckets:
        draft.drop_option(_FILTERS, filters, "a bloom index needs the filters of its files")
    elif filters:
        draft.properties[_FILTERS] = filters
    for names in _SERVICES:
        value = draft.take(*names)
        if value and "hours" in names[0] and _is_short(value):
            draft.drop_option(names[0], value, f"at least {_LEAST_HOURS} hours must be retained")
        elif value:
            draft.properties[names[0]] = value
    _rest(draft, _HUDIS, "hudilite does not have this property")
    _drop_clustered(draft, "it has no effect on Hudi tables")


def _is_short(hours: str) -> bool:
    """Whether a retention is below the minimum that a table of hudilite may declare."""
    return not hours.strip().isdecimal() or int(hours) < _LEAST_HOURS


def _hudi_index(draft: Draft) -> None:
    index = (draft.take(*_INDEX) or "").upper()
    count, hashed = draft.take(*_BUCKETS), draft.take(*_HASHED)
    engine = draft.take("hoodie.index.bucket.engine")
    if index == "BUCKET":
        draft.buckets = draft.count(_BUCKETS[0], count or "256")
        draft.hashed = listed(hashed)
        if engine and engine.upper() != "SIMPLE":
            draft.drop_option(
                "hoodie.index.bucket.engine", engine, "the number of buckets is fixed"
            )
        return
    for (name,), value in ((_BUCKETS, count), (_HASHED, hashed)):
        if value:
            draft.drop_option(name, value, "it has no effect without hoodie.index.type = 'BUCKET'")
    draft.is_global = index.startswith("GLOBAL_") or index == "RECORD_INDEX"
    if index not in ("", "BLOOM", "GLOBAL_BLOOM"):
        draft.drop_option(_INDEX[0], index, f"hudilite does not have this index type; {_BLOOM}")


def iceberg(draft: Draft) -> None:
    """Reads a declaration of Iceberg: no key; the first ``bucket(n, column)`` gives the buckets."""
    for part in list(draft.partitions):
        if isinstance(part, (exp.Identifier, exp.Column, exp.ColumnDef)):
            continue
        draft.partitions.remove(part)
        text = written(part)
        if isinstance(part, exp.PartitionedByBucket) and not draft.buckets:
            draft.buckets = draft.count(text, part.expression.name)
            draft.hashed = [part.this.name]
        else:
            why = "only columns can be partition columns; add a column with this value"
            draft.drop(f"PARTITIONED BY ({text})", why)
    if draft.clustered and not draft.buckets:
        draft.buckets = int(draft.clustered.args["buckets"].name)
        draft.hashed = [column.name for column in draft.clustered.expressions]
        draft.clustered = None
    _drop_clustered(draft, "PARTITIONED BY already defines the buckets")
    _rest(draft, _ICEBERGS, "a property of Iceberg")


def paimon(draft: Draft) -> None:
    """Reads a declaration of Paimon. Its options give key and buckets; all others are left out."""
    stated = listed(draft.take("primary-key"))
    draft.key = draft.key or stated
    bucket, hashed = draft.take("bucket"), listed(draft.take("bucket-key"))
    if bucket and not bucket.startswith("-"):
        draft.buckets, draft.hashed = draft.count("bucket", bucket), hashed
    elif bucket or hashed:
        what = ("bucket", bucket) if bucket else ("bucket-key", ", ".join(hashed))
        draft.drop_option(*what, f"the number of buckets is not fixed; {_BLOOM}")
    _order(draft, listed(draft.take("sequence.field")))
    engine = draft.take("merge-engine")
    if engine and engine.lower() != "deduplicate":
        draft.drop_option("merge-engine", engine, "use MERGE INTO to combine rows")
    columns = {part.name.lower() for part in draft.partitions}
    draft.is_global = not columns <= {name.lower() for name in draft.key}
    _drop_clustered(draft, "it has no effect on Paimon tables")
    _rest(draft, ("",), "an option of Paimon")


def delta(draft: Draft) -> None:
    """Reads a declaration of Delta, which has neither a key nor buckets."""
    _drop_clustered(draft, "Delta has no buckets; set buckets=n")
    _rest(draft, ("delta.",), "a property of Delta")


def _order(draft: Draft, columns: list[str]) -> None:
    """Sets the ordering fields, whose greatest values win among rows of one key."""
    if columns:
        draft.properties[_ORDERING[0]] = ",".join(columns)


def _drop_clustered(draft: Draft, why: str) -> None:
    if draft.clustered:
        draft.drop(written(draft.clustered), why)


def _rest(draft: Draft, own: tuple[str, ...], why: str) -> None:
    """Handles the remaining properties: drops those of the format, keeps the user's own."""
    for name, value in draft.options.items():
        if name.lower().startswith(own):
            draft.drop_option(name, value, why)
        else:
            draft.properties[name] = value
    draft.options = {}


@dataclass(frozen=True)
class Source:
    """Format that a declaration can come from.

    Attributes:
        providers: Words after USING; an empty word if USING may be left out.
        read: Function that reads the format's properties and clauses into a draft.
        keeps_location: Whether the new table can use the same folder.
    """

    providers: tuple[str, ...]
    read: Callable[[Draft], None]
    keeps_location: bool = False


SOURCES: Mapping[str, Source] = {
    "delta": Source(("delta",), delta),
    "hudi": Source(("hudi", "org.apache.hudi"), hudi, keeps_location=True),
    "iceberg": Source(("iceberg",), iceberg),
    "paimon": Source(("paimon", ""), paimon),
}
