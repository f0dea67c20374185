"""Parser of statements that sqlglot keeps as opaque text: SHOW, SET, RESET, EXPLAIN, DESCRIBE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot import ErrorLevel, TokenType, exp

from hudilite.dialect import nodes
from hudilite.dialect.source_parser import SourceParser

_STYLES = ("LOGICAL", "FORMATTED", "EXTENDED", "CODEGEN", "COST")
_ASKING = (
    TokenType.SELECT,
    TokenType.WITH,
    TokenType.FROM,
    TokenType.VALUES,
    TokenType.L_PAREN,
)
_COMMANDS = (("VACUUM",), ("RESTORE",), ("OPTIMIZE",), ("RUN", "COMPACTION", "ON"))
_DESCRIBED = ("TABLE", "FUNCTION", "PROCEDURE", "DATABASE", "SCHEMA", "NAMESPACE", "CATALOG")

# Objects that SHOW accepts, and the parts that can follow each, in this order.
_SHOWN: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("CREATE", "TABLE"): ("table", "serde"),
    ("TBLPROPERTIES",): ("table", "expressions"),
    ("PARTITIONS",): ("table", "partition"),
    ("COLUMNS",): ("table", "database"),
    ("TABLES",): ("database", "pattern"),
    ("TABLE", "EXTENDED"): ("database", "pattern", "partition"),
    ("VIEWS",): ("database", "pattern"),
    ("DATABASES",): ("database", "pattern"),
    ("SCHEMAS",): ("database", "pattern"),
    ("NAMESPACES",): ("database", "pattern"),
    ("FUNCTIONS",): ("database", "pattern"),
    ("USER", "FUNCTIONS"): ("database", "pattern"),
    ("SYSTEM", "FUNCTIONS"): ("database", "pattern"),
    ("ALL", "FUNCTIONS"): ("database", "pattern"),
    ("PROCEDURES",): ("database",),
    ("CURRENT", "NAMESPACE"): (),
    ("CURRENT", "DATABASE"): (),
    ("CURRENT", "SCHEMA"): (),
    ("CATALOGS",): ("pattern",),
}


class StatementParser(SourceParser):
    """Parser that reads SHOW, SET and the like as trees, and fails where Spark's parser fails."""

    def validate_expression(self, expression: Any, args: Any = None) -> Any:
        """Checks that a node has its required parts; the kinds of our nodes know theirs."""
        kind = nodes.kind_of(expression)
        if kind is None:
            return super().validate_expression(expression, args)
        if self.error_level != ErrorLevel.IGNORE:
            for part in kind.missing(expression):
                self.raise_error(f"Required part '{part}' of {kind.__name__} is missing")
        return expression

    def _parse_own_statement(self) -> exp.Expr | None:
        """Parses a statement that sqlglot has no tree for; for any other it consumes no token."""
        if self._match_text_seq("EXPLAIN"):
            return self._parse_explain()
        if self._match_text_seq("SHOW"):
            return self._parse_show()
        command = self._parse_table_command()
        if command:
            return command
        if self._match_text_seq("CLEAR", "CACHE"):
            return exp.var("CLEAR CACHE")
        if self._match_pair(TokenType.REPLACE, TokenType.TABLE, advance=False):
            self._advance()
            return self.expression(nodes.ReplaceTable(this=self._parse_create()))
        if self._match_texts(("REPAIR", "REPLACE")):
            return self._parse_as_command(self._prev)
        if self._match_text_seq("RESET"):
            return self.expression(nodes.ResetConfig(this=self._parse_text_up_to()))
        index = self._index
        if self._match(TokenType.SET) and not self._match_texts(("VAR", "VARIABLE"), False):
            return self._parse_set_config()
        self._retreat(index)
        return None

    def _parse_table_command(self) -> nodes.TableCommand | exp.Command | None:
        """Parses a command about a table; consumes no token of another statement.

        A clause that only tables of other formats have, such as FULL, stays text.
        """
        index = self._index
        for words in _COMMANDS:
            if self._match_text_seq(*words):
                if words[0] == "RESTORE":
                    self._match_text_seq("TABLE")
                command = self._parse_command_parts(" ".join(words).removesuffix(" ON"))
                if not self._curr:
                    return command
                self._retreat(index)
                self._advance()
                return self._parse_as_command(self._prev)
        return None

    def _parse_command_parts(self, words: str) -> nodes.TableCommand:
        parts: dict[str, Any] = {
            "this": exp.var(words),
            "table": self._parse_string() or self._parse_table_parts(schema=True),
        }
        if words == "RESTORE":
            self._match_text_seq("TO")
            parts["version"] = self._parse_version()
        elif words == "OPTIMIZE":
            parts["where"] = self._parse_where()
            if self._match_text_seq("ZORDER", "BY"):
                parts["zorder"] = self._parse_wrapped_csv(self._parse_column, optional=True)
        elif words == "DESCRIBE HISTORY" and self._match_text_seq("LIMIT"):
            parts["limit"] = self._parse_number()
        elif words == "VACUUM":
            if self._match_text_seq("RETAIN"):
                parts["retain"] = self._parse_number()
                self._match_texts(("HOURS", "HOUR"))
            parts["dry_run"] = self._match_text_seq("DRY", "RUN") or None
        return self.expression(nodes.TableCommand(**parts))

    def _parse_explain(self) -> nodes.Explain:
        style = self._prev.text.upper() if self._match_texts(_STYLES) else None
        statement = self._parse_statement()
        return self.expression(nodes.Explain(this=statement, style=style))

    def _parse_show(self) -> nodes.Show:
        for words, parts in _SHOWN.items():
            if self._match_text_seq(*words):
                found = nodes.Show(this=exp.var(" ".join(words)))
                for part in parts:
                    found.set(part, self._parse_part(part, words))
                return self.expression(found)
        self.raise_error("Spark has no such SHOW")
        return nodes.Show(this=exp.var(self._curr.text))

    def _parse_part(self, part: str, words: tuple[str, ...]) -> object:
        if part == "table":
            named = self._match_texts(("FROM", "IN")) or words != ("COLUMNS",)
            table = self._parse_table_parts(schema=True) if named else None
            if table is None:
                self.raise_error("Expected a table")
            return table
        if part == "database" and self._match_texts(("FROM", "IN")):
            return self._parse_table_parts(schema=True, is_db_reference=True)
        if part == "expressions" and self._match(TokenType.L_PAREN, advance=False):
            return self._parse_wrapped_csv(self._parse_property_key)
        if part == "pattern":
            return self._parse_pattern(words)
        if part == "partition":
            return self._parse_partition()
        return (part == "serde" and self._match_text_seq("AS", "SERDE")) or None

    def _parse_pattern(self, words: tuple[str, ...]) -> exp.Expr | None:
        """Parses a string, with or without LIKE; for functions also a name."""
        liked = self._match(TokenType.LIKE)
        found = self._parse_string()
        if found is None and words[-1] == "FUNCTIONS" and self._curr:
            found = self._parse_table_parts(schema=True)
        if found is None and (liked or words[-1] == "EXTENDED"):
            self.raise_error("Expected a pattern" if liked else "Expected LIKE and a pattern")
        return found

    def _parse_property_key(self) -> exp.Expr | None:
        """Parses a key in quotes, or bare words with dots between them."""
        key = self._parse_string()
        if key:
            return key
        start = self._curr
        while self._parse_id_var() and self._match(TokenType.DOT):
            continue
        return exp.var(self._find_sql(start, self._prev)) if start is not self._curr else None

    def _parse_set_config(self) -> nodes.SetConfig:
        key = self._parse_text_up_to(TokenType.EQ)
        if not self._match(TokenType.EQ):
            return self.expression(nodes.SetConfig(this=key))
        value = self._parse_text_up_to() or exp.Var(this="")
        return self.expression(nodes.SetConfig(this=key, value=value))

    def _parse_text_up_to(self, *ends: TokenType) -> exp.Var | None:
        """Returns the source text, unparsed as in Spark, up to a token or the statement's end."""
        start = self._curr
        if not start or start.token_type in ends:
            return None
        while self._curr and self._curr.token_type not in ends:
            self._advance()
        return exp.Var(this=self._find_sql(start, self._prev))

    def _parse_describe(self) -> exp.Expression:  # type: ignore[override]
        index = self._index
        named = self._next and self._next.text.upper() not in ("AS", "PARTITION")
        word = self._parse_word_before_name(("HISTORY", "DETAIL")) if named else None
        if word:
            return self._parse_command_parts(f"DESCRIBE {word}")
        self._match_text_seq("QUERY")
        if self._match_set(_ASKING, advance=False):
            return self.expression(exp.Describe(this=self._parse_statement()))
        self._retreat(index)
        kind = self._parse_word_before_name(_DESCRIBED)
        style = self._parse_word_before_name(("EXTENDED", "FORMATTED"))
        parts: dict[str, Any] = {
            "this": self._parse_table_parts(schema=True),
            "kind": kind if kind != "TABLE" else None,
            "style": style,
            "partition": self._parse_partition(),
        }
        column = self._parse_column() if self._curr else None
        parts["as_json"] = self._match_text_seq("AS", "JSON") or None
        described = self.expression(exp.Describe(**parts))
        if column:
            return self.expression(nodes.DescribeColumn(this=described, column=column))
        return described

    def _parse_word_before_name(self, words: tuple[str, ...]) -> str | None:
        """Parses one of some words, unless the word is itself the name in that place."""
        if self._next and self._next.token_type != TokenType.DOT and self._match_texts(words):
            return self._prev.text.upper()
        return None
