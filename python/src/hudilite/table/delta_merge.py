"""Builder of a MERGE under the names of Delta's class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hudilite.conditions import argument_error
from hudilite.sql import changes, names
from hudilite.sql.expressions import Condition
from hudilite.sql.spark_columns import alias_of, parts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from hudilite.table import Table


@dataclass(frozen=True)
class MergeBuilder:
    """MERGE that `Table.merge` returns and `execute` runs. Each method returns a new builder.

    A condition is SQL text, a Column or `sql.expression`. It refers to the table by its alias, by
    default ``t``, and to the source by the alias of its DataFrame, by default ``s``. Clauses of one
    kind keep their order. Values are a Column, `sql.expression` or a literal that is no ``str``.

    Attributes:
        table: Target.
        source: Source rows, or the name of a table or view.
        condition: Condition of ON.
    """

    table: Table
    source: DataFrame | str | Sequence[str]
    condition: Condition
    _clauses: tuple[tuple[int, changes.Clause], ...] = field(default=(), repr=False)
    _evolves: bool = field(default=False, repr=False)

    def whenMatchedUpdate(
        self, condition: Condition | None = None, set: Mapping[str, object] | None = None
    ) -> MergeBuilder:
        """Adds WHEN MATCHED THEN UPDATE SET.

        Args:
            condition: Condition of the clause.
            set: New value of each column.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when a column or value cannot be
                written as SQL, or a value is a ``str``.
        """
        return self._with(0, changes.matched(condition).update(assigned(set, "set")))

    def whenMatchedUpdateAll(self, condition: Condition | None = None) -> MergeBuilder:
        """Adds WHEN MATCHED THEN UPDATE SET *."""
        return self._with(0, changes.matched(condition).update_all())

    def whenMatchedDelete(self, condition: Condition | None = None) -> MergeBuilder:
        """Adds WHEN MATCHED THEN DELETE."""
        return self._with(0, changes.matched(condition).delete())

    def whenNotMatchedInsert(
        self, condition: Condition | None = None, values: Mapping[str, object] | None = None
    ) -> MergeBuilder:
        """Adds WHEN NOT MATCHED THEN INSERT.

        Args:
            condition: Condition of the clause.
            values: Value of each column.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when a column or value cannot be
                written as SQL, or a value is a ``str``.
        """
        given = {_one(parts): value for parts, value in assigned(values, "values").items()}
        return self._with(1, changes.not_matched(condition).insert(given))

    def whenNotMatchedInsertAll(self, condition: Condition | None = None) -> MergeBuilder:
        """Adds WHEN NOT MATCHED THEN INSERT *."""
        return self._with(1, changes.not_matched(condition).insert_all())

    def whenNotMatchedBySourceUpdate(
        self, condition: Condition | None = None, set: Mapping[str, object] | None = None
    ) -> MergeBuilder:
        """Adds WHEN NOT MATCHED BY SOURCE THEN UPDATE SET.

        Args:
            condition: Condition of the clause, which can use only columns of the table.
            set: New value of each column.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when a column or value cannot be
                written as SQL, or a value is a ``str``.
        """
        return self._with(2, changes.not_matched_by_source(condition).update(assigned(set, "set")))

    def whenNotMatchedBySourceDelete(self, condition: Condition | None = None) -> MergeBuilder:
        """Adds WHEN NOT MATCHED BY SOURCE THEN DELETE."""
        return self._with(2, changes.not_matched_by_source(condition).delete())

    def withSchemaEvolution(self) -> MergeBuilder:
        """Makes the statement MERGE WITH SCHEMA EVOLUTION: columns of the source are added."""
        return replace(self, _evolves=True)

    def text(self, source: str | Sequence[str]) -> str:
        """Returns the MERGE of the rows of a table or view.

        Args:
            source: Name of the table or view.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when there is no clause, or an
                argument cannot be written as SQL.
        """
        ordered = sorted(self._clauses, key=lambda clause: clause[0])
        return changes.merge_into(
            self.table.parts,
            source,
            *(clause for _, clause in ordered),
            on=self.condition,
            alias=self.table.called or "t",
            source_alias=alias_of(self.source) or "s",
            schema_evolution=self._evolves,
        )

    def execute(self) -> DataFrame:
        """Runs the MERGE and returns its row of counts.

        Raises:
            HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when there is no clause.
            HudiliteError: The errors of ``MERGE INTO``.
        """
        with self.table._beside(self.source) as (table, name):
            return table._frame(self.text(name))

    def _with(self, kind: int, clause: changes.Clause) -> MergeBuilder:
        return replace(self, _clauses=(*self._clauses, (kind, clause)))


def assigned(
    values: Mapping[str, object] | None, argument: str
) -> dict[str | Sequence[str], object]:
    """Returns values given under a name of Delta's class, by the parts of their columns' names.

    Delta reads a ``str`` in `set` and `values` as SQL, and the other methods of hudilite read it as
    text. So a ``str`` is refused here: ``lit("open")`` is text, and ``expr("s.state")``, another
    Column or `sql.expression` is SQL. Other values are literals.

    Args:
        values: Value of each column. A dot in a column's name is before a field of a struct.
        argument: Name of the argument in error messages.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when `values` is not a mapping, a
            column is not a ``str``, or a value is one.

    Examples:
        >>> assigned({"size.w": 5}, "set")
        {('size', 'w'): 5}
    """
    if not isinstance(values, Mapping):
        raise argument_error(argument, f"it must be a mapping, not {type(values).__name__}")
    for column, value in values.items():
        if not isinstance(column, str):
            raise argument_error(argument, f"a name must be a str, not {type(column).__name__}")
        if isinstance(value, str):
            raise argument_error(
                f"{argument}[{column!r}]",
                f"a str is SQL in Delta and text in hudilite; type lit({value!r}) for the text, "
                f"or sql.expression({value!r}) for the SQL",
            )
    return {tuple(parts_of(column)): value for column, value in values.items()}


def _one(parts: str | Sequence[str]) -> str:
    if len(parts) != 1:
        found = names.qualified(parts, "values")
        raise argument_error("values", f"{found} is not the name of one column")
    return parts[0]
