"""The sqlglot dialect ``hudilite``: Spark's SQL, WITH BUCKETS, and CALL as a tree.

The package registers it by entry point, so ``sqlglot.parse_one(text, read="hudilite")`` knows it
once hudilite is installed. Names and their quotes come out as they went in.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from sqlglot import TokenType, exp
from sqlglot.dialects.spark import Spark
from sqlglot.generators.spark import SparkGenerator
from sqlglot.parsers.spark import SparkParser

from hudilite.dialect import nodes
from hudilite.dialect.nodes import Buckets, Call, key_columns

__all__ = ["Buckets", "Call", "Hudilite", "key_columns"]


_LITERAL = "hudilite.literal"
_TYPED = (
    exp.DType.DATE,
    exp.DType.TIME,
    exp.DType.TIMESTAMP,
    exp.DType.TIMESTAMPLTZ,
    exp.DType.TIMESTAMPNTZ,
    exp.DType.TIMESTAMPTZ,
)


class Hudilite(Spark):
    """Spark's dialect with what hudilite adds to it.

    Examples:
        >>> import sqlglot
        >>> text = "CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4"
        >>> sqlglot.parse_one(text, read="hudilite").sql("hudilite") == text
        True
        >>> sqlglot.transpile(text, read="hudilite", write="spark")[0]
        'CREATE TABLE t (id INT, PRIMARY KEY (id)) USING HUDILITE CLUSTERED BY (id) INTO 4 BUCKETS'
    """

    NORMALIZE_FUNCTIONS = False
    PRESERVE_ORIGINAL_NAMES = True

    class Tokenizer(Spark.Tokenizer):
        """CALL is a name like any other, where no statement begins with it."""

        KEYWORDS = {k: v for k, v in Spark.Tokenizer.KEYWORDS.items() if k != "CALL"}  # noqa: RUF012
        STRING_ESCAPES = ["\\", "'", '"']  # noqa: RUF012 (Spark 4 reads 'it''s' as one text)

    class Parser(SparkParser):
        """Reads the two additions, and statements of Spark 4 that sqlglot does not know."""

        TYPE_LITERAL_PARSERS = {  # noqa: RUF012
            **SparkParser.TYPE_LITERAL_PARSERS,
            **dict.fromkeys(_TYPED, lambda self, this, to: _typed_literal(this, to)),
        }

        def _parse_statement(self) -> exp.Expr | None:
            index = self._index
            if self._match_text_seq("CALL"):
                name = self._parse_id_var(any_token=False)
                if name:
                    return self._parse_call(name)
                self._retreat(index)
            start = self._curr
            if self._match_text_seq("MERGE", "WITH", "SCHEMA", "EVOLUTION"):
                return self._parse_as_command(start)  # sqlglot's MERGE has no place for it
            if self._has_options() and self._match(TokenType.INSERT):
                return self._parse_as_command(start)  # nor has its INSERT
            if self._match(TokenType.SET) and not self._match_texts(("VAR", "VARIABLE"), False):
                return self._parse_as_command(start)  # a value is text up to the end
            self._retreat(index)
            if self._match_text_seq("RESET"):
                return self._parse_as_command(start)
            self._retreat(index)
            found = super()._parse_statement()
            if isinstance(found, exp.Describe) and self._curr:
                return self._parse_as_command(start)  # of one column
            return found

        def _parse_alter(self) -> exp.Alter | exp.Command:
            start = self._prev
            found = self._try_parse(super()._parse_alter)
            return found or self._parse_as_command(start)

        def _parse_table(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
            return self._parse_named_values() or super()._parse_table(*args, **kwargs)

        def _parse_named_values(self) -> exp.Expr | None:
            """``(VALUES (1) AS v(id)) AS q``: sqlglot takes no name inside the brackets."""
            index = self._index
            if self._match_pair(TokenType.L_PAREN, TokenType.VALUES, advance=False):
                self._advance()
                values = self._parse_derived_table_values()
                if values and values.args.get("alias") and self._match(TokenType.R_PAREN):
                    alias = self._parse_table_alias()
                    return self.expression(exp.Subquery(this=values, alias=alias))
                self._retreat(index)
            return None

        def _has_options(self) -> bool:
            """Whether WITH and a bracket stand side by side: options, not a CTE."""
            kinds = [token.token_type for token in self._tokens]
            return (TokenType.WITH, TokenType.L_PAREN) in pairwise(kinds)

        def _parse_call(self, first: exp.Expr) -> Call:
            parts = [first]
            while self._match(TokenType.DOT):
                parts += [part for part in [self._parse_id_var()] if part]
            arguments = self._parse_wrapped_csv(self._parse_argument)
            return self.expression(Call(this=nodes.dotted(parts), expressions=arguments))

        def _parse_argument(self) -> exp.Expr | None:
            if self._next and self._next.token_type == TokenType.FARROW:
                name = self._parse_id_var()
                self._match(TokenType.FARROW)
                return self.expression(exp.Kwarg(this=name, expression=self._parse_disjunction()))
            return self._parse_disjunction()

        def _parse_with_property(self) -> exp.Expr | list[exp.Expr] | None:
            index = self._index
            if self._match_text_seq("BUCKETS"):
                number = self._parse_number()
                if number:
                    on = self._match(TokenType.ON)
                    columns = self._parse_wrapped_id_vars() if on else []
                    return self.expression(Buckets(this=number, expressions=columns))
                self._retreat(index)
            if self._next and self._next.token_type in (TokenType.ALIAS, TokenType.L_PAREN):
                self._retreat(index - 1)  # the CTE of a SELECT, whatever its name: no clause
                return None
            return super()._parse_with_property()

    class Generator(SparkGenerator):
        """Writes the two additions, and the provider as it was written."""

        TYPE_MAPPING = {**SparkGenerator.TYPE_MAPPING, exp.DType.TIME: "TIME"}  # noqa: RUF012
        PROPERTIES_LOCATION = {  # noqa: RUF012
            **SparkGenerator.PROPERTIES_LOCATION,
            Buckets: exp.Properties.Location.POST_SCHEMA,
        }
        TRANSFORMS = {  # noqa: RUF012
            **SparkGenerator.TRANSFORMS,
            Buckets: nodes.with_buckets,
            Call: nodes.call,
        }

        def describe_sql(self, expression: exp.Describe) -> str:
            """DESCRIBE with its kind, where it is not a table's."""
            text = super().describe_sql(expression)
            kind = (expression.args.get("kind") or "TABLE").upper()
            return text if kind == "TABLE" else text.replace("DESCRIBE", f"DESCRIBE {kind}", 1)

        def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
            """A typed literal as it was written, DATE '...', everything else as a cast."""
            if expression.meta.get(_LITERAL):
                return f"{self.sql(expression, 'to')} {self.sql(expression, 'this')}"
            return super().cast_sql(expression, safe_prefix)

        def fileformatproperty_sql(self, expression: exp.FileFormatProperty) -> str:
            """``USING provider``, in the case it was written in."""
            if expression.args.get("hive_format"):
                return super().fileformatproperty_sql(expression)
            return f"USING {self.sql(expression, 'this')}"


def _typed_literal(this: exp.Expr, to: exp.DataType) -> exp.Cast:
    literal = exp.Cast(this=this, to=to)
    literal.meta[_LITERAL] = True
    return literal
