"""A table by its name or path: what Delta's and Iceberg's users look for in Python.

Every method is one statement of SQL, so it works the same on Spark Connect. pyspark is
imported by the session alone.
"""

from __future__ import annotations

import datetime
import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hudilite.errors import translated
from hudilite.sql import calls, changes, names
from hudilite.sql.changes import Clause
from hudilite.sql.expressions import Condition
from hudilite.sql.literals import literal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class MergeCounts:
    """How many rows a MERGE changed, as it answers.

    Attributes:
        affected: All of them.
        updated: Rows that were there and have other values.
        deleted: Rows that are gone.
        inserted: Rows that are new.
    """

    affected: int
    updated: int
    deleted: int
    inserted: int


@dataclass(frozen=True)
class Table:
    """A keyed table in a session.

    Attributes:
        spark: The session, of this process or of Spark Connect.
        parts: Of its name, from the catalog on; ``("hudilite", path)`` for one without a name.

    Examples:
        >>> from hudilite import Table, sql  # doctest: +SKIP
        >>> orders = Table.for_name(spark, "orders")  # doctest: +SKIP
        >>> orders.merge(changes, sql.matched().update_all(), sql.not_matched().insert_all(),
        ...     on=["id"])  # doctest: +SKIP
        MergeCounts(affected=2, updated=1, deleted=0, inserted=1)
    """

    spark: SparkSession = field(repr=False, compare=False)
    parts: tuple[str, ...]

    @classmethod
    def for_name(cls, spark: SparkSession, name: str | Sequence[str]) -> Table:
        """The table of a name; that it is there is seen by the first statement.

        Args:
            spark: A session with hudilite.
            name: ``"db.orders"``, cut at its dots, or the parts.

        Raises:
            HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID for what is no name.
        """
        parts = name.split(".") if isinstance(name, str) else names.listed(name, "name")
        names.qualified(parts, "name")
        return cls(spark, tuple(parts))

    @classmethod
    def for_path(cls, spark: SparkSession, path: str | os.PathLike[str]) -> Table:
        """The table in a folder; that it is there is seen by the first statement.

        Args:
            spark: A session with hudilite.
            path: Absolute, or a URI, as the session's Spark reads it.

        Raises:
            HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID for what is no path.
        """
        return cls.for_name(spark, ("hudilite", os.fspath(path)))

    @classmethod
    def bootstrap(
        cls,
        spark: SparkSession,
        name: str | Sequence[str],
        source: str,
        *,
        key: str | Sequence[str],
        partitioned_by: str | Sequence[str] = (),
        location: str | None = None,
    ) -> Table:
        """Makes a table of Parquet files that stay where they are.

        `hudilite.sql.bootstrap` writes the statement with all its arguments.

        Args:
            spark: A session with hudilite.
            name: Of the new table.
            source: Folder of the files, or name of a Parquet table.
            key: Columns of the primary key.
            partitioned_by: Partition columns; those of the source where nothing is said.
            location: Folder of the new table.

        Raises:
            HudiliteError: As ``CALL bootstrap``.
        """
        made = cls.for_name(spark, name)
        made._answer(
            calls.bootstrap(
                made.parts, source, key=key, partitioned_by=partitioned_by, location=location
            )
        )
        return made

    @property
    def name(self) -> str:
        """The name as SQL writes it."""
        return names.qualified(self.parts, "name")

    def rows(self, as_of: str | datetime.datetime | None = None) -> DataFrame:
        """Its rows, without Hudi's columns.

        Args:
            as_of: An earlier state: the instant of a commit, or a moment.

        Raises:
            HudiliteError: HUDILITE_VERSION_NOT_FOUND, HUDILITE_SNAPSHOT_EXPIRED.
        """
        if as_of is None:
            return self._frame(f"SELECT * FROM {self.name}")
        kind = "VERSION" if isinstance(as_of, str) else "TIMESTAMP"
        return self._frame(f"SELECT * FROM {self.name} {kind} AS OF {literal(as_of, 'as_of')}")

    def merge(
        self,
        source: DataFrame | str | Sequence[str],
        *clauses: Clause,
        on: Condition | Sequence[str],
    ) -> MergeCounts:
        """Merges rows into the table.

        Args:
            source: Rows that come in, or the name of a table or view; ``s`` in conditions.
            *clauses: Of `sql.matched` and its kind; for each row the first that fits decides.
            on: Columns that both sides have, as a list; or a condition over ``t`` and ``s``.

        Raises:
            HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID, or as ``MERGE INTO``.
        """
        with self._named(source) as name:
            text = changes.merge_into(self.parts, name, *clauses, on=on)
            return MergeCounts(*map(int, self._answer(text)))

    def update(self, values: changes.Values, *, where: Condition) -> int:
        """Changes columns of the rows that a condition picks, and gives their number.

        Args:
            values: Column to value; text and numbers are literals, `sql.expression` gives SQL.
            where: Which rows; ``"true"`` for all.

        Raises:
            HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID, or as ``UPDATE``.
        """
        return int(self._answer(changes.update(self.parts, values, where=where))[0])

    def delete(self, *, where: Condition) -> int:
        """Removes the rows that a condition picks, and gives their number.

        Args:
            where: Which rows; ``"true"`` for all.

        Raises:
            HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID, or as ``DELETE``.
        """
        return int(self._answer(changes.delete(self.parts, where=where))[0])

    def history(self, limit: int = 100) -> DataFrame:
        """What was committed, the latest first: the rows of ``CALL show_timeline``.

        Args:
            limit: Most rows, 1 or more.

        Raises:
            HudiliteError: As ``CALL show_timeline``.
        """
        return self._called("show_timeline", {"limit": limit})

    def files(self) -> DataFrame:
        """Its base files with their rows: the columns partition, file, rows."""
        return self._frame(
            "SELECT _hoodie_partition_path AS partition, _hoodie_file_name AS file, "
            f"count(*) AS rows FROM {self.name} GROUP BY ALL"
        )

    def verify(self, level: str = "files") -> DataFrame:
        """What is wrong with it, a row a fault, none if all is well: the rows of ``CALL verify``.

        Args:
            level: ``"meta"``, ``"files"`` or ``"rows"``; each looks at what those before do, too.

        Raises:
            HudiliteError: As ``CALL verify``.
        """
        return self._called("verify", {"level": level})

    def buckets(self, partition: str | None = None) -> DataFrame:
        """Files, rows, bytes and skew of each bucket: the rows of ``CALL show_buckets``.

        Args:
            partition: Folder of the one partition to look at, all of them when it is None.

        Raises:
            HudiliteError: As ``CALL show_buckets``.
        """
        return self._called("show_buckets", {"partition": partition})

    def savepoint(self, instant: str | None = None, *, comment: str | None = None) -> str:
        """Keeps the files of a state from every cleaner, and gives the state's instant.

        Args:
            instant: The state's, of 14 or 17 digits; the latest when it is None.
            comment: What it is for.

        Raises:
            HudiliteError: As ``CALL savepoint``.
        """
        saved = self._called("savepoint", {"instant": instant, "comment": comment})
        with translated():
            return str(saved.collect()[0]["instant"])

    def delete_savepoint(self, instant: str) -> bool:
        """Gives the files of a savepoint up to the cleaner; False when it is none.

        Args:
            instant: The savepoint's.

        Raises:
            HudiliteError: As ``CALL delete_savepoint``.
        """
        told = self._called("delete_savepoint", {"instant": instant})
        with translated():
            return bool(told.collect()[0]["deleted"])

    def restore(self, instant: str, *, dry_run: bool | None = None) -> DataFrame:
        """Undoes all commits after one: the row of ``CALL restore``.

        Args:
            instant: Of the last commit that stays, 14 or 17 digits.
            dry_run: Whether to count alone.

        Raises:
            HudiliteError: As ``CALL restore``.
        """
        return self._called("restore", {"instant": instant, "dry_run": dry_run})

    def clean(
        self,
        *,
        retain_commits: int | None = None,
        retain_hours: int | None = None,
        dry_run: bool | None = None,
        allow_short_retention: bool | None = None,
    ) -> DataFrame:
        """Deletes the base files that no kept state needs: the row of ``CALL clean``.

        What is None has the procedure's default.

        Args:
            retain_commits: Latest commits whose states stay whole, 1 or more.
            retain_hours: Hours within which every state stays whole, 168 or more.
            dry_run: Whether to count alone.
            allow_short_retention: Whether `retain_hours` may be less.

        Raises:
            HudiliteError: As ``CALL clean``.
        """
        given = {
            "retain_commits": retain_commits,
            "retain_hours": retain_hours,
            "dry_run": dry_run,
            "allow_short_retention": allow_short_retention,
        }
        return self._called("clean", given)

    def remove_orphans(
        self, *, older_than_hours: int | None = None, dry_run: bool | None = None
    ) -> DataFrame:
        """Deletes or lists base files that no commit names: the rows of ``CALL remove_orphans``.

        Args:
            older_than_hours: Since the last change of a file, 1 or more; 72 when it is None.
            dry_run: Whether to list alone, as when it is None.

        Raises:
            HudiliteError: As ``CALL remove_orphans``.
        """
        given = {"older_than_hours": older_than_hours, "dry_run": dry_run}
        return self._called("remove_orphans", given)

    def hive_sync(self, target: str | None = None, *, dry_run: bool | None = None) -> DataFrame:
        """Registers the table in Spark's Hive metastore: the row of ``CALL hive_sync``.

        Args:
            target: Name of the entry, or database and name; when it is None, what the table
                says, or its own name with ``_hive``.
            dry_run: Whether to compare alone.

        Raises:
            HudiliteError: As ``CALL hive_sync``.
        """
        return self._called("hive_sync", {"target": target, "dry_run": dry_run})

    @contextmanager
    def _named(self, source: DataFrame | str | Sequence[str]) -> Iterator[str | Sequence[str]]:
        """The name of the rows that come in, while they have one."""
        if isinstance(source, (str, Sequence)):
            yield source
            return
        name = f"hudilite_source_{uuid.uuid4().hex}"
        source.createOrReplaceTempView(name)
        try:
            yield name
        finally:
            self.spark.catalog.dropTempView(name)

    def _called(self, procedure: str, given: Mapping[str, object]) -> DataFrame:
        """The rows of a procedure of the table's catalog."""
        return self._frame(calls.of_table(procedure, self.parts, given))

    def _answer(self, text: str) -> Sequence[int]:
        """The one row that a statement answers with."""
        with translated():
            return tuple(self.spark.sql(text).collect()[0])

    def _frame(self, text: str) -> DataFrame:
        with translated():
            return self.spark.sql(text)
