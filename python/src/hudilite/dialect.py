"""The sqlglot dialect ``hudilite``: Spark's SQL, WITH BUCKETS, and CALL as a tree.

The package registers it by entry point, so ``sqlglot.parse_one(text, read="hudilite")`` knows it
once hudilite is installed. Names and their quotes come out as they went in.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import TokenType, exp, generator
from sqlglot.dialects.spark import Spark
from sqlglot.generators.hive import HiveGenerator
from sqlglot.generators.spark import SparkGenerator
from sqlglot.parsers.spark import SparkParser


class Buckets(exp.Property):
    """``WITH BUCKETS n [ON (columns)]``: `this` is the number, `expressions` the columns.

    ``CLUSTERED BY (columns) INTO n BUCKETS`` says the same, and is what the dialects of Hive and
    Spark write for it. Other dialects leave it out and tell so in sqlglot's way.
    """

    arg_types = {"this": True, "expressions": False}  # noqa: RUF012 (sqlglot's form)


class Call(exp.Expression):
    """``CALL name(arguments)``: `this` is the dotted name, named arguments are ``exp.Kwarg``."""

    arg_types = {"this": True, "expressions": False}  # noqa: RUF012 (sqlglot's form)


class Hudilite(Spark):
    """Spark's dialect with what hudilite adds to it.

    Example:
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

    class Parser(SparkParser):
        """Reads the two additions."""

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
            return super()._parse_statement()

        def _parse_call(self, first: exp.Expr) -> Call:
            parts = [first]
            while self._match(TokenType.DOT):
                parts += [part for part in [self._parse_id_var()] if part]
            arguments = self._parse_wrapped_csv(self._parse_argument)
            return self.expression(Call(this=dotted(parts), expressions=arguments))

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
            Buckets: lambda self, e: _with_buckets(self, e),
            Call: lambda self, e: _call(self, e),
        }

        def fileformatproperty_sql(self, expression: exp.FileFormatProperty) -> str:
            """``USING provider``, in the case it was written in."""
            if expression.args.get("hive_format"):
                return super().fileformatproperty_sql(expression)
            return f"USING {self.sql(expression, 'this')}"


def dotted(parts: list[exp.Expr]) -> exp.Expr:
    """A name of several parts."""
    return exp.Dot.build(parts) if len(parts) > 1 else parts[0]


def key_columns(create: exp.Expr) -> list[exp.Expr]:
    """Key columns that a CREATE TABLE declares, in their order.

    Args:
        create: A parsed CREATE TABLE.

    Returns:
        Identifiers from PRIMARY KEY, or else from the property ``primaryKey``; empty without both.

    Example:
        >>> import sqlglot
        >>> text = "CREATE TABLE t USING hudilite TBLPROPERTIES (primaryKey = 'a, b') AS SELECT 1"
        >>> [column.name for column in key_columns(sqlglot.parse_one(text, read="hudilite"))]
        ['a', 'b']
    """
    for key in create.find_all(exp.PrimaryKey):
        return [part.this if isinstance(part, exp.Ordered) else part for part in key.expressions]
    for constraint in create.find_all(exp.PrimaryKeyColumnConstraint):
        column = constraint.find_ancestor(exp.ColumnDef)
        return [column.this] if column else []
    for entry in create.find_all(exp.Property):
        if type(entry) is exp.Property and entry.name.lower() == "primarykey":
            return [exp.to_identifier(name.strip()) for name in entry.text("value").split(",")]
    return []


def _with_buckets(self: generator.Generator, clause: Buckets) -> str:
    columns = self.expressions(clause, flat=True)
    on = f" ON ({columns})" if columns else ""
    return f"WITH BUCKETS {self.sql(clause, 'this')}{on}"


def _clustered_by(self: generator.Generator, clause: Buckets) -> str:
    create = clause.find_ancestor(exp.Create)
    columns = clause.expressions or (key_columns(create) if create else [])
    if not columns:
        self.unsupported("WITH BUCKETS without ON, and no PRIMARY KEY to take the columns from")
        return ""
    names = ", ".join(self.sql(column) for column in columns)
    return f"CLUSTERED BY ({names}) INTO {self.sql(clause, 'this')} BUCKETS"


def _call(self: generator.Generator, call: Call) -> str:
    return f"CALL {self.sql(call, 'this')}({self.expressions(call, flat=True)})"


def _with_descendants(writer: type[generator.Generator]) -> Iterator[type[generator.Generator]]:
    yield writer
    for child in writer.__subclasses__():
        yield from _with_descendants(child)


def _teach(writer: type[generator.Generator]) -> None:
    """Enter our nodes in the tables of another dialect, which raises for a class it lacks."""
    clustered = issubclass(writer, HiveGenerator)
    place = exp.Properties.Location
    if clustered:
        writer.TRANSFORMS.setdefault(Buckets, _clustered_by)
    writer.TRANSFORMS.setdefault(Call, _call)
    writer.PROPERTIES_LOCATION.setdefault(
        Buckets, place.POST_SCHEMA if clustered else place.UNSUPPORTED
    )


for _writer in _with_descendants(generator.Generator):
    _teach(_writer)
vars(generator).get("_DISPATCH_CACHE", {}).clear()  # filled from those tables at first use
