"""Parser of the forms of ALTER TABLE that sqlglot keeps as one opaque text."""

from __future__ import annotations

from sqlglot import TokenType, exp

from hudilite.dialect import nodes
from hudilite.dialect.statements import StatementParser

_ACTIONS = ("TYPE", "COMMENT", "FIRST", "AFTER", "SET", "DROP")


class AlterParser(StatementParser):
    """Parser that reads these forms of ALTER TABLE as actions of ``exp.Alter``."""

    ALTER_PARSERS = {  # noqa: RUF012
        **StatementParser.ALTER_PARSERS,
        "UNSET": lambda self: self._parse_unset(),
        "CHANGE": lambda self: self._parse_change(),
        "RECOVER": lambda self: self._parse_recover(),
        "CLUSTER BY": lambda self: self._parse_cluster_by(),
    }

    def _parse_unset(self) -> nodes.UnsetProperties | None:
        if not self._match_text_seq("TBLPROPERTIES"):
            return None
        exists = self._parse_exists()
        keys = self._parse_wrapped_csv(self._parse_property_key)
        return self.expression(nodes.UnsetProperties(expressions=keys, exists=exists or None))

    def _parse_recover(self) -> exp.Var | None:
        return exp.var("RECOVER PARTITIONS") if self._match_text_seq("PARTITIONS") else None

    def _parse_cluster_by(self) -> exp.Expr:
        if self._match_text_seq("NONE"):
            return exp.var("CLUSTER BY NONE")
        return self._parse_cluster_property()

    def _parse_change(self) -> nodes.ChangeColumn:
        self._match(TokenType.COLUMN)
        index = self._index
        column = self._parse_column()
        if self._match_texts(_ACTIONS, advance=False):
            self._retreat(index)
            action = self._parse_alter_table_alter()
        else:
            action = self._parse_column_def(self._parse_field(any_token=True))
            position = self._parse_place()
            if action and position:
                action.set("position", position)
        return self.expression(nodes.ChangeColumn(this=column, action=action))

    def _parse_alter_table_alter(self) -> exp.Expr | None:
        index = self._index
        self._match(TokenType.COLUMN)
        column = self._parse_column()  # of any depth; sqlglot accepts a plain name only
        place = self._parse_place() if column else None
        if place:
            return self.expression(nodes.MoveColumn(this=column, position=place))
        if isinstance(column, exp.Column) and self._match_text_seq("TYPE"):
            return self._parse_new_type(column)
        if isinstance(column, exp.Column) and len(column.parts) > 1:
            self._retreat(index)
            return self._parse_alter_field(column)
        self._retreat(index)
        return super()._parse_alter_table_alter()

    def _parse_new_type(self, column: exp.Column) -> exp.AlterColumn:
        """Parses a type as that of a new column: sqlglot takes CHAR and VARCHAR for STRING here."""
        name = column if len(column.parts) > 1 else column.this
        dtype = self._parse_types(schema=True)
        collate = self._match(TokenType.COLLATE) and self._parse_term()
        return self.expression(exp.AlterColumn(this=name, dtype=dtype, collate=collate))

    def _parse_alter_field(self, column: exp.Column) -> exp.Expr | None:
        """Parses the change of a struct field as that of a column, and then sets the whole path."""
        self._match(TokenType.COLUMN)
        self._advance(2 * len(column.parts) - 2)  # moves to the last part of the path
        found = super()._parse_alter_table_alter()
        if isinstance(found, exp.AlterColumn):
            found.set("this", column)
        return found

    def _parse_place(self) -> exp.ColumnPosition | None:
        if self._match_text_seq("FIRST"):
            return self.expression(exp.ColumnPosition(position="FIRST"))
        if self._match_text_seq("AFTER"):
            other = self._parse_column()
            return self.expression(exp.ColumnPosition(this=other, position="AFTER"))
        return None

    def _parse_alter_table_add(self) -> list[exp.Expr]:
        found = super()._parse_alter_table_add()
        if len(found) > 1 and all(isinstance(one, exp.ColumnDef) for one in found):
            return [exp.Schema(expressions=found)]  # Spark's form: one ADD COLUMNS (...)
        return found

    def _parse_alter_table_drop(self) -> list[exp.Expr]:
        found = super()._parse_alter_table_drop()
        if found and isinstance(found[-1], exp.DropPartition) and self._match_text_seq("PURGE"):
            found[-1] = self.expression(nodes.PurgePartition(this=found[-1]))
        return found

    def _parse_alter_table_rename(  # type: ignore[override]
        self,
    ) -> exp.AlterRename | exp.RenameColumn | nodes.RenamePartition | None:
        if self._match_text_seq("TO", "PARTITION", advance=False):
            self._match_text_seq("TO")
            return self.expression(nodes.RenamePartition(this=self._parse_partition()))
        return super()._parse_alter_table_rename()
