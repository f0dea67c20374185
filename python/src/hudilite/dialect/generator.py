"""How the dialect writes: Spark's way, with hudilite's additions, and names as they went in."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.generators.spark import SparkGenerator

from hudilite.dialect import nodes, writers

LITERAL = "hudilite.literal"  # in the meta of a cast that was written as DATE '...'


class HudiliteGenerator(SparkGenerator):
    """Writes the additions, and the provider as it was written."""

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
        """DESCRIBE with its kind, where it is not a table's."""
        text = super().describe_sql(expression)
        kind = (expression.args.get("kind") or "TABLE").upper()
        return text if kind == "TABLE" else text.replace("DESCRIBE", f"DESCRIBE {kind}", 1)

    def table_parts(self, expression: exp.Table) -> str:
        """The name, and WITH (options) right behind it."""
        hints = expression.args.get("hints") or []
        options = [self.sql(hint) for hint in hints if isinstance(hint, nodes.TableOptions)]
        return " ".join([super().table_parts(expression), *options])

    def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
        """A typed literal as it was written, DATE '...', everything else as a cast."""
        if expression.meta.get(LITERAL):
            return f"{self.sql(expression, 'to')} {self.sql(expression, 'this')}"
        return super().cast_sql(expression, safe_prefix)

    def fileformatproperty_sql(self, expression: exp.FileFormatProperty) -> str:
        """``USING provider``, in the case it was written in."""
        if expression.args.get("hive_format"):
            return super().fileformatproperty_sql(expression)
        return f"USING {self.sql(expression, 'this')}"
