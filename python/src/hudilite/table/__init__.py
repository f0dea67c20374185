"""Table class for Python. It also has the names of Delta's class: see `hudilite.table.delta_names`.

Every method runs one SQL statement, so it works in the same way on Spark Connect. Only the session
imports pyspark.
"""

from __future__ import annotations

import datetime
import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

from hudilite.conditions import argument_error
from hudilite.errors import translated
from hudilite.sql import calls, changes, names
from hudilite.sql.changes import Clause, Values
from hudilite.sql.expressions import Condition
from hudilite.sql.literals import literal
from hudilite.sql.tables import Column, create_table
from hudilite.table.builder import TableBuilder
from hudilite.table.delta_merge import MergeBuilder, assigned
from hudilite.table.delta_names import DeltaNames, begun

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class MergeCounts:
    """Row counts that a MERGE returns.

    A blind MERGE into a merge-on-read table does not read the table and does not know all counts.
    ``SET spark.hudilite.write.counts = exact`` makes it count.

    Attributes:
        affected: All rows that changed; None if not known.
        updated: Rows that were updated; None if not known.
        deleted: Rows that were deleted; None if not known.
        inserted: Rows that were inserted; None if not known.
    """

    affected: int | None
    updated: int | None
    deleted: int | None
    inserted: int | None


@dataclass(frozen=True)
class Table(DeltaNames):
    """Keyed table in a session.

    A condition is SQL text, a Column of pyspark, `sql.expression` or a mapping. A value is a
    Column, `sql.expression` or a literal. A ``str`` value is a literal, never SQL.

    Attributes:
        spark: Session, of this process or of Spark Connect.
        parts: Parts of the name, the catalog first if it is given; ``("hudilite", path)`` for a
            table by its path.
        called: Alias of the table in conditions, set by `alias`; None means ``t``.

    Examples:
        >>> from hudilite import Table, sql  # doctest: +SKIP
        >>> orders = Table.for_name(spark, "orders")  # doctest: +SKIP
        >>> orders.merge(changes, sql.matched().update_all(), sql.not_matched().insert_all(),
        ...     on=["id"])  # doctest: +SKIP
        MergeCounts(affected=2, updated=1, deleted=0, inserted=1)
    """

    spark: SparkSession = field(repr=False, compare=False)
    parts: tuple[str, ...]
    called: str | None = None

    @classmethod
    def for_name(cls, spark: SparkSession, name: str | Sequence[str]) -> Table:
        """Returns the table of a name. Only the first statement checks that the table exists.

        Args:
            spark: Session with hudilite.
            name: ``"db.orders"``, split at its dots, or the parts of the name.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when `name` is not a valid name.
        """
        parts = name.split(".") if isinstance(name, str) else names.listed(name, "name")
        names.qualified(parts, "name")
        return cls(spark, tuple(parts))

    @classmethod
    def for_path(cls, spark: SparkSession, path: str | os.PathLike[str]) -> Table:
        """Returns the table in a folder. Only the first statement checks that the table exists.

        Args:
            spark: Session with hudilite.
            path: Absolute path, or a URI, as the session's Spark reads it.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when `path` is not a valid path.
        """
        return cls.for_name(spark, ("hudilite", os.fspath(path)))

    @overload
    @classmethod
    def create(cls, spark: SparkSession | None = None) -> TableBuilder: ...

    @overload
    @classmethod
    def create(
        cls,
        spark: SparkSession,
        name: str | Sequence[str],
        columns: Mapping[str, str | Column],
        *,
        key: str | Sequence[str],
        buckets: int | None = ...,
        bucket_columns: str | Sequence[str] = ...,
        partitioned_by: str | Sequence[str] = ...,
        location: str | None = ...,
        comment: str | None = ...,
        properties: Mapping[str, str] | None = ...,
        if_not_exists: bool = ...,
        or_replace: bool = ...,
    ) -> Table: ...

    @classmethod
    def create(
        cls,
        spark: SparkSession | None = None,
        name: str | Sequence[str] | None = None,
        columns: Any = None,
        **declared: Any,
    ) -> Table | TableBuilder:
        """Creates a table. Without a name, it returns a builder, as Delta's class does.

        Args:
            spark: Session with hudilite. The builder uses the active session if it is None.
            name: Name of the new table. For a builder, leave it out, and continue with
                ``.tableName(...).addColumn(...).primaryKey(...).execute()``.
            columns: Type, or `sql.Column`, by column name.
            **declared: `key`, `buckets` and the other arguments of `sql.create_table`.

        Returns:
            The new table, or the builder.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when an argument cannot be written
                as SQL.
            HudiliteError: The errors of ``CREATE TABLE``.
        """
        if name is None and columns is None and not declared:
            return begun(cls, spark, None)
        if name is None or spark is None:
            raise argument_error("name", "a session and a name go with the columns of a table")
        made = cls.for_name(spark, name)
        made._frame(create_table(made.parts, columns, **declared)).collect()
        return made

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
        """Creates a table from Parquet files, which stay where they are.

        `hudilite.sql.bootstrap` builds the statement with all arguments of the procedure.

        Args:
            spark: Session with hudilite.
            name: Name of the new table.
            source: Folder of the files, or name of a Parquet table.
            key: Columns of the primary key.
            partitioned_by: Partition columns; by default those of the source.
            location: Folder of the new table.

        Returns:
            The new table.

        Raises:
            HudiliteError: The errors of ``CALL bootstrap``.
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
        """Name as SQL writes it."""
        return names.qualified(self.parts, "name")

    def alias(self, aliasName: str) -> Table:
        """Returns the table with an alias for use in conditions.

        Args:
            aliasName: Alias. A table without one has the alias ``t``.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when it is not a valid name.
        """
        names.identifier(aliasName, "aliasName")
        return replace(self, called=aliasName)

    def rows(self, as_of: str | datetime.datetime | None = None) -> DataFrame:
        """Returns the rows of the table, without Hudi's meta columns.

        Args:
            as_of: Earlier state to read: the instant of a commit, or a date and time. None reads
                the latest state.

        Raises:
            HudiliteError: ``HUDILITE_VERSION_NOT_FOUND`` when there is no such state.
            HudiliteError: ``HUDILITE_SNAPSHOT_EXPIRED`` when a file of that state was deleted.
        """
        if as_of is None:
            return self._frame(f"SELECT * FROM {self.name}")
        kind = "VERSION" if isinstance(as_of, str) else "TIMESTAMP"
        return self._frame(f"SELECT * FROM {self.name} {kind} AS OF {literal(as_of, 'as_of')}")

    @overload
    def merge(
        self, source: DataFrame | str | Sequence[str], condition: Condition
    ) -> MergeBuilder: ...

    @overload
    def merge(
        self,
        source: DataFrame | str | Sequence[str],
        *clauses: Clause,
        on: Condition | Sequence[str],
    ) -> MergeCounts: ...

    def merge(
        self,
        source: DataFrame | str | Sequence[str],
        *clauses: Any,
        on: Condition | Sequence[str] | None = None,
        condition: Condition | None = None,
    ) -> MergeCounts | MergeBuilder:
        """Merges source rows into the table.

        With `on` the method runs a MERGE. With `condition` it returns a builder, as Delta's class
        does; `MergeBuilder.execute` runs the MERGE.

        Args:
            source: Source rows, or the name of a table or view; its alias in conditions is ``s``.
                The builder uses the alias of a DataFrame, if it has one.
            *clauses: Clauses from `sql.matched`, `sql.not_matched` and `sql.not_matched_by_source`.
                For each row the first clause that applies is used.
            on: List of columns that both sides have, or a condition over ``t`` and ``s``.
            condition: Condition of the builder. It may also be the second positional argument.

        Returns:
            Row counts of the MERGE, or the builder.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when an argument cannot be written
                as SQL, or neither `on` nor one condition is given.
            HudiliteError: The errors of ``MERGE INTO``.
        """
        if on is None:
            conditions = [*clauses, *([] if condition is None else [condition])]
            if len(conditions) != 1 or isinstance(conditions[0], Clause):
                raise argument_error("on", "pass on=[...] and clauses, or one condition")
            return MergeBuilder(self, source, conditions[0])
        if condition is not None or not all(isinstance(one, Clause) for one in clauses):
            raise argument_error("condition", "on= goes with clauses of hudilite.sql alone")
        with self._beside(source) as (table, name):
            alias = self.called or "t"
            text = changes.merge_into(self.parts, name, *clauses, on=on, alias=alias)
            return MergeCounts(*table._answer(text))

    @overload
    def update(self, values: Values, *, where: Condition) -> int: ...

    @overload
    def update(self, condition: Condition | None = None, *, set: Mapping[str, object]) -> int: ...

    @overload
    def update(self, condition: Condition | None, set: Mapping[str, object]) -> int: ...

    def update(
        self,
        *given: Any,
        values: Values | None = None,
        where: Condition | None = None,
        condition: Condition | None = None,
        set: Mapping[str, object] | None = None,
    ) -> int:
        """Updates the rows for which a condition is true, and returns their number.

        `values` and `where` are hudilite's own arguments, `condition` and `set` those of Delta's
        class. A ``str`` in `values` is text. In `set` it is refused, because Delta reads it as SQL.

        Args:
            *given: Positional arguments: `values`, or `condition` and `set`.
            values: New value of each column. Text and numbers are literals; a Column and
                `sql.expression` are SQL.
            where: Condition; ``"true"`` for all rows.
            condition: Condition; None for all rows.
            set: New value of each column: a Column, `sql.expression`, or a literal that is no
                ``str``.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when an argument cannot be written
                as SQL, or arguments of both forms are given.
            HudiliteError: The errors of ``UPDATE``.
        """
        if where is None and values is None:
            condition, set = _bound(given, {"condition": condition, "set": set})
            changed: Values = assigned(set, "set")
            where = "true" if condition is None else condition
        else:
            changed, _ = _bound(given, {"values": values, "": condition if set is None else set})
            if where is None:
                raise argument_error("where", 'it is missing; "true" updates all rows')
        text = changes.update(self.parts, changed, where=where, alias=self.called)
        return int(self._answer(text)[0])

    def delete(self, condition: Condition | None = None, *, where: Condition | None = None) -> int:
        """Deletes the rows for which a condition is true, and returns their number.

        Args:
            condition: Condition. Without a condition all rows are deleted, as in Delta.
            where: Another name of `condition`.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when an argument cannot be written
                as SQL, or there are two conditions.
            HudiliteError: The errors of ``DELETE``.
        """
        if condition is not None and where is not None:
            raise argument_error("where", "there is a condition already")
        found = where if condition is None else condition
        which = "true" if found is None else found
        text = changes.delete(self.parts, where=which, alias=self.called)
        return int(self._answer(text)[0])

    def history(self, limit: int | None = None) -> DataFrame:
        """Returns the active timeline, latest instant first: the rows of ``DESCRIBE HISTORY``.

        Args:
            limit: Maximum number of rows, 1 or more; None for all.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when `limit` is less than 1.
        """
        if limit is None:
            return self._frame(f"DESCRIBE HISTORY {self.name}")
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise argument_error("limit", f"it must be 1 or more, not {limit!r}")
        return self._frame(f"DESCRIBE HISTORY {self.name} LIMIT {limit}")

    def detail(self) -> DataFrame:
        """Returns the properties of the table: the row of ``DESCRIBE DETAIL``."""
        return self._frame(f"DESCRIBE DETAIL {self.name}")

    def files(self) -> DataFrame:
        """Returns the base files and their row counts, in the columns partition, file and rows.

        It runs a query that counts all rows, so a base file without rows is not listed.
        """
        return self._frame(
            "SELECT _hoodie_partition_path AS partition, _hoodie_file_name AS file, "
            f"count(*) AS rows FROM {self.name} GROUP BY ALL"
        )

    def verify(self, level: str = "files") -> DataFrame:
        """Checks the table and returns one row per fault: the rows of ``CALL verify``.

        A table without faults returns no row.

        Args:
            level: ``"meta"``, ``"files"`` or ``"rows"``; each level includes the levels before it.

        Raises:
            HudiliteError: The errors of ``CALL verify``.
        """
        return self._called("verify", {"level": level})

    def metadata_table(self) -> DataFrame:
        """Returns the state of Hudi's metadata table: the row of ``CALL metadata_table``.

        The column ``kept`` says whether writes keep the list of files up to date.

        Raises:
            HudiliteError: The errors of ``CALL metadata_table``.
        """
        return self._called("metadata_table", {})

    def buckets(self, partition: str | None = None) -> DataFrame:
        """Returns files, rows, bytes and skew of each bucket: the rows of ``CALL show_buckets``.

        Args:
            partition: Partition path; None for all partitions.

        Raises:
            HudiliteError: The errors of ``CALL show_buckets``.
        """
        return self._called("show_buckets", {"partition": partition})

    def diff(
        self,
        other: str | Sequence[str] | None = None,
        *,
        as_of: str | datetime.datetime | None = None,
        to: str | datetime.datetime | None = None,
        columns: str | Sequence[str] = (),
        where: str | None = None,
        rows: bool | None = None,
        limit: int | None = None,
    ) -> DataFrame:
        """Compares the table with another one or an earlier state: the rows of ``CALL diff``.

        Args:
            other: Name of the table before the changes; None for this table.
            as_of: State before the changes: the number or instant of a commit, or a date and time.
                None for the latest state.
            to: State of this table after the changes. None for the latest state.
            columns: Columns to compare; by default all that both tables have.
            where: SQL condition; only rows that fulfil it are compared.
            rows: Whether to return the changed rows instead of their numbers in each partition.
            limit: Maximum number of changed rows; None for the procedure's default.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` for a wrong name.
            HudiliteError: The errors of ``CALL diff``.
        """
        return self._called(
            "diff",
            {
                "other": None if other is None else names.qualified(other, "other"),
                **_state(as_of, "version", "timestamp"),
                **_state(to, "to_version", "to_timestamp"),
                "columns": names.columns(columns, "columns") if columns else None,
                "where": where,
                "rows": rows,
                "limit": limit,
            },
        )

    def advise_buckets(
        self, *, target_file_size: str | int | None = None, days: int | None = None
    ) -> DataFrame:
        """Advises a number of buckets by sizes and growth: the row of ``CALL advise_buckets``.

        Args:
            target_file_size: Size that files should have, a number of bytes or a text such as
                ``"128m"``; None for the default of the procedure.
            days: Number of days for which files should keep this size, 1 or more; None for 90.

        Raises:
            HudiliteError: The errors of ``CALL advise_buckets``.
        """
        size = None if target_file_size is None else str(target_file_size)
        return self._called("advise_buckets", {"target_file_size": size, "days": days})

    def rescale(
        self,
        buckets: int,
        *,
        partitions: str | None = None,
        max_bytes: int | None = None,
        dry_run: bool = False,
    ) -> DataFrame:
        """Changes the number of buckets while the table is in use: the rows of ``CALL rescale``.

        Args:
            buckets: Number of buckets, a multiple or a divisor of the table's. The old number
                undoes a rescale that has not ended.
            partitions: Condition on the partition columns, such as ``"day < '2024-01-03'"``; None
                for all partitions, and new ones.
            max_bytes: Number of bytes to read at most, though at least one bucket is rewritten;
                None for no limit.
            dry_run: Whether to return only what would be rewritten.

        Raises:
            HudiliteError: The errors of ``CALL rescale``.
        """
        arguments = {"buckets": buckets, "partitions": partitions, "max_bytes": max_bytes}
        return self._called("rescale", arguments | {"dry_run": dry_run})

    def savepoint(self, instant: str | None = None, *, comment: str | None = None) -> str:
        """Creates a savepoint and returns its instant. Cleaners keep the files of its state.

        Args:
            instant: Instant of the state, 14 or 17 digits; None for the latest state.
            comment: Purpose of the savepoint.

        Raises:
            HudiliteError: The errors of ``CALL savepoint``.
        """
        saved = self._called("savepoint", {"instant": instant, "comment": comment})
        with translated():
            return str(saved.collect()[0]["instant"])

    def delete_savepoint(self, instant: str) -> bool:
        """Deletes a savepoint, so that cleaners may delete its files.

        Args:
            instant: Instant of the savepoint.

        Returns:
            False when the commit of that instant has no savepoint.

        Raises:
            HudiliteError: The errors of ``CALL delete_savepoint``.
        """
        rows = self._called("delete_savepoint", {"instant": instant})
        with translated():
            return bool(rows.collect()[0]["deleted"])

    def restore(self, instant: str, *, dry_run: bool | None = None) -> DataFrame:
        """Undoes all commits after an instant: the row of ``CALL restore``.

        Args:
            instant: Instant of the last commit to keep, 14 or 17 digits.
            dry_run: Whether to only count what would be undone.

        Raises:
            HudiliteError: The errors of ``CALL restore``.
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
        """Deletes the files that no retained state needs: the row of ``CALL clean``.

        For an argument that is None the procedure's default applies.

        Args:
            retain_commits: Number of latest commits whose states are kept, 1 or more.
            retain_hours: Hours during which every state is kept, 168 or more.
            dry_run: Whether to only count what would be deleted.
            allow_short_retention: Whether `retain_hours` may be less than 168.

        Raises:
            HudiliteError: The errors of ``CALL clean``.
        """
        arguments = {
            "retain_commits": retain_commits,
            "retain_hours": retain_hours,
            "dry_run": dry_run,
            "allow_short_retention": allow_short_retention,
        }
        return self._called("clean", arguments)

    def remove_orphans(
        self, *, older_than_hours: int | None = None, dry_run: bool | None = None
    ) -> DataFrame:
        """Lists or deletes files that no commit names: the rows of ``CALL remove_orphans``.

        Args:
            older_than_hours: Hours since the last change of a file, 1 or more; None means 72.
            dry_run: Whether to only list the files; None means True.

        Raises:
            HudiliteError: The errors of ``CALL remove_orphans``.
        """
        arguments = {"older_than_hours": older_than_hours, "dry_run": dry_run}
        return self._called("remove_orphans", arguments)

    def set_type(self, kind: str) -> DataFrame:
        """Changes the type of the table: the row of ``CALL set_table_type``.

        Args:
            kind: ``"cow"`` (copy-on-write) or ``"mor"`` (merge-on-read).

        Raises:
            HudiliteError: The errors of ``CALL set_table_type``.
        """
        return self._called("set_table_type", {"type": kind})

    def hive_sync(self, target: str | None = None, *, dry_run: bool | None = None) -> DataFrame:
        """Registers the table in Spark's Hive metastore: the rows of ``CALL hive_sync``.

        A merge-on-read table has two entries, whose names end with ``_ro`` and ``_rt``.

        Args:
            target: Name of the metastore entry, with or without its database. None uses the name in
                the table's properties, or else the table's own name with ``_hive`` appended.
            dry_run: Whether to only compare the entry with the table.

        Raises:
            HudiliteError: The errors of ``CALL hive_sync``.
        """
        return self._called("hive_sync", {"target": target, "dry_run": dry_run})

    def analyze(
        self,
        columns: Sequence[str] = (),
        *,
        all_columns: bool = False,
        noscan: bool = False,
    ) -> None:
        """Stores statistics for the optimizer: runs ``ANALYZE TABLE ... COMPUTE STATISTICS``.

        Without arguments it counts the rows. Spark uses the statistics if ``spark.sql.cbo.enabled``
        is true.

        Args:
            columns: Columns for which to store minimum, maximum, lengths, and the numbers of nulls
                and different values.
            all_columns: Whether to store these for all columns that can have statistics.
            noscan: Whether to read only the footers of files. The rows of log files then do not
                count.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when more than one of the arguments
                is given, or a name is not valid.
            HudiliteError: The errors of ``ANALYZE TABLE``, such as for an unknown column.
        """
        if isinstance(columns, str):
            raise argument_error("columns", f"it must be a list: [{columns!r}]")
        listed = ", ".join(names.identifier(column, "columns") for column in columns)
        clauses = (
            (bool(listed), f"FOR COLUMNS {listed}"),
            (all_columns, "FOR ALL COLUMNS"),
            (noscan, "NOSCAN"),
        )
        asked = [clause for is_asked, clause in clauses if is_asked]
        if len(asked) > 1:
            name = "columns" if listed else "all_columns"
            raise argument_error(name, f"{asked[0]} and {asked[1]} exclude each other")
        self._frame(" ".join([f"ANALYZE TABLE {self.name} COMPUTE STATISTICS", *asked]))

    @contextmanager
    def _beside(
        self, source: DataFrame | str | Sequence[str]
    ) -> Iterator[tuple[Table, str | Sequence[str]]]:
        """Yields the table and the name of the source in the session that knows both.

        A DataFrame has a temporary view inside the block, in its own session: the batches of a
        stream have another session than the program.
        """
        if isinstance(source, (str, Sequence)):
            yield self, source
            return
        name = f"hudilite_source_{uuid.uuid4().hex}"
        source.createOrReplaceTempView(name)
        try:
            yield replace(self, spark=source.sparkSession), name
        finally:
            source.sparkSession.catalog.dropTempView(name)

    def _called(self, procedure: str, arguments: Mapping[str, object]) -> DataFrame:
        """Calls a procedure of the table's catalog and returns its rows."""
        return self._frame(calls.of_table(procedure, self.parts, arguments))

    def _answer(self, text: str) -> Sequence[Any]:
        """Runs a statement and returns its only row."""
        with translated():
            return tuple(self.spark.sql(text).collect()[0])

    def _frame(self, text: str) -> DataFrame:
        with translated():
            return self.spark.sql(text)


def _state(
    of: str | datetime.datetime | None, version: str, timestamp: str
) -> dict[str, str | datetime.datetime | None]:
    """Returns a state of a table as one of two arguments: a version or a timestamp."""
    return {version if isinstance(of, str) else timestamp: of}


def _bound(given: Sequence[Any], asked: Mapping[str, Any]) -> tuple[Any, Any]:
    """Returns the two arguments of a form of `Table.update`, those without a name first.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` for an argument that is given twice, or
            that belongs to the other form, whose name here is empty.
    """
    found = [*given, *list(asked.values())[len(given) :]]
    twice = [one for one in list(asked.values())[: len(given)] if one is not None]
    if twice or len(given) > len([name for name in asked if name]) or asked.get("") is not None:
        raise argument_error("values", "pass values and where=, or condition and set")
    return found[0], found[1]
