"""Parser of MERGE by Spark's grammar. sqlglot's parser accepts clauses that Spark rejects."""

from __future__ import annotations

from sqlglot import TokenType, exp

from hudilite.dialect import nodes
from hudilite.dialect.alterations import AlterParser


class MergeParser(AlterParser):
    """Parser that reads MERGE into sqlglot's nodes, and fails where Spark's parser fails."""

    def _parse_merge(self) -> exp.Merge:
        evolving = self._match_text_seq("WITH", "SCHEMA", "EVOLUTION")
        self._expect(self._match(TokenType.INTO, advance=False), "INTO")
        merge = super()._parse_merge()
        self._expect(bool(merge.args.get("on")), "ON and a condition before the clauses")
        return self.expression(nodes.EvolvingMerge(**merge.args)) if evolving else merge

    def _parse_when_matched(self) -> exp.Whens:
        clauses = []
        while self._match(TokenType.WHEN):
            word = self._prev
            clauses.append(self._parse_merge_clause().update_positions(word))
        self._expect(bool(clauses), "WHEN")
        return self.expression(exp.Whens(expressions=clauses))

    def _parse_merge_clause(self) -> exp.Expr:
        matched = not self._match(TokenType.NOT)
        self._expect(self._match_text_seq("MATCHED"), "MATCHED")
        by_source = not matched and self._match_text_seq("BY", "SOURCE")
        inserts = not matched and not by_source
        if inserts:
            self._match_text_seq("BY", "TARGET")
        condition = self._parse_disjunction() if self._match(TokenType.AND) else None
        self._expect(self._match(TokenType.THEN), "THEN")
        then = self._parse_insert_action() if inserts else self._parse_action(matched)
        return self.expression(
            exp.When(matched=matched, source=by_source, condition=condition, then=then)
        )

    def _parse_action(self, matched: bool) -> exp.Expr:
        if self._match(TokenType.DELETE):
            return self.expression(exp.Var(this=self._prev.text))
        self._expect(self._match(TokenType.UPDATE), "UPDATE or DELETE")
        self._expect(self._match(TokenType.SET), "SET")
        star = self._parse_star() if matched else None
        if isinstance(star, exp.Star):
            return self.expression(exp.Update(expressions=[star]))
        return self.expression(exp.Update(expressions=self._parse_csv(self._parse_assigned)))

    def _parse_assigned(self) -> exp.Expr | None:
        start = self._curr
        column = self._parse_comparison()
        if not isinstance(column, exp.Column) or not self._match(TokenType.EQ):
            self.raise_error("Expected column = value", start)
        comments = self._prev_comments
        value = self._with_source(self._index, self._parse_disjunction())
        return self.expression(exp.EQ(this=column, expression=value), comments=comments)

    def _parse_insert_action(self) -> exp.Insert:
        self._expect(self._match(TokenType.INSERT), "INSERT")
        star = self._parse_star()
        if isinstance(star, exp.Star):
            return self.expression(exp.Insert(this=star))
        self._expect(self._match(TokenType.L_PAREN, advance=False), "* or columns in brackets")
        columns = self._parse_value(values=False)
        self._expect(self._match_text_seq("VALUES"), "VALUES")
        self._expect(self._match(TokenType.L_PAREN, advance=False), "values in brackets")
        return self.expression(exp.Insert(this=columns, expression=self._parse_value()))

    def _expect(self, is_there: bool | None, what: str) -> None:
        if not is_there:
            self.raise_error(f"Expected {what}")
