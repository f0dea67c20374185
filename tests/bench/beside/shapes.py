"""What a case is made of: tables, their rows, and the rounds that change and read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

UPSERT = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"


@dataclass(frozen=True)
class Table:
    """A keyed table.

    Attributes:
        columns: Names and types, as in CREATE TABLE; the partition's column is the last.
        spread: Columns that place rows into files where a format does not do so itself.
        ordering: A column that no change lowers; without one, Hudi's MERGE deletes nothing.
        hashed: The column of the key that chooses the bucket, where the others do not.
    """

    name: str
    columns: str
    key: tuple[str, ...]
    buckets: int
    spread: tuple[str, ...]
    ordering: str
    partition: str = ""
    hashed: str = ""

    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.split()[0] for column in self.columns.split(", ")]


@dataclass(frozen=True)
class Rows:
    """Rows for a table: a query that Spark writes as Parquet once, for all systems."""

    table: str
    query: str
    name: str


@dataclass(frozen=True)
class Change:
    """One MERGE: its source, and its clauses."""

    source: Rows
    clauses: str = UPSERT
    also: str = ""  # a condition on the target beside the key, where the system allows one
    alike: bool = False  # whether the source is a table of the system, laid out as the target is


@dataclass(frozen=True)
class Round:
    """What every system does before the next round begins.

    Attributes:
        label: Rounds of one label are taken together.
        changes: Timed as one.
        loads: Before them, not timed with them.
        counts: False for a warm-up.
        limits: Whether the limits are measured too.
        reads: Whether a scan and look-ups follow.
        plain: Whether the limits and the scan are also measured on plain Parquet of the same rows.
        fresh: The tables of the loads are made anew before them.
        within: Part of the path of the files that the changes replace.
        statements: Timed with the changes; `{t}` stands for the table that is read.
        table: That is scanned and looked into; the first one of the case by default.
    """

    label: str
    changes: Sequence[Change] = ()
    loads: Sequence[Rows] = ()
    counts: bool = True
    limits: bool = True
    reads: bool = True
    plain: bool = True
    fresh: bool = False
    within: str = ""
    statements: Sequence[str] = ()
    table: str = ""


@dataclass(frozen=True)
class Case:
    """A case: the first table is the one that is scanned and looked into.

    Attributes:
        ours: The system that the others are compared with.
        beside: The systems that are measured with ours where none is asked for; all where it is empty.
        without: Systems whose rows are wrong after it.
        course: Whether the rounds are drawn one after another.
    """

    name: str
    title: str
    tables: Sequence[Table]
    base: Sequence[Rows]
    rounds: Sequence[Round]
    memory: str = "2g"
    ours: str = "hudilite"
    beside: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    course: bool = False
