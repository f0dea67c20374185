"""Parser of the dialect: Spark's, with hudilite's additions and more of Spark 4."""

from __future__ import annotations

from typing import Any

from sqlglot import ErrorLevel, TokenType, exp

from hudilite.dialect import nodes
from hudilite.dialect.generator import LITERAL
from hudilite.dialect.merging import MergeParser

_TYPED = (
    exp.DType.DATE,
    exp.DType.TIME,
    exp.DType.TIMESTAMP,
    exp.DType.TIMESTAMPLTZ,
    exp.DType.TIMESTAMPNTZ,
    exp.DType.TIMESTAMPTZ,
)
_MISREAD = (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)
_DATABASE_PROPERTIES = ("DBPROPERTIES", "PROPERTIES")
_BEHIND_A_CTE = (TokenType.ALIAS, TokenType.L_PAREN)


class HudiliteParser(MergeParser):
    """Parser of WITH BUCKETS, CALL, and of INSERT and VALUES where sqlglot's lacks their forms."""

    TYPE_LITERAL_PARSERS = {  # noqa: RUF012
        **MergeParser.TYPE_LITERAL_PARSERS,
        **dict.fromkeys(_TYPED, lambda self, this, to: _typed_literal(this, to)),
    }
    PROPERTY_PARSERS = {  # noqa: RUF012
        **MergeParser.PROPERTY_PARSERS,
        "TBLPROPERTIES": lambda self: self._parse_entries(),
    }
    SUPPORTS_TABLE_QUERY = True
    USABLES = {**MergeParser.USABLES, "NAMESPACE": ()}  # noqa: RUF012
    VERSION_PHRASES = {  # noqa: RUF012
        **MergeParser.VERSION_PHRASES,
        ("FOR", "SYSTEM_VERSION"): "VERSION",
        ("SYSTEM_VERSION", "AS", "OF"): "VERSION",
        ("SYSTEM_TIME", "AS", "OF"): "TIMESTAMP",
    }

    def _parse(self, *args: Any, **kwargs: Any) -> list[exp.Expr | None]:
        try:
            return super()._parse(*args, **kwargs)
        except _MISREAD:  # a function of sqlglot got arguments that it does not expect
            self.error_level = ErrorLevel.IMMEDIATE
            self.raise_error("Invalid expression")
            raise

    def _parse_statement(self) -> exp.Expr | None:
        index = self._index
        if self._match_text_seq("CALL"):
            name = self._parse_id_var()
            if name and self._curr.token_type in (TokenType.DOT, TokenType.L_PAREN):
                return self._parse_call(name)
            self._retreat(index)
        return self._parse_own_statement() or super()._parse_statement()

    def _parse_table(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
        return self._parse_named_values() or super()._parse_table(*args, **kwargs)

    def _parse_table_parts(self, *args: Any, **kwargs: Any) -> exp.Table | exp.Dot | None:
        found = super()._parse_table_parts(*args, **kwargs)
        options = self._match_pair(TokenType.WITH, TokenType.L_PAREN, advance=False)
        if options and isinstance(found, exp.Table):
            self._match(TokenType.WITH)
            entries = self._parse_entries()
            found.append("hints", self.expression(nodes.TableOptions(expressions=entries)))
        return found

    def _parse_limit(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
        start = self._curr
        found = super()._parse_limit(*args, **kwargs)
        return found.update_positions(start) if isinstance(found, exp.Limit) else found

    def _parse_using_property(self) -> exp.Expr | None:  # type: ignore[override]
        """Parses the provider after USING, also a class name with dots, which sqlglot rejects."""
        found = super()._parse_using_property()
        while isinstance(found, exp.FileFormatProperty) and self._match(TokenType.DOT):
            found.set("this", exp.var(f"{found.name}.{self._parse_id_var()}"))
        return found

    def _parse_entries(self) -> list[exp.Expr]:
        """Parses keys and values in parentheses. In Spark the sign between them is optional."""
        return self._parse_wrapped_csv(lambda: self._parse_key_value_property(optional=True))

    def _parse_insert(self) -> exp.Insert | exp.MultitableInserts:
        evolving = self._match_text_seq("WITH", "SCHEMA", "EVOLUTION")
        if evolving:
            follows = self._match_set((TokenType.INTO, TokenType.OVERWRITE), advance=False)
            self._expect(bool(follows), "INTO or OVERWRITE")
        found = self._parse_insert_into_files() or super()._parse_insert()
        if evolving:
            found.set("hint", self.expression(nodes.SchemaEvolution()))
        return found

    def _parse_insert_into_files(self) -> exp.Insert | None:
        """Parses INSERT OVERWRITE DIRECTORY with a provider, which sqlglot does not know."""
        index = self._index
        self._match(TokenType.OVERWRITE)
        local = self._match_text_seq("LOCAL")
        if self._match_text_seq("DIRECTORY"):
            path = self._parse_string() or exp.Var(this="")
            if self._match(TokenType.USING, advance=False):
                clauses = self._parse_properties()
                folder = exp.Directory(this=path, local=local, row_format=clauses)
                query = self._parse_ddl_select()
                self._expect(query is not None, "a query")
                return self.expression(exp.Insert(this=folder, expression=query, overwrite=True))
        self._retreat(index)
        return None

    def _parse_comment(self, allow_exists: bool = True) -> exp.Expr:
        """Parses COMMENT ON, also with IS NULL, which removes the comment."""
        error_level = self.error_level
        self.error_level = ErrorLevel.IGNORE  # sqlglot requires a text
        found = super()._parse_comment(allow_exists)
        self.error_level = error_level
        if isinstance(found, exp.Comment) and not found.expression:
            self._expect(self._match(TokenType.NULL), "a text or NULL")
            found.set("expression", exp.Null())
        return found

    def _parse_create(self) -> exp.Create | exp.Command:
        found = super()._parse_create()
        nodes.name_hashed_columns(found)
        return found

    def _parse_expression(self) -> exp.Expr | None:
        return self._with_source(self._index, super()._parse_expression())

    def _parse_field_def(self) -> exp.Expr | None:
        return self._with_source(self._index, super()._parse_field_def())

    def _parse_column_constraint(self) -> exp.Expr | None:
        return self._with_source(self._index, super()._parse_column_constraint())

    def _parse_constraint(self) -> exp.Expr | None:
        return self._with_source(self._index, super()._parse_constraint())

    def _parse_property(self) -> exp.Expr | list[exp.Expr] | None:
        index, found = self._index, super()._parse_property()
        return found if isinstance(found, list) else self._with_source(index, found)

    def _parse_ddl_select(self) -> exp.Expr | None:
        return self._with_source(self._index, super()._parse_ddl_select())

    def _parse_partition(self) -> exp.Expression | None:  # type: ignore[override]
        found = super()._parse_partition()
        if found and self._match_text_seq("IF", "NOT", "EXISTS"):
            return self.expression(nodes.AbsentPartition(this=found))
        return found

    def _parse_named_values(self) -> exp.Expr | None:
        """Parses ``(VALUES (1) AS v(id)) AS q``; sqlglot accepts no alias in parentheses."""
        index = self._index
        if self._match_pair(TokenType.L_PAREN, TokenType.VALUES, advance=False):
            self._advance()
            values = self._parse_derived_table_values()
            if values and values.args.get("alias") and self._match(TokenType.R_PAREN):
                alias = self._parse_table_alias()
                return self.expression(exp.Subquery(this=values, alias=alias))
            self._retreat(index)
        return None

    def _parse_call(self, first: exp.Expr) -> nodes.Call:
        parts = [first]
        while self._match(TokenType.DOT):
            parts += [part for part in [self._parse_id_var()] if part]
        arguments = self._parse_wrapped_csv(self._parse_argument)
        return self.expression(nodes.Call(this=nodes.dotted(parts), expressions=arguments))

    def _parse_argument(self) -> exp.Expr | None:
        if self._next and self._next.token_type == TokenType.FARROW:
            name = self._parse_id_var()
            self._match(TokenType.FARROW)
            return self.expression(exp.Kwarg(this=name, expression=self._parse_disjunction()))
        return self._parse_disjunction()

    def _parse_with_property(self) -> exp.Expr | list[exp.Expr] | None:
        index = self._index
        if self._match_texts(_DATABASE_PROPERTIES):
            if self._is_entry():
                return self._parse_entries()
            self._retreat(index)
        if self._match_text_seq("BUCKETS"):
            number = self._parse_number()
            if number:
                on = self._match(TokenType.ON)
                columns = self._parse_wrapped_id_vars() if on else []
                return self.expression(nodes.Buckets(buckets=number, expressions=columns))
            if self._curr.token_type not in _BEHIND_A_CTE:
                self.raise_error("Expected a whole number of buckets")
            self._retreat(index)
        if self._next and self._next.token_type in _BEHIND_A_CTE:
            self._retreat(index - 1)  # a CTE of a SELECT, whatever its name, not a clause
            return None
        return super()._parse_with_property()

    def _is_entry(self) -> bool:
        """Whether a key with its value follows in parentheses, and not the columns of a CTE."""
        kinds = [token.token_type for token in self._tokens[self._index : self._index + 3]]
        is_name = kinds[2:] in ([TokenType.COMMA], [TokenType.R_PAREN])
        is_text = kinds[1:2] == [TokenType.STRING]
        return kinds[:1] == [TokenType.L_PAREN] and (is_text or not is_name)


def _typed_literal(this: exp.Expr, to: exp.DataType) -> exp.Cast:
    literal = exp.Cast(this=this, to=to)
    literal.meta[LITERAL] = True
    return literal
