"""Generator of the dialect: Spark's, with hudilite's additions and names as they were read."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import sqlglot
from sqlglot import exp, generator

from hudilite.dialect import interpreted, nodes, source_text, writers

if TYPE_CHECKING:
    from sqlglot.generators.spark import SparkGenerator
else:
    SparkGenerator = interpreted.module("sqlglot.generators.spark").SparkGenerator

_DELEGATES = ("_hive_generator", "_trino_generator")  # Athena's gives each statement to one of two

_DATABASES = ("DATABASE", "NAMESPACE", "SCHEMA")

LITERAL = "hudilite.literal"  # meta key of a cast that was read as DATE '...'


class HudiliteGenerator(SparkGenerator):
    """Generator that writes hudilite's additions, and the provider as it was read."""

    TYPE_MAPPING = {**SparkGenerator.TYPE_MAPPING, exp.DType.TIME: "TIME"}  # noqa: RUF012
    TRANSFORMS = writers.transforms(
        SparkGenerator,
        {**writers.WRITERS, nodes.TableOptions.__name__: writers.with_options},
        writers.with_buckets,
    )

    def sql(
        self, expression: str | exp.Expr | None, key: str | None = None, comment: bool = True
    ) -> str:
        """Writes a function call that has not changed as it was read, and other nodes as sqlglot.

        Not so with an option that changes the spelling of names, nor a call of several lines.
        """
        respells = self.identify or self.normalize or self.normalize_functions
        if key or respells or not isinstance(expression, exp.Expr):
            return super().sql(expression, key, comment)
        text = source_text.call(expression)
        if text is None or (self.pretty and expression.find(exp.Case, exp.Query)):
            return super().sql(expression, key, comment)
        inner = (node.comments or [] for node in expression.walk() if node is not expression)
        text = self.maybe_comment(text, comments=[one for comments in inner for one in comments])
        return self.maybe_comment(text, expression) if comment else text

    def describe_sql(self, expression: exp.Describe) -> str:
        """Writes DESCRIBE with its kind, unless that is TABLE."""
        text = super().describe_sql(expression)
        kind = (expression.args.get("kind") or "TABLE").upper()
        return text if kind == "TABLE" else text.replace("DESCRIBE", f"DESCRIBE {kind}", 1)

    def altercolumn_sql(self, expression: exp.AlterColumn) -> str:
        """Writes ALTER COLUMN; sqlglot reads SET NOT NULL, but does not write it."""
        drops = expression.args.get("drop")
        if (
            expression.args.get("allow_null") is False
            and not drops
            and not expression.args.get("dtype")
        ):
            return f"ALTER COLUMN {self.sql(expression, 'this')} SET NOT NULL"
        return super().altercolumn_sql(expression)

    def table_parts(self, expression: exp.Table) -> str:
        """Writes the table name and, right after it, WITH (options)."""
        hints = expression.args.get("hints") or []
        options = [self.sql(hint) for hint in hints if isinstance(hint, nodes.TableOptions)]
        return " ".join([super().table_parts(expression), *options])

    def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
        """Writes a typed literal as it was read, DATE '...', and any other cast as a cast."""
        if expression.meta.get(LITERAL):
            return f"{self.sql(expression, 'to')} {self.sql(expression, 'this')}"
        return super().cast_sql(expression, safe_prefix)

    def fileformatproperty_sql(self, expression: exp.FileFormatProperty) -> str:
        """Writes ``USING provider``, in the case in which it was read."""
        if expression.args.get("hive_format"):
            return super().fileformatproperty_sql(expression)
        return f"USING {self.sql(expression, 'this')}"

    def with_properties(self, properties: exp.Properties) -> str:
        """Writes TBLPROPERTIES, or WITH DBPROPERTIES of a database."""
        text = super().with_properties(properties)
        created = properties.parent
        if isinstance(created, exp.Create) and (created.kind or "").upper() in _DATABASES:
            return text.replace("TBLPROPERTIES", "WITH DBPROPERTIES", 1)
        return text


def write(tree: exp.Expr, dialect: str, **options: Any) -> str:
    """Writes a tree in another dialect of sqlglot.

    Of the nodes in `hudilite.dialect`, sqlglot's own dialects know `Buckets` alone. What a dialect
    lacks is left out and reported as unsupported.

    Args:
        tree: Tree that the dialect ``hudilite`` has read.
        dialect: Name of the dialect to write.
        **options: Options of sqlglot's generators, such as ``pretty=True``.

    Examples:
        >>> tree = sqlglot.parse_one("CALL clean(table => 't')", read="hudilite")
        >>> write(tree, "databricks")
        "CALL clean(table => 't')"
    """
    target = sqlglot.Dialect.get_or_raise(dialect)
    return _generator(target.generator_class, target, options).generate(tree)


def _generator(found: type[generator.Generator], dialect: Any, options: Any) -> generator.Generator:
    known = _class_with_nodes(found)  # type: ignore[arg-type] # it is hashable
    made = known(dialect=dialect, **options)
    for name in _DELEGATES:
        inner = getattr(made, name, None)
        if inner is not None:
            setattr(made, name, _generator(type(inner), inner.dialect, options))
    return made


@cache
def _class_with_nodes(found: type[generator.Generator]) -> type[generator.Generator]:
    """Returns a generator class that writes our nodes, too."""
    base = interpreted.python_class(found)
    if issubclass(base, HudiliteGenerator):
        return base
    return type(base.__name__, (base,), {"TRANSFORMS": writers.transforms(base)})
