"""The packages of the Scala sources: what each contains, and which others it may import.

Usage: packages.py [--check]. Writes the table of packages into sql-extension/README.md; --check writes
nothing and exits 1 when the table is stale.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from files import ROOT

README = ROOT / "sql-extension" / "README.md"
BEGIN = "<!-- Written by tests/tools/packages.py: `make fmt` rewrites it. -->"
END = "<!-- End of the written part. -->"


@dataclass(frozen=True)
class Package:
    """A package below `hudilite`.

    Attributes:
        name: Without `hudilite.`; that of a package of the project `spark` begins with `spark`.
        imports: Packages that it may import, with all that these may import.
        contains: For the map of the code.
    """

    name: str
    imports: tuple[str, ...]
    contains: str

    @property
    def project(self) -> str:
        """The sbt project that it belongs to."""
        first = self.name.split(".")[0]
        return first if first in ("spark", "procedures") else "core"


# A package stands behind those that it may import. Every package of `spark` may import all of `core`.
PACKAGES = (
    Package(
        "error",
        (),
        "HudiliteException, Conditions: a condition, its parameters, its text from "
        "hudilite-conditions.json",
    ),
    Package(
        "io",
        ("error",),
        "Storage: list, read, create if absent, delete, fsync, each as a named call; local files, HDFS, "
        "object stores; ExclusiveCreate, how a store creates a file only if its name "
        "is free; LocationCheck, a check of it before a table is there; NewFile, a data file",
    ),
    Package(
        "format",
        ("io",),
        "Hudi's bytes and names: hoodie.properties and the checks of its values, the table version "
        "among them (TableChecks); file ids, names of base and log files, record keys, partition "
        "paths, HFiles; LogBlock, a block of a log file; LogFileBlocks, those of a file that may be torn; "
        "DeleteRecords, the deletions of a block",
    ),
    Package(
        "timeline",
        ("format",),
        "Hudi's timeline: Instant, Timeline; TimelineLayout, the names of a table's metadata files, one "
        "for each table version; TimelineCodec, their content; TimelineFiles, operations on them and "
        "the choice of the layout; FilesPartition, the list of files in Hudi's metadata table",
    ),
    Package(
        "lock",
        ("timeline",),
        "What a write does while stock Hudi writes the table, too: StockWriters; StockLock, its lock in "
        "the storage; Heartbeats of pending writes; RescaleTurns, in which a rescale and other writes wait for each other",
    ),
    Package(
        "commit",
        ("lock",),
        "CommitLog, Transaction: numbered commits, conflict check, recovery; DetachMetadata and KeepFiles, what a "
        "write does to Hudi's metadata table; Committed, the commits that "
        "readers count",
    ),
    Package(
        "view",
        ("commit",),
        "TableSnapshot: which file slices a snapshot shows; AdmittedBlocks: which blocks of log files apply; "
        "FileSlice: a base and its log files; BootstrapIndex: where the data of adopted file groups are",
    ),
    Package(
        "verify",
        ("view",),
        "TableCheck: checks timeline and listings of a table; each fault becomes a Finding",
    ),
    Package(
        "service",
        ("view",),
        "Cleaner, Savepoints, Restore, Archiver: handling of older files and instants",
    ),
    Package(
        "index",
        ("view",),
        "BucketIndex, BloomFilter, ZValue: pure functions; KeyLookup finds keys in base files",
    ),
    Package(
        "sizing",
        ("index",),
        "BucketAdvice: which number of buckets fits a table, by the sizes of its files (TableSizes) and "
        "their growth (TableGrowth)",
    ),
    Package(
        "bootstrap",
        ("index",),
        "SkeletonWriter: Hudi's meta columns beside an adopted file; RawKeys, its keys as they are "
        "stored",
    ),
    Package(
        "spark.error",
        (),
        "AnalysisErrors, InvalidArgument, Warnings: errors and warnings for users",
    ),
    Package(
        "spark.plan",
        ("spark.error",),
        "HudiliteWrite, the one logical node of a write; key, bucket and path as expressions",
    ),
    Package(
        "spark.parse",
        ("spark.plan",),
        "HudiliteParser, BucketsClause: WITH BUCKETS, found with Spark's own lexer; a clause that Spark "
        "cannot parse begins here, one that Spark parses begins in analyze",
    ),
    Package(
        "spark.read",
        ("spark.plan",),
        "HudiliteScan: pruned partitions, buckets, files; vectorized; SliceReaderFactory opens the rows "
        "of a file slice for queries, merges, rewrites and checks; PartitionFilter, a condition on "
        "partition columns",
    ),
    Package(
        "spark.write",
        ("spark.read",),
        "BaseFileWriter: one base file, its columns and its footer; LogContent and NewLogFile, a log "
        "file; NewDataFile, the protocol of a data file; WriteAttempt, that of a write on the driver",
    ),
    Package(
        "spark.catalog",
        ("spark.read",),
        "HudiliteTable, and how a declaration becomes a table",
    ),
    Package(
        "spark.meta",
        ("spark.catalog",),
        "MetadataTable: metadata tables such as `t.files`, and other rows about a table",
    ),
    Package(
        "spark.stream",
        ("spark.catalog",),
        "StreamSink, ChangeStream: a table as sink and source of a streaming query",
    ),
    Package(
        "spark.hive",
        ("spark.catalog",),
        "HiveRegistration: entry and partitions of a table in a Hive metastore, for other engines; "
        "SyncBehind",
    ),
    Package(
        "spark.analyze",
        ("spark.catalog",),
        "LowerMerge, LowerInsert, CheckHudilite: turn Spark's nodes into HudiliteWrite, or an error",
    ),
    Package(
        "spark.functions",
        ("spark.analyze", "spark.meta"),
        "TableFunctions: hudilite's table functions, and those of stock Hudi and Delta under their names",
    ),
    Package(
        "spark.verify",
        ("spark.catalog",),
        "TableFindings, BaseFileCheck, RowCheck: checks of base files, of their footers and rows",
    ),
    Package(
        "spark.locate",
        ("spark.catalog",),
        "Tag, TaggedRow, BloomIndex: how source rows find their file groups; TaggedRow owns the layout "
        "of a tagged row",
    ),
    Package(
        "spark.merge",
        ("spark.locate", "spark.write"),
        "MergeTask, FileGroupMerge, FileGroupWriter: merge of one file group, old rows with source "
        "rows, into a base file or a log file; BlindMerge: source rows alone; its words are in "
        "`package.scala`",
    ),
    Package(
        "spark.rewrite",
        ("spark.hive", "spark.merge"),
        "RewriteCommit, BaseFileRewriter: rewrites of existing rows",
    ),
    Package(
        "spark.repair",
        ("spark.rewrite", "spark.verify"),
        "IndexRebuild, BucketRepair, Materialization, Clustering: which files are rewritten, and with which rows",
    ),
    Package(
        "spark.diff",
        ("spark.merge",),
        "TableDiff: the rows that differ between two states or tables; PairMerge, bucket by bucket; KeyJoin, by "
        "a join",
    ),
    Package(
        "spark.exec",
        ("spark.rewrite",),
        "WriteStatement: a write as it is planned; TagRowsExec, MergeFileGroupsExec, CommitWriteExec: "
        "its operators; RunningWrite: its execution and commit; LargeFileGroups: merges of large base "
        "files by several tasks",
    ),
    Package(
        "spark.bootstrap",
        ("spark.exec",),
        "BootstrapCommand, SourceInspection, SkeletonTask: a table over existing Parquet files, their "
        "checks and skeletons",
    ),
    Package(
        "spark.command",
        ("spark.repair",),
        "LowerTableCommand: statements of Delta, Iceberg and stock Hudi about a table, such as VACUUM, as "
        "commands that do what procedures do, or as errors that say what to write instead",
    ),
    Package(
        "procedures",
        ("spark.bootstrap", "spark.diff", "spark.meta", "spark.repair"),
        "one class for each procedure, their registry (Procedures) and their arguments; the linter's "
        "list is python/src/hudilite/lint/procedures.py",
    ),
    Package(
        "spark",
        ("spark.command", "spark.exec", "spark.functions", "spark.parse", "spark.stream"),
        "HudiliteExtensions, HudiliteCommands, HudiliteCatalog, HudiliteSource: the classes that Spark finds by their "
        "names; they wire the others",
    ),
)


def closure(packages: tuple[Package, ...]) -> dict[str, frozenset[str]]:
    """All that each package may import.

    Raises:
        ValueError: where a package may import one that does not stand before it.
    """
    found: dict[str, frozenset[str]] = {}
    for package in packages:
        above = [name for name in package.imports if name not in found]
        if above:
            raise ValueError(f"{package.name} stands before {', '.join(above)}")
        core = {p.name for p in packages if p.project == "core" != package.project}
        below = (found[name] for name in package.imports)
        found[package.name] = frozenset(core.union(package.imports, *below))
    return found


MAY_IMPORT: Mapping[str, frozenset[str]] = closure(PACKAGES)


def circles(imports: Mapping[str, set[str]]) -> list[str]:
    """The packages that import each other, directly or by way of others; sorted."""
    left = {name: set(seen) - {name} for name, seen in imports.items()}
    while free := {name for name, seen in left.items() if not seen & left.keys()}:
        left = {name: seen for name, seen in left.items() if name not in free}
    while free := left.keys() - set[str]().union(*left.values()):  # they only stand above a circle
        left = {name: seen for name, seen in left.items() if name not in free}
    return sorted(left)


def table() -> str:
    """The part of the README that is written."""
    head = [
        "| package | contains | may import, with all that these may import |",
        "| --- | --- | --- |",
    ]
    rows = [
        f"| {_shown(p)} | {p.contains} | {', '.join(map(_short, p.imports))} |" for p in PACKAGES
    ]
    return "\n".join([BEGIN, "", *head, *rows, "", END])


def faults() -> Iterator[str]:
    """A table in the README that is not what this module would write."""
    if table() not in README.read_text(encoding="utf-8"):
        yield "sql-extension/README.md is stale: run make fmt"


def _shown(package: Package) -> str:
    rest = _short(package.name)
    return f"`{package.project}`" if rest == package.project else f"`{package.project}` {rest}"


def _short(name: str) -> str:
    return name.removeprefix("spark.")


def main() -> int:
    """Write the table, or only judge it."""
    if "--check" in sys.argv[1:]:
        found = list(faults())
        print("\n".join(found))
        return 1 if found else 0
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    README.write_text(before + table() + rest.split(END)[1], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
