"""Methods of `Table` under the names of Delta's Python class.

A method that hudilite cannot carry out fails. The error says what to type instead.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from hudilite.conditions import argument_error, error_of
from hudilite.errors import translated
from hudilite.sql import calls, names
from hudilite.sql.expressions import Condition, condition
from hudilite.sql.literals import quoted
from hudilite.table.builder import TableBuilder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from hudilite.table import Table

Named = TypeVar("Named", bound="DeltaNames")


class DeltaNames:
    """Methods of `Table` under the names of Delta's class.

    The methods `merge`, `update`, `delete`, `history` and `create` are those of `Table`, which
    accept Delta's arguments, too.
    """

    if TYPE_CHECKING:  # what Table has
        parts: tuple[str, ...]
        called: str | None
        name: Any
        for_name: Any
        for_path: Any
        rows: Callable[[], DataFrame]
        _frame: Callable[[str], DataFrame]

    @classmethod
    def forName(cls: type[Named], sparkSession: SparkSession, tableOrViewName: str) -> Named:
        """Returns the table of a name, as `Table.for_name`."""
        found: Named = cls.for_name(sparkSession, tableOrViewName)
        return found

    @classmethod
    def forPath(
        cls: type[Named],
        sparkSession: SparkSession,
        path: str | os.PathLike[str],
        hadoopConf: Mapping[str, str] | None = None,
    ) -> Named:
        """Returns the table in a folder, as `Table.for_path`.

        Raises:
            HudiliteError: ``HUDILITE_UNSUPPORTED_CLAUSE`` when `hadoopConf` is not empty.
        """
        if hadoopConf:
            first = next(iter(hadoopConf))
            fix = (
                f"Set it for the session: hudilite.session(conf={{'spark.hadoop.{first}': value}})."
            )
            table = names.qualified(("hudilite", os.fspath(path)), "path")
            raise error_of("HUDILITE_UNSUPPORTED_CLAUSE", clause="hadoopConf", table=table, fix=fix)
        found: Named = cls.for_path(sparkSession, os.fspath(path))
        return found

    @classmethod
    def createIfNotExists(cls, sparkSession: SparkSession | None = None) -> TableBuilder:
        """Begins a CREATE TABLE IF NOT EXISTS."""
        return begun(cls, sparkSession, "if_not_exists")

    @classmethod
    def replace(cls, sparkSession: SparkSession | None = None) -> TableBuilder:
        """Begins a REPLACE TABLE."""
        return begun(cls, sparkSession, "replace")

    @classmethod
    def createOrReplace(cls, sparkSession: SparkSession | None = None) -> TableBuilder:
        """Begins a CREATE OR REPLACE TABLE."""
        return begun(cls, sparkSession, "or_replace")

    def toDF(self) -> DataFrame:
        """Returns the rows of the table, under its alias if it has one."""
        return self.rows().alias(self.called) if self.called else self.rows()

    def vacuum(self, retentionHours: float | None = None) -> DataFrame:
        """Deletes the files that no version of the last hours needs: the row of ``VACUUM``.

        Args:
            retentionHours: Whole number of hours; None means 168.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when it is not a whole number.
            HudiliteError: The errors of ``VACUUM``, such as ``HUDILITE_UNSUPPORTED_CLAUSE`` for
                fewer than 168 hours.
        """
        if retentionHours is None:
            return self._frame(f"VACUUM {self.name}")
        hours = _whole(retentionHours, "retentionHours")
        return self._frame(f"VACUUM {self.name} RETAIN {hours} HOURS")

    def restoreToVersion(self, version: int) -> DataFrame:
        """Undoes all later commits permanently: the row of ``RESTORE TABLE``.

        Args:
            version: Number of the last commit to keep.

        Raises:
            HudiliteError: The errors of ``RESTORE TABLE``.
        """
        number = _whole(version, "version")
        return self._frame(f"RESTORE TABLE {self.name} TO VERSION AS OF {number}")

    def restoreToTimestamp(self, timestamp: str) -> DataFrame:
        """Undoes all commits after a time permanently: the row of ``RESTORE TABLE``.

        Args:
            timestamp: Date, or date and time, in the zone of the session.

        Raises:
            HudiliteError: The errors of ``RESTORE TABLE``.
        """
        at = quoted(timestamp, "timestamp")
        return self._frame(f"RESTORE TABLE {self.name} TO TIMESTAMP AS OF {at}")

    def optimize(self) -> OptimizeBuilder:
        """Begins an OPTIMIZE, which `OptimizeBuilder.executeCompaction` runs."""
        return OptimizeBuilder(self)

    def generate(self, mode: str) -> DataFrame:
        """Runs GENERATE, which is refused: other engines read the table without a manifest."""
        words = names.identifier(mode, "mode")
        return self._frame(f"GENERATE {words} FOR TABLE {self.name}")

    def clone(
        self,
        target: str,
        isShallow: bool = False,
        replace: bool = False,
        properties: Mapping[str, str] | None = None,
    ) -> DataFrame:
        """Runs CREATE TABLE .. CLONE, which is refused: the error contains the copy to run."""
        return self._cloned(target, isShallow, replace, "")

    def cloneAtVersion(
        self,
        version: int,
        target: str,
        isShallow: bool = False,
        replace: bool = False,
        properties: Mapping[str, str] | None = None,
    ) -> DataFrame:
        """Runs CREATE TABLE .. CLONE of a version, which is refused as by `clone`."""
        travel = f" VERSION AS OF {_whole(version, 'version')}"
        return self._cloned(target, isShallow, replace, travel)

    def cloneAtTimestamp(
        self,
        timestamp: str,
        target: str,
        isShallow: bool = False,
        replace: bool = False,
        properties: Mapping[str, str] | None = None,
    ) -> DataFrame:
        """Runs CREATE TABLE .. CLONE as of a time, which is refused as by `clone`."""
        travel = f" TIMESTAMP AS OF {quoted(timestamp, 'timestamp')}"
        return self._cloned(target, isShallow, replace, travel)

    def dropFeatureSupport(
        self, featureName: str, truncateHistory: bool | None = None
    ) -> DataFrame:
        """Runs ALTER TABLE .. DROP FEATURE, which is refused: a table has a version instead."""
        feature = names.identifier(featureName, "featureName")
        return self._frame(f"ALTER TABLE {self.name} DROP FEATURE {feature}")

    def addFeatureSupport(self, featureName: str) -> NoReturn:
        """Refuses to add a feature: a table has a version instead.

        Raises:
            HudiliteError: ``HUDILITE_UNSUPPORTED_STATEMENT``, with the statement that shows the
                version.
        """
        said = "A table has a version instead of features. To see it, write"
        fix = f"{said}: DESCRIBE DETAIL {self.name}"
        _refuse("addFeatureSupport", self.name, fix)

    def upgradeTableProtocol(self, readerVersion: int, writerVersion: int) -> NoReturn:
        """Refuses to change a protocol: a table has a version instead.

        Raises:
            HudiliteError: ``HUDILITE_UNSUPPORTED_STATEMENT``, with the CALL that upgrades the
                table.
        """
        lines = calls.of_table("upgrade_table", self.parts, {}).splitlines()
        call = "".join(line.removeprefix("  ") for line in lines)
        fix = f"A table has a version instead of a protocol. To raise it, write: {call}"
        _refuse("upgradeTableProtocol", self.name, fix)

    @classmethod
    def isDeltaTable(cls, sparkSession: SparkSession, identifier: str) -> NoReturn:
        """Refuses to say whether a folder is a table of Delta.

        Raises:
            HudiliteError: ``HUDILITE_UNSUPPORTED_STATEMENT``, with the statement that succeeds for
                a table of hudilite.
        """
        table = names.qualified(("hudilite", identifier), "identifier")
        fix = f"A folder is a table of hudilite if this succeeds. Write: DESCRIBE DETAIL {table}"
        _refuse("isDeltaTable", table, fix)

    @classmethod
    def convertToDelta(
        cls,
        sparkSession: SparkSession,
        identifier: str,
        partitionSchema: object = None,
    ) -> DataFrame:
        """Runs CONVERT TO DELTA, which is refused: the error has the CALL that adopts files."""
        with translated():
            return sparkSession.sql(f"CONVERT TO DELTA {identifier}")

    def _cloned(self, target: str, is_shallow: bool, replaces: bool, travel: str) -> DataFrame:
        parts = ("hudilite", target) if "/" in target else target.split(".")
        verb = "CREATE OR REPLACE TABLE" if replaces else "CREATE TABLE"
        depth = "SHALLOW CLONE" if is_shallow else "DEEP CLONE"
        to = names.qualified(parts, "target")
        return self._frame(f"{verb} {to} {depth} {self.name}{travel}")


@dataclass(frozen=True)
class OptimizeBuilder:
    """OPTIMIZE of a table.

    Attributes:
        table: Table.
        condition: Condition over the partition columns, as SQL.
    """

    table: DeltaNames
    condition: str | None = None

    def where(self, partitionFilter: Condition) -> OptimizeBuilder:
        """Limits the statement to the partitions for which a condition is true."""
        return OptimizeBuilder(self.table, condition(partitionFilter, "partitionFilter"))

    def executeCompaction(self) -> DataFrame:
        """Merges log files into base files and combines small files: the row of ``OPTIMIZE``.

        Raises:
            HudiliteError: The errors of ``OPTIMIZE``.
        """
        return self.table._frame(self._text())

    def executeZOrderBy(self, *cols: str | Sequence[str]) -> DataFrame:
        """Sorts rows into new files by some columns: the row of ``OPTIMIZE ... ZORDER BY``.

        Args:
            cols: Names of columns.

        Raises:
            HudiliteError: The errors of ``OPTIMIZE``, such as for a table with buckets.
        """
        flat = [name for given in cols for name in ([given] if isinstance(given, str) else given)]
        return self.table._frame(f"{self._text()} ZORDER BY ({names.columns(flat, 'cols')})")

    def _text(self) -> str:
        limited = f" WHERE {self.condition}" if self.condition else ""
        return f"OPTIMIZE {self.table.name}{limited}"


def begun(cls: Any, spark: SparkSession | None, mode: str | None) -> TableBuilder:
    """Returns the builder of a table in a session, by default the active one.

    Args:
        cls: Class of the table.
        spark: Session with hudilite.
        mode: As `TableBuilder.mode`.
    """

    def run(parts: Sequence[str], text: str) -> Table:
        from pyspark.sql import SparkSession

        made: Table = cls.for_name(spark or SparkSession.active(), parts)
        made._frame(text).collect()
        return made

    return TableBuilder(mode, run)


def _refuse(name: str, table: str, fix: str) -> NoReturn:
    raise error_of(
        "HUDILITE_UNSUPPORTED_STATEMENT", statement=f"Table.{name}", table=table, fix=fix
    )


def _whole(number: float, argument: str) -> int:
    if isinstance(number, bool) or not isinstance(number, (int, float)) or number != int(number):
        raise argument_error(argument, f"it must be a whole number, not {number!r}")
    return int(number)
