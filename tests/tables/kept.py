"""Tables of version 9 that keep the list of files in Hudi's metadata table, made by hand."""

from __future__ import annotations

import shutil
from pathlib import Path

from harness import avro, layout
from oracle import listing
from tables import upgraded

PARTITIONS = "hoodie.table.metadata.partitions"
OTHERS = ("column_stats", "partition_stats", "secondary_index_v")
METADATA_TABLE = {
    "hoodie.table.name": "t_metadata",
    "hoodie.table.type": "MERGE_ON_READ",
    "hoodie.table.version": "9",
    "hoodie.table.initial.version": "9",
    "hoodie.timeline.layout.version": "2",
    "hoodie.timeline.path": "timeline",
    "hoodie.timeline.history.path": "history",
    "hoodie.table.base.file.format": "HFILE",
    "hoodie.table.recordkey.fields": "key",
    "hoodie.table.keygenerator.type": "HOODIE_TABLE_METADATA",
    "hoodie.populate.meta.fields": "false",
    "hoodie.record.merge.mode": "CUSTOM",
    "hoodie.record.merge.strategy.id": "00000000-0000-0000-0000-000000000000",
    "hoodie.compaction.payload.class": "org.apache.hudi.metadata.HoodieMetadataPayload",
}


def keep(base: Path) -> None:
    """Gives a table of version 9 the property, and a metadata table as stock Hudi builds it."""
    shutil.rmtree(base / ".hoodie" / "metadata")
    commit = {"partitionToWriteStats": {}, "compacted": False, "operationType": "UPSERT_PREPPED"}
    listing.plant(base, there(base), METADATA_TABLE, avro.container(upgraded.COMMIT, commit))
    for name in OTHERS:
        folder = base / ".hoodie" / "metadata" / name
        folder.mkdir(exist_ok=True)
        (folder / "x.hfile").write_bytes(b"no HFile")
    facts = {"hudilite.metadata": "keep-files", PARTITIONS: upgraded.METADATA_TABLE}
    sealed = layout.properties(base) | facts
    upgraded.set_facts(base, facts | {layout.OWN_CHECKSUM: layout.facts_checksum(sealed)})


def there(base: Path) -> listing.Files:
    """The base files of completed commits that are in the folders, with their lengths."""
    found: listing.Files = {}
    done = layout.completed(base)
    for file in layout.base_files(base):
        if file.instant in done:
            found.setdefault(file.partition, {})[file.path.name] = file.path.stat().st_size
    return found


def faults(base: Path, *, cleaning: bool = False) -> list[str]:
    """What is wrong with the metadata table of a table that keeps it, if readers use it.

    Args:
        cleaning: A clean may be pending that has deleted files which the list still contains.
    """
    partitions = layout.properties(base)[PARTITIONS]
    if partitions == "":
        return []
    if partitions != "files":
        return [f"a commit is there beside a metadata table with {partitions}"]
    listed = {partition: names for partition, names in listing.listing(base).items() if names}
    found = there(base)
    lacks = [p for p, names in found.items() if names.items() - listed.get(p, {}).items()]
    if cleaning and not lacks:
        return []
    return [] if listed == found else [f"it lists {listed} instead of {found}"]
