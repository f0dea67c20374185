"""The base files of a table, found in its folder without a JVM."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hudilite import adopted, history
from hudilite.footers import Footer
from hudilite.instants import BOOTSTRAP, last_of
from hudilite.slices import Slice, Snapshot, partitions
from hudilite.storage import Folder, open_folder
from hudilite.table_facts import TableFacts, check_layout, facts_of, unsupported

_BUCKET = re.compile(r"([0-9]{8})-[0-9a-fA-F]{4}-.*")


@dataclass(frozen=True)
class BaseFile:
    """The base file of a file group that a reader of the table opens.

    Attributes:
        partition: Relative path of its partition, "" in a table without partitions.
        group: Id of the file group.
        bucket: Number of its bucket, None in a table without buckets.
        instant: The commit that wrote it.
        path: Where it lies.
        bytes: Its length.
        rows: By the footer where that was asked for, else by the commit; None where an archived
            commit wrote it, or one that does not say.
        source: The file in which its columns still lie, for an adopted file group.
        least_key: Its least record key, in Java's order of texts, where footers were asked for.
        greatest_key: Its greatest.
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


def read(
    path: str | os.PathLike[str],
    at: str | None = None,
    *,
    partition: str | None = None,
    footers: bool = False,
) -> list[BaseFile]:
    """The newest base file of each file group, sorted by partition and file group.

    Files of commits that are not completed and file groups that were replaced are left out. A
    table that does not declare its index has bucket numbers when all its file groups begin with
    eight digits, as those of stock Hudi's bucket index do.

    Args:
        path: The table's folder, or the URI of one that pyarrow can open.
        at: The table as of an instant, 14 or 17 digits; a second without milliseconds is taken to
            its end. Now when it is None.
        partition: The one partition to list, ``month=3``.
        footers: Whether to read rows and keys from each file's footer; takes pyarrow.

    Raises:
        HudiliteError: As `timeline.read`; ``HUDILITE_UNSUPPORTED_TABLE`` for merge-on-read too;
            ``HUDILITE_INSTANT_INVALID`` for another form of `at`; ``HUDILITE_MISSING_DATA_FILE``,
            ``HUDILITE_CORRUPT_DATA_FILE`` when the newest file of a group is gone, has another
            length than its commit says, or no footer; ``HUDILITE_PACKAGE_MISSING`` without pyarrow.

    Examples:
        >>> sum(file.bytes for file in read("/lake/orders"))  # doctest: +SKIP
        481203
    """
    last = None if at is None else last_of(at)
    folder = open_folder(path)
    facts = facts_of(folder)
    check_readable(facts, folder)
    snapshot = Snapshot(history.load(folder), last)
    return newest(folder, facts, snapshot, partition=partition, footers=footers)


def check_readable(facts: TableFacts, folder: Folder) -> None:
    """Refuse a table whose base files are not all of its rows, or not those of version 6.

    Raises:
        HudiliteError: ``HUDILITE_UNSUPPORTED_TABLE``.
    """
    check_layout(facts, folder)
    if facts.type != "COPY_ON_WRITE":
        raise unsupported(folder, "hoodie.table.type", facts.type)


def newest(
    folder: Folder,
    facts: TableFacts,
    snapshot: Snapshot,
    *,
    partition: str | None = None,
    footers: bool = False,
) -> list[BaseFile]:
    """The base files that a snapshot of an opened folder shows; arguments and errors as `read`."""
    listed = partitions(folder, len(facts.partitioned_by), partition)
    found = snapshot.latest(listed, folder, partition)
    sources = _sources(folder, facts, found)
    told = {(time, f.partition, f.name): f.rows for time, f in snapshot.files()}
    has_buckets = _has_buckets(facts, found)
    return [
        _base_file(
            folder,
            s,
            _bucket(s.group) if has_buckets else None,
            folder.footer(s.place)
            if footers
            else Footer(told.get((s.instant, s.partition, s.name))),
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
    """Source of each file group whose newest file holds the meta columns alone."""
    skeletons = [s for s in found if s.instant == BOOTSTRAP]
    if not skeletons:
        return {}
    known = adopted.sources(folder) if facts.bootstrap else {}
    return {
        group: adopted.source_of(known, folder, group)
        for group in ((s.partition, s.group) for s in skeletons)
    }


def _has_buckets(facts: TableFacts, found: Iterable[Slice]) -> bool:
    if facts.index is not None:
        return facts.buckets is not None
    return all(_BUCKET.fullmatch(s.group) for s in found)


def _bucket(group: str) -> int | None:
    digits = _BUCKET.fullmatch(group)
    return int(digits[1]) if digits else None
