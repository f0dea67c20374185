"""Builder of a table under the names of Delta's class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NoReturn

from hudilite.conditions import argument_error, error_of
from hudilite.sql import names
from hudilite.sql.expressions import expression
from hudilite.sql.tables import Column, create_table

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructField

    from hudilite.table import Table


@dataclass(frozen=True)
class TableBuilder:
    """Declaration of a table, which `execute` runs.

    `Table.create`, `createIfNotExists`, `replace` and `createOrReplace` return it. Each method
    returns a new builder. Delta's class does not have `primaryKey` and `buckets`.

    Attributes:
        mode: Keyword of `sql.create_table` for the verb: ``if_not_exists``, ``replace`` or
            ``or_replace``; None for CREATE TABLE.
    """

    mode: str | None
    _run: Callable[[Sequence[str], str], Table] = field(repr=False)
    _name: Sequence[str] | None = None
    _location: str | None = None
    _columns: Mapping[str, Column] = field(default_factory=dict)
    _key: Sequence[str] = ()
    _buckets: int | None = None
    _bucket_columns: Sequence[str] = ()
    _partitioned_by: Sequence[str] = ()
    _comment: str | None = None
    _properties: Mapping[str, str] = field(default_factory=dict)

    def tableName(self, identifier: str) -> TableBuilder:
        """Sets the name of the table, with or without its database."""
        return replace(self, _name=identifier.split("."))

    def location(self, location: str) -> TableBuilder:
        """Sets the folder of the table. Without `tableName` the table is used by its path."""
        return replace(self, _location=location)

    def addColumn(
        self,
        colName: str,
        dataType: str | DataType,
        nullable: bool = True,
        generatedAlwaysAs: object = None,
        generatedByDefaultAs: object = None,
        comment: str | None = None,
    ) -> TableBuilder:
        """Adds a column.

        Args:
            colName: Name of the column.
            dataType: Type as text, such as ``"INT"``, or of pyspark.
            nullable: False for NOT NULL.
            generatedAlwaysAs: Expression of a generated column, as text.
            generatedByDefaultAs: Refused.
            comment: Text that DESCRIBE shows.

        Raises:
            HudiliteError: ``HUDILITE_UNSUPPORTED_CLAUSE`` for an identity column.
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when a column has the name already.
        """
        generated = expression(generatedAlwaysAs) if isinstance(generatedAlwaysAs, str) else None
        if generatedAlwaysAs is not None and generated is None:
            self._refuse("generatedAlwaysAs", f"Write the values of {colName} in the rows")
        if generatedByDefaultAs is not None:
            self._refuse("generatedByDefaultAs", f"Write the values of {colName} in the rows")
        if colName in self._columns:
            raise argument_error("colName", f"the column {colName} was added before")
        kind = dataType if isinstance(dataType, str) else dataType.simpleString()
        column = Column(type=kind, nullable=nullable, comment=comment, generated=generated)
        return replace(self, _columns={**self._columns, colName: column})

    def addColumns(self, cols: Iterable[StructField]) -> TableBuilder:
        """Adds the columns of a schema, with their comments: ``df.schema``, or a list of fields."""
        made = self
        for one in cols:
            comment = one.metadata.get("comment")
            made = made.addColumn(one.name, one.dataType, one.nullable, comment=comment)
        return made

    def partitionedBy(self, *cols: str | Sequence[str]) -> TableBuilder:
        """Sets the partition columns."""
        return replace(self, _partitioned_by=_flat(cols))

    def primaryKey(self, *cols: str | Sequence[str]) -> TableBuilder:
        """Sets the columns of the primary key.

        Without it the table has no key: each new row gets a unique record key.
        """
        return replace(self, _key=_flat(cols))

    def buckets(self, number: int, *cols: str | Sequence[str]) -> TableBuilder:
        """Sets the number of buckets in each partition, and the key columns that are hashed.

        It needs `primaryKey`. A table without buckets has a bloom index.
        """
        return replace(self, _buckets=number, _bucket_columns=_flat(cols))

    def comment(self, comment: str) -> TableBuilder:
        """Sets the comment of the table."""
        return replace(self, _comment=comment)

    def property(self, key: str, value: str) -> TableBuilder:
        """Sets a table property."""
        return replace(self, _properties={**self._properties, key: value})

    def clusterBy(self, *cols: str | Sequence[str]) -> NoReturn:
        """Refuses the clause of Delta.

        Raises:
            HudiliteError: ``HUDILITE_UNSUPPORTED_CLAUSE``, which names `buckets`.
        """
        hashed = ", ".join(repr(name) for name in _flat(cols))
        self._refuse("clusterBy", f"If these are columns of the key, type .buckets(16, {hashed})")

    def text(self) -> str:
        """Returns the statement.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when there are buckets without a
                key, when neither name nor location is set, or when an argument cannot be written
                as SQL.
        """
        if self._buckets is not None and not self._key:
            found = next(iter(self._columns), "id")
            reason = f"they hash the key; call .primaryKey({found!r}) before .execute()"
            raise argument_error("buckets", reason)
        return create_table(
            self._parts(),
            self._columns,
            key=self._key,
            buckets=self._buckets,
            bucket_columns=self._bucket_columns,
            partitioned_by=self._partitioned_by,
            location=None if self._name is None else self._location,
            comment=self._comment,
            properties=self._properties,
            if_not_exists=self.mode == "if_not_exists",
            replace=self.mode == "replace",
            or_replace=self.mode == "or_replace",
        )

    def execute(self) -> Table:
        """Runs the statement and returns the table.

        Raises:
            HudiliteError: The errors of `text`.
            HudiliteError: The errors of ``CREATE TABLE`` and ``REPLACE TABLE``.
        """
        return self._run(self._parts(), self.text())

    def _parts(self) -> Sequence[str]:
        if self._name is not None:
            return self._name
        if self._location is None:
            reason = "the table has no name; call .tableName('t') or .location('/path')"
            raise argument_error("tableName", reason)
        return ("hudilite", self._location)

    def _refuse(self, clause: str, fix: str) -> NoReturn:
        named = self._name or ([self._location] if self._location else ["new_table"])
        table = names.qualified(named, "tableName")
        raise error_of("HUDILITE_UNSUPPORTED_CLAUSE", clause=clause, table=table, fix=f"{fix}.")


def _flat(columns: Sequence[str | Sequence[str]]) -> tuple[str, ...]:
    """Returns names that were given one by one, or as one list."""
    return tuple(
        name for given in columns for name in ([given] if isinstance(given, str) else given)
    )
