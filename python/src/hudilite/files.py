"""Base and log files of a table, listed from its folder without a JVM."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hudilite.format import bootstrap_index, history, log_files, metadata_table
from hudilite.format.file_slices import Slice, Snapshot, bucket_of, count_of, partitions
from hudilite.format.folders import Entry, Folder, open_folder
from hudilite.format.footers import Footer
from hudilite.format.instant_files import BOOTSTRAP, last_of
from hudilite.format.layouts import Layout
from hudilite.format.log_files import LoggedSlice
from hudilite.table_facts import TableFacts, facts_of, layout_of, unsupported

_FORMATS = {
    "hoodie.table.base.file.format": "PARQUET",
    "hoodie.table.multiple.base.file.formats.enable": "FALSE",
    "hoodie.table.format": "NATIVE",
}
_OTHER_FORMAT = (
    "Only Parquet base files are read. Export the rows with stock Hudi, for example to Parquet "
    "files, and insert them into a table that was created with USING hudilite."
)
_SLICES = (
    "Its rows are in base files and log files. List both with hudilite.files.slices, or merge the "
    "log files into base files with CALL compact(table => '...')."
)
_TYPE_SINCE = "hudilite.type.since"
_LISTED_SINCE = 8
_DETACH = (
    "Readers that use it, as stock Hudi does by default, may return other rows. Remove it, and "
    "stock Hudi builds it again with its next write: "
    "CALL metadata_table(table => '...', action => 'detach')"
)


class MetadataTableWarning(UserWarning):
    """Hudi's metadata table lists other files than the commits, or cannot be compared with them."""


@dataclass(frozen=True)
class BaseFile:
    """Newest base file of a file group: the file that a reader of the table opens.

    Attributes:
        partition: Partition path, relative to the table's folder; "" in a table without partitions.
        group: File group id.
        bucket: Bucket number; None in a table without buckets.
        instant: Instant of the commit that wrote the file.
        path: Full path or URI of the file.
        bytes: Length of the file.
        rows: Number of rows: from the footer if footers are read, otherwise from the commit. None
            when an archived commit wrote the file, or the commit has no count.
        source: URI of the bootstrap source file that still holds the data, for an adopted file
            group; None for others.
        least_key: Least record key, in the order of Java's strings; None if footers are not read or
            Hudi wrote none, as in a file without rows.
        greatest_key: Greatest record key; None in the cases in which `least_key` is None.
    """

    partition: str
    group: str
    bucket: int | None
    instant: str
    path: str
    bytes: int
    rows: int | None = None
    source: str | None = None
    least_key: str | None = None
    greatest_key: str | None = None

    @property
    def buckets(self) -> int | None:
        """Number of buckets that the file group's id contains; None if it contains none.

        Ids contain it while a table is rescaled, and afterwards. Without it, the table's number of
        buckets applies.

        Examples:
            >>> BaseFile("", "00000007-0000-8032-8ccc-000000000000-0", 7, "1", "f", 1).buckets
            32
        """
        return None if self.bucket is None else count_of(self.group)


@dataclass(frozen=True)
class LogFile:
    """Log file of a merge-on-read table, with changes to the rows of a base file.

    Attributes:
        path: Full path or URI of the file.
        bytes: Length of the file.
        number: Number in its name.
        instant: Instant of the last commit that lists the file; None if that commit was archived,
            or if a failed writer left the file in a table of version 6.
    """

    path: str
    bytes: int
    number: int
    instant: str | None


@dataclass(frozen=True)
class FileSlice:
    """Newest version of a file group: the files that a reader of the latest rows opens.

    Attributes:
        partition: Partition path, relative to the table's folder; "" in a table without partitions.
        group: File group id.
        bucket: Bucket number; None in a table without buckets.
        instant: Instant of the slice: that of the commit that wrote its base file; without a base
            file, that of its first log file.
        base: Base file; None if all rows are in log files.
        logs: Log files, in the order in which they apply.
    """

    partition: str
    group: str
    bucket: int | None
    instant: str
    base: BaseFile | None
    logs: tuple[LogFile, ...] = ()

    @property
    def needs(self) -> str:
        """What a reader of the latest rows opens, in words.

        Examples:
            >>> FileSlice("", "g", None, "20240101000000000", None, ()).needs
            'nothing'
        """
        count = len(self.logs)
        logs = f"{count} log file{'' if count == 1 else 's'}"
        if self.base is None:
            return f"{logs} alone, in order" if count else "nothing"
        return f"the base file, then {logs} in order" if count else "the base file"


def read(
    path: str | os.PathLike[str],
    at: str | None = None,
    *,
    partition: str | None = None,
    footers: bool = False,
) -> list[BaseFile]:
    """Lists the newest base file of each file group, sorted by partition and file group.

    Files of commits that are not completed are left out, and so are replaced file groups. Tables of
    stock Hudi do not declare their index. In such a table, a file has a bucket number if the ids of
    all file groups begin with eight digits, as in stock Hudi's bucket index.

    Hudi's metadata table is not used. If a table of version 8 or 9 has one, the latest state of
    all partitions is compared with its list of files; a difference is a `MetadataTableWarning`.

    Args:
        path: Folder of the table, or its URI if pyarrow can open it.
        at: Instant as of which the table is read, 14 or 17 digits. 14 digits have no milliseconds
            and include the whole second. None reads the latest state.
        partition: Partition path to list, such as ``month=3``; None lists all partitions.
        footers: Whether to read row counts and key ranges from the files' footers. Needs pyarrow.

    Raises:
        HudiliteError: The errors of `timeline.read`.
        HudiliteError: ``HUDILITE_UNSUPPORTED_TABLE`` also for a merge-on-read table, whose rows
            may be in log files, for a state with log files from before the table became
            copy-on-write, and for base files that are not Parquet.
        HudiliteError: ``HUDILITE_INSTANT_INVALID`` when `at` has another form.
        HudiliteError: ``HUDILITE_MISSING_DATA_FILE`` when the newest file of a file group is gone.
        HudiliteError: ``HUDILITE_CORRUPT_DATA_FILE`` when that file has another length than its
            commit recorded, or its footer cannot be read.
        HudiliteError: ``HUDILITE_PACKAGE_MISSING`` when pyarrow is needed and not installed.

    Examples:
        >>> sum(file.bytes for file in read("/lake/orders"))  # doctest: +SKIP
        481203
    """
    last = None if at is None else last_of(at)
    folder = open_folder(path)
    facts = facts_of(folder)
    layout = readable_layout(facts, folder)
    if facts.type != "COPY_ON_WRITE":
        raise unsupported(folder, "hoodie.table.type", facts.type, _SLICES)
    snapshot = Snapshot(history.load(folder, facts.properties, layout), last)
    if last is not None and _TYPE_SINCE in facts.properties:
        found = newest_slices(folder, facts, layout, snapshot, partition=partition, footers=footers)
        if any(of.logs for of in found):
            raise unsupported(folder, "hoodie.table.type", "MERGE_ON_READ", _SLICES)
        return [of.base for of in found if of.base]
    return newest(folder, facts, snapshot, partition=partition, footers=footers)


def slices(
    path: str | os.PathLike[str],
    at: str | None = None,
    *,
    partition: str | None = None,
    footers: bool = False,
) -> list[FileSlice]:
    """Lists the newest slice of each file group, sorted by partition and file group.

    A slice of a merge-on-read table has log files. Their rows and deletions change the rows of the
    base file. No log file is opened. In table version 6 a listed log file may also have blocks that
    a reader skips, because their commit was never completed.

    Arguments and errors are those of `read`, but merge-on-read tables are allowed. If a log file
    that a commit lists is missing or too short, that is an error, too.

    Examples:
        >>> [s.needs for s in slices("/lake/orders")]  # doctest: +SKIP
        ['the base file, then 2 log files in order', 'the base file']
    """
    last = None if at is None else last_of(at)
    folder = open_folder(path)
    facts = facts_of(folder)
    layout = readable_layout(facts, folder)
    snapshot = Snapshot(history.load(folder, facts.properties, layout), last)
    return newest_slices(folder, facts, layout, snapshot, partition=partition, footers=footers)


def readable_layout(facts: TableFacts, folder: Folder) -> Layout:
    """Returns the form of the timeline of a table with Parquet base files.

    Raises:
        HudiliteError: ``HUDILITE_UNSUPPORTED_TABLE`` for another version, or base files that are
            not Parquet.
    """
    layout = layout_of(facts, folder)
    for key, wanted in _FORMATS.items():
        value = facts.properties.get(key, "").strip() or wanted
        if value.upper() != wanted:
            raise unsupported(folder, key, value, _OTHER_FORMAT)
    return layout


def newest(
    folder: Folder,
    facts: TableFacts,
    snapshot: Snapshot,
    *,
    partition: str | None = None,
    footers: bool = False,
) -> list[BaseFile]:
    """Lists the base files that a snapshot of an opened table shows.

    Arguments and errors are those of `read`.
    """
    listed = list(partitions(folder, len(facts.partitioned_by), partition))
    found = snapshot.latest(listed, folder, partition)
    needed = [(s.partition, s.name, s.bytes) for s in found]
    if partition is None and snapshot.last is None:
        _compare_metadata(folder, facts, snapshot.history, listed, needed)
    return _base_files(folder, facts, snapshot, found, _has_buckets(facts, found), footers)


def newest_slices(
    folder: Folder,
    facts: TableFacts,
    layout: Layout,
    snapshot: Snapshot,
    *,
    partition: str | None = None,
    footers: bool = False,
) -> list[FileSlice]:
    """Lists the slices that a snapshot of an opened table shows.

    Arguments and errors are those of `slices`.
    """
    listed = list(partitions(folder, len(facts.partitioned_by), partition))
    found = log_files.slices(
        snapshot, listed, folder, partition, names_writers=layout.names_completion
    )
    of_slices = (file for s in found for file in (s.base, *s.logs) if file)
    needed = [(file.partition, file.name, file.bytes) for file in of_slices]
    if partition is None and snapshot.last is None:
        _compare_metadata(folder, facts, snapshot.history, listed, needed)
    has_buckets = _has_buckets(facts, found)
    bases = [s.base for s in found if s.base]
    of = {
        (file.partition, file.group): file
        for file in _base_files(folder, facts, snapshot, bases, has_buckets, footers)
    }
    return [
        FileSlice(
            s.partition,
            s.group,
            bucket_of(s.group) if has_buckets else None,
            s.instant,
            of.get((s.partition, s.group)),
            tuple(
                LogFile(folder.path(log.place), log.bytes, log.number, log.committed)
                for log in s.logs
            ),
        )
        for s in found
    ]


def _compare_metadata(
    folder: Folder,
    facts: TableFacts,
    loaded: history.History,
    listed: Sequence[tuple[str, list[Entry]]],
    needed: Iterable[tuple[str, str, int]],
) -> None:
    """Warns if the metadata table that readers use lists other files than the latest state has.

    Tables of version 6 are not compared, because they name the files of their metadata table
    differently. Nor is a table in which a write or a clean is running.
    """
    is_used = metadata_table.PARTITION in facts.metadata_partitions
    if facts.version < _LISTED_SINCE or not is_used:
        return
    try:
        files = metadata_table.listing(folder, loaded)
    except ValueError as error:
        words = f"cannot be compared with the commits ({error}). Stock Hudi may read it"
    else:
        found = metadata_table.differences(files, needed, dict(listed))
        told = _named(found.lacking, "lacks") + _named(found.surplus, "lists")
        words = f"{' and '.join(told)}. {_DETACH}" if told else ""
    if words and metadata_table.is_at_rest(folder, loaded):
        words = f"The metadata table at {folder.path('.hoodie/metadata')} {words}."
        warnings.warn(words, MetadataTableWarning, stacklevel=4)


def _named(paths: Sequence[str], verb: str) -> list[str]:
    """Returns words about files that the metadata table lacks or wrongly lists."""
    words = {"lacks": "of commits", "lists": "not in the folders"}[verb]
    return [f"{verb} files {words} ({len(paths)}, such as {paths[0]})"] if paths else []


def _base_files(
    folder: Folder,
    facts: TableFacts,
    snapshot: Snapshot,
    found: Sequence[Slice],
    has_buckets: bool,
    footers: bool,
) -> list[BaseFile]:
    sources = _sources(folder, facts, found)
    counts = {(time, f.partition, f.name): f.rows for time, f in snapshot.files()}
    return [
        _base_file(
            folder,
            s,
            bucket_of(s.group) if has_buckets else None,
            folder.footer(s.place)
            if footers
            else Footer(counts.get((s.instant, s.partition, s.name))),
            sources.get((s.partition, s.group)),
        )
        for s in found
    ]


def _base_file(
    folder: Folder, found: Slice, bucket: int | None, footer: Footer, source: str | None
) -> BaseFile:
    return BaseFile(
        partition=found.partition,
        group=found.group,
        bucket=bucket,
        instant=found.instant,
        path=folder.path(found.place),
        bytes=found.bytes,
        rows=footer.rows,
        source=source,
        least_key=footer.least_key,
        greatest_key=footer.greatest_key,
    )


def _sources(
    folder: Folder, facts: TableFacts, found: Iterable[Slice]
) -> Mapping[tuple[str, str], str]:
    """Returns the source of each file group whose newest base file is a skeleton."""
    skeletons = [s for s in found if s.instant == BOOTSTRAP]
    if not skeletons:
        return {}
    known = bootstrap_index.sources(folder) if facts.bootstrap else {}
    return {
        group: bootstrap_index.source_of(known, folder, group)
        for group in ((s.partition, s.group) for s in skeletons)
    }


def _has_buckets(facts: TableFacts, found: Iterable[Slice | LoggedSlice]) -> bool:
    if facts.index is not None:
        return facts.buckets is not None
    return all(bucket_of(s.group) is not None for s in found)
