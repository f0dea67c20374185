"""Generator of the dialect: Spark's, with hudilite's additions and names as they were read."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.generators.spark import SparkGenerator

from hudilite.dialect import nodes, writers

LITERAL = "hudilite.literal"  # meta key of a cast that was read as DATE '...'


class HudiliteGenerator(SparkGenerator):
    """Generator that writes hudilite's additions, and the provider as it was read."""

    TYPE_MAPPING = {**SparkGenerator.TYPE_MAPPING, exp.DType.TIME: "TIME"}  # noqa: RUF012
    PROPERTIES_LOCATION = {  # noqa: RUF012
        **SparkGenerator.PROPERTIES_LOCATION,
        nodes.Buckets: exp.Properties.Location.POST_SCHEMA,
    }
    TRANSFORMS = {  # noqa: RUF012
        **SparkGenerator.TRANSFORMS,
        **writers.WRITERS,
        nodes.Buckets: writers.with_buckets,
        nodes.TableOptions: lambda self, options: f"WITH ({self.expressions(options, flat=True)})",
    }

    def describe_sql(self, expression: exp.Describe) -> str:
        """Writes DESCRIBE with its kind, unless that is TABLE."""
        text = super().describe_sql(expression)
        kind = (expression.args.get("kind") or "TABLE").upper()
        return text if kind == "TABLE" else text.replace("DESCRIBE", f"DESCRIBE {kind}", 1)

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
