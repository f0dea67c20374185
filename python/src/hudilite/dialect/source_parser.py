"""Parser that keeps the source text of function calls, intervals and parts of statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import Token, TokenType, exp

from hudilite.dialect import interpreted, source_text

if TYPE_CHECKING:
    from sqlglot.parsers.spark import SparkParser
else:
    SparkParser = interpreted.module("sqlglot.parsers.spark").SparkParser

_MOVED = (exp.IgnoreNulls, exp.RespectNulls)  # sqlglot takes them out of a function's parentheses
_UNITS = (
    *("YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"),
    *("MILLISECOND", "MICROSECOND", "NANOSECOND"),
)


class SourceParser(SparkParser):
    """Parser that stores in nodes the text from which they were read, if it has the text."""

    _call_index = 0
    _has_calls = False

    def _parse(
        self, parse_method: Any, raw_tokens: list[Token], sql: str | None = None
    ) -> list[exp.Expr | None]:
        found = super()._parse(parse_method, raw_tokens, sql)
        if self._has_calls:
            source_text.settle(found, self.sql, raw_tokens)
        return found

    def _with_source(self, index: int, found: exp.Expr | None) -> exp.Expr | None:
        """Returns a node that is read from a token on, with its source text."""
        if found is not None and self.sql and self._index > index:
            source_text.mark(found, self.sql, self._tokens[index], self._prev)
        return found

    def _with_call(self, index: int, found: exp.Expr | None) -> exp.Expr | None:
        """Returns a function call that is read from a token on, with its source text."""
        if found is not None and self.sql and self._index > index:
            source_text.mark_call(found, self._tokens[index], self._prev)
            self._has_calls = True
        return found

    def _parse_function(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
        return self._with_call(self._index, super()._parse_function(*args, **kwargs))

    def _parse_function_call(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
        around, self._call_index = self._call_index, self._index
        try:
            return super()._parse_function_call(*args, **kwargs)
        finally:
            self._call_index = around

    def _parse_window(self, this: exp.Expr | None, alias: bool = False) -> exp.Expr | None:
        """Parses FILTER and OVER behind a function call, which may stay while they change."""
        index = self._index
        loses = isinstance(this, exp.AggFunc) and this.find(*_MOVED)
        found = super()._parse_window(this, alias)
        if isinstance(this, exp.Func) and found is not this and not loses:
            source_text.mark_call(this, self._tokens[self._call_index], self._tokens[index - 1])
        return found

    def _parse_interval(  # type: ignore[override]
        self, require_interval: bool = True, parse_function_unit: bool = True
    ) -> exp.Expr | None:
        """Parses an interval. One of several units is a sum for sqlglot, so it gets parentheses."""
        index = self._index
        found: exp.Expr | None = super()._parse_interval(require_interval, parse_function_unit)
        while found and self._is_signed_unit():
            kind = exp.Sub if self._match(TokenType.DASH) else exp.Add
            self._match(TokenType.PLUS)
            value = self._parse_primary()
            assert value is not None
            more = self._parse_interval_span(value, parse_function_unit=False)
            found = self.expression(kind(this=found, expression=more))
        if require_interval and isinstance(found, (exp.Add, exp.Sub)):
            return self._with_call(index, exp.Paren(this=found))
        return found

    def _is_signed_unit(self) -> bool:
        """Whether a further value and unit of an interval follow, also with a sign.

        sqlglot does not know a minus there.
        """
        has_sign = bool(self._match_set((TokenType.DASH, TokenType.PLUS), advance=False))
        at = self._index + has_sign
        kinds = [token.token_type for token in self._tokens[at : at + 2]]
        units = (self._prev, *self._tokens[at + 1 : at + 2])
        return (
            len(kinds) == 2
            and kinds[0] in (TokenType.NUMBER, TokenType.STRING)
            and kinds[1] != TokenType.IDENTIFIER
            and all(token.text.upper().removesuffix("S") in _UNITS for token in units)
        )
