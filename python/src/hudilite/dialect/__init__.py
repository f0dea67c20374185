"""sqlglot dialect ``hudilite``: Spark SQL with WITH BUCKETS, and with every statement as a tree.

The package registers it by entry point, so ``sqlglot.parse_one(text, read="hudilite")`` works once
hudilite is installed. Names and their quotes are written as they were read.
"""

from __future__ import annotations

from sqlglot.dialects.spark import Spark

from hudilite.dialect.generator import HudiliteGenerator, write
from hudilite.dialect.nodes import (
    AbsentPartition,
    Buckets,
    Call,
    ChangeColumn,
    DescribeColumn,
    EvolvingMerge,
    Explain,
    KeyColumns,
    MoveColumn,
    PurgePartition,
    RenamePartition,
    ReplaceTable,
    ResetConfig,
    SchemaEvolution,
    SetConfig,
    Show,
    TableCommand,
    TableOptions,
    UnsetProperties,
    key_columns,
    setting_key,
    setting_value,
)
from hudilite.dialect.parser import HudiliteParser

__all__ = [
    "AbsentPartition",
    "Buckets",
    "Call",
    "ChangeColumn",
    "DescribeColumn",
    "EvolvingMerge",
    "Explain",
    "Hudilite",
    "KeyColumns",
    "MoveColumn",
    "PurgePartition",
    "RenamePartition",
    "ReplaceTable",
    "ResetConfig",
    "SchemaEvolution",
    "SetConfig",
    "Show",
    "TableCommand",
    "TableOptions",
    "UnsetProperties",
    "key_columns",
    "setting_key",
    "setting_value",
    "write",
]

# Words that are names unless they begin a statement; Spark has no transactions.
_NAMES = ("CALL", "COMMIT", "EXPLAIN", "OPTIMIZE", "ROLLBACK", "SHOW", "VACUUM")


class Hudilite(Spark):
    """Spark's dialect with hudilite's additions.

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
        """Spark's tokenizer. It splits statements that sqlglot keeps as one text into tokens."""

        KEYWORDS = {k: v for k, v in Spark.Tokenizer.KEYWORDS.items() if k not in _NAMES}  # noqa: RUF012
        STRING_ESCAPES = ["\\", "'", '"']  # noqa: RUF012 (Spark 4 reads 'it''s' as one text)

    Parser = HudiliteParser
    Generator = HudiliteGenerator
